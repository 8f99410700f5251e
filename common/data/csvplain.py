"""The cells of a plain CSV text as codes, with numpy: no quotes, no blanks, and the same number of cells in every row.

The ends of cells are where the separator or a line feed is. Cells of at most eight bytes are one number each, and a
column is sorted to number them; longer ones are looked up one by one. Text of another form is left to the reference
(`common.data.csvtext`), which also reports errors.

Cost: one pass over the text, and sorting each column: a tenth of the reference's time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .csvtext import Raw

_LONGEST = 8  # bytes in a word


def encode_plain(raw: Raw, width: int) -> tuple[list[tuple[str, ...]], np.ndarray] | None:
    """`common.data.csvcodes.encode` of a plain text.

    Parameters
    ----------
    width
        Number of cells of the first row.

    Returns
    -------
    (list of tuple of str, int32[rows, width]) or None
        None if the text is not plain.
    """
    if raw.separator == " " or any(sign in raw.text for sign in ('"', " ")):
        return None
    if raw.separator != "\t" and "\t" in raw.text:
        return None
    text = raw.text.encode()
    signs = np.frombuffer(text, np.uint8)
    is_end = signs == ord("\n")
    n_rows = int(np.count_nonzero(is_end))
    stops = np.flatnonzero(is_end | (signs == ord(raw.separator)))
    if len(stops) != n_rows * width or not is_end[stops[width - 1 :: width]].all():
        return None
    begins, ends = np.concatenate([[0], stops[:-1] + 1]).reshape(n_rows, width), stops.reshape(n_rows, width)
    labels, codes = [], np.empty((n_rows, width), np.int32)
    for v in range(width):
        begin, length = begins[:, v], ends[:, v] - begins[:, v]
        if length.max() > _LONGEST:
            known: dict[bytes, int] = {}
            cells = (text[a:b] for a, b in zip(begin.tolist(), ends[:, v].tolist(), strict=True))
            codes[:, v] = [known.setdefault(cell, len(known)) for cell in cells]
            labels.append(tuple(cell.decode() for cell in known))
            continue
        _, first, number = np.unique(_words(signs, begin, length), return_index=True, return_inverse=True)
        place = np.empty(len(first), np.int32)
        place[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        codes[:, v] = place[number]
        labels.append(tuple(text[begin[k] : begin[k] + length[k]].decode() for k in np.sort(first).tolist()))
    return labels, codes


def _words(signs: np.ndarray, begin: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Cells of at most eight bytes as numbers, which differ as the cells do: no byte is 0; unsigned int[rows]."""
    longest = int(length.max())
    if longest <= 1:
        return np.where(length, signs[begin], 0).astype(np.uint8)
    words = np.zeros(len(begin), np.uint64)
    for k in range(longest):
        byte = signs[np.minimum(begin + k, len(signs) - 1)].astype(np.uint64)
        words |= np.where(length > k, byte, 0).astype(np.uint64) << np.uint64(8 * k)
    return words
