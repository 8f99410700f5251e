"""Variables with the same information in every row, which no score can distinguish.

Two columns are duplicates if their values correspond one to one. A blanket has the same score with either of them, and
Algorithm 1 of the paper takes the first: the edges found then depend on the order of the columns. Hailfinder of the
Bayesian network repository has three such pairs.

Cost: one pass over the data.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset


_BLOCK = 1 << 16  # rows


def duplicate_columns(dataset: Dataset) -> list[list[int]]:
    """Groups of variables whose values correspond one to one in the data.

    Returns
    -------
    list of list of int
        Ascending within each group of two or more, groups sorted by their first; constant columns are in none.
    """
    groups: dict = {}
    for v, arity in enumerate(dataset.arity):
        if arity > 1:
            groups.setdefault(_partition(dataset.codes[:, v], arity), []).append(v)
    return [group for group in groups.values() if len(group) > 1]


def _partition(column: np.ndarray, arity: int) -> bytes:
    """A digest of the partition of the rows by value: states are numbered by first occurrence."""
    first = np.full(arity, len(column))
    for start in range(0, len(column), _BLOCK):
        block = column[start : start + _BLOCK]
        seen = np.full(arity, len(column))
        seen[block[::-1]] = np.arange(start + len(block) - 1, start - 1, -1)  # the last assignment remains
        np.minimum(first, seen, out=first)
        if (first < len(column)).all():
            break
    number = np.empty(arity, np.min_scalar_type(arity))
    number[np.argsort(first, kind="stable")] = np.arange(arity)
    return hashlib.sha256(number[column]).digest()
