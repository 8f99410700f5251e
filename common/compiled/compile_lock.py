"""A kernel is compiled by one process at a time: others that need it wait, and load what that one has compiled.

Commands that start together, and the helper of `cliquewise learn`, would otherwise do the same work twice. A process
that ends in any way gives its locks back; one that keeps one for longer than `MOST` seconds is waited for no longer.
Where nothing can be locked, each process compiles for itself.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from .compiling import announce

try:
    import fcntl
except ImportError:  # not a Unix
    fcntl = None  # type: ignore[assignment]

MOST, LOOK = 60.0, 0.02  # seconds


class CompileLock:
    """The lock of one kernel, a file; see `take`.

    Parameters
    ----------
    path
        In a folder that only the user can write to.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self) -> None:
        """Wait for the lock."""
        if fcntl is None or self._handle is not None:
            return
        began = time.monotonic()
        with contextlib.suppress(OSError):
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            while time.monotonic() < began + MOST:
                try:
                    fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    announce()
                    time.sleep(LOOK)

    def give_back(self) -> None:
        """Let the next process have it."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
            os.close(self._handle)
            self._handle = None
