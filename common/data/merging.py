"""Equal rows merged, each with the number of rows that it stands for.

Every score depends only on counts, so a merged row costs as much as a single row. A table of counts, such as R's
`as.data.frame(table(...))`, and the same rows written out give the same merged rows in the same order, and so the same
bytes of every result.

Cost: sorting the rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .dataset import Dataset

if TYPE_CHECKING:
    from .dataset import RowWeights


def merged(data: Dataset, row_counts: np.ndarray | None = None) -> Dataset:
    """The same data with equal rows merged.

    Parameters
    ----------
    row_counts : int64[n_stored], optional
        How many rows each one should stand for, >= 0, instead of its present count; rows with 0 are left out.

    Returns
    -------
    Dataset
        With counts. Its states are the same, including those that no row has any more.
    """
    if row_counts is None and data.counts is not None:
        return data
    return stored_once(data, *distinct_rows(data, row_counts))


def as_content(source: Any) -> Any:
    """A table as it is whether it was read whole, in pieces or from counts, for its fingerprint; others as they are.

    Equal rows are merged, and codes are bytes if that is enough.
    """
    if type(source) is not Dataset:
        return source
    data = merged(source)
    return data if data.arity.max() > 256 else replace(data, codes=data.codes.astype(np.uint8, order="K", copy=False))


def stored_once(data: Dataset, chosen: np.ndarray, counts: np.ndarray, rows: RowWeights | None = None) -> Dataset:
    """Some of the stored rows of the data, int64[k], with other counts, int64[k]."""
    codes = np.asfortranarray(data.codes[chosen])
    codes.setflags(write=False)
    return replace(data, codes=codes, counts=counts, rows=rows)


def distinct_rows(data: Dataset, row_counts: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows, those that stand for several first.

    Parameters
    ----------
    row_counts : int64[n_stored], optional
        As in `merged`.

    Returns
    -------
    (int64[k], int64[k])
        The first row of each group of equal rows, and the number of rows in the group.
    """
    if row_counts is None and data.counts is not None:
        return np.arange(data.n_stored), data.counts
    if data.counts is not None and row_counts is not None:
        return repeated_first(np.flatnonzero(row_counts > 0), row_counts[row_counts > 0])
    order, start = _sorted_rows(data, row_counts)
    counts = np.diff(start, append=len(order)) if row_counts is None else np.add.reduceat(row_counts[order], start)
    first = order[start]  # equal rows keep their order
    order = np.argsort(first)
    return repeated_first(first[order], counts[order])


def places(data: Dataset, row_counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct rows as from `distinct_rows`, and where each row is among them.

    Parameters
    ----------
    row_counts : int64[n_stored], >= 1

    Returns
    -------
    (int64[k], int64[k], int32[n_stored])
    """
    first, counts = distinct_rows(data, row_counts)
    order, start = _sorted_rows(data, row_counts)
    number = np.empty(data.n_stored, np.int32)
    number[first] = np.arange(len(first), dtype=np.int32)
    place = np.empty(data.n_stored, np.int32)
    place[order] = np.repeat(number[order[start]], np.diff(start, append=len(order)))
    return first, counts, place


def _sorted_rows(data: Dataset, row_counts: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The rows in an order in which equal ones are together, without those of count 0; and where each group begins."""
    words = _packed(data)
    order = np.lexsort(words) if words else np.arange(data.n_stored)
    if row_counts is not None:
        order = order[row_counts[order] > 0]
    begins = np.zeros(len(order), bool)  # in this order, where the row changes
    begins[:1] = True
    for word in words:
        word = word[order]
        begins[1:] |= word[1:] != word[:-1]
    return order, np.flatnonzero(begins)


def repeated_first(rows: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows in the order of the kernels, those that stand for several first; each part stays in its order.

    Parameters
    ----------
    rows, counts : int64[k]

    Returns
    -------
    (int64[k], int64[k])
        Rows, and counts.
    """
    order = np.concatenate([np.flatnonzero(counts > 1), np.flatnonzero(counts == 1)])
    return rows[order], counts[order].astype(np.int64)


def _packed(data: Dataset) -> list[np.ndarray]:
    """Keys of the rows: a list of int64[n_stored]; two rows are equal iff all keys are."""
    words, capacity = [], 0
    for v, arity in enumerate(data.arity.tolist()):
        if arity > 1:
            if capacity < arity:
                words.append(np.zeros(data.n_stored, np.int64))
                capacity = 2**63 - 1
            words[-1] *= arity
            words[-1] += data.codes[:, v]
            capacity //= arity
    return words
