"""Parent-set scores from the scores of sets, s(P + v) - s(P), and their pruning.

A parent set can be pruned if one of its subsets scores at least as well: a network that is acyclic with the set is
acyclic with the subset (the pruning of de Campos and Ji). The best score over all subsets of P is the maximum of P's
own score and the best scores of P less one element, which come earlier in colex order.

Cost: O(size) per set, O(size^2) with pruning.
"""

import numpy as np

from ..compiled.jit import inlined, kernel
from ..sets.set_orders_kernels import colex_rank, insert_sorted, next_set, without


@kernel
def parent_scores(v, scores, counts_below, others, members, best, prune, parents, out):
    """The parent sets P of one variable v and their scores s(P + v) - s(P).

    Parameters
    ----------
    v : int
    scores : float64[], of all sets of up to largest + 1 variables, in colex order
    counts_below : int64[n, largest + 2], see `common.sets.set_orders.set_counts`
    others, members : int64[largest + 1], overwritten
    best : float64[sets without v], overwritten
    prune : bool, whether to drop a set if a subset scores at least as well
    parents : int32[sets without v, largest], overwritten: the sets kept, ascending, padded with -1
    out : float64[sets without v], overwritten: their scores

    Returns
    -------
    int
        How many sets are kept.
    """
    largest = counts_below.shape[1] - 2
    kept, size = 0, 0
    for rank in range(best.shape[0]):
        if rank:
            size = next_set(others, size, largest)
        row = parents[kept]
        fill_row(v, others, size, row)
        score = scores[colex_rank(counts_below, row, size, -1, largest + 1)]
        if score > -np.inf:  # else the difference would be NaN
            insert_sorted(row, size, v, members)
            score = scores[colex_rank(counts_below, members, size + 1, -1, largest + 1)] - score
        is_matched = record_best(counts_below, others, size, largest, rank, score, best)
        if not (prune and is_matched):
            out[kept] = score
            kept += 1
    return kept


@inlined
def fill_row(v, others, size, row):
    """The variables that `others` stands for, in a row of parents.

    Parameters
    ----------
    v : int
    others : int64[>= size], ascending numbers among the variables that are not v
    size : int
    row : int32[>= size], overwritten, padded with -1
    """
    for i in range(row.shape[0]):
        row[i] = without(v, others[i]) if i < size else -1


@inlined
def record_best(counts_below, others, size, largest, rank, score, best):
    """Fill best[rank] with the best score of a set and its subsets.

    Parameters
    ----------
    counts_below : int64[n - 1, >= largest + 1]
    others : int64[>= size], the set
    size, largest : int
    rank : int, its place in colex order
    score : float, its own
    best : float64[> rank], known below rank

    Returns
    -------
    bool
        Whether a subset scores at least as well.
    """
    smaller = -np.inf
    for i in range(size):
        smaller = max(smaller, best[colex_rank(counts_below, others, size, i, largest)])
    best[rank] = max(score, smaller)
    return size > 0 and score <= smaller
