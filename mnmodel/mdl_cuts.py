"""Cut points of a column that a class decides (Fayyad and Irani, IJCAI 1993).

The values are cut where the entropy of the class is least, taken over both sides, and each side is cut again; a cut of
N rows is made if its gain pays for its description:

    gain > (log2(N - 1) + log2(3^k - 2) - (k H - k1 H1 - k2 H2)) / N

with entropies H in bits and numbers k of classes that occur, on both sides and on each. A cut is half-way between two
neighbouring values. All of them are tried; the best is always between values of different classes (their Theorem 1).
Of equally good cuts the lowest is made.

Cost: sorting, then values x classes for each level of cuts.
"""

from __future__ import annotations

import numpy as np

ROUNDING = 1e-9  # nats times rows between entropies that count as equal


def mdl_cuts(values: np.ndarray, classes: np.ndarray, row_counts: np.ndarray) -> tuple[float, ...]:
    """The cut points.

    Parameters
    ----------
    values : float64[rows]
        Finite.
    classes : int64[rows]
        >= 0.
    row_counts : int64 or float64[rows]
        How many rows each one stands for, > 0.

    Returns
    -------
    tuple of float
        Ascending; none if no cut pays.
    """
    distinct, below = _counts(values, classes, row_counts)
    cuts, parts = [], [(0, len(distinct))]
    while parts:
        low, high = parts.pop()
        at, pays = _best_cut(below[low : high + 1])
        if pays:
            middle = low + at
            cuts.append(_between(float(distinct[middle - 1]), float(distinct[middle])))
            parts += [(low, middle), (middle, high)]
    return tuple(sorted(cuts))


def best_cut(values: np.ndarray, classes: np.ndarray, row_counts: np.ndarray) -> tuple[float, ...]:
    """The best cut point, whether it pays or not: none of one value.

    Parameters
    ----------
    values, classes, row_counts
        As for `mdl_cuts`.
    """
    distinct, below = _counts(values, classes, row_counts)
    at, _ = _best_cut(below)
    return (_between(float(distinct[at - 1]), float(distinct[at])),) if at else ()


def _counts(values: np.ndarray, classes: np.ndarray, row_counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different values, and the rows of each class below each of them and in all, float64[values + 1, classes]."""
    distinct, place = np.unique(values, return_inverse=True)
    counts = np.zeros((len(distinct) + 1, int(classes.max()) + 1))
    np.add.at(counts, (place + 1, classes), row_counts)
    return distinct, counts.cumsum(axis=0)


def _best_cut(below: np.ndarray) -> tuple[int, bool]:
    """How many of the values are below the best cut, 0 of one value; and whether it pays.

    Parameters
    ----------
    below : float64[values + 1, classes]
        Rows of each class below each value, and those of all.
    """
    if len(below) < 3:
        return 0, False
    whole, left = below[-1] - below[0], below[1:-1] - below[0]
    right = whole - left
    mixed = _entropy_sums(left) + _entropy_sums(right)
    at = int(np.flatnonzero(mixed <= mixed.min() + ROUNDING)[0])
    n, kinds = whole.sum(), np.count_nonzero(whole)
    sides = [(side, np.count_nonzero(side)) for side in (left[at], right[at])]
    bits = [k * _entropy_sums(side) / side.sum() / np.log(2) for side, k in [(whole, kinds), *sides]]
    cost = np.log2(n - 1) + kinds * np.log2(3) + np.log2(1 - 2 * 3.0**-kinds) - (bits[0] - bits[1] - bits[2])
    gain = (_entropy_sums(whole) - mixed[at]) / np.log(2)
    return at + 1, bool(gain > cost)


def _entropy_sums(counts: np.ndarray) -> np.ndarray:
    """Rows times entropy in nats, over the last axis."""
    total = counts.sum(axis=-1)
    return total * np.log(np.where(total > 0, total, 1)) - (counts * np.log(np.where(counts > 0, counts, 1))).sum(-1)


def _between(low: float, high: float) -> float:
    """Half-way, but above `low`."""
    middle = low / 2 + high / 2
    return middle if middle > low else high
