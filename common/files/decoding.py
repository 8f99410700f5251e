"""The text in the bytes of a file.

It is UTF-8, or UTF-16 or UTF-32 with a byte order mark, or declared in the first line of an XML file: GeNIe writes
ISO-8859-1.
Formats that are older than Unicode and declare nothing (BIF, Hugin's .net, Netica's .dne, dot) are read as Windows-1252
if they are not UTF-8, with a warning: it is the same as ISO-8859-1 for all printable characters.
"""

from __future__ import annotations

import codecs
import logging
import re
import zlib
from typing import TYPE_CHECKING

from ..errors import DataError
from .file_kinds import kind_of_text
from .foreign import binary_kind

if TYPE_CHECKING:
    from os import PathLike

LOG = logging.getLogger("cliquewise")
UNDECLARED = ("BIF", "Hugin, .net", "Netica, .dne", "dot")
GZIP = b"\x1f\x8b"
_MARKS = {  # those of UTF-32 first: one begins as that of UTF-16
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_WIDE = ("utf-16", "utf-32")  # encodings with zero bytes
_DECLARED = re.compile(rb"""\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']""")
_LATE = re.compile(r"(\s+)(<\?xml\b[^>]*\?>)")


def decoded(content: bytes, path: str | PathLike[str], expected: str) -> str:
    """All of a file as text, a byte order mark dropped.

    Blanks before an XML declaration, which XML does not allow, come after it; so lines keep their numbers.

    Parameters
    ----------
    content
    path
        For messages.
    expected
        The expected kind of the file, for messages: "a graph file".

    Raises
    ------
    DataError
        Not text in its encoding, with the line; an encoding that is not known.
    """
    check_text(content, path, expected)
    mark, encoding = _encoding(content)
    try:
        text = content[mark:].decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        line = content[: mark + error.start].count(b"\n") + 1
        if encoding is not None:
            raise DataError(f"not {encoding} text, as it begins; correct the encoding", path, line) from error
        if kind_of_text(content.decode("latin-1")) not in UNDECLARED:
            raise DataError(f"not UTF-8 text; expected {expected}", path, line) from error
        LOG.warning(
            "%s:%d: not UTF-8 text, so it is read as Windows-1252; save it as UTF-8 if that is wrong", path, line
        )
        text = _windows(content)
    except LookupError as error:
        raise DataError(f"unknown encoding '{encoding}'; save it as UTF-8", path, 1) from error
    late = _LATE.match(text)
    return text if late is None else late[2] + late[1] + text[late.end() :]


def check_text(content: bytes, path: str | PathLike[str], expected: str) -> None:
    """Refuse bytes that occur in no text.

    Parameters
    ----------
    content, path, expected
        As for `decoded`.

    Raises
    ------
    DataError
        A zero byte that is not of UTF-16 or UTF-32, or the beginning of another kind of file.
    """
    what = binary_kind(content)
    if what is not None:
        raise DataError(f"{what[0]}, not text; expected {expected}", path)
    if b"\0" in content and not (_encoding(content)[1] or "").startswith(_WIDE):
        raise DataError(f"not text: it has a zero byte; expected {expected}", path)


def plain_head(head: bytes) -> bytes:
    """The first bytes of a file, decompressed if they are of a gzip file; nothing if that is damaged."""
    if not head.startswith(GZIP):
        return head
    try:
        return zlib.decompressobj(wbits=31).decompress(head, len(head) << 3)
    except zlib.error:
        return b""


def beginning(head: bytes) -> str:
    """The first bytes of a file as text, also of a gzip file; any bytes are accepted."""
    head = plain_head(head)
    mark, encoding = _encoding(head)
    try:
        return head[mark:].decode(encoding or "utf-8", "replace")
    except LookupError:
        return head.decode("utf-8", "replace")


def byte_order_mark(content: bytes) -> tuple[int, str | None]:
    """The length of the byte order mark, and the encoding that it stands for; (0, None) if there is none."""
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return len(mark), encoding
    return 0, None


def _encoding(content: bytes) -> tuple[int, str | None]:
    """The length of the byte order mark, and the encoding that the content declares; None if it declares none."""
    length, encoding = byte_order_mark(content)
    if encoding is not None:
        return length, encoding
    for start, encoding in ((b"<\0?\0", "utf-16-le"), (b"\0<\0?", "utf-16-be")):
        if content.startswith(start):
            return 0, encoding
    found = _DECLARED.match(content)
    if found is None:
        return 0, None
    name = found[1].decode("ascii")
    return 0, "utf-8" if name.lower().startswith(_WIDE) else name  # those would not have been readable so far


def _windows(content: bytes) -> str:
    """Bytes as Windows-1252; the five that it leaves open as ISO-8859-1 has them."""
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError:
        return content.decode("latin-1")
