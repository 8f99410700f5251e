"""The best network of any treewidth, by dynamic programming over sets of vertices (Silander and Myllymaki 2006).

The recurrence is in `common.exact.silander_myllymaki_kernels`.

Its score is an upper bound for every network of bounded treewidth, and if few parents are allowed and the bound on the
treewidth is not tight, it often is within the bound itself. Then the search is complete. Otherwise the same recurrence
from both ends bounds the networks that have a given family, and where data have many rows, few families are left that
can be in a network better than a known one: of 29603 of mushroom's 22 variables, 1182 with treewidth 4.

Cost: O(n^2 2^n) steps and n 2^(n-1) numbers; 15 variables take a few hundredths of a second, 22 a few seconds and
0.4 GB, 25 a minute and 4 GB.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..common.exact.silander_myllymaki_kernels import (
    best_around,
    best_completions,
    best_networks,
    maxima_over_subsets,
)
from ..common.graphs.dag import Dag
from ..common.graphs.treewidth import treewidth
from ..common.run.resources import usable_memory
from ..common.run.result import OPTIMAL
from .families import ScoredFamilies
from .result import result_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..common.run.result import LearnResult

MAX_VARIABLES = 22
MAX_BOUNDED = 25  # variables of best_with_each
NANOSECONDS = 3.0  # of best_with_each with one thread, per n^2 2^n


def best_of_any_treewidth(
    families: ScoredFamilies, w: int, gains: np.ndarray | None = None
) -> tuple[LearnResult | None, float]:
    """The best network of any treewidth, if that is at most w, and a bound on the score of every network.

    If the best family of each variable makes no cycle, as where all arcs follow one order, these are the network;
    otherwise the recurrence finds it, and with more than `MAX_VARIABLES` variables they are only the bound.

    Parameters
    ----------
    families
    gains : float64[n, 2^(n-1)], optional
        From `best_families`, if the caller already has it.

    Returns
    -------
    (LearnResult or None, float)
        The bound is the network's score, if it was found.
    """
    if are_best_acyclic(families):
        rows, total = families.start[:-1].tolist(), -np.inf
    elif families.n > MAX_VARIABLES:
        return None, math.fsum(families.scores[families.start[:-1]])
    else:
        rows, total = _best_rows(families, gains)
    result = result_of(families, rows, (), OPTIMAL)
    assert isinstance(result.graph, Dag)
    found = treewidth(result.graph.moral(), w)
    result = replace(result, order=found.order)
    upper = max(total, result.score)  # the sums may differ by rounding
    return (replace(result, upper_bound=result.score) if found.upper <= w else None), upper


def are_best_acyclic(families: ScoredFamilies) -> bool:
    """Whether the best family of each variable makes no cycle."""
    return Dag.from_parents([own[own >= 0] for own in families.parents[families.start[:-1]]]).order() is not None


def _best_rows(families: ScoredFamilies, gains: np.ndarray | None) -> tuple[list[int], float]:
    """The families of the best network of any treewidth, and its score, by the recurrence."""
    n = families.n
    gains = best_families(families) if gains is None else gains
    totals, last = np.empty(1 << n), np.empty(1 << n, np.int64)
    best_networks(gains, totals, last)
    within, mask = [0] * n, (1 << n) - 1
    while mask:
        v = int(last[mask])
        mask ^= 1 << v
        within[v] = mask
    return best_rows(families, within), float(totals[-1])


def best_of_others(families: ScoredFamilies) -> np.ndarray:
    """A bound on the score of every network with each family, in which all others have their best family: float64[m].

    It is minus infinity for families that are not possible, and that of `best_with_each` if all arcs follow one order.
    """
    best = families.scores[families.start[:-1]]
    bounds = families.scores + (best.sum() - best)[families.child]
    bounds[families.artificial] = -np.inf
    return bounds


def best_with_each(
    families: ScoredFamilies, parallel_map: Callable = map, should_continue: Callable = lambda: True
) -> np.ndarray | None:
    """The score of the best network of any treewidth that has each family.

    Parameters
    ----------
    families
        Of at most `MAX_BOUNDED` variables.
    parallel_map
        Like `map`; a thread pool's `map` shares the work.
    should_continue
        Called for each variable, from several threads; once it returns False, nothing is bounded.

    Returns
    -------
    float64[m] or None
        Minus infinity for families that are not possible.
    """
    n, most = families.n, families.scores.copy()
    most[families.artificial] = -np.inf
    gains = best_families(families, parallel_map, should_continue)
    totals, last, rest = np.empty(1 << n), np.empty(1 << n, np.int64), np.empty(1 << n)
    if should_continue():
        best_networks(gains, totals, last)
    if should_continue():
        best_completions(gains, n, 0, rest)

    def bound(v: int) -> None:
        if should_continue():
            around = np.empty(1 << (n - 1))
            best_around(v, totals, rest, around)
            rows, numbers = _numbered(families, v)
            most[rows] += around[numbers]

    list(parallel_map(bound, range(n)))
    return most if should_continue() else None


def bytes_of_bounds(n: int, threads: int) -> int:
    """Memory of `best_with_each`."""
    return 8 * ((n + threads) * 2 ** (n - 1) + 3 * 2**n)


def bounds_fit(n: int, threads: int, memory: float | None) -> bool:
    """Whether `best_with_each` takes n variables, with half the memory: in bytes; None: what the machine has free."""
    return n <= MAX_BOUNDED and bytes_of_bounds(n, threads) < (memory or usable_memory()) / 2


def seconds_of_bounds(n: int, threads: int) -> float:
    """About the time of `best_with_each`; infinite beyond `MAX_BOUNDED`."""
    return 1e-9 * NANOSECONDS * n * n * 2**n / threads if n <= MAX_BOUNDED else np.inf


def best_families(
    families: ScoredFamilies, parallel_map: Callable = map, should_continue: Callable = lambda: True
) -> np.ndarray:
    """The score of each variable's best family with its parents inside each set of other variables.

    Parameters
    ----------
    families
    parallel_map
        Like `map`; a thread pool's `map` shares the work.
    should_continue
        Called for each variable, from several threads; once it returns False, the result is not complete.

    Returns
    -------
    float64[n, 2^(n-1)]
        The set in row v is numbered without the bit of v, see `common.sets.subset_numbers_kernels.without_bit`.
    """
    n = families.n
    gains = np.full((n, 1 << (n - 1)), -np.inf)

    def fill(v: int) -> None:
        if should_continue():
            rows, numbers = _numbered(families, v)
            gains[v, numbers] = families.scores[rows]
            maxima_over_subsets(gains[v])

    list(parallel_map(fill, range(n)))
    return gains


def _numbered(families: ScoredFamilies, v: int) -> tuple[slice, np.ndarray]:
    """The rows of a variable's families, and their parents as numbers without the bit of v."""
    rows = slice(families.start[v], families.start[v + 1])
    masks = masks_of(families.parents[rows])
    return rows, masks >> v + 1 << v | masks & (1 << v) - 1


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


def compile_bounds() -> None:
    """Compile the kernels of `best_with_each`: for two variables."""
    best_with_each(ScoredFamilies(np.array([0, 1, 2]), np.full((2, 1), -1, np.int32), np.zeros(2)))
