"""The standard streams when they are closed (`>&-`) or fail (a full disk, a pipe without a reader).

Python omits a closed stream (`sys.stdout` is None), and the next file opened gets its descriptor. Here `/dev/null`
takes the descriptor. Messages to a closed standard error are lost, as requested; but reading a closed standard input,
or writing to a closed standard output, is an error that names the stream.
"""

import contextlib
import errno
import io
import os
import sys
from typing import IO, Any

from ..errors import DataError


def replace_closed_streams() -> None:
    """Replace closed standard streams at the start of a command."""
    names = ("stdin", "stdout", "stderr")
    for number, name in enumerate(names):
        if getattr(sys, name) is None:
            with contextlib.suppress(OSError):
                os.fstat(number)
                continue  # opened since
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # gets the lowest free number: this one
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Closed()), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(_Closed(), encoding="utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)


def check_stdout() -> None:
    """Refuse standard output that is closed.

    Raises
    ------
    DataError
        It is.
    """
    if isinstance(getattr(sys.stdout, "buffer", None), _Closed):
        raise DataError("is closed; send it to a file", "standard output")


def discard_output(stream: IO[str]) -> None:
    """Discard pending output to a standard stream, including that of Python's last flush."""
    with contextlib.suppress(OSError, ValueError):  # a stream without a descriptor, as in tests
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, stream.fileno())
        os.close(sink)


def fails(stream: IO[str]) -> bool:
    """Whether a standard stream fails; if so, its pending output is discarded."""
    try:
        stream.flush()
    except OSError:
        discard_output(stream)
        return True
    return False


class _Closed(io.RawIOBase):
    """Replaces a closed stream: reading or writing is an error."""

    def readable(self) -> bool:
        """Pretend so."""
        return True

    def writable(self) -> bool:
        """Pretend so."""
        return True

    def readinto(self, _buffer: Any) -> None:
        """Refuse."""
        raise DataError("is closed; name a file", "-")

    def write(self, _data: Any) -> None:
        """Fail, as the system does."""
        raise OSError(errno.EBADF, "closed", "standard output")
