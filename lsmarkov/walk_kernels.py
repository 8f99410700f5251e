"""Metropolis moves at a temperature: a chain of annealing (`lsmarkov.annealing`).

A move is drawn at random, its gain computed from one vertex (`common.chains.moves_kernels`), and it is accepted with
probability min(1, exp(gain / temperature)). Kinds of move at a random vertex v:

* EDGE: toggle v-w, with w a partner of v, any vertex, a neighbour, or a neighbour's neighbour;
* JOIN, LEAVE: add all of a random maximal clique to v's neighbours, or remove it from them if v is in it;
* NEIGHBOURS: v's neighbours become a random maximal clique, or all of it except one vertex;
* REPLACE: one neighbour is replaced by another vertex;
* SWAP: v-w is added, with w a neighbour's neighbour, and another edge of the resulting clique is removed
  (`common.chains.swap_kernels`);
* BRANCH: what hangs at v, and not at a neighbour w, hangs at w instead (`common.chains.branch_kernels`);
* JOINT: a small set of variables that are dependent only jointly becomes a clique (`lsmarkov.joint_kernels`), whatever
  v is.

The draws are not symmetric and no correction is made: this optimises, it does not sample (the chains' distribution is
not exact). NEIGHBOURS and REPLACE matter on small samples; without them the score after the same time is several units
lower.

Cost of a move: about 0.2 microseconds with 30 to 60 variables if its scores are known.

Throughout, `adjacency` is the chain's graph (uint64[n, words]), `state` its random state (uint64[4], advanced),
`rules` a WalkRules and `work` a MoveScratch.
"""

from typing import NamedTuple

import numpy as np

from ..common.chains.branch_kernels import branch_gain, draw_branch, move_branch
from ..common.chains.metropolis_kernels import is_accepted, other_end, second_neighbour
from ..common.chains.moves_kernels import neighbours_gain
from ..common.chains.swap_kernels import draw_swap, swap_gain, take_swap
from ..common.compiled.jit import inlined, kernel
from ..common.compiled.random_kernels import below, early_entry, uniform
from ..common.compiled.records import by_address
from ..common.graphs.chordal_kernels import replace_neighbours
from ..common.scores.edge_gain_kernels import edge_gain
from ..common.sets.bitset_kernels import are_equal, copy_set, element_at, has, is_empty, size_of, toggle
from .joint_kernels import make_complete, undo_joint
from .walker_kernels import EVALUATED, SCORE, STEPS, record

EDGE, JOIN, LEAVE, NEIGHBOURS, REPLACE, SWAP, BRANCH, JOINT = 0, 1, 2, 3, 4, 5, 6, 7
KINDS = 8
NEAR_PARTNER = 0.5  # of the cliques drawn: around a partner of v, not any vertex
ALL_BUT_ONE = 0.5  # of the cliques of NEIGHBOURS: without one vertex
REPLACE_ANY = 0.3  # of the vertices that REPLACE adds: any vertex, not a neighbour's neighbour


@by_address
class WalkRules(NamedTuple):
    """The proposal distribution.

    vertices : int64[m], ascending, at least two: the vertices that are drawn
    partners : int64[n, p], for each of them those with the largest single-edge gains, best first
    shares_of_kinds : float64[6], cumulative: EDGE, JOIN or LEAVE, NEIGHBOURS, REPLACE, SWAP, BRANCH; the rest is JOINT
    anywhere : float, share of the edges whose other end is any vertex
    shares_of_ends : float64[3], cumulative, for the other end of the others, see `other_end`
    max_clique : int
    joint_sets : int64[m, 5], padded with -1, best first
    """

    vertices: np.ndarray
    partners: np.ndarray
    shares_of_kinds: np.ndarray
    anywhere: float
    shares_of_ends: np.ndarray
    max_clique: int
    joint_sets: np.ndarray


@inlined
def another_vertex(state, rules, v):
    """A random vertex of those drawn, other than v."""
    w = v
    while w == v:
        w = rules.vertices[below(state, rules.vertices.shape[0])]
    return w


@kernel
def random_clique(adjacency, u, state, clique, candidates):
    """Fill `clique` with a random maximal clique around u, grown vertex by vertex; `candidates` is overwritten."""
    for k in range(clique.shape[0]):
        clique[k] = np.uint64(0)
        candidates[k] = adjacency[u, k]
    toggle(clique, u)
    while True:
        count = size_of(candidates)
        if count == 0:
            return
        u = element_at(candidates, below(state, count))
        toggle(clique, u)
        for k in range(clique.shape[0]):
            candidates[k] &= adjacency[u, k]


@kernel
def draw_neighbours(adjacency, rules, v, draw, state, work):
    """Draw new neighbours for v into work.wanted; returns the kind of move, or -1 if the draw finds none."""
    words = adjacency.shape[1]
    wanted, clique = work.wanted, work.chosen
    if draw < rules.shares_of_kinds[2]:
        u = early_entry(state, rules.partners, v) if uniform(state) < NEAR_PARTNER else another_vertex(state, rules, v)
        random_clique(adjacency, u, state, clique, work.rest)
        inside = has(clique, v)
        if inside:
            toggle(clique, v)
        if draw >= rules.shares_of_kinds[1]:
            copy_set(clique, wanted)
            count = size_of(wanted)
            if count > 1 and uniform(state) < ALL_BUT_ONE:
                toggle(wanted, element_at(wanted, below(state, count)))
            return NEIGHBOURS
        for k in range(words):
            wanted[k] = adjacency[v, k] & ~clique[k] if inside else adjacency[v, k] | clique[k]
        return LEAVE if inside else JOIN
    degree = size_of(adjacency[v])
    if degree == 0:
        return -1
    anywhere = uniform(state) < REPLACE_ANY
    w = another_vertex(state, rules, v) if anywhere else second_neighbour(adjacency, v, state, clique)
    if w < 0 or has(adjacency[v], w):
        return -1
    copy_set(adjacency[v], wanted)
    toggle(wanted, element_at(adjacency[v], below(state, degree)))
    toggle(wanted, w)
    return REPLACE


@kernel
def walk(walker, temperature, moves, scores, scratch, work, rules, stop):
    """Draw `moves` moves.

    Parameters
    ----------
    walker : Walker
    temperature : float > 0, in units of log score
    moves : int
    scores, scratch, work : SetScores, ScoreScratch, MoveScratch
    rules : WalkRules
    stop : int64[1], the chain ends when it is not zero
    """
    adjacency, state = walker.adjacency, walker.random
    for _ in range(moves):
        if stop[0] != 0:
            return
        walker.counts[STEPS] += 1
        walker.counts[EVALUATED] += 1
        v = rules.vertices[below(state, rules.vertices.shape[0])]
        draw = uniform(state)
        w, x, y = -1, -1, -1
        if draw < rules.shares_of_kinds[0]:
            kind = EDGE
            if uniform(state) >= rules.anywhere:
                w = other_end(adjacency, rules.partners, rules.shares_of_ends, v, state, work.chosen)
                if w < 0 and not is_empty(adjacency[v]):
                    continue
            if w < 0:
                w = another_vertex(state, rules, v)
            gain = edge_gain(scores, scratch, work, adjacency, v, w, rules.max_clique)
        elif draw >= rules.shares_of_kinds[5]:
            if rules.joint_sets.shape[0] == 0:
                continue
            kind = JOINT
            row = rules.joint_sets[below(state, rules.joint_sets.shape[0])]
            gain, x, y = make_complete(scores, scratch, work, adjacency, row, rules.max_clique, state)
        elif draw >= rules.shares_of_kinds[4]:
            kind = BRANCH
            w = draw_branch(adjacency, v, state, work)
            if w < 0:
                continue
            gain = branch_gain(scores, scratch, work, adjacency, v, w, rules.max_clique)
        elif draw >= rules.shares_of_kinds[3]:
            kind = SWAP
            w, x, y = draw_swap(adjacency, v, state, work.chosen)
            if w < 0:
                continue
            gain = swap_gain(scores, scratch, work, adjacency, v, w, x, y, rules.max_clique)
        else:
            kind = draw_neighbours(adjacency, rules, v, draw, state, work)
            if kind < 0 or are_equal(work.wanted, adjacency[v]):
                continue
            gain = neighbours_gain(scores, scratch, work, adjacency, v, work.wanted, rules.max_clique)
        walker.tried[kind] += 1
        if gain == -np.inf or not is_accepted(gain, temperature, state):
            if kind == JOINT:
                undo_joint(work, adjacency, x, y)
            continue
        walker.taken[kind] += 1
        if kind == EDGE:
            toggle(adjacency[v], w)
            toggle(adjacency[w], v)
        elif kind == SWAP:
            take_swap(adjacency, v, w, x, y)
        elif kind == BRANCH:
            move_branch(adjacency, v, w, work)
        elif kind != JOINT:  # which was made to find the gain
            replace_neighbours(adjacency, v, work.wanted)
        walker.numbers[SCORE] += gain
        record(walker)
