"""Shared parts of the tests: running commands, the data beside the project, golden files.

Options: `--update-golden` rewrites the expected output of `tests/golden`. Markers: `slow` is left out unless
asked for (`make test-all`), `nojit` also runs without compilation (`make test-nojit`).
"""

import contextlib
import gc
import io
import logging
import os
import shlex
import signal
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from cliquewise.common.run import second_compiler
from tests.commands import ROOT, command_line, entry_point, run_process


def pytest_addoption(parser):
    """The switch that rewrites expected outputs."""
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden/*/*/expected.txt")


def pytest_configure():
    """A job in the background of a script ignores SIGINT, one under nohup SIGHUP, as would the commands of tests."""
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items):
    """Mark cases slow, and let two workers begin with different kernels, which are compiled once.

    They begin at the first test and at the middle one.
    """
    seen = Counter()
    for item in items:
        several = item.get_closest_marker("fast_cases")
        if several is not None:
            function = item.nodeid.partition("[")[0]
            seen[function] += 1
            if seen[function] > several.args[0]:
                item.add_marker(pytest.mark.slow)
    first, second, rest = [], [], []
    for item in items:
        folder = item.path.relative_to(ROOT / "tests").parts[0]
        (first if folder in ("lsmarkov", "coarsen") else second if folder in ("twlearn", "mplearn") else rest).append(
            item
        )
    half = max(0, len(items) // 2 - len(first))
    items[:] = first + rest[:half] + second + rest[half:]


def pytest_collection_finish():
    """Five thousand tests and what the compiler knows stay to the end: the garbage collector passes over them."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session")
def shared():
    """The folder of real data sets and score files that may stand beside the project."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("no folder shared/data beside the project")
    return folder


@pytest.fixture(autouse=True)
def logger():
    """Commands that run in this process set up the logger; the next test finds it as it was."""
    log = logging.getLogger("cliquewise")
    before = log.level, log.propagate, log.handlers[:]
    yield log
    log.setLevel(before[0])
    log.propagate, log.handlers[:] = before[1:]


@pytest.fixture(scope="session", autouse=True)
def _quick_runs():
    """Learners in this process compile alone, since the workers use all cores; and nothing waits for the disk."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(second_compiler, "_is_used", True)
        patched.setattr(os, "fsync", lambda file: None)
        yield


@pytest.fixture
def run(monkeypatch):
    """Runs a command in this process as its console script would: `run("mntools", "check", ..., input=b"")`.

    Returns a record of `code`, `stdout` and `stderr`. Faster than a process of its own, and with the same
    error boundary; signals, start-up time and pipes need `run_command`.
    """

    def invoke(name, *args, input=b""):
        out, err = _stream(), _stream()
        monkeypatch.setattr(sys, "argv", [name, *map(str, args)])
        monkeypatch.setattr(sys, "stdin", _stream(input))
        code = 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                entry_point(name)()
            except SystemExit as stop:
                code = stop.code or 0
        return SimpleNamespace(code=code, stdout=_text(out), stderr=_text(err))

    return invoke


@pytest.fixture
def refuse(run):
    """Checks that a command line is refused: `refuse("coarsen gone.csv", 1, "gone.csv: cannot be read")`.

    The exit code is the one expected, the only line on stderr begins with the command and the message, and no file
    comes or goes in the working folder.
    """

    def check(line, code, message):
        words = shlex.split(line)
        before = sorted(Path.cwd().iterdir())
        done = run(*words)
        assert done.code == code and done.stdout == "" and sorted(Path.cwd().iterdir()) == before, done.stderr
        assert done.stderr.startswith(f"{words[0]}: {message}") and done.stderr.count("\n") == 1, done.stderr

    return check


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder, which is the working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def workplace(here):
    """A folder to work in, filled: `workplace({"NAME": "text"})` writes the files, goes there and returns it."""

    def fill(files):
        for name, text in files.items():
            (here / name).write_text(text)
        return here

    return fill


@pytest.fixture
def run_command():
    """Runs a command as a process of its own: `run_command("lsmarkov", "--help")`; see `run_process`."""

    def invoke(name, *args, **options):
        return run_process([*command_line(name), *args], **options)

    return invoke


def _stream(content=b""):
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", write_through=True)


def _text(stream):
    stream.flush()
    return stream.buffer.getvalue().decode()
