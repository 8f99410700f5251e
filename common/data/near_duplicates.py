"""Near duplicates: pairs of columns of states, and pairs of measurements.

Two columns of states are near duplicates if their mutual information is at least 90 % of the larger of their entropies:
then each nearly determines the other. Two columns of numbers are near duplicates if their ranks correlate by 0.995 or
more.

Cost: pairs with similar entropies, and all pairs of numbers, these by products of matrices, are compared on some 5000
rows; those that seem so are computed on all.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..number_text import is_number
from .column_kinds import NUMBER, STATES, ColumnKind
from .number_forms import with_numbers_plain

if TYPE_CHECKING:
    from .dataset import Dataset

ENTROPY_SHARE = 0.9  # of the larger entropy
CORRELATION = 0.995
SAMPLE = 5000  # rows
SAMPLING_ERROR = 0.005  # of a correlation near 1, at most
MAX_PAIRS = 200_000  # of columns of states
BLOCK = 256  # columns of numbers, which are compared with all others at once


class NearDuplicates(NamedTuple):
    """Two columns with nearly the same information.

    first, second : str
    share : float, of the information of the one that the other has, or the correlation of their ranks
    """

    first: str
    second: str
    share: float


def near_duplicates(data: Dataset, kinds: Sequence[ColumnKind]) -> list[NearDuplicates]:
    """The pairs of columns with nearly the same information, in the order of the columns.

    Parameters
    ----------
    kinds
        Of all columns.
    """
    rows = slice(None, None, max(1, data.n_stored // SAMPLE))
    found = _of_states(data, [v for v, kind in enumerate(kinds) if kind.kind == STATES], rows)
    found += _of_numbers(data, [v for v, kind in enumerate(kinds) if kind.kind == NUMBER], rows)
    return [NearDuplicates(data.names[u], data.names[v], share) for u, v, share in sorted(found)]


def _of_states(data: Dataset, chosen: list[int], rows: slice) -> list[tuple[int, int, float]]:
    """The pairs of columns of states."""
    weights = data.row_counts.astype(float)
    entropy = {v: _entropy(data.codes[rows, v], weights[rows]) for v in chosen}
    order = sorted((v for v in chosen if entropy[v] > 0), key=lambda v: (entropy[v], v))
    found = []
    for u, v in itertools.islice(_with_similar_entropies(order, entropy), MAX_PAIRS):
        if _shared(data, u, v, rows, weights) >= ENTROPY_SHARE - 0.05:
            share = _shared(data, u, v, slice(None), weights)
            if share >= ENTROPY_SHARE:
                found.append((min(u, v), max(u, v), share))
    return found


def _with_similar_entropies(order: list[int], entropy: dict[int, float]) -> Iterator[tuple[int, int]]:
    """The pairs of columns, in the order of their entropies, that can be near duplicates."""
    for i, u in enumerate(order):
        for j in range(i + 1, len(order)):
            if entropy[u] < ENTROPY_SHARE * entropy[order[j]]:
                break
            yield u, order[j]


def _shared(data: Dataset, u: int, v: int, rows: slice, weights: np.ndarray) -> float:
    """The mutual information of two columns, relative to the larger of their entropies."""
    first, second = data.codes[rows, u].astype(np.int64), data.codes[rows, v].astype(np.int64)
    of_first, of_second = _entropy(first, weights[rows]), _entropy(second, weights[rows])
    larger = max(of_first, of_second)
    if larger == 0.0:
        return 0.0
    together = _entropy(first * len(data.states[v]) + second, weights[rows])
    return (of_first + of_second - together) / larger


def _entropy(codes: np.ndarray, weights: np.ndarray) -> float:
    """The entropy of a column, in nats."""
    counts = np.bincount(codes, weights)
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _of_numbers(data: Dataset, chosen: list[int], rows: slice) -> list[tuple[int, int, float]]:
    """The pairs of columns of numbers, by the correlation of their ranks; cells that are no numbers are left out."""
    if len(chosen) < 2:
        return []
    of_states = [_ranks(data.states[v]) for v in chosen]
    weights = data.row_counts.astype(float)
    sample = np.column_stack([ranks[data.codes[rows, v]] for v, ranks in zip(chosen, of_states, strict=True)])
    found = []
    for i, j in _correlated(sample, weights[rows], len(sample) < data.n_stored):
        first, second = (of_states[k][data.codes[:, chosen[k]]] for k in (i, j))
        both = ~(np.isnan(first) | np.isnan(second))
        if both.sum() > 2:
            share = abs(_correlation(first[both], second[both], weights[both]))
            if share >= CORRELATION:
                found.append((chosen[i], chosen[j], share))
    return found


def _ranks(states: Sequence[str]) -> np.ndarray:
    """The rank of each state among the numbers; nan if it is none."""
    numbers = np.array([float(value) if is_number(value) else np.nan for value in with_numbers_plain(states)])
    ranks = np.unique(numbers, return_inverse=True)[1].astype(float)
    ranks[np.isnan(numbers)] = np.nan
    return ranks


def _correlated(columns: np.ndarray, weights: np.ndarray, is_sample: bool) -> Iterator[tuple[int, int]]:
    """The pairs that may have a high correlation, on the rows in which both are numbers.

    Parameters
    ----------
    columns : float64[rows, k]
    weights : float64[rows]
    is_sample
        Whether there are more rows: pairs for which these are too few are among the result.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        present = ~np.isnan(columns)
        means = np.nansum(columns * weights[:, None], axis=0) / (present * weights[:, None]).sum(axis=0)
        values = np.where(present, columns - means, 0.0)
        present = present.astype(float)
        for start in range(0, columns.shape[1], BLOCK):
            block, rest = slice(start, start + BLOCK), slice(start, None)
            near, of_near = values[:, rest], present[:, rest]
            weighted, of_block = (values[:, block] * weights[:, None]).T, (present[:, block] * weights[:, None]).T
            total, first, second = of_block @ of_near, weighted @ of_near, of_block @ near
            squares = (weighted * values[:, block].T) @ of_near - first**2 / total
            others = of_block @ near**2 - second**2 / total
            share = np.abs(weighted @ near - first * second / total) / np.sqrt(squares * others)
            passed = share >= CORRELATION - SAMPLING_ERROR
            if is_sample:
                passed |= ~np.isfinite(share)
            for i, j in np.argwhere(np.triu(passed, 1)).tolist():
                yield start + i, start + j


def _correlation(first: np.ndarray, second: np.ndarray, weights: np.ndarray) -> float:
    """The correlation of two columns whose rows have weights; 0 if one is constant."""
    first, second = (column - np.average(column, weights=weights) for column in (first, second))
    size = np.sqrt((weights * first**2).sum() * (weights * second**2).sum())
    return float((weights * first * second).sum() / size) if size > 0 else 0.0
