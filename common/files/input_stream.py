"""Opening input: a file, a pipe, or `-` for standard input; its text, and its kind by its beginning.

A pipe can be read only once. What was read from it to recognise its kind is given again by `opened`, and its text by
`read_text`.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import DataError, nearest
from .decoding import GZIP, beginning, check_text, decoded, plain_head
from .file_kinds import kind_of_text
from .text_in_memory import TextInMemory

if TYPE_CHECKING:
    from os import PathLike

MAX_TEXT = 1 << 28  # bytes that are read as one text: of some 20 million edges
_HEAD = 1 << 16  # bytes that are enough to recognise a file, even after comments
_kept: dict[str, tuple[Any, str]] = {}  # by path, pipes without a name, and the text that was read from each
_begun: dict[tuple[int, int] | None, Any] = {}  # pipes whose first bytes were read; each begins with them


@contextlib.contextmanager
def opened(path: str | os.PathLike) -> Iterator[Any]:
    """The input as a binary stream.

    Parameters
    ----------
    path
        `-` is standard input, which stays open.

    Raises
    ------
    DataError
        It cannot be opened or read, now or inside the block.
    """
    begun = _begun.pop(_identity(path), None)
    try:
        with contextlib.nullcontext(sys.stdin.buffer) if str(path) == "-" else begun or open(path, "rb") as stream:
            yield stream
    except OSError as error:
        near = _near(path) if isinstance(error, FileNotFoundError) else ""
        raise DataError(f"cannot be read: {error.strerror or error}{near}", path) from None


def _near(path: str | os.PathLike) -> str:
    """The file of nearly this name in the same folder, as advice."""
    folder, name = os.path.split(path)
    with contextlib.suppress(OSError):
        return nearest(name, os.listdir(folder or "."))
    return ""


@contextlib.contextmanager
def unzipped(stream: Any, path: str | os.PathLike) -> Iterator[Any]:
    """The content of a stream, decompressed if it is in gzip format.

    Parameters
    ----------
    stream : buffered binary stream
    path
        For messages.

    Raises
    ------
    DataError
        It is damaged or cut off.
    """
    import gzip
    import zlib

    buffered = stream if hasattr(stream, "peek") else io.BufferedReader(stream)
    try:
        if not buffered.peek(2).startswith(GZIP):
            yield buffered
            return
        with gzip.GzipFile(fileobj=buffered) as content:
            yield content
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"a damaged gzip file ({error})", path) from None
    finally:
        if buffered is not stream:
            buffered.detach()  # otherwise the stream would be closed with it


def read_text(path: str | PathLike[str], expected: str) -> str:
    """All of the input as text, decompressed if it is in gzip format.

    Parameters
    ----------
    path
        `-` is standard input. Its text, and that of `<(...)` in a shell, is kept, since a command may need it again.
    expected
        The expected kind of the file, for the message: "a graph file".

    Raises
    ------
    DataError
        It cannot be read, is damaged, or is not text (`common.files.decoding`), with the line.
    """
    if isinstance(path, TextInMemory):
        return path.text
    source: Any = sys.stdin if str(path) == "-" else _identity(path)
    has_name = source is not sys.stdin and os.path.exists(os.path.realpath(path))
    if source is None or has_name:  # another writer could open a pipe that has a name
        return _text(path, expected)
    if str(path) not in _kept or _kept[str(path)][0] != source:
        _kept[str(path)] = source, _text(path, expected)
    return _kept[str(path)][1]


def _identity(path: str | PathLike[str]) -> tuple[int, int] | None:
    """The identity of a pipe, None for other files."""
    with contextlib.suppress(OSError, ValueError):
        found = os.stat(path)
        if stat.S_ISFIFO(found.st_mode):
            return found.st_dev, found.st_ino
    return None


def _text(path: str | PathLike[str], expected: str) -> str:
    with opened(path) as stream, unzipped(stream, path) as plain:
        content = plain.read(_HEAD)
        check_text(content, path, expected)  # before all of /dev/zero, which has no end
        content += plain.read(MAX_TEXT)
    if len(content) > MAX_TEXT:
        raise DataError(f"more than {MAX_TEXT:,} bytes; expected {expected}", path)
    return decoded(content, path, expected)


def kind_of_file(path: str | os.PathLike) -> str | None:
    """`common.files.file_kinds.kind_of_text` of a file; pipes are not consumed.

    Parameters
    ----------
    path
        `-` is standard input.
    """
    return kind_of_text(beginning(first_bytes(path)))


def first_bytes(path: str | PathLike[str]) -> bytes:
    """The first bytes of an input, decompressed; none if the file cannot be opened. Pipes are not consumed."""
    if isinstance(path, TextInMemory):
        return path.text.encode()[:_HEAD]
    if str(path) == "-":
        return plain_head(_peeked())
    identity = _identity(path)
    if identity in _begun:
        return plain_head(_begun[identity].raw.head)
    try:
        stream = open(path, "rb")
        head = stream.read(_HEAD)
    except OSError:  # the error is reported when the file is read
        return b""
    if identity is None:
        stream.close()
    else:
        _begun[identity] = io.BufferedReader(_PeekedInput(head, stream))
    return plain_head(head)


def _peeked() -> bytes:
    """The first bytes of standard input, which is read from its beginning later."""
    given = sys.stdin.buffer
    raw = getattr(given, "raw", None)
    if isinstance(raw, _PeekedInput):
        return raw.head
    head = given.read(_HEAD)
    if given.seekable():
        given.seek(-len(head), 1)
    else:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_PeekedInput(head, sys.stdin)))
    return head


class _PeekedInput(io.RawIOBase):
    """A pipe from its beginning, after its first bytes were already read.

    The writer may send small pieces, of which `peek` would see only the first.

    Parameters
    ----------
    head
        The bytes already read.
    source : TextIO or BinaryIO
        Of the rest; standard input, which stays open, or a binary stream.
    """

    def __init__(self, head: bytes, source: Any) -> None:
        self.head = head
        self._left = head
        self._source = source  # standard input would be closed if there were no reference to it
        self._rest = getattr(source, "buffer", source)

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as possible without waiting twice; returns the number of bytes."""
        part = self._left[: len(buffer)] or self._rest.read1(len(buffer))
        self._left = self._left[len(part) :]
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        """Close a pipe; standard input stays open."""
        super().close()
        if self._rest is self._source:
            self._rest.close()
