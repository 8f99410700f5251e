"""A warm process that runs tests: numba, SCIP and the kernels are loaded once, and each run is a fork.

Standard input has a request a line, as JSON: {"tests": {name: seconds}, "patience": seconds}. The answer, a line of
standard output: the name of the first test that failed, or that took five times its seconds and `patience` more; else
null. All modules of the project but the kernels are imported again in the fork, so it sees the files as they are then.
"""

import gc
import importlib
import json
import os
import resource
import select
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.commands import program_files

LIBRARIES = ("networkx", "numba", "pyscipopt", "scipy.optimize", "scipy.sparse.csgraph", "scipy.special", "tqdm")
MEMORY = 8 << 30  # bytes that a run may take


class Chosen:
    """A pytest plugin that runs the given tests in the given order and tells how they fare.

    Parameters
    ----------
    tests : iterable of str
    pipe : file
        Gets a line of JSON as a test begins, ["begins", name], and one as it fails, ["fails", name].
    """

    def __init__(self, tests, pipe):
        self.order = {test: number for number, test in enumerate(tests)}
        self.pipe = pipe

    def pytest_collection_modifyitems(self, items):
        """Keep the chosen tests."""
        items[:] = sorted((item for item in items if item.nodeid in self.order), key=lambda i: self.order[i.nodeid])

    def pytest_runtest_logstart(self, nodeid):
        """Tell that a test begins."""
        self._tell("begins", nodeid)

    def pytest_collectreport(self, report):
        """Tell that a file of tests cannot be imported."""
        if report.failed:
            self._tell("fails", report.nodeid)

    def pytest_runtest_logreport(self, report):
        """Tell that a test has failed."""
        if report.failed:
            self._tell("fails", report.nodeid)

    def _tell(self, *what):
        print(json.dumps(what), file=self.pipe, flush=True)


def warm_up():
    """Load what is slow to load, and forget what a mutant may change."""
    for library in LIBRARIES:
        importlib.import_module(library)
    for path in program_files():
        if path.name.endswith("_kernels.py"):
            importlib.import_module(".".join(["cliquewise", *path.with_suffix("").parts]))
    for name in [name for name in sys.modules if name.split(".")[0] == "cliquewise"]:
        if not name.endswith("_kernels") and not name.startswith("cliquewise.common.compiled"):
            del sys.modules[name]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the tests need none
    gc.collect()
    gc.freeze()  # pytest collects at the end of each run


def first_failure(tests, patience):
    """Run tests in a fork.

    Parameters
    ----------
    tests : dict
        {name: seconds that it takes}, in the order in which they are to run.
    patience : float
        Seconds that the start, and any test, may take in addition.

    Returns
    -------
    str or None
        The first that fails or is late.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _run(tests, writing)
    os.close(writing)
    test, deadline, text = "the start", time.monotonic() + 4 * patience, b""
    try:
        while select.select([reading], [], [], max(0, deadline - time.monotonic()))[0]:
            if not (more := os.read(reading, 65536)):
                return None if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 else test
            *lines, text = (text + more).split(b"\n")
            for line in lines:
                what, test = json.loads(line)
                if what == "fails":
                    return test
                deadline = time.monotonic() + 5 * tests[test] + patience
        return test
    finally:
        os.close(reading)
        try:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def _run(tests, writing):
    """In the fork: run the tests and end."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    files = dict.fromkeys(test.split("::")[0] for test in tests)
    code = 3
    try:
        with open(writing, "w") as pipe:
            folder = str(Path("../tests").resolve())
            options = ["-x", "-q", "-p", "no:cacheprovider", "--basetemp", folder]
            code = pytest.main([*options, *files], [Chosen(tests, pipe)])
    finally:
        os._exit(code)


def main():
    """Answer requests until there are no more."""
    warm_up()
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(first_failure(request["tests"], request["patience"])), flush=True)


if __name__ == "__main__":
    main()
