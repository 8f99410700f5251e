"""The parent sets of one variable that an optimum can use, with scores from the cache of set scores.

A set is kept if no subset scores at least as well (see `common.scores.parent_scores_kernels`, where all scores are in
one array), or none with the same marked members (`twlearn.known_families`).

Cost: O(size^2) and two score look-ups per set.
"""

from typing import NamedTuple

import numpy as np

from ..common.chains.moves_kernels import conditional_score
from ..common.compiled.jit import inlined, kernel
from ..common.compiled.records import by_address
from ..common.scores.edge_gain_kernels import finite
from ..common.sets.bitset_kernels import toggle
from ..common.sets.set_orders_kernels import colex_rank, next_set
from .known_families import REQUIRED


@by_address
class FamilyScratch(NamedTuple):
    """Work space for the m sets of up to `largest` candidates of a variable, overwritten, and the result.

    others : int64[largest + 1], a set, by the places of its members among the candidates
    bits : uint64[words], the same set
    best : float64[m], the best score of each set and its subsets
    parents : int32[m, largest], the sets kept, in colex order, ascending, padded with -1
    scores : float64[m], their scores
    """

    others: np.ndarray
    bits: np.ndarray
    best: np.ndarray
    parents: np.ndarray
    scores: np.ndarray


@kernel
def useful_sets(v, candidates, marks, scores, scratch, counts_below, work, loss):
    """The parent sets of variable v that have no subset with a score as high, or nearly as high.

    Parameters
    ----------
    v : int
    candidates : int64[c], the variables that may be parents, ascending
    marks : uint8[n], see `twlearn.known_families.marks_of`: sets without all those required are left out, but the empty
    scores : SetScores
    scratch : ScoreScratch
    counts_below : int64[max(n - 1, 1), largest + 1], see `common.sets.set_orders.set_counts`
    work : FamilyScratch; `others` is zero
    loss : float, >= 0: sets are kept that score less than this below a subset

    Returns
    -------
    int
        Number of sets kept.
    """
    largest, others, bits, best = counts_below.shape[1] - 1, work.others, work.bits, work.best
    kept, size, required = 0, 0, 0
    for u in range(marks.shape[0]):
        required += 1 if marks[u] == REQUIRED else 0
    for rank in range(best.shape[0]):
        if rank:
            size = next_set(others, size, largest)
        row, found = work.parents[kept], 0
        for i in range(largest):
            row[i] = candidates[others[i]] if i < size else -1
            found += 1 if i < size and marks[row[i]] == REQUIRED else 0
        if size > 0 and found < required:
            best[rank] = -np.inf
            continue
        for k in range(bits.shape[0]):
            bits[k] = np.uint64(0)
        for i in range(size):
            toggle(bits, row[i])
        score = finite(conditional_score(scores, scratch, bits, v))
        if not _record_best(counts_below, others, size, row, marks, rank, score, best, loss):
            work.scores[kept] = score
            kept += 1
    return kept


@inlined
def _record_best(counts_below, others, size, row, marks, rank, score, best, loss):
    """Fill best[rank] with the best score of a set and its subsets; returns whether one of these scores `loss` more.

    Only subsets with the same marked members count.
    """
    largest = counts_below.shape[1] - 1
    smaller = -np.inf
    for i in range(size):
        if marks[row[i]] == 0:
            smaller = max(smaller, best[colex_rank(counts_below, others, size, i, largest)])
    best[rank] = max(score, smaller)
    return size > 0 and score + loss <= smaller
