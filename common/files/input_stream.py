"""Opening input: a file, or `-` for standard input; its text, and its kind by its beginning."""

from __future__ import annotations

import contextlib
import io
import os
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
_kept: list[tuple[Any, str]] = []  # standard input, and the text that was read from it


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
    try:
        with contextlib.nullcontext(sys.stdin.buffer) if str(path) == "-" else open(path, "rb") as stream:
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
        `-` is standard input; its text is kept, since several runs of one command may need it.
    expected
        The expected kind of the file, for the message: "a graph file".

    Raises
    ------
    DataError
        It cannot be read, is damaged, or is not text (`common.files.decoding`), with the line.
    """
    if isinstance(path, TextInMemory):
        return path.text
    if str(path) != "-":
        return _text(path, expected)
    if not (_kept and _kept[0][0] is sys.stdin):
        _kept[:] = [(sys.stdin, _text(path, expected))]
    return _kept[0][1]


def _text(path: str | PathLike[str], expected: str) -> str:
    with opened(path) as stream, unzipped(stream, path) as plain:
        content = plain.read(_HEAD)
        check_text(content, path, expected)  # before all of /dev/zero, which has no end
        content += plain.read(MAX_TEXT)
    if len(content) > MAX_TEXT:
        raise DataError(f"more than {MAX_TEXT:,} bytes; expected {expected}", path)
    return decoded(content, path, expected)


def kind_of_file(path: str | os.PathLike) -> str | None:
    """`common.files.file_kinds.kind_of_text` of a file; standard input is not consumed.

    Parameters
    ----------
    path
        `-` is standard input.
    """
    return kind_of_text(beginning(first_bytes(path)))


def first_bytes(path: str | PathLike[str]) -> bytes:
    """The first bytes of an input, decompressed; none if the file cannot be opened. Standard input is not consumed."""
    if isinstance(path, TextInMemory):
        return path.text.encode()[:_HEAD]
    if str(path) == "-":
        return plain_head(_peeked())
    try:
        with open(path, "rb") as stream:
            return plain_head(stream.read(_HEAD))
    except OSError:  # the error is reported when the file is read
        return b""


def _peeked() -> bytes:
    """The first bytes of standard input, which is read from its beginning later."""
    given = sys.stdin.buffer
    raw = getattr(given, "raw", None)
    if isinstance(raw, _PeekedInput):
        return raw.head
    head = given.read(_HEAD)
    if given.seekable():
        given.seek(-len(head), 1)
    else:  # a pipe whose writer sends small pieces: peek() would see only the first
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_PeekedInput(head, sys.stdin)))
    return head


class _PeekedInput(io.RawIOBase):
    """Standard input from its beginning, after its first bytes were already read.

    Parameters
    ----------
    head
        The bytes already read.
    stdin : TextIO
        The source of the rest.
    """

    def __init__(self, head: bytes, stdin: Any) -> None:
        self.head = head
        self._left = head
        self._stdin = stdin  # would be closed if there were no reference to it

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as possible without waiting twice; returns the number of bytes."""
        part = self._left[: len(buffer)] or self._stdin.buffer.read1(len(buffer))
        self._left = self._left[len(part) :]
        buffer[: len(part)] = part
        return len(part)
