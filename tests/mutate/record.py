"""Which tests run which lines of the program: one run of the tests under `coverage`, one context per test.

Processes that a test starts are measured too: they inherit the test's name from pytest in an environment variable, and
a `sitecustomize.py`, written beside the copy of the project that is measured, starts `coverage` in them.

    cd COPY; python -m tests.mutate.record RECORD [TESTS]

makes or extends the folder RECORD.
"""

import json
import os
import re
import sys
from pathlib import Path

import pytest

SETTINGS = """\
[run]
data_file = {record}/part
parallel = true
source = {root}
omit = *_kernels.py
    {root}/tests/*
context = ${{PYTEST_CURRENT_TEST-}}
"""
IN_CHILDREN = """\
try:
    import coverage

    coverage.process_startup()
except FileNotFoundError:  # the working folder is gone
    pass
"""
CHILD = re.compile(r" \((setup|call|teardown)\)$")  # pytest puts it behind the test's name, for processes it starts


class Record:
    """The results of a run.

    Parameters
    ----------
    folder : Path
        Made by `python -m tests.mutate.record`.
    """

    def __init__(self, folder):
        from coverage import CoverageData

        self.seconds = json.loads((folder / "seconds.json").read_text())
        self._data = CoverageData(str(folder / "coverage"))
        self._data.read()
        self._lines = {}

    def tests_of(self, file, lines=None, in_children=True):
        """The tests that passed and ran some of the lines of a file.

        Parameters
        ----------
        file : str
        lines : iterable of int, optional
            Those asked for; default: all.
        in_children : bool
            Whether a line counts that ran in a process that the test started.

        Returns
        -------
        set of str
            "" stands for what ran outside of tests: when the file was imported.
        """
        if file not in self._lines:
            self._lines[file] = self._data.contexts_by_lineno(file)
        of_line = self._lines[file]
        contexts = set().union(*(of_line.get(line, ()) for line in (of_line if lines is None else lines)))
        names = {CHILD.sub("", name) for name in contexts if in_children or not CHILD.search(name)}
        return names & (self.seconds.keys() | {""})


class Watch:
    """A pytest plugin that tells coverage which test is running, and keeps how long those that passed took."""

    def __init__(self, coverage):
        self.coverage = coverage
        self.seconds, self.not_passed = {}, set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        """Name the context."""
        self.coverage.switch_context(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report):
        """Add up the phases of a test."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0) + report.duration
        if not report.passed:
            self.not_passed.add(report.nodeid)


def main(folder, *tests):
    """Run the tests, all or the given ones, in the working folder, a copy of the project; see the file's docstring."""
    from coverage import Coverage, CoverageData
    from coverage.exceptions import DataError

    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "settings"
    root = Path.cwd()
    settings.write_text(SETTINGS.format(record=folder, root=root))
    (root.parent / "sitecustomize.py").write_text(IN_CHILDREN)
    os.environ["COVERAGE_PROCESS_START"] = str(settings)

    coverage = Coverage(config_file=str(settings))
    coverage.start()
    watch = Watch(coverage)
    words = ["-q", "-p", "no:cacheprovider", "--basetemp", str(Path("../tests").resolve()), *tests]
    ended = pytest.main(words, [watch])
    if ended not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(ended)
    coverage.stop()
    coverage.save()
    total = CoverageData(str(folder / "coverage"))
    total.read()
    for part in folder.glob("part.*"):
        data = CoverageData(str(part))
        try:
            data.read()
        except DataError as error:  # a test killed the process while it wrote
            print(f"mutate: without the lines of a process that was killed: {error}", file=sys.stderr)
        else:
            total.update(data, map_path=lambda path: os.path.relpath(path, root))
        part.unlink()

    kept = folder / "seconds.json"
    seconds = json.loads(kept.read_text()) if kept.exists() else {}
    seconds |= {test: took for test, took in watch.seconds.items() if test not in watch.not_passed}
    kept.write_text(json.dumps(seconds, indent=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
