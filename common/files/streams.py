"""The standard streams where they are closed (`>&-`) or fail (a full disk, a pipe that nobody reads).

Python leaves a closed stream out (`sys.stdout` is None), and the next file that is opened gets its descriptor. Here
`/dev/null` takes the descriptor. What is said on a closed standard error is lost, as was asked for; but to read
standard input, or to write to standard output, is an error where it is closed, and names the stream.
"""

import contextlib
import errno
import io
import os
import sys

from cliquewise.common.errors import DataError


def hold_closed_streams():
    """Put something in the place of closed standard streams, at a command's start."""
    names = ("stdin", "stdout", "stderr")
    for number, name in enumerate(names):
        if getattr(sys, name) is None:
            with contextlib.suppress(OSError):
                os.fstat(number)
                continue  # opened since
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # gets the lowest number that is free: this
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Closed()), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(_Closed(), encoding="utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)


def check_stdout():
    """Refuse standard output that is closed.

    Raises
    ------
    DataError
        It is.
    """
    if isinstance(getattr(sys.stdout, "buffer", None), _Closed):
        raise DataError("is closed; send it to a file", "standard output")


def give_up_stdout():
    """Let what is still to be written to standard output, at the latest by Python's last flush, go nowhere."""
    with contextlib.suppress(OSError, ValueError):  # a stream without a descriptor, as in tests
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
        os.close(sink)


def stdout_fails():
    """Whether standard output takes no more; it is given up then."""
    try:
        sys.stdout.flush()
    except OSError:
        give_up_stdout()
        return True
    return False


class _Closed(io.RawIOBase):
    """Stands for a closed stream: to read or to write is an error."""

    def readable(self):
        """It seems so."""
        return True

    def writable(self):
        """It seems so."""
        return True

    def readinto(self, _buffer):
        """Refuse."""
        raise DataError("is closed; name a file", "-")

    def write(self, _data):
        """Refuse, as the system does."""
        raise OSError(errno.EBADF, "closed", "standard output")
