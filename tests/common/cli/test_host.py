"""Learners called from Python: the process is the caller's, and is as it was when they return or raise."""

import gc
import importlib.util
import logging
import signal
import sys
import threading
import time

import pytest

import cliquewise
from cliquewise.common.compiled import compiling, kernel_cache
from cliquewise.common.errors import UsageError
from cliquewise.common.run import signals
from cliquewise.common.run.monitor import Monitor
from tests.commands import ROOT, run_process
from tests.random_inputs import random_dataset
from tests.slow import slow

TINY = ROOT / "data/tiny.csv"
LEARNERS = {
    "lsmarkov": {"iterations": 20},
    "junctor": {"method": "dp"},
    "coarsen": {},
    "mplearn": {},
    "twlearn": {"treewidth": 2, "iterations": 5},
    "mnposterior": {"draws": 10},
}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("option", [{"counts": "n"}, {"header": "no"}, {"separator": "tab"}, {"missing": "state"}])
def test_options_about_reading_are_refused_beside_data_that_were_read(name, option):
    data = random_dataset(1, 4, 30)
    with pytest.raises(UsageError, match=f"{next(iter(option))}=.* has no effect on data that were read already"):
        getattr(cliquewise, name)(data, **LEARNERS[name], **option)


def test_missing_em_is_not_an_option_about_reading():
    data = random_dataset(1, 4, 30)
    plain, also = (cliquewise.lsmarkov(data, iterations=20, **option) for option in ({}, {"missing": "em"}))
    assert plain == also and plain == cliquewise.lsmarkov(data, iterations=20, counts=None, missing=None)


BEFORE = f"""
import gc, logging, signal, sys
import cliquewise
from cliquewise.common.run import monitor
signal.signal(signal.SIGINT, signal.default_int_handler)
log = logging.getLogger("cliquewise")
log.setLevel(25)

def state():
    return [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)], gc.isenabled(), log.level

def interrupted(self):
    signal.raise_signal(NUMBER)
    return start(self)

start, monitor.Monitor.start = monitor.Monitor.start, interrupted
for name, options in CASES:
    for enabled in (True, False):
        gc.enable() if enabled else gc.disable()
        before = state()
        try:
            print(name, getattr(cliquewise, name)({str(TINY)!r}, **options).status)
        except KeyboardInterrupt:
            print(name, "KeyboardInterrupt")
        finally:
            assert state() == before, (name, state(), before)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", ["SIGINT", *slow("SIGTERM", "SIGUSR1")])
def test_a_signal_before_the_clock_is_a_keyboard_interrupt(number):
    cases = list(LEARNERS.items())
    for how in ("cv", "evidence"):
        cases += [(name, {**LEARNERS[name], "ess": [1, 10], "choose": how}) for name in ("junctor", "lsmarkov")]
    code = f"from signal import {number} as NUMBER\nCASES = {cases!r}\n{BEFORE}"
    done = run_process([sys.executable, "-c", code])
    assert done.code == 0, done.stderr
    assert done.stdout.splitlines() == [f"{name} KeyboardInterrupt" for name, _ in cases for _ in range(2)]


@pytest.mark.slow
def test_a_signal_during_the_search_returns_the_network_so_far():
    code = f"from signal import SIGTERM as NUMBER\nCASES = [('lsmarkov', {{'time_limit': 60}})]\n{BEFORE}"
    code = code.replace(
        "    signal.raise_signal(NUMBER)\n    return start(self)", "    start(self)\n    signal.raise_signal(NUMBER)"
    )
    done = run_process([sys.executable, "-c", code])
    assert (done.code, done.stdout) == (0, "lsmarkov interrupted\n" * 2), done.stderr


@pytest.mark.parametrize("name", ["lsmarkov", "twlearn", "mnposterior"])
def test_an_event_ends_a_run_in_a_thread(monkeypatch, name):
    """The network so far is returned, and the thread that waited for the event has ended."""
    event, start, running = threading.Event(), Monitor.start, threading.active_count()

    def set_event(self):
        start(self)
        event.set()

    monkeypatch.setattr(Monitor, "start", set_event)
    options = {"treewidth": 2} if name == "twlearn" else {}
    learner, data = getattr(cliquewise, name), random_dataset(3, 14, 60)
    for thread in (in_a_thread, lambda work: work()):
        event.clear()
        assert thread(lambda: learner(data, time_limit=100, stop=event, **options)).status == "interrupted"
        assert threading.active_count() == running
    monkeypatch.undo()
    event.clear()
    data = random_dataset(3, 12, 60)  # until it is done
    found = in_a_thread(lambda: learner(data, **{**LEARNERS[name], "stop": event}))
    assert found.status != "interrupted" and threading.active_count() == running


def test_the_best_of_several_sizes_so_far_is_a_result(monkeypatch):
    """A signal before the clock of the second run."""
    runs, compile_ = [], Monitor.compile

    def interrupted(self, *tasks):
        runs.append(self)
        if len(runs) == 2:
            signal.raise_signal(signal.SIGINT)
        compile_(self, *tasks)

    monkeypatch.setattr(Monitor, "compile", interrupted)
    before = signal.getsignal(signal.SIGINT)
    found = cliquewise.lsmarkov(random_dataset(3, 4, 40), ess=[1, 10], choose="evidence", iterations=20)
    assert found.status == "interrupted" and found.header["tried"].startswith("ess 1: ") and len(runs) == 2
    assert signal.getsignal(signal.SIGINT) is before


def test_a_signal_after_the_search_does_not_lose_its_result(monkeypatch):
    """When the progress line ends, and while the network is made from its header."""
    from cliquewise.common.learning.progress import ProgressLine
    from cliquewise.common.networks.network import Network

    def signalled(function):
        def call(*given):
            signal.raise_signal(signal.SIGINT)
            return function(*given)

        return call

    data, before = random_dataset(3, 4, 40), signal.getsignal(signal.SIGINT)
    expected = cliquewise.lsmarkov(data, iterations=20)
    for owner, name in ((ProgressLine, "__exit__"), (Network, "__init__")):
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, signalled(getattr(owner, name)))
            found = cliquewise.lsmarkov(data, iterations=20)
        assert found == expected and found.status == expected.status
        assert signal.getsignal(signal.SIGINT) is before


def failing_kernel(folder):
    """A kernel that cannot be compiled for a text."""
    path = folder / "bad_kernels.py"
    path.write_text(
        "from cliquewise.common.compiled.jit import kernel\n\n\n@kernel\ndef bad(x):\n    return x.nothing\n"
    )
    spec = importlib.util.spec_from_file_location("bad_kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.bad


@pytest.mark.parametrize("enabled", [True, False])
def test_a_compilation_that_fails_leaves_nothing_behind(tmp_path, monkeypatch, enabled):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    bad, before = failing_kernel(tmp_path), gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        for start in (lambda: bad(1.0), lambda: in_a_thread(lambda: bad(2))):
            with pytest.raises(Exception, match="nothing"):
                start()
            assert gc.isenabled() == enabled and not compiling.is_compiling()
    finally:
        (gc.enable if before else gc.disable)()
    with pytest.raises(KeyboardInterrupt), signals.StopFlag(has_begun=lambda: False):
        signal.raise_signal(signal.SIGINT)


def in_a_thread(work):
    """The value that a thread's work returns, or the exception that it raises."""
    found = []

    def keep():
        try:
            found.append((work(), None))
        except BaseException as error:
            found.append((None, error))

    thread = threading.Thread(target=keep)
    thread.start()
    thread.join()
    value, error = found[0]
    if error is not None:
        raise error
    return value


@pytest.mark.slow
def test_threads_find_what_the_main_thread_finds():
    data = random_dataset(5, 5, 60)
    expected = cliquewise.lsmarkov(data, ess=[1, 5], choose="cv", iterations=50)
    level, filters = kernel_cache.LOG.level, list(kernel_cache.LOG.filters)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(cliquewise.lsmarkov(data, ess=[1, 5], choose="cv", iterations=50)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 3
    assert (kernel_cache.LOG.level, kernel_cache.LOG.filters) == (
        level,
        filters,
    ) and kernel_cache.LOG is logging.getLogger("cliquewise")


@pytest.mark.parametrize("number", [signal.SIGINT, *slow(signal.SIGTERM)])
def test_a_signal_that_would_be_lost_comes_again(monkeypatch, number):
    """While a kernel is compiled: the compiler loses exceptions."""
    before = signal.getsignal(number)
    passed = []
    with pytest.raises(KeyboardInterrupt), signals.StopFlag(has_begun=lambda: False):
        compiling.in_progress.append("a kernel")
        try:
            signal.raise_signal(number)
            time.sleep(0.1)
            passed.append(True)
        finally:
            compiling.in_progress.clear()
        for _ in range(1000):  # the repeated signal does not end a sleep
            time.sleep(0.01)
    assert passed == [True] and signal.getsignal(number) is before


def test_a_signal_while_a_kernel_is_loaded_leaves_no_lock_taken():
    """llvmlite gives its lock back in Python, where an exception would keep it for ever."""
    from llvmlite.binding import ffi, get_host_cpu_name

    def interrupt():
        ffi.unregister_lock_callback(interrupt, interrupt)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt), signals.StopFlag(has_begun=lambda: False):
        ffi.register_lock_callback(interrupt, interrupt)
        get_host_cpu_name()
        for _ in range(1000):  # the repeated signal does not end a sleep
            time.sleep(0.01)
    other = threading.Thread(target=get_host_cpu_name, daemon=True)
    other.start()
    other.join(20)
    assert not other.is_alive()


def test_a_signal_that_comes_again_raises_once():
    """While the run unwinds, and ends its threads and its second process, nothing is raised."""
    before, unwound = signal.getsignal(signal.SIGINT), []
    with pytest.raises(KeyboardInterrupt), signals.StopFlag(has_begun=lambda: False):
        compiling.in_progress.append("a kernel")
        try:
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.1)
            compiling.in_progress.clear()
            for _ in range(1000):
                time.sleep(0.01)
        finally:
            compiling.in_progress.clear()
            for _ in range(20):
                time.sleep(0.01)
            unwound.append(True)
    assert unwound == [True] and signal.getsignal(signal.SIGINT) is before


def test_a_signal_before_handlers_are_restored_does_not_prevent_it():
    before = signal.getsignal(signal.SIGINT)

    class SignalledLock:
        """A signal comes as `__exit__` begins."""

        def __enter__(self):
            signal.raise_signal(signal.SIGINT)

        def __exit__(self, *_):
            pass

    with signals.StopFlag(has_begun=lambda: False) as stop:
        stop._lock = SignalledLock()
    found = signal.signal(signal.SIGINT, before)
    assert found is before and stop.is_set()


def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    try:
        with signals.StopFlag() as stop:
            signal.raise_signal(signal.SIGUSR1)
            assert not stop.is_set()
        assert signal.getsignal(signal.SIGUSR1) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGUSR1, before)
