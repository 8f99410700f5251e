"""The two tables of `twlearn.unbounded`, over all sets of vertices as masks (bit v = vertex v)."""

import numpy as np

from cliquewise.common.jit import kernel


@kernel
def best_within(start, members, scores, best):
    """The score of each variable's best family inside each set.

    Parameters
    ----------
    start : int64[n + 1], as in Families
    members : int64[m], the parent sets as masks
    scores : float64[m], as in Families
    best : float64[n, 2^n], filled
    """
    n = start.shape[0] - 1
    for v in range(n):
        for mask in range(1 << n):
            best[v, mask] = -np.inf
        for row in range(start[v], start[v + 1]):
            best[v, members[row]] = scores[row]
        for u in range(n):
            for mask in range(1 << n):
                if mask >> u & 1:
                    best[v, mask] = max(best[v, mask], best[v, mask ^ (1 << u)])


@kernel
def best_orders(best, totals, last):
    """The best network on each set of vertices, whatever its treewidth (Silander and Myllymaki 2006).

    Parameters
    ----------
    best : float64[n, 2^n]
    totals : float64[2^n], filled: its score
    last : int64[2^n], filled: a vertex that may come last in it
    """
    totals[0] = 0.0
    last[0] = -1
    for mask in range(1, totals.shape[0]):
        totals[mask] = -np.inf
        for v in range(best.shape[0]):
            if mask >> v & 1:
                rest = mask ^ (1 << v)
                score = totals[rest] + best[v, rest]
                if score > totals[mask]:
                    totals[mask] = score
                    last[mask] = v
