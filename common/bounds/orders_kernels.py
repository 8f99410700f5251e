"""The Bayesian-network relaxation of `common.bounds.orders`: gains of parents, and the sets that may be cliques.

Arrays of one entry per set are indexed by its mask. `scores` (float64[2^n]) is finite for the sets that `possible`
(bool[2^n], closed under subsets) leaves. A *block* consists of the sets with the same vertices from `low` on; the
number `high` encodes those.

Cost: n^2 2^(n-2) comparisons, plus, per vertex and set, one per subset of its vertices from `low` on.
"""

import numpy as np

from ..compiled.jit import kernel
from ..exact.silander_myllymaki_kernels import maxima_over_subsets
from ..sets.subset_numbers_kernels import with_zero_bit


@kernel
def best_parents(scores, v, low, high, possible, gains):
    """For each set of a block, the gain of v, which is not in `high`, from its best parents in that set.

    Parameters
    ----------
    scores : float64[2^n]
    v : int
    low, high : int, the block
    possible : bool[2^n], the sets that v and its parents may be
    gains : float64[2^low], or 2^(low-1) for v < low: overwritten, the maximum over P <= X of s(P + v) - s(P), indexed
        by the vertices of X below `low` without the bit of v
    """
    gains[:] = -np.inf
    part = high
    while True:
        for x in range(gains.shape[0]):
            parents = part << low | (with_zero_bit(x, v) if v < low else x)
            if possible[parents | 1 << v]:
                gains[x] = max(gains[x], scores[parents | 1 << v] - scores[parents])
        if part == 0:
            break
        part = (part - 1) & high
    maxima_over_subsets(gains)


@kernel
def mark_possible(scores, rest, least, first, last, possible):
    """Keep the sets with s(C) + rest(C) >= least whose subsets are all kept.

    Parameters
    ----------
    scores, rest : float64[2^n]
    least : float
    first, last : int, this call does the sets first, ..., last - 1, after all smaller ones are done
    possible : bool[2^n], changed
    """
    for members in range(first, last):
        good = possible[members] and scores[members] + rest[members] >= least
        left = members
        while good and left:
            good = possible[members ^ (left & -left)]
            left &= left - 1
        possible[members] = good
