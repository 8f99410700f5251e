"""Opening what a user names as input: a file, or `-` for standard input."""

import contextlib
import sys

from common.errors import DataError


@contextlib.contextmanager
def opened(path):
    """The input as a binary stream.

    Parameters
    ----------
    path : str or os.PathLike
        `-` is standard input, which stays open.

    Raises
    ------
    DataError
        It cannot be opened or read, now or inside the block.
    """
    try:
        with contextlib.nullcontext(sys.stdin.buffer) if str(path) == "-" else open(path, "rb") as stream:
            yield stream
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path) from None
