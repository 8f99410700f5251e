"""The last lines of a run say in words what was found, what is proved, where the time went and what comes next."""

import re

import pytest

from cliquewise.common.bounds import proof_estimate
from tests.commands import ROOT

ZOO, VOTES = ROOT / "data/zoo.csv", ROOT / "data/votes.csv"


def log_lines(done):
    """The lines on standard error, without the name of the command."""
    assert done.code == 0, done.stderr
    return [line.partition(": ")[2] for line in done.stderr.splitlines()]


@pytest.mark.parametrize(
    "line, proof",
    [
        (
            "lsmarkov {} --iterations 3000",
            r"nothing is proved about it; the same with junctor --max-clique \d may do that: about \d+ s for .*",
        ),
        (
            "lsmarkov {} --iterations 3000 --max-clique 3",
            r"nothing is proved about it; the same with junctor --max-clique 3 may do that: about 1 s for 834 sets .*",
        ),
        ("junctor {} --max-clique 3", "proved: no network within these options scores more"),
        ("coarsen {} --method greedy", r"nothing is proved about it; the same with junctor --max-clique \d .*"),
        ("mplearn {}", "nothing is proved about it"),
        ("twlearn {} -w 1 --method kp", "proved: no network within these options scores more"),
        ("lsmarkov {} --iterations 3000 --bound 5", r"proved: no network within these options scores more.*"),
    ],
)
def test_what_was_found_and_what_is_proved(run, tmp_path, line, proof):
    name, *words = line.format(ZOO).split()
    out = tmp_path / "net"
    links, proved, times, then = log_lines(run(name, *words, "-o", out))[-4:]
    kind, ends = ("arcs", "->") if name == "twlearn" else ("links", "-")
    strongest = ", ".join([rf"\S+ {ends} \S+ \([\d.]+\)"] * 3)
    alone = r"(?:, \d+ of them without (?:a link|an arc))?"
    assert re.fullmatch(rf"17 columns{alone}, \d+ {kind}; strongest, with the score lost without: {strongest}", links)
    assert re.fullmatch(proof, proved)
    assert re.fullmatch(r"time: reading [\d.]+ s, compiling [\d.]+ s, search [\d.]+ s, check [\d.]+ s", times)
    fits = f"mntools convert {out} --chordal -o " if name == "mplearn" else f"mnmodel fit {ZOO} {out} -o "
    assert then.startswith(f"next: mntools draw {out} --data {ZOO} -o network.png, or {fits}")


def test_the_time_of_a_proof_depends_on_the_rows(run, tmp_path, monkeypatch):
    monkeypatch.setattr(proof_estimate, "OF_STORED_ROW", 0.001)
    lines = log_lines(run("lsmarkov", ZOO, "--iterations", 3000, "--max-clique", 3, "-o", tmp_path / "net"))
    assert "may do that: about 85 s for 834 sets" in "".join(lines)


@pytest.mark.parametrize(
    "line, of",
    [
        ("twlearn {} -w 4 --method kp", "within these options and with at most 3 parents scores more"),
        ("twlearn {} -w 4 --method milp --max-parents 4", "within these options scores more"),
        ("mplearn {} --combine pbo", r"with links of these blankets alone scores more than 0\.0\d+ .* above"),
    ],
)
def test_a_proof_is_about_fewer_networks_by_a_default(run, line, of):
    """Of four parents, or of all links, is nothing known."""
    name, *words = line.format(ZOO).split()
    assert re.fullmatch(f"proved: no network {of}", log_lines(run(name, *words, "--columns", "hair:predator"))[-3])


def test_columns_without_links_are_counted(run, workplace):
    workplace({"d.csv": "a,b,c,d\n" + "0,0,0,1\n1,1,0,0\n0,0,1,1\n1,1,1,0\n" * 5})
    assert "4 columns, 1 of them without a link, 3 links" in run("junctor", "d.csv").stderr
    alone = run("junctor", "d.csv", "--columns", "a,c").stderr
    assert "2 columns, 2 of them without a link, 0 links\n" in alone


def test_the_next_command_works(run, workplace):
    workplace({"my data.csv": ZOO.read_text()})
    done = run("junctor", "my data.csv", "--max-clique", 3, "-o", "my net")
    assert log_lines(done)[-1].startswith("next: mntools draw 'my net' --data 'my data.csv' -o network.png")
    assert run("mntools", "draw", "my net", "--data", "my data.csv", "-o", "network.png").code == 0
    assert run("mnmodel", "fit", "my data.csv", "my net", "-o", "model.bif").code == 0


def test_the_next_command_with_names_like_options(run, workplace):
    workplace({"-d.csv": ZOO.read_text()})
    done = run("junctor", "--max-clique", 2, "-o", "-net", "--", "-d.csv")
    for command in log_lines(done)[-1].removeprefix("next: ").split(", or "):
        assert "./-net" in command and run(*command.split(), "-q").code == 0, command


def test_some_blankets_are_not_all_that_a_network_needs(run, workplace):
    workplace({})
    assert "next:" not in run("mplearn", ZOO, "--blankets-only", "--variables", "0-3", "-o", "some.blankets").stderr


@pytest.mark.parametrize(
    "options, sure",
    [
        ("--max-clique 2 --columns hair:venomous", r"how sure: exact draws; the largest standard error .* is 0\.\d+"),
        (
            "--iterations 100",
            "how sure: R-hat unknown: the chains are short, or all have the same edges; "
            "another --seed may find other networks",
        ),
        (
            "--iterations 40000",
            r"how sure: R-hat of the chains \d.*, where 1\.01 is good; "
            r"more time lowers it, and another --seed may find other networks",
        ),
    ],
)
def test_what_a_posterior_found(run, tmp_path, options, sure):
    out = tmp_path / "p.edges"
    links, certain, times, then = log_lines(run("mnposterior", ZOO, *options.split(), "-o", out))[-4:]
    three = ", ".join([r"\S+ - \S+ \(1\.00\)"] * 3)
    assert re.fullmatch(rf"\d+ columns, \d+ links more probable than not; most probable: {three}", links)
    assert re.fullmatch(sure, certain) and times.startswith("time: reading ")
    assert then.endswith(f"or mntools convert {out} --min-probability 0.5 --chordal -o network.cliques")
    assert "last improvement" not in run("mnposterior", ZOO, "--iterations", 3000).stderr


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("missing", ["refuse", "em"])
def test_what_a_mixture_found(run, workplace, missing, monkeypatch):
    monkeypatch.setattr("cliquewise.mixture.search.SIZES", (1.0, 10.0))
    monkeypatch.setattr("cliquewise.mixture.search.TURN_SHARE", 0.1)
    cell = "?" if missing == "em" else "0"
    workplace({"d.csv": "a,b,c\n" + f"0,0,{cell}\n1,1,0\n0,0,1\n1,1,1\n0,1,1\n" * 6})
    line = f"mnmodel mixture d.csv d.csv --missing {missing} --iterations 200 --max-clique 2 -o m.json"
    *_, proved, times, then = done = log_lines(run(*line.split()))
    assert (proved, "last improvement" in "".join(done)) == ("nothing is proved about it", False)
    links = r"weight [01]\.\d\d: 3 columns, .*\d arcs?; strongest, with the score lost without: \S+ -> \S+ \(.*"
    assert bool(re.fullmatch(links, done[-4])) == (missing != "em")
    assert (
        times.startswith("time: reading ") and then == "next: mnmodel loglik m.json d.csv, or mnmodel marginals m.json"
    )
    assert run("mnmodel", "loglik", "m.json", "d.csv").code == run("mnmodel", "marginals", "m.json").code == 0


def test_one_line_for_many_networks(run, workplace):
    workplace({})
    done = run("lsmarkov", ZOO, "--iterations", 300, "--seeds", "1-2", "-o", "net-{}")
    assert "strongest" not in done.stderr and done.stderr.count("next:") == 1
    assert run("lsmarkov", ZOO, "--iterations", 300, "-q").stderr == ""


def test_a_network_on_standard_output_is_not_yet_a_file(run):
    assert log_lines(run("junctor", ZOO, "--max-clique", 2))[-1] == (
        "next: with -o net the network is a file for mntools and mnmodel"
    )


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "lsmarkov {zoo} --ess 1,10 --choose cv --iterations 900 -o net",
            r"mntools draw net --data {zoo} -o \S+png, or .*",
        ),
        (
            "lsmarkov {zoo} --ess 1,10 --choose evidence --iterations 900 -o net",
            r"mntools draw net .*, or mnmodel fit .*",
        ),
        (
            "lsmarkov {zoo} --edge-priors known.csv --iterations 900 -o net",
            r"mntools draw net -o network.png, or mnmodel fit .*",
        ),
        (
            "lsmarkov {zoo} --seeds 1,2 --iterations 900 -o net-{{}}",
            r"mntools best net-1 net-2 -o best, or mntools average .*",
        ),
        ("lsmarkov {zoo} --resamples 1,2 --iterations 900 -o net-{{}}", r"mntools average net-1 net-2 -o edges.edges"),
        ("mplearn {zoo} --blankets-only -o found.blankets", r"mplearn {zoo} --blankets found.blankets -o net"),
        (
            "mplearn {zoo} --blankets-only --missing state --resample 3 --score pic --max-blanket 2 -o 2.blankets",
            "mplearn {zoo} --missing=state --score=pic --penalty=printed --max-blanket=2 --resample=3 "
            "--blankets 2.blankets -o net",
        ),
    ],
)
def test_the_next_command_of_several_runs_and_of_blankets(run, workplace, line, message):
    """It is in the last line, and works."""
    workplace({"known.csv": "milk,eggs,0.9\n"})
    done = run(*line.format(zoo=ZOO).split())
    (after,) = [text.split(": next: ")[1] for text in done.stderr.splitlines() if ": next: " in text]
    assert done.code == 0 and done.stderr.splitlines()[-1].endswith(after), done.stderr
    assert re.fullmatch(message.format(zoo=ZOO), after)
    for command in after.split(", or "):
        assert run(*command.split(), "-q").code == 0, command


def test_the_links_of_a_chosen_size_are_logged(run):
    log = run("lsmarkov", ZOO, "--ess", "1,10", "--choose", "evidence", "--iterations", "900").stderr
    assert re.search(r"17 columns, \d+ links; strongest, with the score lost without: \S+ - \S+", log)
