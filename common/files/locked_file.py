"""A file that is locked by one process: no other process may replace it before that process releases it, or ends.

The holder has a lock (flock) on the file itself, so nothing else is left on the disk, and the system drops the lock
when the process ends in any way. Since a file is replaced as a whole, its successor is locked before it gets the name.
Looking at the present file and replacing it is one step for all processes: meanwhile they lock the folder. On a file
system without locks all of this has no effect.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable


class LockedFile:
    """A file by its path; it need not exist. Only regular files are locked."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._held: _Handle | None = None
        self._next: _Handle | None = None

    def hold(self) -> bool:
        """Hold the file at the path, if there is one.

        Returns
        -------
        bool
            False if another process holds it.
        """
        while not self._is_held() and os.path.isfile(self.path):
            try:
                handle = _Handle(os.open(self.path, os.O_RDWR))
            except OSError:  # gone again, or reported when it is read or written
                return True
            if not handle.lock():
                return False
            self._held = handle  # if it was replaced meanwhile, the next one
        return True

    def replace(self, write: Callable[[Callable[[int], None]], None], look: Callable[[], None]) -> None:
        """Replace the file, and hold its successor.

        Parameters
        ----------
        write : callable taking a claim
            Writes the file, see `common.files.atomic_write.write_whole`.
        look
            Called if another process has replaced the file or made it; raises an exception to keep it.

        Raises
        ------
        UsageError
            Another process holds it.
        """
        with _alone_in(os.path.dirname(os.path.realpath(self.path))):
            if not self._is_held():
                if not self.hold():
                    raise in_use(self.path)
                try:
                    look()
                except BaseException:
                    self.release()
                    raise
            try:
                write(self._claim)
                self._held = self._next or self._held
            finally:
                self._next = None

    def release(self) -> None:
        """Release the lock."""
        self._held = None

    def _is_held(self) -> bool:
        return self._held is not None and self._held.is_at(self.path)

    def _claim(self, handle: int) -> None:
        self._next = _Handle(os.dup(handle))  # shares the lock
        self._next.lock()


def in_use(path: str) -> UsageError:
    """The UsageError for a file that another process holds."""
    return UsageError(f"{path}: another run is writing it; name another file, or wait for its end")


class _Handle:
    """A descriptor, closed with its last reference."""

    def __init__(self, number: int) -> None:
        self.number = number
        weakref.finalize(self, os.close, number)

    def lock(self) -> bool:
        """Lock the file; False if another descriptor has the lock."""
        try:
            fcntl.flock(self.number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # no locks here
            pass
        return True

    def is_at(self, path: str) -> bool:
        """Whether the file still has this name."""
        try:
            return os.path.samestat(os.fstat(self.number), os.stat(path))
        except OSError:
            return False


@contextlib.contextmanager
def _alone_in(folder: str) -> Iterator[None]:
    """A context that only one process at a time can enter."""
    with contextlib.suppress(OSError):  # no such folder, or no locks here
        handle = _Handle(os.open(folder, os.O_RDONLY))
        fcntl.flock(handle.number, fcntl.LOCK_EX)
    yield
