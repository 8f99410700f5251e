"""The parent sets of one variable that an optimum can use, with scores from the cache of set scores.

A set is kept if no subset scores at least as well (see `common.scores.parent_scores_kernels`, where all scores are in
one array).

Cost: O(size^2) and two score look-ups per set.
"""

import numpy as np

from ..common.compiled.jit import kernel
from ..common.scores.parent_scores_kernels import fill_row, record_best
from ..common.scores.score_cache_kernels import key_of, score_with
from ..common.sets.bitset_kernels import toggle
from ..common.sets.set_orders_kernels import next_set


@kernel
def useful_sets(v, scores, scratch, counts_below, others, bits, best, parents, out):
    """The parent sets of variable v that no subset scores as well.

    Parameters
    ----------
    v : int
    scores : SetScores
    scratch : ScoreScratch
    counts_below : int64[max(n - 1, 1), largest + 1], see `common.sets.set_orders.set_counts`
    others : int64[largest + 1], overwritten
    bits : uint64[words], overwritten
    best : float64[m], overwritten; m is the number of sets of up to `largest` other variables
    parents : int32[m, largest], overwritten: the sets kept, in colex order, ascending, padded with -1
    out : float64[m], overwritten: their scores

    Returns
    -------
    int
        Number of sets kept.
    """
    largest = counts_below.shape[1] - 1
    kept, size = 0, 0
    for rank in range(best.shape[0]):
        if rank:
            size = next_set(others, size, largest)
        row = parents[kept]
        fill_row(v, others, size, row)
        for k in range(bits.shape[0]):
            bits[k] = np.uint64(0)
        for i in range(size):
            toggle(bits, row[i])
        key = key_of(scores, bits)
        score = score_with(scores, scratch, bits, key, -1, -1)
        if score > -np.inf:  # else the difference would be NaN
            score = score_with(scores, scratch, bits, key, v, -1) - score
        if not record_best(counts_below, others, size, largest, rank, score, best):
            out[kept] = score
            kept += 1
    return kept
