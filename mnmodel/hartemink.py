"""Classes of measured columns that keep pairwise mutual information (Hartemink, PhD thesis, MIT 2001, section 6.2).

Each column begins with many classes. Two neighbouring classes of a column are joined, those whose joining loses least
of the mutual information of the column with all others, summed over these; the columns take turns, in their order,
until each has as many classes as wanted. This is the method `hartemink` of R's bnlearn. Of joinings that lose equally
much the first is made. Differences from there: a pair of columns is counted over the rows in which both are known, and
a column may begin with fewer classes than others.

With counts c of joint states, those of a column's class r, and n rows, the mutual information is
(sum c ln c - sum r ln r - sum s ln s + n ln n) / n, so that a joining changes only the terms of two classes.

Cost: columns^2 x rows for counting, then a pass over the classes of a column x the classes of all columns for each
joining; memory for (classes of all columns)^2 numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

ROUNDING = 1e-9  # nats between losses that count as equal


def join_classes(classes: np.ndarray, sizes: Sequence[int], row_counts: np.ndarray, wanted: int) -> list[list[int]]:
    """Join neighbouring classes.

    Parameters
    ----------
    classes : int64[rows, p]
        The class of each cell, -1 where it is missing; p >= 2.
    sizes
        Classes of each column, all different from 0.
    row_counts : int64[rows]
        How many rows each one stands for.
    wanted
        The largest number of classes in each column, >= 1.

    Returns
    -------
    list of list of int
        For each column the first of the classes that each of the new ones consists of: ascending, from 0.
    """
    start = np.concatenate([[0], np.cumsum(sizes)])
    counts, rows = _joint_counts(classes, start, row_counts)
    begins = [list(range(size)) for size in sizes]
    for size in range(max(sizes), wanted, -1):
        for v, first in enumerate(begins):
            if len(first) < size:
                continue
            others = [(u, start[u] + np.array(begins[u])) for u in range(len(sizes)) if u != v and rows[v, u] > 0]
            loss = _losses(counts, start[v] + np.array(first), others, rows[v])
            a = int(np.flatnonzero(loss <= loss.min() + ROUNDING)[0])
            kept, removed = start[v] + first[a], start[v] + first.pop(a + 1)
            counts[kept] += counts[removed]
            counts[:, kept] += counts[:, removed]
    return begins


def _joint_counts(classes: np.ndarray, start: np.ndarray, row_counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows in each class of a column and each of another, float64[all classes, all classes]; rows of each pair."""
    p = classes.shape[1]
    counts = np.zeros((start[-1], start[-1]))
    rows = np.zeros((p, p))
    for u in range(p):
        for v in range(u):
            known = (classes[:, u] >= 0) & (classes[:, v] >= 0)
            width = start[v + 1] - start[v]
            cells = classes[known, u] * width + classes[known, v]
            table = np.bincount(cells, weights=row_counts[known], minlength=(start[u + 1] - start[u]) * width)
            counts[start[u] : start[u + 1], start[v] : start[v + 1]] = table.reshape(-1, width)
            rows[u, v] = rows[v, u] = row_counts[known].sum()
    return counts + counts.T, rows


def _losses(
    counts: np.ndarray, own: np.ndarray, others: Sequence[tuple[int, np.ndarray]], rows: np.ndarray
) -> np.ndarray:
    """The loss of joining each class of a column with the next, in nats, summed over other columns.

    Parameters
    ----------
    counts : float64[all classes, all classes]
    own : int64[k]
        The classes of the column, as places in `counts`.
    others : sequence of (int, int64[...])
        The other columns, and their classes.
    rows : float64[p]
        In which this column and the other are known.

    Returns
    -------
    float64[k - 1]
    """
    total = np.zeros(len(own) - 1)
    for u, places in others:
        table = counts[np.ix_(own, places)]
        cells, joined = _xlogx(table).sum(axis=1), _xlogx(table[:-1] + table[1:]).sum(axis=1)
        size = table.sum(axis=1)
        margins = _xlogx(size[:-1] + size[1:]) - _xlogx(size[:-1]) - _xlogx(size[1:])
        total += (cells[:-1] + cells[1:] - joined + margins) / rows[u]
    return total


def _xlogx(x: np.ndarray) -> np.ndarray:
    """X ln x, and 0 at 0."""
    return x * np.log(np.where(x > 0, x, 1.0))
