"""The Bayesian-network relaxation of `common.bounds.orders`: what parents gain, and sets that may be cliques.

The best networks between the two come from `common.search.silander_myllymaki_kernels`. Arrays of one entry per set are
indexed by its mask. `scores` (float64[2^n]) is finite for sets of up to `largest` vertices.

Cost: n^2 2^(n-1) comparisons.
"""

import numpy as np

from cliquewise.common.jit import kernel, popcount
from cliquewise.common.search.silander_myllymaki_kernels import maxima_over_subsets
from cliquewise.common.sets.subset_numbers_kernels import with_zero_bit


@kernel
def best_parents(scores, v, largest, gains):
    """For each set of other vertices what v gains from its best parents among them.

    Parameters
    ----------
    scores : float64[2^n]
    v : int
    largest : int, v and its parents are at most so many
    gains : float64[2^(n-1)], overwritten: the maximum over P <= X of s(P + v) - s(P), X without the bit of v
    """
    size = gains.shape[0]
    for x in range(size):
        parents = with_zero_bit(x, v)
        fits = popcount(np.uint64(x)) < largest
        gains[x] = scores[parents | 1 << v] - scores[parents] if fits else -np.inf
    maxima_over_subsets(gains)


@kernel
def mark_possible(scores, rest, least, largest, first, last, possible):
    """Mark the sets of up to `largest` vertices with s(C) + rest(C) >= least whose subsets are all marked.

    Parameters
    ----------
    scores, rest : float64[2^n]
    least : float
    largest : int
    first, last : int, the sets first, ..., last - 1 are done, after all smaller numbers
    possible : bool[2^n], filled
    """
    for members in range(first, last):
        good = popcount(np.uint64(members)) <= largest and scores[members] + rest[members] >= least
        left = members
        while good and left:
            good = possible[members ^ (left & -left)]
            left &= left - 1
        possible[members] = good
