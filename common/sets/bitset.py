"""Packing sets of variables into rows of 64-bit words, and unpacking; `common.sets.bitset_kernels` has the layout."""

import numpy as np

from cliquewise.common.sets.bitset_kernels import elements


def bit_set(members, words):
    """An iterable of variables as a set, uint64[words]."""
    row = np.zeros(words, np.uint64)
    for v in members:
        row[v >> 6] |= np.uint64(1 << (v & 63))
    return row


def bit_sets(rows, members, count, words):
    """Many sets at once, given as pairs of a row and a variable.

    Parameters
    ----------
    rows : int64[m]
        Which set, 0 <= rows < count.
    members : int64[m]
        The variable that is in it.
    count : int
        Number of sets; a set that is in no pair is empty.
    words : int

    Returns
    -------
    uint64[count, words]
    """
    sets = np.zeros(count * words, np.uint64)
    members = np.asarray(members, np.int64)
    np.bitwise_or.at(sets, rows * words + (members >> 6), np.uint64(1) << (members & 63).astype(np.uint64))
    return sets.reshape(count, words)


def members_of(row):
    """The elements of a set (uint64[words]) as an ascending tuple of ints."""
    out = np.empty(64 * row.shape[0], np.int64)
    return tuple(int(v) for v in out[: elements(row, out)])
