"""The sets that can be complete in a network at least as good as a known one.

Let a chordal graph have the complete set C. Then a perfect elimination order, reversed, can begin with C, and in it
every vertex's earlier neighbours are complete; so the graph scores s(C) plus, for each further v with its earlier
neighbours P, s(P + v) - s(P). Without the condition that P is complete, this is a Bayesian network that has C first and
local scores s(P + v) - s(P); the best of these is found by dynamic programming over orders (Silander and Myllymaki
2006). Its score bounds every chordal network in which C is complete; for BDeu, which scores equivalent networks
equally, it is the optimal Bayesian network given C. A set whose bound is below the score of a known network is not
complete in any optimum, nor is any superset of it. So leaving out its states loses no optimum, including ties. Nor can
it be a set P + v of an optimum: bounds over the remaining sets are lower, and can exclude more.

Differences of set scores telescope for any score, so nothing here depends on BDeu; only minus infinity among the
scores, a forbidden set, makes the sum undefined, and then all sets are kept.

Cost: O(n^2 2^n) time. The gains of a vertex from its best parents are computed block by block, from large to small; a
block contains the sets that agree on the last BLOCK_VERTICES vertices. So the memory is one number and one byte per
set, plus n 2^(n - BLOCK_VERTICES) numbers.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from ..exact.silander_myllymaki_kernels import best_completions
from .incumbent import ROUNDING
from .orders_kernels import best_parents, mark_possible

if TYPE_CHECKING:
    from collections.abc import Callable

PIECE = 1 << 21  # sets between two checks for a stop
BLOCK_VERTICES = 5


def bytes_of_bounds(n: int) -> int:
    """Memory of `order_bounds`, without the scores and the result."""
    return 9 * 2**n + 8 * n * 2 ** (n - min(n, BLOCK_VERTICES))


def order_bounds(
    n: int,
    scores: np.ndarray,
    masks: np.ndarray,
    floor: float,
    parallel_map: Callable = map,
    should_continue: Callable = lambda: True,
) -> tuple[np.ndarray, float]:
    """The sets that may be complete in a network of at least a score, and a bound on the score of every network.

    Both are by the best Bayesian network, for each set the best one in which it comes first.

    Parameters
    ----------
    n
    scores : float64[2^n]
        By mask; finite for these sets, otherwise nothing is bounded.
    masks : int64[m]
        The sets that may be complete: ascending, closed under subsets.
    floor
        The score; minus infinity for all sets.
    parallel_map
        Like `map`; a thread pool's `map` shares the work.
    should_continue
        Called from time to time, from several threads; once it returns False, nothing is bounded.

    Returns
    -------
    (int64[k], float)
        Masks, ascending, closed under subsets; and the bound, infinity if nothing is bounded.
    """
    if not np.isfinite(scores[masks]).all():
        return masks, np.inf
    possible, count = membership(n, masks), 1 << n
    rest = _completions(n, scores, possible, parallel_map, should_continue)
    for first in range(0, count, PIECE):
        if not should_continue():
            return masks, np.inf
        mark_possible(scores, rest, least_allowed(floor), first, min(first + PIECE, count), possible)
    return np.flatnonzero(possible), float(rest[0])


def _completions(
    n: int, scores: np.ndarray, possible: np.ndarray, parallel_map: Callable, should_continue: Callable
) -> np.ndarray:
    """The best score of all other vertices after those of each set, float64[2^n]; not complete if it was stopped."""
    rest = np.empty(1 << n)
    low = n - min(n, BLOCK_VERTICES)
    gains = np.empty((n, 1 << low))
    for high in reversed(range(1 << (n - low))):
        block = functools.partial(_fill_gains, scores, low, high, possible, gains, should_continue)
        list(parallel_map(block, [v for v in range(n) if v < low or not high >> (v - low) & 1]))
        if should_continue():
            best_completions(gains, low, high, rest)
    return rest


def membership(n: int, masks: np.ndarray) -> np.ndarray:
    """Whether each set is among some: bool[2^n], by mask."""
    found = np.zeros(1 << n, np.bool_)
    found[masks] = True
    return found


def least_allowed(floor: float) -> float:
    """The smallest bound of a set that can be complete in a network as good as one of score `floor`."""
    return floor - ROUNDING * (1.0 + abs(floor))


def _fill_gains(
    scores: np.ndarray, low: int, high: int, possible: np.ndarray, gains: np.ndarray, should_continue: Callable, v: int
) -> None:
    """The gains of v in a block."""
    if should_continue():
        best_parents(scores, v, low, high, possible, gains[v, : 1 << (low - 1 if v < low else low)])


def compile_order_bounds() -> None:
    """Compile the kernels: bound the sets of two vertices."""
    order_bounds(2, np.zeros(4), np.arange(4), -1.0)
