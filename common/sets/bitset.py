"""Packing sets of variables into rows of 64-bit words, and unpacking; `common.sets.bitset_kernels` has the layout."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from .bitset_kernels import words_for


def bit_set(members: Iterable[int] | np.ndarray, words: int) -> np.ndarray:
    """An iterable of variables as a set, uint64[words]."""
    row = np.zeros(words, np.uint64)
    for v in members:
        row[v >> 6] |= np.uint64(1 << (v & 63))
    return row


def bit_sets(rows: np.ndarray, members: np.ndarray, count: int, words: int) -> np.ndarray:
    """Many sets at once, given as pairs of a row and a variable.

    Parameters
    ----------
    rows : int64[m]
        The number of the set, 0 <= rows < count.
    members : int64[m]
        A variable in it.
    count
        Number of sets; a set without a pair is empty.

    Returns
    -------
    uint64[count, words]
    """
    sets = np.zeros(count * words, np.uint64)
    members = np.asarray(members, np.int64)
    np.bitwise_or.at(sets, rows * words + (members >> 6), np.uint64(1) << (members & 63).astype(np.uint64))
    return sets.reshape(count, words)


def members_of(row: np.ndarray) -> tuple[int, ...]:
    """The elements of a set (uint64[words]) as an ascending tuple of ints."""
    return tuple(np.flatnonzero(bits_of(row)).tolist())


def induced(rows: np.ndarray, members: np.ndarray) -> np.ndarray:
    """The graph on some of the vertices of a graph.

    Parameters
    ----------
    rows : uint64[n, words]
    members : int64[k], ascending

    Returns
    -------
    uint64[k, words for k]
        Its vertex number i is members[i].
    """
    i, j = np.nonzero(bits_of(rows[members])[:, members])
    return bit_sets(i, j, len(members), words_for(len(members)))


def bits_of(rows: Any) -> Any:
    """Sets, uint64[..., words], as uint8[..., 64 words] of zeros and ones."""
    return np.unpackbits(rows.astype("<u8").view(np.uint8), axis=-1, bitorder="little")
