"""Joint states of discrete variables, numbered so that the last variable changes fastest.

`numpy.indices` and `numpy.ravel_multi_index` do the same for at most 64 variables, which families can exceed when some
variables have a single state.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

KEY_LIMIT = 1 << 62  # numbers of joint states are below


def joint_states(arity: Sequence[int]) -> np.ndarray:
    """All joint states in ascending order: int64[cells, k]; one empty row without variables.

    Examples
    --------
    >>> joint_states((2, 1, 2)).tolist()
    [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]
    """
    cells = math.prod(arity)
    found, repeats = np.empty((len(arity), cells), np.int64), cells
    for i, r in enumerate(arity):
        repeats //= r
        found[i] = np.tile(np.repeat(np.arange(r), repeats), cells // (r * repeats))
    return found.T


def joint_state_numbers(columns: Iterable[np.ndarray], arity: Sequence[int], rows: int) -> np.ndarray:
    """The number of each row's joint state: int64[rows].

    Parameters
    ----------
    columns : iterable of int[rows], length k
        0 <= column < r.
    arity
        With a product below 2 ** 63.
    rows
        0 for each without variables.

    Examples
    --------
    >>> joint_state_numbers(joint_states((2, 1, 2)).T, (2, 1, 2), 4).tolist()
    [0, 1, 2, 3]
    """
    numbers = np.zeros(rows, np.int64)
    for r, column in zip(arity, columns, strict=True):
        numbers *= r
        numbers += column
    return numbers


def numbered_states(codes: np.ndarray, arity: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Number the joint states of some columns, in ascending order.

    Parameters
    ----------
    codes : int32[rows, k]
        0 <= codes[:, i] < arity[i]; k may be 0.

    Returns
    -------
    (int32[rows], int64[q])
        The number of each row's joint state; and the first row with each joint state.
    """
    ids, cells, first = np.zeros(len(codes), np.int64), 1, np.zeros(min(1, len(codes)), np.int64)
    for i, r in enumerate(arity):
        if cells * r >= KEY_LIMIT:
            first, ids = np.unique(ids, return_index=True, return_inverse=True)[1:]
            cells = len(first)
        ids = ids * r + codes[:, i]
        cells *= r
    if len(arity):
        first, ids = np.unique(ids, return_index=True, return_inverse=True)[1:]
    return ids.astype(np.int32), first
