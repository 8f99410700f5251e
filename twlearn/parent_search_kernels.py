"""Parent sets of one variable by best-first search among its candidate parents.

Sets are words over the candidates: bit i stands for the i-th. All single candidates are scored first. Then the set
P + c with the best estimate is scored, again and again. Once a set P is scored, the estimate of its supersets by one
candidate is, with s the local score, q(P) the product of the arities of P and N the number of rows (q counts as N if
it is larger),

    s(P) + s(c) - s() - ln(N) (r - 1) (q(P + c) - q(P) - q(c) + 1) / 2,

that is, the BIC score if the information of c and P about v were additive: the estimate of Scanagatta, de Campos,
Corani and Zaffalon (2015) (independence selection, their Theorem 1). It needs no data, so the data are read only for
the most promising sets. The same estimate is used for BDeu; it only determines the order of the search. Where it is not
better than s(P), it is lowered by -s(), so that nearly all sets that may gain come before. Otherwise, supersets of the
best sets that add nothing would take the budget, and smaller sets, which an acyclic network needs, would be missing.

Cost: two set scores (looked up or counted) per set, for at most `budget` sets; per set, one push onto a heap per
candidate; at the end, a comparison of every set kept with those of higher score.
"""

import math
from typing import NamedTuple

import numpy as np

from ..common.chains.moves_kernels import conditional_score
from ..common.compiled.jit import inlined, kernel, lowest_bit, popcount
from ..common.compiled.records import by_address
from ..common.scores.edge_gain_kernels import finite
from ..common.scores.score_kernels import AIC, LOG_LIKELIHOOD
from ..common.sets.bitset_kernels import toggle


@by_address
class SearchScratch(NamedTuple):
    """Work space of one thread; every array is overwritten.

    bits : uint64[words], the parents that every set has besides its candidates, before and after
    single : float64[64], gain of each candidate alone
    estimates : float64[capacity], waiting : uint64[capacity], a heap of sets, the best estimate first
    seen : uint64[slots], the sets pushed so far, slots a power of two, more than twice `capacity`; 0 where free
    sets : uint64[budget], scores : float64[budget], the sets scored and their scores
    """

    bits: np.ndarray
    single: np.ndarray
    estimates: np.ndarray
    waiting: np.ndarray
    seen: np.ndarray
    sets: np.ndarray
    scores: np.ndarray


@kernel
def search_parents(scores, scratch, work, v, candidates, most, n_rows, stop):
    """Score sets of up to `most` candidate parents of v, the most promising first.

    Parameters
    ----------
    scores : SetScores
    scratch : ScoreScratch
    work : SearchScratch; sets and scores are filled, the empty set first
    v : int
    candidates : int64[c], c <= 64, without v
    most : int >= 0, besides those that every set has
    n_rows : float, the sum of their weights
    stop : int64[1], no more sets are scored once it is not zero

    Returns
    -------
    int
        Number of sets scored, at least the empty one.
    """
    budget = work.sets.shape[0]
    work.seen[:] = np.uint64(0)
    empty = _local_score(scores, scratch, work, v, candidates, np.uint64(0))
    work.sets[0], work.scores[0] = np.uint64(0), empty
    count, height = 1, 0
    for i in range(candidates.shape[0] if most else 0):
        work.single[i] = np.inf  # all single candidates come first
        height = _push(work, height, np.inf, np.uint64(1) << np.uint64(i))
    while height > 0 and count < budget and stop[0] == 0:
        members = work.waiting[0]
        height = _pop(work, height)
        score = _local_score(scores, scratch, work, v, candidates, members)
        size = popcount(members)
        if size == 1:
            work.single[lowest_bit(members)] = score - empty
        work.sets[count], work.scores[count] = members, score
        count += 1
        if size == 1 and (height == 0 or work.estimates[0] < np.inf):
            for k in range(1, count):  # the last of them: only now is the gain of each known
                height = _expand(scores, work, v, candidates, most, n_rows, k, height)
        elif size > 1:
            height = _expand(scores, work, v, candidates, most, n_rows, count - 1, height)
    return count


@kernel
def _local_score(scores, scratch, work, v, candidates, members):
    """s(P + v) - s(P)."""
    _toggle_all(work.bits, candidates, members)
    score = finite(conditional_score(scores, scratch, work.bits, v))
    _toggle_all(work.bits, candidates, members)
    return score


@inlined
def _toggle_all(bits, candidates, members):
    while members != np.uint64(0):
        toggle(bits, candidates[lowest_bit(members)])
        members &= members - np.uint64(1)


@kernel
def _expand(scores, work, v, candidates, most, n_rows, k, height):
    """Push the supersets by one candidate of the k-th set scored; returns the heap's new size."""
    members = work.sets[k]
    if popcount(members) >= most or work.scores[k] == -np.inf:
        return height
    arity = scores.table.arity
    states = _configurations(arity, candidates, members, n_rows)
    kind = scores.formula.kind
    each = 0.0 if kind == LOG_LIKELIHOOD else 1.0 if kind == AIC else 0.5 * math.log(n_rows)
    price = each * (arity[v] - 1.0)
    for i in range(candidates.shape[0]):
        bit = np.uint64(1) << np.uint64(i)
        if members & bit == np.uint64(0):
            more = np.float64(arity[candidates[i]])
            beyond = min(states * more, np.float64(n_rows)) - states - more + 1.0
            gain = work.single[i] - price * beyond
            behind = 0.0 if gain > 0.0 else work.scores[0]
            height = _push(work, height, work.scores[k] + gain + behind, members | bit)
    return height


@kernel
def _configurations(arity, candidates, members, n_rows):
    """Number of joint states of a set, at most the number of rows."""
    states = 1.0
    while members != np.uint64(0):
        states = min(states * arity[candidates[lowest_bit(members)]], np.float64(n_rows))
        members &= members - np.uint64(1)
    return states


@kernel
def _push(work, height, estimate, members):
    """Push a set onto the heap if it is new and there is room; returns the new size."""
    if height == work.waiting.shape[0]:
        return height
    mask = np.uint64(work.seen.shape[0] - 1)
    slot = (members * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32) & mask
    for _ in range(work.seen.shape[0]):
        if work.seen[slot] == members:
            return height
        if work.seen[slot] == np.uint64(0):
            work.seen[slot] = members
            break
        slot = (slot + np.uint64(1)) & mask
    at = height
    while at > 0 and _before(estimate, members, work, (at - 1) // 2):
        work.estimates[at], work.waiting[at] = work.estimates[(at - 1) // 2], work.waiting[(at - 1) // 2]
        at = (at - 1) // 2
    work.estimates[at], work.waiting[at] = estimate, members
    return height + 1


@kernel
def _pop(work, height):
    """Remove the first set from the heap; returns the new size."""
    height -= 1
    estimate, members = work.estimates[height], work.waiting[height]
    at = 0
    while 2 * at + 1 < height:
        below = 2 * at + 1
        if below + 1 < height and _before(work.estimates[below + 1], work.waiting[below + 1], work, below):
            below += 1
        if _before(estimate, members, work, below):
            break
        work.estimates[at], work.waiting[at] = work.estimates[below], work.waiting[below]
        at = below
    work.estimates[at], work.waiting[at] = estimate, members
    return height


@inlined
def _before(estimate, members, work, at):
    """Does a set precede the one at a place of the heap? Of equal estimates, the lower number does."""
    return estimate > work.estimates[at] or (estimate == work.estimates[at] and members < work.waiting[at])


@kernel
def keep_useful(work, order, candidates, fixed, parents, out):
    """The sets scored that have no subset with as good a score and the same members of `fixed`.

    Parameters
    ----------
    work : SearchScratch
    order : int64[count], the sets by decreasing score, of equal scores the smaller set first
    candidates : int64[c], ascending
    fixed : uint64, some of the candidates, as a set
    parents : int32[count, most], overwritten: the sets kept, by decreasing score, padded with -1
    out : float64[count], overwritten: their scores

    Returns
    -------
    int
        Number of sets kept.
    """
    kept = 0
    for at in range(order.shape[0]):
        members = work.sets[order[at]]
        useful = work.scores[order[at]] > -np.inf
        for before in range(kept):
            if work.waiting[before] & ~members == np.uint64(0) and not (work.waiting[before] ^ members) & fixed:
                useful = False
                break
        if useful:
            work.waiting[kept] = members  # the heap is no longer needed
            out[kept] = work.scores[order[at]]
            for i in range(parents.shape[1]):
                parents[kept, i] = -1
            i = 0
            while members != np.uint64(0):
                parents[kept, i] = candidates[lowest_bit(members)]
                members &= members - np.uint64(1)
                i += 1
            kept += 1
    return kept
