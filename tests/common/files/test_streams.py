"""Outputs that fail while a command runs, and closed standard streams: everything else is written."""

import os
import shlex
from pathlib import Path

import pytest

from tests.commands import ROOT, command_line, run_process
from tests.slow import slow

ZOO = ROOT / "data/zoo.csv"
TRACING = ["lsmarkov --iterations 20", "mplearn", "twlearn -w 2 --iterations 20", "coarsen --max-clique 3"]
FULL = "cannot be written: No space left on device"


@pytest.fixture(autouse=True)
def folder(workplace):
    """Every test works in a folder of its own, with a copy of the data."""
    return workplace({"zoo.csv": ZOO.read_text()})


@pytest.fixture
def shell():
    """Runs a line of bash, in which `lsmarkov`, `mplearn`, `mnmodel` and `mntools` are ours."""

    def run(line):
        ours = "".join(
            f'{name}() {{ {shlex.join(command_line(name))} "$@"; }}; '
            for name in ("lsmarkov", "mplearn", "mnmodel", "mntools")
        )
        return run_process(["bash", "-c", f"{ours} set -o pipefail; {line}"], timeout=300)

    return run


@pytest.mark.parametrize("line", TRACING)
def test_a_trace_that_fails_is_dropped(run, line):
    name, *words = line.split()
    assert run(name, "zoo.csv", *words, "-q", "-o", "expected").code == 0
    done = run(name, "zoo.csv", *words, "-q", "-o", "net", "--trace", "/dev/full")
    assert done.code == 0 and Path("net").read_text() == Path("expected").read_text()
    assert done.stderr == f"{name}: error: /dev/full: {FULL}; the run continues without it\n"


@pytest.mark.slow
def test_a_trace_that_fails_in_the_middle(run, shell):
    """A disk gets full; a pipe is closed."""
    assert run("mplearn", "zoo.csv", "-q", "-o", "expected").code == 0
    expected = Path("expected").read_text()
    done = shell("ulimit -f 1; mplearn zoo.csv -o net --trace rows")  # files of 1024 bytes at most
    assert done.code == 0 and done.stderr.count("rows: cannot be written: File too large") == 1, done.stderr
    assert Path("net").read_text() == expected and 0 < os.path.getsize("rows") <= 1024
    done = shell("mplearn zoo.csv -o net2 --trace >(head -1 > first)")
    assert done.code == 0 and done.stderr.count("cannot be written: Broken pipe; the run continues without it") == 1
    assert Path("net2").read_text() == expected


@pytest.mark.slow
def test_updates_that_fail_are_dropped_where_the_result_goes_elsewhere(shell):
    learn = "lsmarkov zoo.csv --fixed-iters --iterations 20000"  # finds several networks, one after the other
    assert shell(f"{learn} -q -o expected").code == 0
    expected = Path("expected").read_text()
    for end, reason in (("| head -1", "Broken pipe"), ("> /dev/full", "No space left on device"), (">&-", "closed")):
        done = shell(f"{learn} --updates -o net {end}")
        assert done.code == 0 and Path("net").read_text() == expected, end
        message = f"standard output: cannot be written: {reason}; the run continues without it\n"
        assert done.stderr.count(message) == 1 and "Exception" not in done.stderr, done.stderr
        Path("net").unlink()


@pytest.mark.slow
def test_updates_are_the_result_where_nothing_else_is(shell):
    done = shell("lsmarkov zoo.csv --fixed-iters --iterations 20000 -q --updates | head -1")
    assert done.code == 1 and done.stdout.startswith("update ") and done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("place", ["", *slow("-o -")])
def test_updates_that_cannot_be_printed(shell, place):
    done = shell(f"lsmarkov zoo.csv --iterations 20000 -q --updates {place} > /dev/full")
    assert done.code == 1 and done.stderr.endswith(": No space left on device\n") and done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", ["", *slow("1")])
def test_a_result_that_cannot_be_printed(run_command, unbuffered):
    """The stream is named, and Python's own last attempt adds nothing."""
    Path("net").write_text("0,1\n")
    for words in (["convert", "net"], ["score", "zoo.csv", "net"], ["compare", "net", "net"]):
        line = f"{shlex.join(command_line('mntools'))} {shlex.join(words)} -q > /dev/full"
        done = run_process(["bash", "-c", line], env={"PYTHONUNBUFFERED": unbuffered})
        assert (done.code, done.stderr) == (1, f"mntools: standard output: {FULL}\n")


@pytest.mark.parametrize("unbuffered", ["1", *slow("")])
def test_a_result_that_is_printed_in_part_is_an_error(shell, unbuffered):
    """With PYTHONUNBUFFERED, as in containers, Python writes what fits, and reports nothing."""
    done = shell(f"export PYTHONUNBUFFERED={unbuffered}; ulimit -f 1; mnmodel describe zoo.csv > part")
    assert done.code == 1 and done.stderr == "mnmodel: standard output: cannot be written: File too large\n"
    assert os.path.getsize("part") == 1024


def test_one_of_two_files_that_fails_does_not_take_the_other_along(run):
    done = run("mnmodel", "sample", "--rows", "5", "--edges", "/dev/full", "-o", "data")
    assert (done.code, done.stderr) == (1, f"mnmodel: /dev/full: {FULL}\n")
    assert Path("data").read_text() == run("mnmodel", "sample", "--rows", "5").stdout
    done = run("mnmodel", "sample", "--rows", "5", "--edges", "edges", "-o", "/dev/full")
    assert (done.code, done.stderr) == (1, f"mnmodel: /dev/full: {FULL}\n")
    assert Path("edges").stat().st_size > 0


@pytest.mark.slow
def test_closed_streams_that_are_not_needed_do_no_harm(shell):
    """No file gets their descriptors, and no other stream has a message."""
    learn = "lsmarkov zoo.csv --iterations 1"
    assert shell(f"{learn} -q -o expected").code == 0
    for closed in (">&-", "2>&-", "<&- >&- 2>&-"):
        done = shell(f"{learn} -o net {closed}")
        assert (done.code, done.stdout) == (0, "") and "error" not in done.stderr, closed
        assert ("score" in done.stderr) == ("2>&-" not in closed)
        assert Path("net").read_text() == Path("expected").read_text()
        Path("net").unlink()
    assert Path("zoo.csv").read_bytes() == ZOO.read_bytes()


@pytest.mark.slow
def test_closed_streams_that_are_needed_are_reported(shell):
    Path("net").write_text("0,1\n")
    for line in ("lsmarkov - <&-", "mntools convert - <&-", "mntools compare net - <&-"):
        done = shell(line)
        assert done.code == 1 and done.stderr.endswith(": standard input: is closed; name a file\n"), done.stderr
        assert done.stderr.count("\n") == 1
    for line in ("lsmarkov zoo.csv --time-limit 100", "mntools convert net", "mntools compare net net"):
        done = shell(f"{line} >&-")
        assert (done.code, done.stdout) == (1, "")
        assert done.stderr == f"{line.split()[0]}: standard output: is closed; send it to a file\n"


@pytest.mark.slow
def test_an_error_without_standard_error(shell):
    """It goes nowhere else, and the exit code stays."""
    for end in ("2>&-", "2>/dev/full"):
        for line, code in (("lsmarkov gone.csv", 1), ("lsmarkov --no-such-option", 2)):
            done = shell(f"{line} {end}")
            assert (done.code, done.stdout, done.stderr) == (code, "", ""), (line, end)
