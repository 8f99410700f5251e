"""Which sets can be complete in a network that is at least as good as one already known.

Let a chordal graph have the complete set C. Then a perfect elimination order, reversed, can begin with C, and in it
every vertex's earlier neighbours are complete; so the graph scores s(C) plus, for each further v with its earlier
neighbours P, s(P + v) - s(P). Forget that P must be complete: what remains is a Bayesian network that has C first
and local scores s(P + v) - s(P), and the best of these is found over the orders alone (Silander and Myllymaki 2006).
That bounds every chordal network in which C is complete; for BDeu, which scores equivalent networks alike, it is the
optimal Bayesian network given C. A set whose bound falls short of a known network's score is complete in no
optimum, and neither is any superset of it. So leaving out its states loses no optimum, and none of equal score
either.

Differences of set scores telescope for any score, so nothing here depends on BDeu; only minus infinity among the
scores, a forbidden set, breaks the sum, and then all sets are kept.

Cost: O(n^2 2^n) time, n 2^(n+2) bytes.
"""

import numpy as np

from cliquewise.common.bounds.orders_kernels import best_parents, mark_possible
from cliquewise.common.search.silander_myllymaki_kernels import best_completions

PIECE = 1 << 21  # sets between two looks at the user's wish to stop
ROUNDING = 1e-9  # of the score: far more than the sums lose, far less than matters


def all_sets(n, largest):
    """Every set of up to `largest` of n vertices: int64 masks, ascending."""
    masks = np.arange(1 << n, dtype=np.int64)
    return masks[np.bitwise_count(masks) <= largest]


def possible_sets(n, scores, largest, known, parallel_map=map, may_go_on=lambda: True):
    """The sets that may be complete in an optimal network.

    Parameters
    ----------
    n : int
    scores : float64[2^n]
        By mask; finite for sets of up to `largest` vertices, else nothing is left out.
    largest : int
        Largest clique allowed.
    known : float
        The score of some network; minus infinity if none is known.
    parallel_map : callable
        Like `map`; a thread pool's `map` shares the work.
    may_go_on : callable
        Asked now and then, from several threads; once it says no, no set is left out.

    Returns
    -------
    (int64[m], float)
        Masks, ascending, with every set all its subsets; and a bound on the score of every network.
    """
    masks = all_sets(n, largest)
    if not np.isfinite(scores[masks]).all():
        return masks, np.inf
    gains = np.empty((n, 1 << (n - 1)))
    list(parallel_map(lambda v: best_parents(scores, v, largest, gains[v]) if may_go_on() else None, range(n)))
    rest, possible = np.empty(1 << n), np.empty(1 << n, np.bool_)
    least = known - ROUNDING * (1.0 + abs(known))
    pieces = [(first, min(first + PIECE, 1 << n)) for first in range(0, 1 << n, PIECE)]
    for first, last in reversed(pieces):
        if may_go_on():
            best_completions(gains, first, last, rest)
    for first, last in pieces:
        if may_go_on():
            mark_possible(scores, rest, least, largest, first, last, possible)
    if not may_go_on():
        return masks, np.inf
    return np.flatnonzero(possible), float(rest[0])
