"""Metropolis moves at a temperature: one chain of the replica exchange over chordal graphs and orders.

A move is drawn, the families it changes are chosen again (`twlearn.chordal_choice_kernels`), and it is accepted with
probability min(1, exp(gain / temperature)); otherwise it is undone. Kinds of move at a random variable v:

* EDGE: toggle v-w in M, with w a partner of v, any vertex, a neighbour, or a neighbour's neighbour. Only the families
  of v, w and their common neighbours can change.
* ORDER: v moves to just beyond one of its neighbours. Only the families of v and of the neighbours it passes can
  change.
* NEIGHBOURS: v's neighbours become a random clique around a partner, or the parents of a better family than v's own
  with some of their common neighbours; v may then move to a place after them in the order.
* REPLACE: one neighbour of v is replaced by another vertex.
* SWAP: v-w is added to M, with w a neighbour's neighbour, and another edge of the clique that this makes is removed
  (`common.chains.swap_kernels`), so that M can change where a further edge would make a clique of w + 2. Only the
  families of that clique can change.

If the order is given, it never changes, and the moves of ORDER are moves of EDGE.

The draws are not symmetric, and no correction is made: the chains optimise, they do not sample.

Cost of a move: from half a microsecond to a few. Throughout, `problem` is a ChordalProblem and `chain` a Chain; a move
changes `count` families, which are recorded, and gains `gain` in all; `temperature` is in units of log score.
"""

import numpy as np

from ..common.chains.metropolis_kernels import is_accepted, other_end, second_neighbour
from ..common.chains.swap_kernels import are_only_common, draw_swap, take_swap
from ..common.compiled.jit import inlined, kernel, lowest_bit
from ..common.compiled.random_kernels import another, below, early_entry, uniform
from ..common.graphs.chordal_kernels import (
    are_separated,
    can_have_neighbours,
    is_complete,
    next_by_cardinality,
    replace_neighbours,
)
from ..common.sets.bitset_kernels import copy_set, element_at, has, size_of, toggle
from .chordal_choice_kernels import (
    ACCEPTED,
    DRAWN,
    TRIED,
    apply_changes,
    choose,
    choose_again,
    choose_with,
    record,
    uses,
)

# cumulative shares of the kinds of move; the rest is REPLACE
SWAP, EDGE, ORDER, NEIGHBOURS = 0.25, 0.5875, 0.775, 0.925
OTHER_END_SHARES = (0.3, 0.45, 0.75)  # cumulative, of EDGE: see `common.chains.metropolis_kernels.other_end`
BETTER_FAMILY = 0.5  # of NEIGHBOURS, where v has better families than its own: the clique contains the parents of one
BEST_FAMILIES = 20  # half of these draws take one of this many; the others any better one, early ones more often
BEST_FAMILIES_SHARE = 0.5
# cumulative, of what REPLACE adds: a partner, any vertex; the rest a neighbour's neighbour
REPLACE_PARTNER, REPLACE_ANY = 0.3, 0.5


@inlined
def apply_if_accepted(chain, count, gain, temperature):
    """Apply the recorded change of families if Metropolis' rule accepts it; it is counted if it changes the score."""
    accepted = is_accepted(gain, temperature, chain.random)
    if gain != 0.0:
        chain.counts[TRIED] += 1
        chain.counts[ACCEPTED] += 1 if accepted else 0
    if accepted:
        apply_changes(chain, count, gain)
    return accepted


@kernel
def toggle_edge(problem, chain, v, w, temperature):
    """Draw the move that toggles v-w."""
    adjacency, common = chain.adjacency, chain.common
    for k in range(common.shape[0]):
        common[k] = adjacency[v, k] & adjacency[w, k]
    is_there = has(adjacency[v], w)
    if is_there:
        if not is_complete(adjacency, common):
            return
    elif size_of(common) + 1 > problem.width or not are_separated(adjacency, common, v, w, chain.rest, chain.stack):
        return
    toggle(adjacency[v], w)
    toggle(adjacency[w], v)
    toggle(common, v)
    toggle(common, w)
    count, total = 0, 0.0
    for k in range(common.shape[0]):
        word = common[k]
        while word != np.uint64(0):
            x = 64 * k + lowest_bit(word)
            word &= word - np.uint64(1)
            if not is_there:
                count, gain = choose_with(problem, chain, x, v if x != v else w, count)
                total += gain
            elif uses(problem, chain, x, v, w):
                count, gain = choose(problem, chain, x, chain.choice[x] + 1, count)
                total += gain
    if not apply_if_accepted(chain, count, total, temperature):
        toggle(adjacency[v], w)
        toggle(adjacency[w], v)


@kernel
def swap_edges(problem, chain, v, temperature):
    """Draw a swap at v."""
    adjacency, common, old = chain.adjacency, chain.common, chain.old
    w, x, y = draw_swap(adjacency, v, chain.random, common)
    if w < 0:
        return
    for k in range(common.shape[0]):
        common[k] = old[k] = adjacency[v, k] & adjacency[w, k]
    if size_of(common) > problem.width or not are_separated(adjacency, common, v, w, chain.rest, chain.stack):
        return
    for u in (v, w):
        toggle(old, u)
        toggle(common, u)
    for u in (x, y):
        toggle(common, u)
    if not are_only_common(adjacency, common, v, w, x, y):
        return
    take_swap(adjacency, v, w, x, y)
    count, total = 0, 0.0
    for k in range(old.shape[0]):
        word = old[k]
        while word != np.uint64(0):
            u = 64 * k + lowest_bit(word)
            word &= word - np.uint64(1)
            if uses(problem, chain, u, x, y):
                count, gain = choose(problem, chain, u, problem.start[u], count)
            else:
                count, gain = choose_with(problem, chain, u, v if u != v else w, count)
            total += gain
    if not apply_if_accepted(chain, count, total, temperature):
        take_swap(adjacency, v, w, x, y)


@kernel
def shift(chain, v, target):
    """Move v to place `target` of the order; the variables it passes close up."""
    order, place = chain.order, chain.place
    at = place[v]
    step = 1 if target > at else -1
    while at != target:
        order[at] = order[at + step]
        place[order[at]] = at
        at += step
    order[at] = v
    place[v] = at


@kernel
def move_in_order(problem, chain, v, temperature):
    """Draw the move of v to just beyond one of its neighbours."""
    row, order = chain.adjacency[v], chain.order
    degree = size_of(row)
    if degree == 0:
        return
    before = chain.place[v]
    target = chain.place[element_at(row, below(chain.random, degree))]
    shift(chain, v, target)
    later = target > before
    count, total = choose(problem, chain, v, problem.start[v] if later else chain.choice[v], 0)
    for at in range(before, target) if later else range(target + 1, before + 1):
        x = order[at]
        if has(row, x):
            if not later:
                count, gain = choose_with(problem, chain, x, v, count)
                total += gain
            elif uses(problem, chain, x, x, v):
                count, gain = choose(problem, chain, x, chain.choice[x] + 1, count)
                total += gain
    if not apply_if_accepted(chain, count, total, temperature):
        shift(chain, v, before)


@kernel
def largest_clique(adjacency, members, left, done):
    """Size of the largest clique inside `members`, by maximum cardinality search; M is chordal there.

    Parameters
    ----------
    adjacency : uint64[n, words]
    members : uint64[words]
    left, done : uint64[words], overwritten

    Returns
    -------
    int
    """
    words = members.shape[0]
    for k in range(words):
        done[k] = np.uint64(0)
        left[k] = members[k]
    largest = 0
    for _ in range(size_of(members)):
        best, most = next_by_cardinality(adjacency, left, done)
        largest = max(largest, most + 1)
        toggle(done, best)
        toggle(left, best)
    return largest


@kernel
def grow_clique(problem, chain, v, u):
    """Fill chain.wanted with a random clique around u (-1: its present members), of w vertices if possible, not v."""
    wanted, candidates, adjacency = chain.wanted, chain.rest, chain.adjacency
    if u >= 0:
        for k in range(wanted.shape[0]):
            wanted[k] = np.uint64(0)
        toggle(wanted, u)
    for k in range(wanted.shape[0]):
        candidates[k] = ~np.uint64(0)
    for k in range(wanted.shape[0]):
        word = wanted[k]
        while word != np.uint64(0):
            x = 64 * k + lowest_bit(word)
            word &= word - np.uint64(1)
            for j in range(wanted.shape[0]):
                candidates[j] &= adjacency[x, j]
    if has(candidates, v):
        toggle(candidates, v)
    size = size_of(wanted)
    while size < problem.width:
        count = size_of(candidates)
        if count == 0:
            return
        x = element_at(candidates, below(chain.random, count))
        toggle(wanted, x)
        for k in range(wanted.shape[0]):
            candidates[k] &= adjacency[x, k]
        size += 1


@kernel
def draw_neighbours(problem, chain, v):
    """Draw new neighbours for v into chain.wanted; returns whether there are any, and v's new place or -1."""
    random, first, choice = chain.random, problem.start[v], chain.choice[v]
    if choice > first and uniform(random) < BETTER_FAMILY:
        row = first + min(below(random, choice - first), below(random, choice - first))
        if uniform(random) < BEST_FAMILIES_SHARE:
            row = first + below(random, min(choice - first, BEST_FAMILIES))
        copy_set(problem.masks[row], chain.wanted)
        if not is_complete(chain.adjacency, chain.wanted):
            return False, -1
        grow_clique(problem, chain, v, -1)
        last = 0
        for i in range(problem.parents.shape[1]):
            if problem.parents[row, i] >= 0:
                last = max(last, chain.place[problem.parents[row, i]])
        return True, last if last > chain.place[v] else -1
    grow_clique(problem, chain, v, early_entry(random, problem.partners, v))
    return True, -1


@kernel
def set_neighbours(problem, chain, v, target, temperature):
    """Draw the move that makes chain.wanted the neighbours of v, and moves v to place `target` unless that is -1."""
    adjacency, wanted, old = chain.adjacency, chain.wanted, chain.old
    if not can_have_neighbours(adjacency, v, wanted, chain.rest, chain.boundary, chain.stack):
        return
    before = chain.place[v]
    copy_set(adjacency[v], old)
    replace_neighbours(adjacency, v, wanted)
    if target >= 0:
        shift(chain, v, target)
    count, total = choose(problem, chain, v, problem.start[v], 0)
    for k in range(old.shape[0]):
        word = old[k] | wanted[k]
        while word != np.uint64(0):
            x = 64 * k + lowest_bit(word)
            word &= word - np.uint64(1)
            count, gain = choose_again(problem, chain, x, v, count)
            total += gain
    if apply_if_accepted(chain, count, total, temperature):
        return
    replace_neighbours(adjacency, v, old)
    if target >= 0:
        shift(chain, v, before)


@kernel
def draw_replacement(problem, chain, v):
    """Draw new neighbours for v, one of them replaced, into chain.wanted; returns whether there are any."""
    random, adjacency, wanted = chain.random, chain.adjacency, chain.wanted
    degree = size_of(adjacency[v])
    if degree == 0:
        return False
    draw = uniform(random)
    if draw < REPLACE_PARTNER:
        w = early_entry(random, problem.partners, v)
    elif draw < REPLACE_ANY:
        w = another(random, chain.order.shape[0], v)
    else:
        w = second_neighbour(adjacency, v, random, chain.common)
    if w < 0 or has(adjacency[v], w):
        return False
    copy_set(adjacency[v], wanted)
    toggle(wanted, element_at(adjacency[v], below(random, degree)))
    toggle(wanted, w)
    return largest_clique(adjacency, wanted, chain.rest, chain.boundary) <= problem.width


@kernel
def walk(problem, chain, temperature, moves, stop):
    """Draw `moves` Metropolis moves; M needs at least two vertices.

    Parameters
    ----------
    problem : ChordalProblem
    chain : Chain
    temperature : float > 0, in units of log score
    moves : int
    stop : int64[1], the chain ends when it is not zero
    """
    n = chain.order.shape[0]
    for _ in range(moves):
        if stop[0] != 0:
            return
        chain.counts[DRAWN] += 1
        v = below(chain.random, n)
        kind = uniform(chain.random)
        if problem.is_ordered and EDGE <= kind < ORDER:
            kind = SWAP
        if kind < SWAP:
            swap_edges(problem, chain, v, temperature)
        elif kind < EDGE:
            w = other_end(chain.adjacency, problem.partners, OTHER_END_SHARES, v, chain.random, chain.common)
            if w >= 0:
                toggle_edge(problem, chain, v, w, temperature)
        elif kind < ORDER:
            move_in_order(problem, chain, v, temperature)
        else:
            if kind < NEIGHBOURS:
                drawn, target = draw_neighbours(problem, chain, v)
            else:
                drawn, target = draw_replacement(problem, chain, v), -1
            if drawn:
                set_neighbours(problem, chain, v, -1 if problem.is_ordered else target, temperature)
        record(problem, chain)
