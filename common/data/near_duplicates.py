"""Near duplicates: pairs of columns of states, and pairs of measurements.

Two columns of states are near duplicates if their mutual information is at least 90 % of the larger of their entropies:
then each nearly determines the other. Two columns of numbers are near duplicates if their ranks correlate by 0.995 or
more.

Cost: pairs with similar entropies are compared on at most 5000 rows; those that seem so are computed on all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .column_kinds import NUMBER, STATES, ColumnKind
from .labels import is_number
from .number_forms import with_numbers_plain

if TYPE_CHECKING:
    from .dataset import Dataset

ENTROPY_SHARE = 0.9  # of the larger entropy
CORRELATION = 0.995
SAMPLE = 5000  # rows
MAX_PAIRS = 200_000


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
    found += _of_numbers(data, [v for v, kind in enumerate(kinds) if kind.kind == NUMBER])
    return [NearDuplicates(data.names[u], data.names[v], share) for u, v, share in sorted(found)]


def _of_states(data: Dataset, chosen: list[int], rows: slice) -> list[tuple[int, int, float]]:
    """The pairs of columns of states."""
    weights = data.row_counts.astype(float)
    entropy = {v: _entropy(data.codes[rows, v], weights[rows]) for v in chosen}
    order = sorted((v for v in chosen if entropy[v] > 0), key=lambda v: (entropy[v], v))
    found, tried = [], 0
    for i, u in enumerate(order):
        for v in order[i + 1 :]:
            if entropy[u] < ENTROPY_SHARE * entropy[v] or tried == MAX_PAIRS:
                break
            tried += 1
            if _shared(data, u, v, rows, weights) >= ENTROPY_SHARE - 0.05:
                share = _shared(data, u, v, slice(None), weights)
                if share >= ENTROPY_SHARE:
                    found.append((min(u, v), max(u, v), share))
    return found


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
    """Of a column, in nats."""
    counts = np.bincount(codes, weights)
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _of_numbers(data: Dataset, chosen: list[int]) -> list[tuple[int, int, float]]:
    """The pairs of columns of numbers, by the correlation of their ranks; cells that are no numbers are left out."""
    ranks = []
    for v in chosen:
        values = with_numbers_plain(data.states[v])
        numbers = np.array([float(value) if is_number(value) else np.nan for value in values])
        place = np.unique(numbers, return_inverse=True)[1].astype(float)
        place[np.isnan(numbers)] = np.nan
        ranks.append(place[data.codes[:, v]])
    found = []
    for i, u in enumerate(chosen):
        for j in range(i + 1, len(chosen)):
            both = ~(np.isnan(ranks[i]) | np.isnan(ranks[j]))
            if both.sum() > 2:
                share = abs(_correlation(ranks[i][both], ranks[j][both], data.row_counts[both].astype(float)))
                if share >= CORRELATION:
                    found.append((u, chosen[j], share))
    return found


def _correlation(first: np.ndarray, second: np.ndarray, weights: np.ndarray) -> float:
    """Of two columns whose rows have weights; 0 if one is constant."""
    first, second = (column - np.average(column, weights=weights) for column in (first, second))
    size = np.sqrt((weights * first**2).sum() * (weights * second**2).sum())
    return float((weights * first * second).sum() / size) if size > 0 else 0.0
