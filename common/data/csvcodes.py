"""The cells of a CSV text as codes: by the reference parser or a kernel, which give the same result.

Loading the kernel takes as long as the reference parser takes for two megabytes with quotes or blanks; from then on it
is a hundred times faster.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from .csvtext import check_width, records

if TYPE_CHECKING:
    from .csvtext import Raw

KERNEL_FROM = 1 << 21  # characters
_REFERENCE_ROWS = 4096
_PIECE = 1 << 22


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

    Raises
    ------
    DataError
        The shape of the text is wrong; with the line.
    """
    if len(raw.text) >= KERNEL_FROM:
        return encode_by_kernel(raw, width, progress)
    return encode_reference(raw, width)


def encode_reference(raw: Raw, width: int) -> tuple[list[tuple[str, ...]], np.ndarray]:
    """`encode` by `common.data.csvtext.records`."""
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


def encode_by_kernel(
    raw: Raw, width: int, progress: Callable = lambda share: None
) -> tuple[list[tuple[str, ...]], np.ndarray]:
    """`encode` by `common.data.csvstream_kernels`."""
    from .csvstream import CsvStream

    text = raw.text.encode()
    csv = CsvStream(width, raw.separator, raw.source, False, raw.line, text.count(b"\n"), np.int32)
    done, size = 0, _PIECE
    while done < len(text):
        stop = text.find(b"\n", done + size) + 1 or len(text)
        read = csv.read(text[done:stop], last=stop == len(text))
        size = _PIECE if read else 2 * size  # a quote that is open for long is not scanned too often
        done += read
        progress(done / len(text))
    return [tuple(labels) for labels in csv.labels], csv.codes
