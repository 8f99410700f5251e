"""A lock per kernel, so that one process compiles it while others that need it wait, and load the result.

Commands that start together, and the second process that compiles, would otherwise do the same work twice. A process
releases its locks however it ends; others wait at most `MAX_WAIT` seconds for a lock. Where files cannot be locked,
each process compiles for itself.
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

MAX_WAIT, POLL = 60.0, 0.02  # seconds


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
            while time.monotonic() < began + MAX_WAIT:
                try:
                    fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    announce()
                    time.sleep(POLL)

    def release(self) -> None:
        """Release the lock."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
            os.close(self._handle)
            self._handle = None
