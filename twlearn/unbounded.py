"""The best network of any treewidth, by dynamic programming over sets of vertices (Silander and Myllymaki 2006).

Its score bounds that of every narrower network, and often, where few parents are allowed and the bound on the
treewidth is not tight, it is narrow enough itself. Then nothing is left to search.

Cost: O(n^2 2^n) steps and n 2^n numbers; 15 variables take a few hundredths of a second, 22 some seconds and 0.8 GB.
"""

from dataclasses import replace

import numpy as np

from cliquewise.common.graphs.treewidth import treewidth
from cliquewise.common.search.result import OPTIMAL
from cliquewise.twlearn.result import network
from cliquewise.twlearn.unbounded_kernels import best_orders, best_within

MOST = 22  # variables


def unbounded(families, w, inside=None):
    """The best network of any treewidth, if that is at most w, and its score in any case.

    Parameters
    ----------
    families : Families
        Of at most `MOST` variables.
    w : int
    inside : float64[n, 2^n], optional
        Of `best_inside`, where the caller has it already.

    Returns
    -------
    (NetworkResult or None, float)
    """
    n = families.n
    inside = best_inside(families) if inside is None else inside
    totals, last = np.empty(1 << n), np.empty(1 << n, np.int64)
    best_orders(inside, totals, last)
    within, mask = [0] * n, (1 << n) - 1
    while mask:
        v = int(last[mask])
        mask ^= 1 << v
        within[v] = mask
    rows = best_rows(families, within)
    result = network(families, rows, (), OPTIMAL)
    found = treewidth(result.dag.moral(), w)
    result = replace(result, order=found.order)
    upper = max(float(totals[-1]), result.score)  # sums in two orders
    return (replace(result, upper_bound=result.score) if found.upper <= w else None), upper


def best_inside(families):
    """float64[n, 2^n]: the score of each variable's best family with parents inside each set."""
    n = families.n
    inside = np.empty((n, 1 << n))
    best_within(families.start, masks_of(families.parents), families.scores, inside)
    return inside


def best_rows(families, within):
    """The best family of each variable with its parents inside a set.

    Parameters
    ----------
    families : Families
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


def masks_of(parents):
    """int64[m]: parent sets (int32[m, kmax], filled up with -1) as masks."""
    parents = parents.astype(np.int64)
    return np.where(parents >= 0, 1 << np.maximum(parents, 0), 0).sum(axis=1)
