"""Kernels are compiled before a run's clock starts; until then a signal ends the process at once."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.commands import IMPORTABLE, ROOT, command_line, run_process
from tests.slow import slow, slow_cases
from tests.test_limits import processor_time

# prints the kernels that are looked for after the clock of a run has started: it would be too late to compile them
LATE = """
import os
import sys
from importlib import import_module

from cliquewise.common.cli import command
from cliquewise.common.compiled import jit  # numba, once for all
from cliquewise.common.compiled.mode import mode
from cliquewise.common.run.clock import Clock
from cliquewise.common.run.monitor import Monitor

if mode() == "tuned":
    from cliquewise.common.compiled.kernel_cache import KernelCache as place
    from cliquewise.common.compiled.tuned import SharedKernel

    look = "load_overload"

    def name_of(cache, *_):
        # a shared kernel is compiled with those that call it, and loaded when it is first called
        function = cache._compile.__self__.py_func
        kernel = getattr(sys.modules[function.__module__], function.__name__)
        return "" if isinstance(kernel, SharedKernel) else function.__name__

else:
    from numba.core import event

    from cliquewise.common.compiled import public as place

    look, name_of = "_cached", lambda function, use, _: function.__name__ if use == "public" else ""

    class Compiled(event.Listener):
        # kernels that others call are loaded when they are first called: only those compiled are late

        def on_start(self, event):
            if begun:
                late.append(event.data["dispatcher"].py_func.__name__)

        def on_end(self, event):
            pass

    event.register("numba:compile", Compiled())
begun, late = [], []
of_commands, make, start, load = [], Monitor.__init__, Clock.start, getattr(place, look)


def made(self, limits=None, threads=None, listener=None, checkpoint=None, on_start=lambda: None):
    make(self, limits, threads, listener, checkpoint, on_start)
    if type(listener).__name__ == "ProgressLine":  # that of the command
        of_commands.append(self.clock)


def started(self):
    if self in of_commands:
        begun.append(self)
    start(self)


def loaded(*args):
    if begun and (name := name_of(*args)):
        late.append(name)
    return load(*args)


Monitor.__init__, Clock.start = made, started
setattr(place, look, loaded)
for number, line in enumerate(sys.stdin.read().splitlines()):
    if os.fork() == 0:  # the libraries are imported once, the kernels of each run are its own
        name, *words = line.split()
        code = command.run(getattr(import_module(f"cliquewise.{name}.cli"), name), name, [*words, "-o", f"out{number}"])
        print(code, bool(begun), *late)
        sys.stdout.flush()
        os._exit(0)
    os.wait()
    print(line, flush=True)
"""
NINE = "\n".join(line.rsplit(",", 8)[0] for line in (ROOT / "data/zoo.csv").read_text().splitlines())


RUNS = [
    "lsmarkov zoo.csv --time-limit 0.5",
    "junctor zoo.csv --max-clique 3 --method ilp --time-limit 1 --required-edges edges",
    "junctor nine.csv --method ilp",
    "coarsen zoo.csv --max-clique 3 --method fic --search 0.5",
    "mplearn zoo.csv",
    "twlearn zoo.csv --treewidth 2 --time-limit 0.5 --method chordal",
    "mnposterior zoo.csv --method chains --time-limit 0.5",
]
COMPILING = 1800  # seconds for all kernels with an empty cache, by numba's public interface, beside other processes
MORE_RUNS = [
    "lsmarkov zoo.csv --time-limit 0.5 --preset ecai2020",
    "lsmarkov zoo.csv --time-limit 0.5 --max-clique 3 --bound 1",
    "lsmarkov nine.csv",
    "junctor zoo.csv --max-clique 3 --method dp",
    "junctor votes.csv --max-clique 3 --missing state",
    "coarsen zoo.csv --method greedy --time-limit 1",
    "twlearn zoo.csv --treewidth 2 --time-limit 1 --method milp",
    "twlearn nine.csv --treewidth 1 --method kp",
    "mnposterior nine.csv --draws 10",
    "twlearn zoo.csv --treewidth 2 --time-limit 1 --method climb --parent-sets 50",
    "twlearn zoo.csv --treewidth 2 --time-limit 0.5 --method s2",
    "twlearn zoo.csv --treewidth 2 --time-limit 0.5 --method skp",
]


@pytest.mark.slow
@pytest.mark.parametrize("runs", [RUNS, *slow(MORE_RUNS)], ids=["some", "more"])
def test_runs_compile_nothing_after_their_clocks_have_started(tmp_path, runs):
    for name in ("zoo.csv", "votes.csv"):
        (tmp_path / name).write_bytes((ROOT / "data" / name).read_bytes())
    (tmp_path / "nine.csv").write_text(NINE)
    (tmp_path / "edges").write_text("0,1\n")
    lines = "\n".join(f"{line} -q" for line in runs)
    done = run_process([sys.executable, "-c", LATE], input=lines.encode(), timeout=COMPILING, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("".join(f"0 True\n{line} -q\n" for line in runs), "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "line, seconds",
    [
        ("lsmarkov zoo.csv --trace trace --bound 1", 3.0),
        ("mplearn zoo.csv", 1.0),
        *slow_cases(
            ("junctor zoo.csv --method ilp --trace trace", 8.0),
            ("coarsen zoo.csv --search 5", 6.0),
            ("twlearn zoo.csv --treewidth 3 --method milp", 2.0),
        ),
        ("dmscore zoo.csv 1 3", 0.5),  # which has no clock
    ],
)
def test_a_signal_does_not_wait_for_the_compiler(line, seconds, tmp_path):
    """With an empty cache; nothing is known yet, so nothing is written. It took until all kernels were compiled."""
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "zoo.csv").write_bytes((ROOT / "data/zoo.csv").read_bytes())
    name, *words = line.split()
    empty = {"CLIQUEWISE_CACHE": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}  # a cache in TMPDIR would be copied
    env = {**os.environ, **IMPORTABLE, **empty}
    words = [*command_line(name), *words, "-o", "net"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, env=env, cwd=folder) as process:
        while b"compiling kernels" not in process.stderr.readline():
            assert process.poll() is None
        time.sleep(seconds)
        used = processor_time(process.pid)
        process.send_signal(signal.SIGTERM)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 130 and usage.ru_utime + usage.ru_stime - used < 2.0
        assert process.stderr.read().startswith(f"{name}: interrupted; nothing is written; ".encode())
    assert [path.name for path in folder.iterdir()] == ["zoo.csv"]
