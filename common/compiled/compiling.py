"""What numba compiles now: kernels are announced, and signal handlers can ask.

numba tells of each compilation by its event "numba:compile", which its manual describes, also of one that fails.
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
going_on: list[object] = []  # the compilations of all threads, one inside another
ended = [0]  # how many compilations of kernels have ended
NEEDED = "is_needed"  # attribute of a log record that is shown where others are not
_waiting: list[Callable[[], None]] = []  # of `at_first_compilation`


def is_compiling() -> bool:
    """Whether something is being compiled, in any thread."""
    return bool(going_on)


def follow() -> None:
    """Let numba tell of its compilations."""
    from numba.core.event import Listener, register  # not above: numba takes long, and signal handlers need this module

    class Compilations(Listener):
        """Keeps the compilations that continue; also those that fail come to an end."""

        def on_start(self, event: Any) -> None:
            """One begins; numba holds its lock."""
            if event.data["dispatcher"].py_func in KERNELS:  # a process may use numba for more
                log_mode()
                announce()
                while _waiting:
                    _waiting.pop()()
            going_on.append(event)

        def on_end(self, event: Any) -> None:
            """It ends."""
            going_on.pop()
            ended[0] += event.data["dispatcher"].py_func in KERNELS

    register("numba:compile", Compilations())


@contextlib.contextmanager
def at_first_compilation(task: Callable[[], None]) -> Iterator[None]:
    """While this lasts, a task is called when a kernel is compiled, once."""
    _waiting.append(task)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            _waiting.remove(task)


@functools.cache
def announce() -> None:
    """Say that kernels are compiled, the first time."""
    message = "compiling kernels, up to a minute: once for each command, and for options or data that need others"
    LOG.info(message, extra={NEEDED: True})
