"""`cliquewise learn` that Ctrl-C or another thread stops: all its steps end, and no partial result is used."""

import signal
import threading
from dataclasses import replace

import numpy as np
import pytest

import cliquewise
from cliquewise.common.data.csvfile import table_in_memory
from cliquewise.common.data.frame import Frame
from cliquewise.common.run.monitor import Monitor


def interrupted_after(seconds, function, *arguments, **options):
    """Whether Ctrl-C ends a call in this process."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(seconds, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            function(*arguments, **options)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow
def test_ctrl_c_ends_all_steps_and_leaves_no_partial_result(tmp_path):
    """A search that was stopped is no result that a second run uses."""
    from cliquewise.workflow.config import WorkflowOptions
    from cliquewise.workflow.learn import learn

    def in_folder(content, **options):
        learn(table_in_memory(Frame(content), ""), WorkflowOptions(**options), tmp_path)

    rng = np.random.default_rng(1)
    rows = {f"v{k}": rng.integers(0, 2, 300).tolist() for k in range(30)}
    interrupted_after(5.0, cliquewise.learn, rows, time_limit=400)
    interrupted_after(5.0, in_folder, rows, time_limit=400)
    assert not (tmp_path / "search.cliques").exists()


@pytest.mark.parametrize("step", [1, 2])
def test_an_event_ends_all_steps(monkeypatch, step):
    """It is set when the clock of a learner starts, the search or what follows it."""
    event, start, started = threading.Event(), Monitor.start, []

    def set_event(self):
        start(self)
        started.append(self)
        if len(started) == step:
            event.set()

    monkeypatch.setattr(Monitor, "start", set_event)
    rng = np.random.default_rng(1)
    rows = {f"v{k}": rng.integers(0, 2, 300).tolist() for k in range(30)}
    with pytest.raises(KeyboardInterrupt):
        cliquewise.learn(rows, time_limit=1, stop=event)


@pytest.mark.slow
def test_an_interrupted_learner_is_no_result(tmp_path, monkeypatch):
    from cliquewise.workflow import learn as steps
    from cliquewise.workflow.config import WorkflowOptions

    columns = {"a": list("xyxyyx") * 9, "b": list("xyxyyx") * 9, "c": list("xxyy" * 13 + "xy")}
    rows = table_in_memory(Frame(columns), "")
    done = steps.learn(rows, WorkflowOptions(time_limit=1))
    for name in ("lsmarkov", "mnposterior", "coarsen"):
        whole = getattr(steps, name)
        (tmp_path / name).mkdir()
        stopped = lambda *data, whole=whole, **options: replace(  # noqa: E731
            found := whole(*data, **options), header=found.header | {"status": "interrupted"}
        )
        monkeypatch.setattr(steps, name, stopped)
        with pytest.raises(KeyboardInterrupt):
            steps.learn(rows, WorkflowOptions(time_limit=1), tmp_path / name)
        monkeypatch.setattr(steps, name, whole)
    assert not (tmp_path / "lsmarkov" / "search.cliques").exists()
    assert not (tmp_path / "mnposterior" / "probabilities.edges").exists()
    assert steps.learn(rows, WorkflowOptions(time_limit=1), tmp_path / "lsmarkov").network.graph == done.network.graph
