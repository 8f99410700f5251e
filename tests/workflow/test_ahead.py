"""The second process of `cliquewise learn`, which compiles what the next steps need."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cliquewise.common.compiled import compiling
from cliquewise.common.compiled.mode import mode
from cliquewise.workflow import ahead
from tests.commands import IMPORTABLE, ROOT, command_line, run_process

tuned = pytest.mark.skipif(mode() != "tuned", reason="numba's own cache is used")
# prints the kernels that steps call and the rehearsal did not
MISSED = """
import sys

import cliquewise
from cliquewise.common.compiled.tuned import TunedKernel
from cliquewise.workflow.ahead import NextSteps, compile_kernels


def called():
    found = set()
    for name in [name for name in sys.modules if name.endswith("_kernels")]:
        for kernel in vars(sys.modules[name]).values():
            if isinstance(kernel, TunedKernel) and "outer" in vars(kernel):
                found |= {(kernel.__name__, str(types)) for types in kernel.outer.overloads}
    return found


data = cliquewise.read_csv(sys.argv[1], missing=sys.argv[2])
proof = None if sys.argv[3] == "none" else int(sys.argv[3])
compile_kernels(NextSteps.of(data, None, proof))
rehearsed = called()
if proof is not None:
    cliquewise.junctor(data, max_clique=proof, time_limit=2)
cliquewise.mnposterior(data, time_limit=1)
print(len(rehearsed) > 20, *sorted(called() - rehearsed))
"""


@tuned
@pytest.mark.parametrize(
    ("table", "missing", "proof"),
    [("votes.csv", "em", "3"), ("votes.csv", "state", "3"), ("zoo.csv", "refuse", "none")],
)
def test_steps_find_all_that_they_need(table, missing, proof):
    words = [sys.executable, "-c", MISSED, ROOT / "data" / table, missing, proof]
    assert run_process(words).stdout == "True\n"


@pytest.fixture
def steps():
    return ahead.NextSteps([2, 3], "uint8", False, None, None)


@tuned
@pytest.mark.parametrize(("threads", "cores", "begun"), [(None, 2, 1), (1, 2, 0), (4, 1, 0)])
def test_there_is_a_second_process_when_something_is_compiled_and_there_is_a_core_for_it(
    steps, monkeypatch, threads, cores, begun
):
    from cliquewise.common.compiled.jit import kernel

    def sum_with(summand):
        return kernel(lambda x: x + summand)  # not kept on disk, because of its closure

    class Helper:
        """Counts its ends."""

        ended = 0

        def kill(self):
            self.ended += 1

        def wait(self):
            self.ended += 1

    helpers = []
    monkeypatch.setattr(ahead, "available_cores", lambda: cores)
    monkeypatch.setattr(ahead, "_started", lambda _: helpers.append(Helper()) or helpers[-1])
    with ahead.compiling_ahead(steps, threads):
        assert not helpers
        assert sum_with(1)(2) == 3 and sum_with(2)(2) == 4
        assert len(helpers) == begun
    assert [helper.ended for helper in helpers] == [2] * begun and not compiling._waiting


@tuned
def test_a_second_process_that_cannot_begin_harms_nothing(steps, monkeypatch):
    monkeypatch.setattr(ahead, "available_cores", lambda: 2)
    monkeypatch.setattr(ahead.sys, "executable", "/nowhere/python")
    with ahead.compiling_ahead(steps, None):
        assert compiling._waiting[-1]() is None


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


@tuned
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_it_ends_with_the_command(tmp_path, number):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two cores")
    env = {**os.environ, **IMPORTABLE, "CLIQUEWISE_CACHE": str(tmp_path / "cache")}
    words = [*command_line("cliquewise"), "learn", str(ROOT / "data/wine.csv"), "-o", str(tmp_path / "out")]
    with subprocess.Popen(words, stderr=subprocess.PIPE, env=env) as process:
        while b"compiling kernels" not in process.stderr.readline():
            assert process.poll() is None
        until = time.monotonic() + 60
        while not (helpers := children(process.pid)) and time.monotonic() < until:
            time.sleep(0.05)
        assert len(helpers) == 1
        time.sleep(1)
        process.send_signal(number)
        process.stderr.read()
    until = time.monotonic() + 60
    while is_running(helpers[0]) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_running(helpers[0]) and process.returncode == (130 if number == signal.SIGTERM else -number)
