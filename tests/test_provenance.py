"""Results that say how they were made, and that check without a word about options."""

import shlex

import pytest

from tests.commands import ROOT

VOTES, ZOO = f"{ROOT}/data/votes.csv --missing state", f"{ROOT}/data/zoo.csv"
LEARNED = {
    "lsmarkov": f"lsmarkov {VOTES} --iterations 20000 --ess 5",
    "sampled rows": f"lsmarkov {VOTES} --iterations 20000 --score bic --resample 3",
    "dropped rows": f"lsmarkov {ROOT}/data/votes.csv --missing drop --iterations 20000 --header yes",
    "mplearn": f"mplearn {VOTES} --score pic",
    "mplearn cmi": f"mplearn {VOTES} --score cmi --threshold 0.05",
    "coarsen": f"coarsen {VOTES} --method greedy --max-clique 3 --ess 2",
    "twlearn": f"twlearn {VOTES} -w 2 --iterations 20000 --ess 3",
    "junctor": f"junctor {ROOT}/data/wine.csv --method dp 3",
}


def header_of(path):
    lines = path.read_text().splitlines()
    return dict(line[2:].partition(" ")[::2] for line in lines if line.startswith("# "))


@pytest.mark.parametrize("name", LEARNED)
def test_a_result_checks_by_what_it_says_of_itself(run, tmp_path, name):
    program, *words = LEARNED[name].split()
    net = tmp_path / "net"
    assert run(program, *words, "-q", "--provenance", "--threads", 2, "-o", net).code == 0
    done = run("mntools", "check", net, "--data", words[0])
    assert (done.code, done.stdout[:4]) == (0, "ok: ") and ", from these data, score " in done.stdout, done.stdout
    best = run("mntools", "best", net, "--data", words[0], "-o", tmp_path / "best")
    assert best.code == 0 and (tmp_path / "best").read_bytes() == net.read_bytes()
    other = run("mntools", "check", net, "--data", ZOO if "votes" in words[0] else f"{ROOT}/data/votes.csv")
    assert other.code == 1


@pytest.mark.parametrize("name", LEARNED)
def test_the_command_in_a_result_makes_it_again(run, tmp_path, name):
    program, *words = LEARNED[name].split()
    first, again = tmp_path / "first", tmp_path / "again"
    more = ("--checkpoint", tmp_path / "kept", "--memory", 1, "--threads", 1, "-v")
    assert run(program, *words, "--provenance", *more, "-o", first).code == 0
    command = header_of(first)["command"]
    assert all(word not in command for word in (str(tmp_path), "memory", "threads", "-v", "checkpoint"))
    assert run(*shlex.split(command), "-q", "-o", again).code == 0
    assert again.read_bytes() == first.read_bytes()


def test_without_the_option_nothing_is_said(run):
    done = run("lsmarkov", ZOO, "--iterations", 100, "-q")
    assert "# command" not in done.stdout and "sha256" not in done.stdout


def test_values_are_quoted_as_a_shell_takes_them(run, tmp_path):
    data = tmp_path / "my data; rm.csv"
    data.write_bytes((ROOT / "data/zoo.csv").read_bytes())
    done = run("lsmarkov", data, "--no-chow-liu", "--iterations", 100, "-q", "--provenance")
    line = next(line for line in done.stdout.splitlines() if line.startswith("# command "))
    assert shlex.split(line[10:]) == [
        *("lsmarkov", "--no-chow-liu", "--iterations", "100", "--provenance"),
        str(data),
    ]


@pytest.mark.parametrize("form", ["cliques", "edges", "dot", "graphml", "json"])
def test_every_format_keeps_it(run, tmp_path, form):
    net = tmp_path / "net"
    run("lsmarkov", ZOO, "--iterations", 100, "-q", "--provenance", "--format", form, "-o", net)
    done = run("mntools", "check", net, "--data", ZOO)
    assert done.code == 0 and "from these data" in done.stdout


def test_other_data_are_told_of(run, tmp_path):
    net, turned = tmp_path / "net", tmp_path / "turned.csv"
    run("lsmarkov", ZOO, "--iterations", 100, "-q", "--provenance", "-o", net)
    top, *rows = (ROOT / "data/zoo.csv").read_text().splitlines(keepends=True)
    turned.write_text("".join([top, *rows[::-1]]))
    done = run("mntools", "check", net, "--data", turned)
    assert done.code == 0 and "from these data" not in done.stdout
    assert "net: made from other data, or from these in another order" in done.stderr


def test_parts_say_the_same_and_are_merged(run, tmp_path):
    words = ["mplearn", *VOTES.split(), "--blankets-only", "--provenance", "-q", "-o"]
    assert run(*words, tmp_path / "whole").code == 0
    parts = [tmp_path / f"part-{number}" for number in (1, 2)]
    for number, part in enumerate(parts, 1):
        assert run(*words, part, "--shard", f"{number}/2").code == 0
    assert run("mntools", "merge", *parts, "-o", tmp_path / "merged").code == 0
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "whole").read_bytes()
    assert run("mplearn", *VOTES.split(), "--blankets", tmp_path / "merged", "-q", "-o", tmp_path / "net").code == 0


def test_a_posterior_is_no_network_and_checks(run, tmp_path):
    found = tmp_path / "p.edges"
    words = ("--posterior", "--iterations", 100_000, "--provenance", "-q", "-o", found)
    assert run("lsmarkov", ZOO, *words).code == 0
    done = run("mntools", "check", found, "--data", ZOO)
    assert done.code == 0 and done.stdout.startswith("ok: probabilities of ")
    assert " edges, 17 variables, from these data; not checked: probabilities, mean-score, " in done.stdout


def test_counts_are_found_again(run, tmp_path):
    data, net = tmp_path / "data.csv", tmp_path / "net"
    data.write_text("a,b,times\n0,0,9\n0,1,2\n1,0,1\n1,1,8\n")
    words = ("--counts", "times", "--iterations", 100, "--provenance", "-q", "-o", net)
    assert run("lsmarkov", data, *words).code == 0
    assert header_of(net)["counts"] == "times"
    done = run("mntools", "check", net, "--data", data)
    assert done.code == 0 and "column times says how many rows" in done.stderr
    net.write_text(net.read_text().replace("# counts times", "# header maybe"))
    assert "'# header maybe': expected yes or no" in run("mntools", "check", net, "--data", data).stderr
