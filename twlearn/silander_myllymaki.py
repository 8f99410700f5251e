"""The best network of any treewidth, by dynamic programming over sets of vertices (Silander and Myllymaki 2006).

The recurrence is in `common.exact.silander_myllymaki_kernels`.

Its score is an upper bound for every network of bounded treewidth, and if few parents are allowed and the bound on the
treewidth is not tight, it often is within the bound itself. Then the search is complete.

Cost: O(n^2 2^n) steps and n 2^(n-1) numbers; 15 variables take a few hundredths of a second, 22 a few seconds and
0.4 GB.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..common.exact.silander_myllymaki_kernels import best_networks, maxima_over_subsets
from ..common.graphs.dag import Dag
from ..common.graphs.treewidth import treewidth
from ..common.run.result import OPTIMAL
from .result import network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.run.result import LearnResult
    from .families import ScoredFamilies

MAX_VARIABLES = 22


def best_of_any_treewidth(
    families: ScoredFamilies, w: int, gains: np.ndarray | None = None
) -> tuple[LearnResult | None, float]:
    """The best network of any treewidth, if that is at most w, and its score in any case.

    Parameters
    ----------
    families
        Of at most `MAX_VARIABLES` variables.
    gains : float64[n, 2^(n-1)], optional
        From `best_families`, if the caller already has it.

    Returns
    -------
    (LearnResult or None, float)
    """
    n = families.n
    gains = best_families(families) if gains is None else gains
    totals, last = np.empty(1 << n), np.empty(1 << n, np.int64)
    best_networks(gains, totals, last)
    within, mask = [0] * n, (1 << n) - 1
    while mask:
        v = int(last[mask])
        mask ^= 1 << v
        within[v] = mask
    rows = best_rows(families, within)
    result = network(families, rows, (), OPTIMAL)
    assert isinstance(result.graph, Dag)
    found = treewidth(result.graph.moral(), w)
    result = replace(result, order=found.order)
    upper = max(float(totals[-1]), result.score)  # the sums may differ by rounding
    return (replace(result, upper_bound=result.score) if found.upper <= w else None), upper


def best_families(families: ScoredFamilies) -> np.ndarray:
    """The score of each variable's best family with its parents inside each set of other variables.

    Returns
    -------
    float64[n, 2^(n-1)]
        The set in row v is numbered without the bit of v, see `common.sets.subset_numbers_kernels.without_bit`.
    """
    n = families.n
    gains = np.full((n, 1 << (n - 1)), -np.inf)
    for v in range(n):
        rows = slice(families.start[v], families.start[v + 1])
        masks = masks_of(families.parents[rows])
        gains[v, masks >> v + 1 << v | masks & (1 << v) - 1] = families.scores[rows]
        maxima_over_subsets(gains[v])
    return gains


def best_rows(families: ScoredFamilies, within: Sequence[int]) -> list[int]:
    """The best family of each variable with its parents inside a set.

    Parameters
    ----------
    within : sequence of int, masks, length n

    Returns
    -------
    list of int
    """
    rows = []
    for v, allowed in enumerate(within):
        start, end = families.start[v], families.start[v + 1]
        fits = masks_of(families.parents[start:end]) & ~allowed == 0
        rows.append(int(start + np.argmax(fits)))  # the first, since they are sorted
    return rows


def masks_of(parents: np.ndarray) -> np.ndarray:
    """int64[m]: parent sets (int32[m, kmax], padded with -1) as masks."""
    parents = parents.astype(np.int64)
    return np.where(parents >= 0, 1 << np.maximum(parents, 0), 0).sum(axis=1)
