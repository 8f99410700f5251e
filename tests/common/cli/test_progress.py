"""The progress line on a terminal."""

import builtins
import io
import logging
import time
from types import SimpleNamespace

import pytest

from cliquewise.common.learning import progress
from cliquewise.common.learning.progress import ProgressLine
from cliquewise.common.run.clock import Clock
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor

LOG = logging.getLogger("cliquewise")


class Terminal(io.StringIO):
    """Stands for a terminal that keeps what it was sent."""

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    """The terminal that stderr is, with messages as by default."""
    before = LOG.level
    LOG.setLevel(logging.INFO)
    screen = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=screen))
    yield screen
    LOG.setLevel(before)


@pytest.mark.parametrize(
    "limits, shown",
    [
        (Limits(time_limit=10.0), " 20%"),
        (Limits(iterations=4), " 75%"),
        (Limits(time_limit=10.0, iterations=4), " 20%"),
        (Limits(iterations=2), "100%"),  # a step may end after the limit
    ],
)
def test_the_bar_is_as_long_as_the_bound(terminal, monkeypatch, limits, shown):
    monkeypatch.setattr(Clock, "seconds", 2.0)
    with ProgressLine() as line, Monitor(limits, 1, line) as monitor:
        monitor.advance(3)
        monitor.reporter.progress("score -1.5")
        assert shown in terminal.getvalue() and "score -1.5" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r")  # nothing is left of it


def test_without_a_bound_there_is_no_bar(terminal):
    with ProgressLine() as line, Monitor(None, 1, line) as monitor:
        monitor.reporter.progress("score -1.5")
    assert "score -1.5" in terminal.getvalue() and "%" not in terminal.getvalue()
    assert "," not in terminal.getvalue()


def test_the_bar_moves_five_times_a_second(terminal, monkeypatch):
    now = iter((9.9, 10.0, 10.1, 10.3))  # the first at the start
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(now)))
    with ProgressLine() as line:
        for share, text in ((0.1, "first"), (0.2, "second"), (0.3, "third")):
            line.progress(share, text)
        shown = terminal.getvalue()
        assert "first" in shown and "second" not in shown and "third" in shown


def test_a_long_step_is_not_silent(terminal, monkeypatch):
    monkeypatch.setattr(progress, "_SILENT_SECONDS", 0.02)
    with ProgressLine() as line:
        line.progress(0.25, "growing")
        began = time.monotonic()
        while "growing (" not in terminal.getvalue() and time.monotonic() < began + 5.0:
            time.sleep(0.01)
        assert "growing (0 s)" in terminal.getvalue() and " 25%" in terminal.getvalue()
        with ProgressLine() as inner:
            inner.progress(None, "checking")
            shown, began = terminal.getvalue().count("growing"), time.monotonic()
            while "checking (" not in terminal.getvalue() and time.monotonic() < began + 5.0:
                time.sleep(0.01)
            assert terminal.getvalue().count("growing") <= shown + 1  # the outer one waits
    shown = len(terminal.getvalue())
    time.sleep(0.06)
    assert len(terminal.getvalue()) == shown  # it ends with the line


def test_the_bar_is_shown_only_on_terminals_that_see_messages(terminal, monkeypatch):
    LOG.setLevel(logging.WARNING)
    with ProgressLine() as line:
        line.progress(0.2, "score -1.5")
    assert terminal.getvalue() == ""
    LOG.setLevel(logging.INFO)
    file = io.StringIO()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=file))
    with ProgressLine() as line:
        line.progress(0.2, "score -1.5")
    assert file.getvalue() == ""


def test_from_python_the_bar_is_shown_unless_logging_says_otherwise(terminal):
    """A library sets no level; a command always does."""
    for level, shown in ((logging.NOTSET, True), (logging.INFO, True), (logging.ERROR, False)):
        LOG.setLevel(level)
        before = len(terminal.getvalue())
        with ProgressLine() as line:
            line.progress(0.2, "score -1.5")
        assert ("score -1.5" in terminal.getvalue()[before:]) == shown, level


@pytest.fixture
def notebook(monkeypatch):
    """The stderr of a kernel of Jupyter."""
    shell, file = type("ZMQInteractiveShell", (), {})(), io.StringIO()
    monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=file))
    return file


def test_the_bar_is_shown_in_a_notebook(notebook, monkeypatch):
    now = iter((0.0, 0.5, 1.0, 1.1))  # the first at the start
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(now)))
    with ProgressLine() as line:
        line.progress(0.2, "score -1.5")
        assert notebook.getvalue() == ""  # a run of less than a second shows nothing
        line.progress(0.4, "score -1.4")
        assert "score -1.4" in notebook.getvalue()
        line.progress(0.5, "score -1.3")
        assert "score -1.3" not in notebook.getvalue()
    assert notebook.getvalue().endswith("\r")
    monkeypatch.setattr(builtins, "get_ipython", lambda: None)
    before, now = notebook.getvalue(), iter((0.0, 2.0))
    with ProgressLine() as line:
        line.progress(0.2, "score -1.5")
    assert notebook.getvalue() == before


def test_a_long_first_step_in_a_notebook_is_not_silent(notebook, monkeypatch):
    monkeypatch.setattr(progress, "_SILENT_SECONDS", 0.02)
    with ProgressLine() as line:
        line.progress(0.0, "preparing kernels")
        began = time.monotonic()
        while "preparing kernels (0 s)" not in notebook.getvalue() and time.monotonic() < began + 5.0:
            time.sleep(0.01)
    assert "preparing kernels (0 s)" in notebook.getvalue()
