"""Rows held out: parts of the data for cross-validation, and the log probabilities of rows that a fit has not seen.

A network of some rows is fitted to them (`common.models.model_fit`) and evaluated by the mean log probability of
others, an estimate of how well it predicts. With K parts each row is held out once (Stone 1974; Geisser 1975). The
parts are drawn from the generator PCG64 itself, whose stream never changes, so that a seed gives the same parts with
any version of numpy; a table of counts and the same rows written out give the same parts. All parts keep all states.

Cost: sorting the rows, once per part.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..data.merging import merged
from ..data.weights import chosen_rows

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from .model_fit import FittedNetwork


def folds(data: Dataset, parts: int, seed: int) -> Iterator[tuple[Dataset, Dataset]]:
    """The rows without one part, and that part, for each of some random parts whose sizes differ by at most one.

    Rows with weights are whole rows, regardless of their weights.

    Parameters
    ----------
    parts
        2 <= parts <= rows of the data.
    seed
        >= 0.

    Yields
    ------
    (Dataset, Dataset)
        With counts.

    Examples
    --------
    >>> from cliquewise.common.data.dataset import Dataset
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32)
    >>> data = Dataset(("a", "b"), (("n", "y"), ("n", "y")), codes)
    >>> [(learn.n_rows, test.n_rows) for learn, test in folds(data, 3, 1)]
    [(2, 1), (2, 1), (2, 1)]
    """
    data = merged(data)
    words = np.random.PCG64(seed).random_raw(data.n_rows)
    part = np.empty(data.n_rows, np.int64)
    part[np.argsort(words, kind="stable")] = np.arange(data.n_rows) % parts
    if data.rows is not None:
        for k in range(parts):
            yield chosen_rows(data, np.flatnonzero(part != k)), chosen_rows(data, np.flatnonzero(part == k))
        return
    row = np.repeat(np.arange(data.n_stored), data.row_counts)
    for k in range(parts):
        row_counts = np.bincount(row[part == k], minlength=data.n_stored)
        yield merged(data, data.row_counts - row_counts), merged(data, row_counts)


def observed_logs(network: FittedNetwork, codes: np.ndarray) -> np.ndarray:
    """Log probabilities of the known cells of rows; -1 is a missing cell. Otherwise as `held_out_logs`."""
    return network.log_likelihood(codes) if (codes < 0).any() else held_out_logs(network, codes)


def held_out_logs(network: FittedNetwork, codes: np.ndarray) -> np.ndarray:
    """Log probabilities of rows without missing cells.

    Parameters
    ----------
    codes : int[rows, n]
        By the states of the network.

    Returns
    -------
    float64[rows]
        Natural logarithms; minus infinity where a relative frequency is 0.
    """
    total = np.zeros(len(codes))
    with np.errstate(divide="ignore"):
        for v, parents in enumerate(network.parents):
            total += np.log(network.probability(v, codes[:, [v, *parents]]))
    return total


def mean_and_error(values: np.ndarray, row_counts: np.ndarray | None = None) -> tuple[float, float]:
    """The mean of values of rows, and its standard error.

    Parameters
    ----------
    values : float64[rows]
    row_counts : int64 or float64[rows], >= 0, optional
        How many rows each one stands for; one by default.

    Returns
    -------
    (float, float)
        The error is 0 for a single row, and NaN with a value that is not finite.

    Examples
    --------
    >>> mean_and_error(np.array([-1.0, -3.0]), np.array([3, 1]))
    (-1.5, 0.5)
    """
    row_counts = np.ones(len(values), np.int64) if row_counts is None else row_counts
    rows = float(row_counts.sum())
    with np.errstate(invalid="ignore"):
        mean = float(row_counts @ values) / rows
        return mean, error_of_mean(float(row_counts @ (values - mean) ** 2), rows)


def error_of_mean(squares: float, rows: float) -> float:
    """The standard error of a mean of rows, from the sum of their squared deviations; 0 for a single row."""
    return math.sqrt(squares / (rows - 1) / rows) if rows > 1 else 0.0
