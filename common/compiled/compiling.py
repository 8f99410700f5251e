"""The compilations in progress: kernels are announced, and signal handlers can check.

numba reports each compilation, also one that fails, by its event "numba:compile", which its manual describes.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator
from typing import Any

from .mode import log_mode

LOG = logging.getLogger("cliquewise")
KERNELS: set[Callable] = set()  # the functions in Python of all kernels
in_progress: list[object] = []  # the compilations of all threads, one inside another
ended = [0]  # the number of compilations of kernels that have ended
NEEDED_RECORD = "is_needed"  # attribute of a log record that is shown where others are not
_waiting: list[Callable[[], None]] = []  # of `at_first_compilation`


def is_compiling() -> bool:
    """Whether something is being compiled, in any thread."""
    return bool(in_progress)


def follow() -> None:
    """Register for numba's compile events."""
    from numba.core.event import Listener, register  # not above: numba takes long, and signal handlers need this module

    class Compilations(Listener):
        """Keeps the compilations in progress; those that fail end, too."""

        def on_start(self, event: Any) -> None:
            """A compilation begins; numba holds its lock."""
            if event.data["dispatcher"].py_func in KERNELS:  # a process may use numba for more
                log_mode()
                announce()
                while _waiting:
                    _waiting.pop()()
            in_progress.append(event)

        def on_end(self, event: Any) -> None:
            """A compilation ends."""
            in_progress.pop()
            ended[0] += event.data["dispatcher"].py_func in KERNELS

    register("numba:compile", Compilations())


@contextlib.contextmanager
def at_first_compilation(task: Callable[[], None]) -> Iterator[None]:
    """Within this context, a task is called once, when the first kernel is compiled."""
    _waiting.append(task)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            _waiting.remove(task)


@functools.cache
def announce() -> None:
    """Log that kernels are compiled, the first time."""
    message = "compiling kernels, up to a minute: once for each command, and for options or data that need others"
    LOG.info(message, extra={NEEDED_RECORD: True})
