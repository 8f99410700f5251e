"""The parent sets of one variable that an optimum can need, with their scores, for any number of variables.

Sets are walked in colex order over the other variables, as ascending lists rather than masks: with 100 variables
one word holds no mask. A set stays if no subset scores at least as well (see `common.parent_scores_kernels`); the
best over the subsets of P is the better of P's own score and those of P less one element, which come earlier.

Cost: O(size squared) a set, and two looked-up scores.
"""

import numpy as np

from common.bitset_kernels import flip
from common.jit import inlined, kernel
from common.score_cache_kernels import key_of, score_with


@kernel
def useful_sets(v, scores, scratch, below, members, bits, best, parents, out):
    """The parent sets of variable v that no subset scores as well.

    Parameters
    ----------
    v : int
    scores : SetScores
    scratch : ScoreScratch
    below : int64[max(n - 1, 1), largest + 1], see `common.set_orders.set_counts`
    members : int64[largest + 1], overwritten
    bits : uint64[words], overwritten
    best : float64[m], overwritten; m is how many sets of up to `largest` of the other variables there are
    parents : int32[m, largest], overwritten: the sets kept, in colex order, ascending, filled up with -1
    out : float64[m], overwritten: their scores

    Returns
    -------
    int
        How many sets are kept.
    """
    largest = below.shape[1] - 1
    for k in range(bits.shape[0]):
        bits[k] = np.uint64(0)
    kept, size = 0, 0
    for rank in range(best.shape[0]):
        if rank:
            size = _next_set(members, size, largest, v, bits)
        key = key_of(scores, bits)
        score = score_with(scores, scratch, bits, key, -1, -1)
        if score > -np.inf:  # else the difference would be no number
            score = score_with(scores, scratch, bits, key, v, -1) - score
        smaller = -np.inf
        for i in range(size):
            smaller = max(smaller, best[_rank_without(below, members, size, i)])
        best[rank] = max(score, smaller)
        if size == 0 or score > smaller:
            out[kept] = score
            for i in range(largest):
                parents[kept, i] = _variable(members[i], v) if i < size else -1
            kept += 1
    return kept


@inlined
def _variable(other, v):
    """The variable with number `other` among those that are not v."""
    return other + 1 if other >= v else other


@inlined
def _next_set(members, size, largest, v, bits):
    """The next set in colex order: as a number it is one more, or its lowest bit more if it is full; returns
    its size."""
    fresh = 0 if size < largest else members[0]
    carried = 0
    while carried < size and members[carried] == fresh + carried:
        flip(bits, _variable(members[carried], v))
        carried += 1
    fresh += carried
    if carried == 0:
        for i in range(size, 0, -1):
            members[i] = members[i - 1]
    else:
        for i in range(carried, size):
            members[i - carried + 1] = members[i]
    members[0] = fresh
    flip(bits, _variable(fresh, v))
    return size - carried + 1


@inlined
def _rank_without(below, members, size, left_out):
    """Place in colex order of members[:size] less its element number `left_out` (see `colex_rank`)."""
    rank = 0
    left = below.shape[1] - size + 1
    for i in range(size):
        if i != left_out:
            rank += below[members[i], left]
            left += 1
    return rank
