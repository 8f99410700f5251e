"""Results that say how they were made, and that check without a word about options."""

import itertools
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.commands import ROOT, command_line, run_process
from tests.reading import header_of

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
    command = header_of(first.read_text())["command"]
    assert all(word not in command for word in (str(tmp_path), "memory", "threads", "-v", "checkpoint"))
    assert run(*shlex.split(command), "-q", "-o", again).code == 0
    assert again.read_bytes() == first.read_bytes()


def test_without_the_option_there_is_no_command(run):
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


MADE = {  # what is typed after the program, with DATA, and which files it makes
    "one": ("lsmarkov DATA --iterations 300", ["net"]),
    "seeds": ("lsmarkov DATA --iterations 300 --seeds 3-5", ["net-3", "net-4", "net-5"]),
    "seeds in parts": ("lsmarkov DATA --iterations 300 --seeds 3-5 --shard 2/2", ["net-4"]),
    "samples": ("lsmarkov DATA --seed 7 --resamples 2,9 --iterations 300", ["net-2", "net-9"]),
    "widths": ("twlearn DATA --method s2 -w 1 --iterations 50 --seeds 1,2", ["net-1", "net-2"]),
    "posterior": ("mnposterior DATA --iterations 2000 --ladders 2 --seeds 1-2", ["net-1", "net-2"]),
    "thresholds": ("mplearn DATA --score cmi --threshold 0.1,1e-2,0.30000000000000004", ["net-0.1", "net-0.01"]),
    "blankets": ("mplearn DATA --blankets-only --score cmi --threshold 0.1,0.2", ["net-0.1", "net-0.2"]),
    "parts": ("mplearn DATA --blankets-only --shard 2/3", ["net"]),
    "some parts": ("mplearn DATA --blankets-only --variables 0-1 --shard 1/2", ["net"]),
    "certificate": ("junctor DATA --certificate proof", ["net"]),
    "best": ("junctor DATA --networks nets --best 3", ["net"]),
}


def run_again(line, to):
    """Runs a recorded command in a shell, which gets it as it is."""
    scripts = Path(command_line("lsmarkov")[0]).parent
    done = run_process(["sh", "-c", f"{line} > {to}"], env={"PATH": f"{scripts}:{os.environ['PATH']}"})
    assert done.code == 0, (line, done.stderr)


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("name", MADE)
def test_each_file_has_the_command_that_makes_it(run, workplace, name):
    folder = workplace({"data.csv": (ROOT / "data/tiny.csv").read_text()})
    words, files = MADE[name]
    program, *words = words.replace("DATA", "data.csv").split()
    done = run(program, *words, "--provenance", "-q", "-o", "net-{}" if "net" not in files else "net")
    assert done.code == 0, done.stderr
    for file in files:
        command = header_of((folder / file).read_text())["command"]
        if name == "one":
            run_again(command, "again")
        else:
            again = run(*shlex.split(command), "-q")
            assert again.code == 0, again.stderr
            (folder / "again").write_text(again.stdout)
        assert (folder / "again").read_bytes() == (folder / file).read_bytes(), header_of((folder / file).read_text())


NAMES = [
    *(b"-data.csv", b"--seed", b"a\nb.csv", b"ends\n", b"\n", b"-\n'%d\\n\"$x`", b"caf\xe9.csv", b"\xff%s'\n"),
    *("\u2028 \x85".encode(), "na\u00efve data.csv".encode(), b"$HOME *", b"tab\t\r\x1b[1m"),
]


FORMS = ("cliques", "dot", "json", "graphml", "edges")


@pytest.mark.parametrize("name, form", [*zip(NAMES, itertools.cycle(FORMS), strict=False)], ids=repr)
def test_any_name_of_a_file_is_recorded(run, workplace, name, form):
    """In one line of text, that a shell reads as the same name."""
    folder = workplace({})
    (folder / os.fsdecode(name)).write_bytes((ROOT / "data/tiny.csv").read_bytes())
    words = ["--iterations", "300", "--provenance", "--format", form, "-q", "-o", "net", "--", os.fsdecode(name)]
    done = run("lsmarkov", *words)
    assert done.code == 0, done.stderr
    (folder / "net").read_bytes().decode()
    read = run("mntools", "convert", "net", "--format", "edges")
    assert read.code == 0, read.stderr
    line = next(line for line in read.stdout.splitlines() if line.startswith("# command "))[len("# command ") :]
    shell = "bash" if name.endswith(b"\n") else "sh"  # only $'...' keeps the last line break
    script = f"lsmarkov() {{ printf '%s\\0' \"$@\"; }}\n{line}"
    words = subprocess.run([shell, "-c", script], capture_output=True, check=True).stdout.split(b"\0")
    assert words[-2] == name and b"--provenance" in words


def test_names_that_a_format_cannot_hold_are_refused_before_the_work(refuse, workplace):
    workplace({"data.csv": "a\x01b,c\n0,1\n1,0\n"})
    refuse("lsmarkov data.csv --header yes --format graphml --trace trace -o net", 2, "")


@pytest.mark.parametrize("form", ["cliques", "edges", "dot", "graphml", "json"])
def test_every_format_keeps_it(run, tmp_path, form):
    net = tmp_path / "net"
    run("lsmarkov", ZOO, "--iterations", 100, "-q", "--provenance", "--format", form, "-o", net)
    done = run("mntools", "check", net, "--data", ZOO)
    assert done.code == 0 and "from these data" in done.stdout


def test_other_data_are_reported(run, tmp_path):
    net, turned = tmp_path / "net", tmp_path / "turned.csv"
    run("lsmarkov", ZOO, "--iterations", 100, "-q", "--provenance", "-o", net)
    top, *rows = (ROOT / "data/zoo.csv").read_text().splitlines(keepends=True)
    turned.write_text("".join([top, *rows[::-1]]))
    done = run("mntools", "check", net, "--data", turned)
    message = "wrong: made from other data, or from these in another order (data-sha256 differs)"
    assert done.code == 1 and message in done.stdout


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
    words = ("--iterations", 100_000, "--provenance", "-q", "-o", found)
    assert run("mnposterior", ZOO, *words).code == 0
    done = run("mntools", "check", found, "--data", ZOO)
    assert done.code == 0 and done.stdout.startswith("ok: probabilities of ")
    assert " edges, 17 variables, from these data; not checked: probabilities, mean-score, " in done.stdout


def test_the_column_of_counts_is_found_again(run, tmp_path):
    data, net = tmp_path / "data.csv", tmp_path / "net"
    data.write_text("a,b,times\n0,0,9\n0,1,2\n1,0,1\n1,1,8\n")
    words = ("--counts", "times", "--iterations", 100, "--provenance", "-q", "-o", net)
    assert run("lsmarkov", data, *words).code == 0
    assert header_of(net.read_text())["counts"] == "times"
    done = run("mntools", "check", net, "--data", data)
    assert done.code == 0 and "column times gives the number of rows" in done.stderr
    net.write_text(net.read_text().replace("# counts times", "# header maybe"))
    assert "'# header maybe': expected yes or no" in run("mntools", "check", net, "--data", data).stderr


def test_a_method_that_depends_on_the_memory_is_recorded(run, tmp_path):
    """With little memory auto takes another method; the command says which, and nothing that it does not use."""
    wine = f"{ROOT}/data/wine.csv"
    words = ("twlearn", wine, "-q", "-w", "2", "--iterations", "300", "--provenance")
    found = {}
    for memory in ("8", "0.05"):
        done = run(*words, "--memory", memory)
        assert done.code == 0, done.stderr
        found[memory] = next(line for line in done.stdout.splitlines() if line.startswith("# command "))[10:]
        again = run(*shlex.split(found[memory]), "-q")
        assert again.stdout == done.stdout
    assert "--method kp" in found["8"] and "--iterations" not in found["8"]
    assert "--method milp" in found["0.05"] or "--method chordal" in found["0.05"]
