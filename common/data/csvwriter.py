"""A Dataset as CSV: a line of names, then a line of state labels per row, separated by commas.

The labels of each column are padded with NUL to equal width, so that a block of rows is one matrix of bytes; without
the NULs the matrix is the text. This is fast for any labels: 16 million one-digit cells take half a second.

`common.data.csvfile` reads the same Dataset back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .dataset import Dataset

_PLAIN = re.compile(r"[^\s\",;']+")
_BLOCK_BYTES = 1 << 24


def csv_pieces(data: Dataset) -> Iterator[bytes]:
    """The text of a CSV file in pieces, for `common.files.atomic_write.write_whole`.

    Yields
    ------
    bytes
        UTF-8, lines ended by a line feed.
    """
    yield csv_text([data.names]).encode()
    cells = []
    for v, labels in enumerate(data.states):
        end = "," if v < data.n - 1 else "\n"
        cells.append(np.array([(cell_text(label) + end).encode() for label in labels]))
    step = max(1, _BLOCK_BYTES // sum(column.itemsize for column in cells))
    for start in range(0, data.n_rows, step):
        codes = data.codes[start : start + step]
        block = np.hstack(
            [column[codes[:, v]].view(np.uint8).reshape(len(codes), -1) for v, column in enumerate(cells)]
        )
        yield block[block != 0].tobytes()


def csv_text(lines: Iterable[Iterable[str]]) -> str:
    """Rows of cells as CSV text, which `common.data.csvfile` reads back as they are."""
    return "".join(csv_line(line) + "\n" for line in lines)


def csv_line(cells: Iterable[str]) -> str:
    """Cells with commas between, without a line feed."""
    return ",".join(map(cell_text, cells))


def cell_text(text: str) -> str:
    """One cell, quoted if necessary."""
    return text if _PLAIN.fullmatch(text) else quoted(text)


def quoted(text: str) -> str:
    """One cell in quotes; it may contain any separator and any blanks."""
    return '"' + text.replace('"', '""') + '"'
