"""The second process that compiles what the first one compiles last."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import cliquewise
from cliquewise.common.compiled import compiling
from cliquewise.common.compiled.mode import mode
from cliquewise.common.learning.compilation_run import ReversedCompilation
from cliquewise.common.run import second_compiler as module
from cliquewise.common.run.second_compiler import second_compiler
from tests.commands import IMPORTABLE, ROOT, command_line, run_process
from tests.slow import slow

needs_two_cores = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")


class Helper:
    """Counts its ends."""

    ended = 0

    def kill(self):
        self.ended += 1

    def wait(self):
        self.ended += 1


@pytest.fixture
def helpers(monkeypatch):
    """The second processes, which do nothing; the tests have none otherwise (conftest.py)."""
    begun = []
    monkeypatch.setattr(module, "_is_used", False)
    monkeypatch.setattr(module, "available_cores", lambda: 2)
    monkeypatch.setattr(module, "_started", lambda _: begun.append(Helper()) or begun[-1])
    return begun


def compile_something(summand=1):
    from cliquewise.common.compiled.jit import kernel

    assert kernel(lambda x: x + summand)(2) == 2 + summand  # not kept on disk, because of its closure


@pytest.mark.parametrize(("threads", "cores", "begun"), [(None, 2, 1), (1, 2, 0), (4, 1, 0)])
def test_a_second_process_starts_if_there_is_something_to_compile_and_a_free_core(
    helpers, monkeypatch, threads, cores, begun
):
    monkeypatch.setattr(module, "available_cores", lambda: cores)
    with second_compiler(int, threads):
        assert not helpers
        compile_something()
        compile_something(2)
        assert len(helpers) == begun
        with second_compiler(int, threads):  # of a learner that is a step of another one
            compile_something(3)
    assert [helper.ended for helper in helpers] == [2] * begun and not compiling._waiting
    with second_compiler(None, None):
        compile_something(4)
    assert len(helpers) == begun


def test_the_second_process_ends_when_the_clock_starts(helpers, monkeypatch):
    seen = []

    def learn(source, scoring, config, monitor):
        compile_something(5)
        seen.append([helper.ended for helper in helpers])
        monitor.start()
        seen.append([helper.ended for helper in helpers])
        return found(source, scoring, config, monitor)

    from cliquewise.lsmarkov import learner

    found = learner.learn
    monkeypatch.setattr(learner, "learn", learn)
    cliquewise.lsmarkov(str(ROOT / "data/tiny.csv"), iterations=10)
    assert seen == [[0], [2]]


def test_a_second_process_that_cannot_begin_harms_nothing(monkeypatch):
    monkeypatch.setattr(module, "_is_used", False)
    monkeypatch.setattr(module, "available_cores", lambda: 2)
    monkeypatch.setattr(module.sys, "executable", "/nowhere/python")
    with second_compiler(int, None):
        assert compiling._waiting[-1]() is None


def test_the_second_process_compiles_in_reverse_order():
    done = []
    with ReversedCompilation() as monitor:
        monitor.compile(lambda: done.append(1), lambda: done.append(2))
        with monitor.part() as part:
            part.compile(lambda: done.append(3), lambda: done.append(4))
        assert not done
        monitor.start()
    assert done == [4, 3, 2, 1]


def children(pid):
    """The processes that another one has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def is_running(pid):
    """Whether there is such a process; one that has ended and was not waited for is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@needs_two_cores
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, *slow(signal.SIGTERM)])
def test_the_second_process_ends_with_the_command(tmp_path, number):
    empty = {"CLIQUEWISE_CACHE": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}  # a cache in TMPDIR would be copied
    env = {**os.environ, **IMPORTABLE, **empty}
    words = [*command_line("lsmarkov"), str(ROOT / "data/tiny.csv"), "-o", str(tmp_path / "out")]
    with subprocess.Popen(words, stderr=subprocess.PIPE, env=env) as process:
        while b"compiling kernels" not in process.stderr.readline():
            assert process.poll() is None
        until = time.monotonic() + 60
        while not (helpers := children(process.pid)) and time.monotonic() < until:
            time.sleep(0.05)
        assert len(helpers) == 1
        time.sleep(0.3)
        process.send_signal(number)
        process.stderr.read()
    until = time.monotonic() + 60
    while is_running(helpers[0]) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_running(helpers[0]) and process.returncode == (130 if number == signal.SIGTERM else -number)


# prints whether the second process compiles something, and what the learner calls and it would not compile
MISSED = """
import contextlib, json, sys

import cliquewise
from cliquewise.common.run import second_compiler as module
from tests.kernels_called import called


@contextlib.contextmanager
def at_once(work, threads):
    work()
    compiled.append(called())
    yield lambda: None


compiled = []
module.second_compiler = at_once
getattr(cliquewise, sys.argv[1])(cliquewise.read_csv(sys.argv[2]), **json.loads(sys.argv[3]))
print(len(compiled[0]) > 2, *sorted(called() - compiled[0]))
"""


@pytest.mark.skipif(mode() != "tuned", reason="kernels of numba's public interface do not say what was compiled")
@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("mplearn", {}),
        pytest.param("lsmarkov", {"time_limit": 1}, marks=pytest.mark.slow),
        pytest.param("junctor", {"max_clique": 3}, marks=pytest.mark.slow),
        pytest.param("coarsen", {}, marks=pytest.mark.slow),
        pytest.param("twlearn", {"treewidth": 3, "time_limit": 1}, marks=pytest.mark.slow),
        pytest.param("mnposterior", {"max_clique": 3, "time_limit": 1}, marks=pytest.mark.slow),
    ],
)
def test_the_second_process_compiles_all_that_the_learner_calls(learner, options):
    words = [sys.executable, "-c", MISSED, learner, ROOT / "data/zoo.csv", json.dumps(options)]
    assert run_process(words).stdout == "True\n"
