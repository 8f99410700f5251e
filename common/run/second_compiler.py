"""A second process that compiles kernels, too, which halves the wait of a first run.

numba compiles in one thread. So where a kernel is not yet on disk and a second core may be used, another process runs
the same learner on a few rows (`common.learning.compilation_run`), compiles last what this one compiles first, and
leaves the machine code on disk; they meet in the middle, and no kernel is compiled twice
(`common.compiled.compile_lock`). With a full cache there is no second process. Its failure does no harm: kernels that
are not found on disk are compiled here. It ends with the process that started it, because then its standard input ends.

Cost: a second of the other core, to load what is needed.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import NoReturn

from ..compiled.compiling import at_first_compilation
from .resources import available_cores

LOG = logging.getLogger("cliquewise")
_is_used = False  # whether there is a second process, or will be when something is compiled


@contextlib.contextmanager
def second_compiler(work: Callable[[], object] | None, threads: int | None) -> Iterator[Callable[[], None]]:
    """Within this context, a second process does the same work, once something has to be compiled.

    Parameters
    ----------
    work
        A function of a module, or a partial of one, with arguments that pickle can write: only this process writes to
        the other one. None: there is no second process.
    threads
        The number of threads that may be used; None for all cores. With one, there is no second process.

    Yields
    ------
    callable
        Ends the second process: nothing more has to be compiled.
    """
    global _is_used
    helpers: list[subprocess.Popen] = []

    def begin() -> None:
        try:
            helpers.append(_started(work))
        except (OSError, subprocess.SubprocessError) as error:
            LOG.debug("nothing is compiled by a second process: %s", error)

    def end() -> None:
        while helpers:
            helper = helpers.pop()
            helper.kill()
            helper.wait()

    if work is None or _is_used or min(threads or 2, available_cores()) < 2:
        yield end
        return
    _is_used = True
    try:
        with at_first_compilation(begin):
            yield end
    finally:
        _is_used = False
        end()


def _started(work: Callable[[], object] | None) -> subprocess.Popen:
    """The second process, which has received its work."""
    message = pickle.dumps(work)
    nowhere = subprocess.DEVNULL
    # -P: no module is taken from the working folder
    helper = subprocess.Popen(
        [sys.executable, "-P", "-m", __name__], stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere
    )
    assert helper.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        helper.stdin.write(message)
        helper.stdin.flush()
    return helper


def main() -> None:
    """The main function of the second process, which reads its work from standard input."""
    work = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    work()


def _exit_with_parent() -> NoReturn:
    """End this process when the first one, at the other end of a pipe, has ended."""
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
