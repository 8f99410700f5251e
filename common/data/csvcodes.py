"""The cells of a CSV file as codes, by the reference parser or, several times faster, in whole blocks.

`encode_fast` masks the separators inside quotes, splits whole blocks, and parses each distinct cell only once; if it
cannot handle something, the reference parser reads the file. 100 MB of one-digit cells take 4 s and 0.6 GB on one core;
the reference needs about 0.6 microseconds per cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from .csvtext import QUOTED, check_width, records

if TYPE_CHECKING:
    from .csvtext import Raw

_QUOTED_BYTES = re.compile(QUOTED.encode())
_REFERENCE_ROWS = 4096
_BLOCK_BYTES = 1 << 22
# While a block is split, these characters inside quotes are replaced by bytes that never occur in UTF-8.
_SHOWN, _HIDDEN = b",;\t \n", b"\xf5\xf6\xf7\xf8\xf9"
_HIDE = np.frombuffer(bytes.maketrans(_SHOWN, _HIDDEN), dtype=np.uint8)
_SHOW = bytes.maketrans(_HIDDEN, _SHOWN)


class NotPlain(Exception):
    """The fast path found something that only the reference can read or report."""


class _Column(dict):
    """Code of each raw cell; a raw cell is decoded at its first occurrence, `labels` holds the codes by label."""

    def __init__(self) -> None:
        self.labels: dict = {}

    def __missing__(self, raw_cell: bytes) -> int:
        cell = raw_cell.strip(b" \t")
        if b'"' in cell:
            if not _QUOTED_BYTES.fullmatch(cell):
                raise NotPlain
            cell = cell[1:-1].replace(b'""', b'"').translate(_SHOW)
        code = self[raw_cell] = self.labels.setdefault(cell.decode(), len(self.labels))
        return code


def encode(raw: Raw, width: int, progress: Callable) -> tuple[list[tuple[str, ...]], np.ndarray]:
    """The cells as codes; the header is treated like other rows.

    Parameters
    ----------
    width
        Number of cells of the first row; all rows must have as many.
    progress : callable taking a float
        Called with the share done.

    Returns
    -------
    (list of tuple of str, int32[rows, width])
        Labels of each column in order of appearance, and the codes.
    """
    try:
        return encode_fast(raw.text.encode(), raw.separator.encode(), width, progress)
    except NotPlain:
        return encode_reference(raw, width)


def encode_reference(raw: Raw, width: int) -> tuple[list[tuple[str, ...]], np.ndarray]:
    """`encode` by `records`; raises an error if the shape of the file is wrong."""
    columns: list[dict] = [{} for _ in range(width)]
    blocks = []
    rows_read = records(raw)
    while rows := list(islice(rows_read, _REFERENCE_ROWS)):
        for line, row in rows:
            check_width(row, width, raw.source, line)
        block = np.empty((len(rows), width), dtype=np.int32)
        for v, cells in enumerate(zip(*(cells for _, cells in rows), strict=True)):
            codes = columns[v]
            block[:, v] = [codes.setdefault(cell, len(codes)) for cell in cells]
        blocks.append(block)
    return [tuple(codes) for codes in columns], np.concatenate(blocks)


def encode_fast(
    data: bytes, separator: bytes, width: int, progress: Callable = lambda share: None
) -> tuple[list[tuple[str, ...]], np.ndarray]:
    """`encode_reference`, several times faster, or `NotPlain`.

    If it succeeds, it is exact: a cell with a quote must be one complete quoted cell, so no cell begins or ends inside
    quotes.

    Parameters
    ----------
    data
        Clean text.
    width, progress : as for `encode`
    """
    if b'"' in data:
        data = _hide_quoted(data)
        if not data.endswith(b"\n"):  # inside quotes up to the end
            raise NotPlain
    columns = [_Column() for _ in range(width)]
    codes = np.empty((data.count(b"\n"), width), dtype=np.int32, order="F")
    row = 0
    for start, stop in _blocks(data, progress):
        block = data[start:stop]
        if separator == b" ":
            block = block.replace(b"\t", b" ")
            while b"  " in block:
                block = block.replace(b"  ", b" ")
            block = block.replace(b" \n", b"\n").replace(b"\n ", b"\n").lstrip(b" ")
        characters = np.frombuffer(block, dtype=np.uint8)
        newline = characters == ord("\n")
        ends_row = newline[newline | (characters == ord(separator))]  # for each cell: is it the last of its row?
        n_rows = len(ends_row) // width
        whole = len(ends_row) == n_rows * width and ends_row[width - 1 :: width].all()
        if not whole or np.count_nonzero(ends_row) != n_rows:
            raise NotPlain
        cells = block[:-1].replace(b"\n", separator).split(separator)
        for v, column in enumerate(columns):
            found = map(column.__getitem__, cells[v::width])
            codes[row : row + n_rows, v] = np.fromiter(found, np.int32, n_rows)
        row += n_rows
    return [tuple(column.labels) for column in columns], codes


def _blocks(data: bytes, progress: Callable) -> Iterator[tuple[int, int]]:
    """Where the blocks of whole lines begin and end; reports the share done."""
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start + _BLOCK_BYTES) + 1 or len(data)
        yield start, stop
        start = stop
        progress(start / len(data))


def _hide_quoted(data: bytes) -> bytes:
    """The same bytes with separators, blanks and line breaks replaced after an odd number of quotes."""
    pieces, inside = [], 0
    for start in range(0, len(data), _BLOCK_BYTES):
        piece = np.frombuffer(data[start : start + _BLOCK_BYTES], dtype=np.uint8)
        odd = np.bitwise_xor.accumulate((piece == ord('"')).view(np.uint8)) ^ inside
        inside = odd[-1]
        pieces.append(np.where(odd, _HIDE[piece], piece).tobytes())
    return b"".join(pieces)
