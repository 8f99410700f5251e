"""Bit planes: for each state of a variable, a bit for each row that has it.

Planes are intersected 64 rows at a time. `common.scores.counting_kernels` uses them for the cells of small sets,
`common.scores.spanning` for those of all pairs, and `mplearn.extensions` for the parts into which a variable splits the
cells of a blanket. Each of these chooses which variables have planes.
"""

from __future__ import annotations

import numpy as np

FEW_STATES = 8  # largest number of states of a variable with planes; these planes take one byte per row


def plane_places(arity: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, int]:
    """The first plane of each variable, which is that of state 0, and the number of all planes.

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
