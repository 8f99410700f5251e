"""Parent-set scores from the scores of sets: s(P + v) - s(P), and which of them an optimum can need.

A parent set that one of its subsets scores at least as well is in no best network that a smaller one could not
replace: whatever is acyclic with the set is so with the subset (the pruning of de Campos and Ji). The best
score over all subsets of P is the better of P's own and those of P less one element, which come earlier in
colex order.

Cost: O(size of a set) a set, squared for pruning.
"""

import numpy as np

from common.jit import kernel, lowest_bit
from common.set_orders_kernels import colex_rank


@kernel
def parent_scores(v, masks, scores, below, best, parents, out):
    """The parent sets of one variable and their scores.

    Parameters
    ----------
    v : int
    masks : uint64[m], all sets of up to `largest` variables in colex order
    scores : float64[], of all sets of up to largest + 1 variables, in colex order
    below : int64[n, largest + 2], see `common.set_orders.set_counts`
    best : float64[m], overwritten; of length 0: keep every set
    parents : int8[sets without v, largest], overwritten: the sets kept, ascending, filled up with -1
    out : float64[sets without v], overwritten: their scores

    Returns
    -------
    int
        How many sets are kept.
    """
    largest = below.shape[1] - 2
    itself = np.uint64(1) << np.uint64(v)
    kept = 0
    for i in range(masks.shape[0]):
        members = masks[i]
        if members & itself:
            continue
        score = scores[colex_rank(below, members, largest + 1)]
        if score > -np.inf:  # else the difference would be no number
            score = scores[colex_rank(below, members | itself, largest + 1)] - score
        if best.shape[0]:
            smaller = -np.inf
            rest = members
            while rest:
                without = members & ~(rest & (~rest + np.uint64(1)))
                smaller = max(smaller, best[colex_rank(below, without, largest)])
                rest &= rest - np.uint64(1)
            best[i] = max(score, smaller)
            if members and score <= smaller:
                continue
        out[kept] = score
        size = 0
        while members:
            parents[kept, size] = lowest_bit(members)
            members &= members - np.uint64(1)
            size += 1
        parents[kept, size:] = -1
        kept += 1
    return kept
