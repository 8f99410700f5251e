"""The bound of `common.bounds.separated_states` for all states of one set after another.

The free vertices of a set C are here all outside it, in ascending order; a set of free vertices is a number whose bit p
stands for the p-th. Of m free vertices, `losses` (uint16[m 2^(m-1)]) has 2^(m-1) numbers for each: what it loses with
its best parents within C and a set X of the other free vertices, by X without the bit of the vertex. Losses are whole
numbers up to SATURATED, which stands for all larger ones; so sums of two are exact.

Cost: for each set m 2^m / 2 numbers copied and as many additions, mostly of adjacent numbers.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel, lowest_bit, popcount
from ..compiled.records import by_address
from ..exact.states_kernels import WORD, WORDS, blocks_of
from ..sets.subset_numbers_kernels import last_element

SATURATED = np.uint16(2**15 - 1)
FIRST, MEMBERS, NEXT, DONE, FOUND = range(5)  # of a walk
REPORT_EVERY = 2**31  # losses of sets that are found between two reports, in some ten seconds


@by_address
class SeparationProblem(NamedTuple):
    """The states to bound, and the arrays of the result.

    n : int, vertices; the last, n - 1, is the root vertex
    scores : float64[2^n], by mask
    possible : bool[2^n], the sets whose states are bounded, closed under subsets
    most : float64[n], the gain of each vertex from its best parents
    least : float, states with a smaller bound are left out
    unit : float, of losses
    losses : uint16[n 2^(n-1)], of the empty set
    start : int64[2^n], where the blocks of each set begin in the index
    blocks : int32[b + 1], the index, see `common.exact.states_kernels`: filled
    """

    n: int
    scores: np.ndarray
    possible: np.ndarray
    most: np.ndarray
    least: float
    unit: float
    losses: np.ndarray
    start: np.ndarray
    blocks: np.ndarray


@kernel
def mark_sets_from(problem, walk, storage, least, number, words, stop):
    """Mark the states of the sets of `problem` with the same first vertex, as long as there is room and time.

    Parameters
    ----------
    problem : SeparationProblem
    walk : int64[5], changed
        FIRST, the first vertex, or -1 for the empty set; MEMBERS, the last set, {} before the first call; NEXT, its
        vertex to continue with, the first before that call; DONE, whether all sets are done; FOUND, the number of
        values l_C(X) computed
    storage : uint16[n 2^(n-1)], overwritten; kept until the next call
    least : uint16[2^n], overwritten
    number : int, of the first block that is stored
    words : int64[8 s], filled with the blocks that have states
    stop : int64[1], nonzero to stop early

    Returns
    -------
    int
        Blocks stored.
    """
    n, possible, first = problem.n, problem.possible, walk[FIRST]
    if first < 0:
        walk[DONE], walk[FOUND] = 1, 1 << n
        return _mark_set(problem, 0, problem.losses, least, number, words, 0)
    members, v, stored, pause = walk[MEMBERS], walk[NEXT], 0, walk[FOUND] + REPORT_EVERY
    while stop[0] == 0:  # the next set: with one more vertex after its last, else with a later last vertex
        while v < n and not possible[members | 1 << v]:
            v += 1
        if v < n and (members or v == first):
            size = popcount(np.uint64(members))
            left = n - 1 - size  # vertices outside the larger set
            if (stored + blocks_of(left)) * WORDS > words.shape[0] or walk[FOUND] > pause:
                walk[MEMBERS], walk[NEXT] = members, v
                return stored
            walk[FOUND] += 1 << left
            losses = problem.losses if members == 0 else storage[_offset(n, size) :]
            members |= 1 << v
            larger = storage[_offset(n, size + 1) :]
            _add_to_set(losses, n - size, v - size, larger)
            stored = _mark_set(problem, members, larger, least, number, words, stored)
        elif members & (members - 1):
            v = last_element(members)
            members ^= 1 << v
        else:
            break
        v += 1
    walk[DONE] = 1
    return stored


@kernel
def shift_blocks(blocks, capacity, gaps):
    """Number the blocks of the index `blocks` (int32[b + 1]) without gaps.

    Each run of blocks has `capacity` (int) numbers, not all of which are used; `gaps` (int64[c]) has the unused ones
    before each run.
    """
    for b in range(blocks.shape[0]):
        if blocks[b] >= 0:
            blocks[b] -= gaps[blocks[b] // capacity]


@kernel
def _offset(n, size):
    """Where the losses of a set of this size, at least 1, begin."""
    offset = 0
    for k in range(1, size):
        offset += (n - k) << (n - k) >> 1
    return offset


@kernel
def _mark_set(problem, members, losses, least, number, words, stored):
    """Set the bits of the states (C, U) in which U and the rest together lose no more than is allowed.

    Returns `stored`, the blocks that are in `words`, with those of C.
    """
    m = 0
    spare = problem.scores[members] - problem.least
    for v in range(problem.n):
        if not members >> v & 1:
            spare += problem.most[v]
            m += 1
    allowed = np.int64(
        min(spare / problem.unit + 1.0, float(SATURATED) - 1.0)
    )  # the 1 is more than any error of rounding
    least_losses(losses, m, least)
    free = m if members >> (problem.n - 1) & 1 else m - 1  # without the root
    start = problem.start[members]
    everything = (1 << m) - 1
    for block in range(blocks_of(free)):
        found = 0
        for w in range(WORDS):
            bits, first = 0, (block * WORDS + w) * WORD
            for i in range(min(WORD, (1 << free) - first)):
                if np.int64(least[first + i]) + np.int64(least[everything - first - i]) <= allowed:
                    bits |= 1 << i
            words[stored * WORDS + w] = bits
            found |= bits
        if found:
            problem.blocks[start + block] = number + stored
            stored += 1
    return stored


@kernel
def _add_to_set(losses, m, q, larger):
    """The losses for the set with its q-th free vertex added, `larger`, from those of a set with m free vertices."""
    length = 1 << m >> 2
    for row in range(m - 1):
        run = 1 << (q if row >= q else q - 1)
        before = (row + 1 if row >= q else row) << (m - 1)
        for first in range(0, length, run):
            target = larger[row * length + first : row * length + first + run]
            source = losses[before + 2 * first + run : before + 2 * first + 2 * run]
            for i in range(run):
                target[i] = source[i]


@kernel
def least_losses(losses, m, least):
    """l_C(X), the least loss of each set X of free vertices in a Bayesian network that has C first, then X.

    When the sets of the vertices before the p-th are done, those with the p-th too get it as their last vertex, in one
    step, and so within each group of sets that agree on the vertices after the p-th. The eight sets that differ in the
    first three vertices are too few for loops.

    Parameters
    ----------
    losses : uint16[at least m 2^(m-1)]
    m : int
    least : uint16[at least 2^m], filled
    """
    least[: 1 << m] = SATURATED
    least[0] = 0
    group = 8 if m >= 3 else 1
    for done in range(0, 1 << m, group):
        if done:
            p = lowest_bit(np.uint64(done))
            run = 1 << p
            source, target = least[done - run : done], least[done : done + run]
            loss = losses[(p << (m - 1)) + (done - run >> 1) :]
            for i in range(run):
                target[i] = min(target[i], np.uint16(source[i] + loss[i]))
        if group == 8:
            _least_of_eight(losses, m, least, done)


@inlined
def _least_of_eight(losses, m, least, x):
    """The least losses of the sets x, ..., x + 7, by their first three vertices."""
    a = x >> 1
    b, c = a + (1 << (m - 1)), a + (2 << (m - 1))  # where the losses of these vertices begin
    one = min(least[x + 1], least[x] + losses[a])
    two = min(least[x + 2], least[x] + losses[b])
    three = min(least[x + 3], one + losses[b + 1], two + losses[a + 1])
    four = min(least[x + 4], least[x] + losses[c])
    five = min(least[x + 5], one + losses[c + 1], four + losses[a + 2])
    six = min(least[x + 6], two + losses[c + 2], four + losses[b + 2])
    seven = min(least[x + 7], three + losses[c + 3], five + losses[b + 3], six + losses[a + 3])
    least[x + 1], least[x + 2], least[x + 3], least[x + 4] = one, two, three, four
    least[x + 5], least[x + 6], least[x + 7] = five, six, seven
