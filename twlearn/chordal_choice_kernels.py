"""The best families inside a chordal graph and an order: the state of the search, and the gain of a change.

A chain's state is a chordal graph M whose cliques contain at most w + 1 vertices, and an order of the variables. Its
network gives each variable v its best family whose parents are neighbours of v in M, before v in the order, and
adjacent to each other in M. So the moral graph is inside M and the network's treewidth at most w, whatever the
order; and every network of treewidth at most w is the network of some state (M a triangulation of its moral
graph). This is what S2 samples (a k-tree for M, its partial orders); here both are changed step by step.

The families of v are sorted by decreasing score, so the best is the first one that fits. When a change allows u as a
further parent of v, only the families with u that precede the current choice are checked; when it makes the current
choice impossible, only those after it.

Throughout, `problem` is a ChordalProblem, `chain` a Chain, `row` the row of a family and `count` the number of
changes recorded.
"""

from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import inlined, kernel, lowest_bit
from ..common.compiled.records import by_address
from ..common.sets.bitset_kernels import has


@by_address
class ChordalProblem(NamedTuple):
    """Data shared by all chains.

    start : int64[n + 1], parents : int32[m, kmax], scores : float64[m], as in ScoredFamilies
    masks : uint64[m, words], the parent sets as bits
    with_parent : int32[], the rows of v's families with parent u, best first, from with_start[v * n + u] to
        with_start[v * n + u + 1], with_start : int64[n * n + 1]
    with_masks : uint64[., words], their parent sets as bits, in the order they are read
    partners : int64[n, p], for each variable the partners with the largest gains, best first
    width : int, the bound w on the treewidth
    is_ordered : bool, whether the order is known and not changed
    """

    start: np.ndarray
    parents: np.ndarray
    scores: np.ndarray
    masks: np.ndarray
    with_parent: np.ndarray
    with_start: np.ndarray
    with_masks: np.ndarray
    partners: np.ndarray
    width: int
    is_ordered: bool


@by_address
class Chain(NamedTuple):
    """One chain's state, its best state, and work space.

    adjacency : uint64[n, words], M
    order : int64[n], the variables; place : int64[n], the position of each in it
    choice : int64[n], the row of each variable's family
    best_adjacency, best_order, best_choice : the same of the best state so far
    numbers : float64[2], score and best score
    counts : int64[3], moves drawn; moves that would change the score, and those of them that were accepted
    random : uint64[4]
    changed : int64[n], new_choice : int64[n], the variables whose family a move changes, and the new rows
    allowed, common, rest, boundary, wanted, old : uint64[words], overwritten
    stack : int64[n], overwritten
    """

    adjacency: np.ndarray
    order: np.ndarray
    place: np.ndarray
    choice: np.ndarray
    best_adjacency: np.ndarray
    best_order: np.ndarray
    best_choice: np.ndarray
    numbers: np.ndarray
    counts: np.ndarray
    random: np.ndarray
    changed: np.ndarray
    new_choice: np.ndarray
    allowed: np.ndarray
    common: np.ndarray
    rest: np.ndarray
    boundary: np.ndarray
    wanted: np.ndarray
    old: np.ndarray
    stack: np.ndarray


SCORE, BEST = 0, 1
DRAWN, TRIED, ACCEPTED = 0, 1, 2
LINEAR_SCAN = 32  # families checked one by one
TOLERANCE = 1e-9  # smaller improvements are rounding error of the running sum


@inlined
def are_married(problem, chain, row):
    """Are the parents of the family in this `row` adjacent to each other in M?"""
    parents = problem.parents[row]
    for i in range(1, parents.shape[0]):
        if parents[i] < 0:
            return True
        for j in range(i):
            if not has(chain.adjacency[parents[i]], parents[j]):
                return False
    return True


@inlined
def allow(chain, v):
    """Fill chain.allowed with v's neighbours before it in the order."""
    place, here = chain.place, chain.place[v]
    for k in range(chain.allowed.shape[0]):
        word = chain.adjacency[v, k]
        fit = word
        while word != np.uint64(0):
            bit = word & (~word + np.uint64(1))
            if place[64 * k + lowest_bit(word)] > here:
                fit ^= bit
            word ^= bit
        chain.allowed[k] = fit


@inlined
def fits(problem, chain, row, mask):
    """Does the family in a `row`, with parents `mask` (bits), fit? chain.allowed must be filled for its variable."""
    outside = np.uint64(0)
    for k in range(chain.allowed.shape[0]):
        outside |= mask[k] & ~chain.allowed[k]
    return outside == np.uint64(0) and are_married(problem, chain, row)


@kernel
def first_fitting(problem, chain, v, row):
    """The first family of v from `row` on that fits the state; the last one, without parents, always does.

    After the first ones only families with an allowed parent are checked: much fewer if few parents are allowed.
    """
    allow(chain, v)
    last = problem.start[v + 1] - 1
    near = min(last, row + LINEAR_SCAN)
    while row < near:
        if fits(problem, chain, row, problem.masks[row]):
            return row
        row += 1
    found = last
    if near == last:
        return found
    for k in range(chain.allowed.shape[0]):
        word = chain.allowed[k]
        while word != np.uint64(0):
            pair = v * chain.order.shape[0] + 64 * k + lowest_bit(word)
            word &= word - np.uint64(1)
            for i in range(problem.with_start[pair], problem.with_start[pair + 1]):
                other = np.int64(problem.with_parent[i])
                if other >= found:
                    break
                if other >= row and fits(problem, chain, other, problem.with_masks[i]):
                    found = other
                    break
    return found


@inlined
def record_choice(problem, chain, v, row, count):
    """Record that v's family changes to `row`, if it changes; returns (count of changed, gain)."""
    if row == chain.choice[v]:
        return count, 0.0
    chain.changed[count] = v
    chain.new_choice[count] = row
    return count + 1, problem.scores[row] - problem.scores[chain.choice[v]]


@inlined
def choose(problem, chain, v, row, count):
    """Find v's family from `row` on and record it; returns as `record_choice`."""
    return record_choice(problem, chain, v, first_fitting(problem, chain, v, row), count)


@kernel
def choose_with(problem, chain, v, u, count):
    """Find a better family of v with parent u, if the current one still fits; returns as `record_choice`."""
    if chain.place[u] > chain.place[v]:
        return count, 0.0
    pair = v * chain.order.shape[0] + u
    allowed = False
    for i in range(problem.with_start[pair], problem.with_start[pair + 1]):
        row = np.int64(problem.with_parent[i])
        if row >= chain.choice[v]:
            break
        if not allowed:
            allow(chain, v)
            allowed = True
        if fits(problem, chain, row, problem.with_masks[i]):
            return record_choice(problem, chain, v, row, count)
    return count, 0.0


@kernel
def choose_again(problem, chain, v, u, count):
    """Find v's family after u's neighbours have changed; returns as `record_choice`."""
    allow(chain, v)
    if not fits(problem, chain, chain.choice[v], problem.masks[chain.choice[v]]):
        return choose(problem, chain, v, problem.start[v], count)
    if not has(chain.adjacency[v], u):
        return count, 0.0
    return choose_with(problem, chain, v, u, count)


@inlined
def uses(problem, chain, v, u, w):
    """Does v's family need the edge u-w: are both among v and its parents?"""
    mask = problem.masks[chain.choice[v]]
    return (u == v or has(mask, u)) and (w == v or has(mask, w))


@kernel
def choose_all_families(problem, chain):
    """Choose the families of all variables, and score them."""
    for v in range(chain.order.shape[0]):
        chain.place[chain.order[v]] = v
    for v in range(chain.order.shape[0]):
        chain.choice[v] = first_fitting(problem, chain, v, problem.start[v])
    add_up(problem, chain)


@inlined
def add_up(problem, chain):
    """Score the chosen families."""
    total = 0.0
    for v in range(chain.order.shape[0]):
        total += problem.scores[chain.choice[v]]
    chain.numbers[SCORE] = total


@kernel
def apply_changes(chain, count, gain):
    """Apply the first `count` recorded changes of families, and add their gain to the score."""
    for i in range(count):
        chain.choice[chain.changed[i]] = chain.new_choice[i]
    chain.numbers[SCORE] += gain


@kernel
def record(problem, chain):
    """Keep the state if it is the best so far, by a fresh sum: a score like -1e30 ruins the running sum."""
    if chain.numbers[SCORE] <= chain.numbers[BEST] + TOLERANCE:
        return
    add_up(problem, chain)
    if chain.numbers[SCORE] <= chain.numbers[BEST] + TOLERANCE:
        return
    chain.numbers[BEST] = chain.numbers[SCORE]
    for v in range(chain.order.shape[0]):
        chain.best_order[v] = chain.order[v]
        chain.best_choice[v] = chain.choice[v]
        for k in range(chain.adjacency.shape[1]):
            chain.best_adjacency[v, k] = chain.adjacency[v, k]
