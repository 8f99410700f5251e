"""Cut points of a single column of numbers: quantiles, equal widths, and k-means in one dimension.

Each takes the different values, ascending, and how many rows each stands for, and gives cut points t that are above the
smallest value and at most the largest: the class of a value is the number of cut points that are at most it. Two values
or more have two classes or more, however near they are.

`quantile`: k/b of the rows are below the k-th cut point of b classes; if that share ends exactly between two values,
the cut point is half-way between them, otherwise the value at which it ends. Where all shares end among rows with the
smallest value, these are one class.

`uniform`: b intervals of equal width.

`kmeans`: Lloyd's algorithm from the middles of these intervals. A class that becomes empty restarts at the value
farthest from its mean. A cut point is half-way between two means.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

MAX_ROUNDS = 1000  # of Lloyd's algorithm; in practice it ends long before
LARGE_EXPONENT = 400  # of two: differences and squares of such numbers, and their sums, are still numbers


def quantile(values: np.ndarray, weights: np.ndarray, bins: int) -> np.ndarray:
    """Cut points by the number of rows.

    Parameters
    ----------
    values : float64[k]
        Ascending, k >= 2.
    weights : int64[k]
        Rows of each, >= 1.
    bins
        Classes wanted, >= 2.

    Returns
    -------
    float64[at most bins - 1]
    """
    below = np.cumsum(weights) * bins
    wanted = np.arange(1, bins) * int(weights.sum())
    at = np.searchsorted(below, wanted)
    is_between = below[at] == wanted
    upper = values[np.minimum(at + 1, len(values) - 1)]
    middle = values[at] / 2 + upper / 2
    cuts = np.where(is_between, np.where(middle > values[at], middle, upper), values[at])
    cuts = np.unique(cuts[cuts > values[0]])
    return cuts if len(cuts) else values[1:2]


def uniform(values: np.ndarray, _weights: np.ndarray, bins: int) -> np.ndarray:
    """Equally spaced cut points; arguments as for `quantile`."""
    cuts = np.unique(np.linspace(values[0], values[-1], bins + 1)[1:-1])
    cuts = cuts[(cuts > values[0]) & (cuts <= values[-1])]
    return cuts if len(cuts) else values[-1:]


def kmeans(values: np.ndarray, weights: np.ndarray, bins: int) -> np.ndarray:
    """Cut points midway between cluster means; arguments as for `quantile`."""
    if len(values) <= bins:
        return _between(values, np.arange(1, len(values)), (values[:-1] + values[1:]) / 2)
    shifted = values - values[0]  # so that means of values that are near each other are exact
    edges = np.linspace(0.0, shifted[-1], bins + 1)
    means, first = (edges[1:] + edges[:-1]) / 2, np.zeros(0, np.int64)
    for _ in range(MAX_ROUNDS):
        begin = np.searchsorted(shifted, (means[1:] + means[:-1]) / 2)
        if np.array_equal(begin, first):
            break
        first = begin
        means = _means(shifted, weights, np.concatenate([[0], begin, [len(values)]]), means)
    return _between(values, first, (means[1:] + means[:-1]) / 2 + values[0])


def _means(values: np.ndarray, weights: np.ndarray, ends: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The means of classes that end there; an empty class restarts at the value farthest from its mean."""
    total, rows = (np.add.reduceat(np.append(part, 0), ends[:-1]) for part in (values * weights, weights))
    is_empty = ends[1:] == ends[:-1]
    means = np.where(is_empty, before, total / np.maximum(np.where(is_empty, 1, rows), 1))
    if is_empty.any():
        distance = np.abs(values - np.repeat(means, np.diff(ends)))
        means[is_empty] = values[np.argsort(-distance, kind="stable")[: is_empty.sum()]]
    return np.sort(means)


def _between(values: np.ndarray, first: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Cut points, each above the value before the first of its class and at most that; moved where rounding does."""
    low, high = values[first - 1], values[first]
    return np.where((low < cuts) & (cuts <= high), cuts, high)


METHODS: dict[str, Callable[[np.ndarray, np.ndarray, int], np.ndarray]] = {
    "quantile": quantile,
    "uniform": uniform,
    "kmeans": kmeans,
}


def cut_points(values: np.ndarray, weights: np.ndarray, bins: int, method: str) -> tuple[float, ...]:
    """The cut points of a column.

    Parameters
    ----------
    values : float64[k]
        Different, ascending, finite.
    weights : int64[k]
        Rows of each, >= 1.
    bins
        Classes wanted, >= 2.
    method
        A key of `METHODS`.

    Returns
    -------
    tuple of float
        Ascending, at most bins - 1; one or more of two values or more.
    """
    if len(values) < 2:
        return ()
    unit = _unit(values)
    scaled = values / unit
    cuts = METHODS[method](scaled, weights, bins)
    return tuple(np.unique(_between(values, np.searchsorted(scaled, cuts), cuts * unit)).tolist())


def _unit(values: np.ndarray) -> float:
    """A power of two in which differences and squares of the values, float64[k], neither overflow nor vanish."""
    exponent = math.frexp(np.abs(values).max())[1]
    return math.ldexp(1.0, exponent - 1) if abs(exponent) > LARGE_EXPONENT else 1.0
