"""Data as bits: for each state of a variable, which rows have it.

Rows in both of two planes are found 64 at a time. `common.scores.counting_kernels` counts the cells of small sets so,
`common.scores.spanning` those of all pairs, and `mplearn.extensions` the parts into which a variable splits the cells
of a blanket. A plane takes a bit for each row; which variables have planes depends on what they are for.
"""

from __future__ import annotations

import numpy as np

FEW_STATES = 8  # of a variable whose sets are counted on planes; as many planes take the memory of a byte a row


def plane_places(arity: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, int]:
    """Where each variable's planes begin, that of state 0 first, and how many there are.

    Parameters
    ----------
    arity : int64[n]
    chosen : bool[n]
        Which variables have planes.

    Returns
    -------
    (int64[n], int)
        -1 for a variable without planes.
    """
    ends = np.cumsum(np.where(chosen, arity, 0))
    return np.where(chosen, ends - arity, -1), int(ends[-1])


def bit_planes(columns: np.ndarray, arity: np.ndarray, first_plane: np.ndarray, count: int) -> np.ndarray:
    """The planes of some rows.

    Parameters
    ----------
    columns : uint8 or int32[n, rows]
    arity : int64[n]
    first_plane, count
        See `plane_places`.

    Returns
    -------
    uint64[count, words]
        Bit r & 63 of word r >> 6 is row r; bits after the last row are 0.
    """
    bits = np.zeros((count, 8 * -(-columns.shape[1] // 64)), np.uint8)
    for v in np.flatnonzero(first_plane >= 0):
        for state in range(arity[v]):
            packed = np.packbits(columns[v] == state, bitorder="little")
            bits[first_plane[v] + state, : len(packed)] = packed
    return bits.view("<u8").astype(np.uint64, copy=False)
