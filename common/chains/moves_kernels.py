"""Gains of moves that replace the neighbours of one vertex, and whether the graph stays chordal.

Every neighbourhood of the lsmarkov paper (Section 3.3) changes only the edges at a single vertex v, whose neighbours N
become N'. The gain needs neither the elimination order nor the score of the whole graph. Notation: s(v|K) = s(K + v) -
s(K).

*Chordality.* The new graph is chordal iff, for each connected component K of the graph without v and N', the neighbours
of K in N' are complete; `common.graphs.chordal_kernels` has the proof, and the check, `can_have_neighbours`.

*Score.* If it is chordal, each component K is glued to the graph on N' + v along a complete set that does not contain
v. The score of two chordal graphs glued along a complete set S is the sum of their scores minus s(S). So the
contribution of v to the score (that of the new graph minus that of G - v) is its contribution to the graph on N' + v,
where v is adjacent to all others and so is in every clique and every separator:

    L(v, N') = sum over the maximal cliques K of the graph on N' of s(v|K)  -  the same over its separators.

A move gains L(v, N') - L(v, N): `vertex_score`, `neighbours_gain`. A single edge is the case of
`common.scores.edge_gain_kernels`.

Cost: that of `can_have_neighbours` for the check, O(|N'|^2 words) for the cliques, and two score look-ups for each
clique and separator of the graph on N'.

Everywhere `scores`, `scratch` and `work` are SetScores, ScoreScratch and MoveScratch, `adjacency` a chordal
graph (uint64[n, words]), and `max_clique` bounds its cliques.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.records import by_address
from ..graphs.chordal_kernels import can_have_neighbours, next_by_cardinality
from ..scores.edge_gain_kernels import finite
from ..scores.score_cache_kernels import key_of, score_with
from ..sets.bitset_kernels import is_empty, toggle


@by_address
class MoveScratch(NamedTuple):
    """Work space of one thread for moves; also an EdgeScratch (`common.scores.edge_gain_kernels`).

    common, rest, boundary, done, clique : uint64[words], overwritten by the functions here
    chosen, wanted : uint64[words], for callers: a clique, and the new neighbours of a vertex
    stack : int64[n], overwritten
    added : int64[32], for joint moves: edges
    """

    common: np.ndarray
    rest: np.ndarray
    boundary: np.ndarray
    done: np.ndarray
    clique: np.ndarray
    chosen: np.ndarray
    wanted: np.ndarray
    stack: np.ndarray
    added: np.ndarray


def move_scratch(n, words):
    """Work space for the moves of one thread on n vertices: a MoveScratch."""
    sets = (np.zeros(words, np.uint64) for _ in range(7))
    return MoveScratch(*sets, np.zeros(n + 1, np.int64), np.zeros(32, np.int64))


@kernel
def conditional_score(scores, scratch, members, v):
    """s(v | K) = s(K + v) - s(K) for the set K = `members`."""
    key = key_of(scores, members)
    with_v = score_with(scores, scratch, members, key, v, -1)
    return with_v - score_with(scores, scratch, members, key, -1, -1)


@kernel
def vertex_score(scores, scratch, work, adjacency, v, neighbours, max_clique):
    """L(v, N) for N = `neighbours` (uint64[words]); minus infinity if a clique would be too large."""
    words = neighbours.shape[0]
    done, clique, left = work.done, work.clique, work.rest
    for k in range(words):
        done[k] = np.uint64(0)
        clique[k] = np.uint64(0)
        left[k] = neighbours[k]
    total = 0.0
    size = 0
    while not is_empty(left):
        best, most = next_by_cardinality(adjacency, left, done)  # inside N'
        if most < size:  # the current clique is maximal; it meets the next one in `best`'s earlier neighbours
            if size + 1 > max_clique:
                return -np.inf
            total += conditional_score(scores, scratch, clique, v)
            for k in range(words):
                clique[k] = adjacency[best, k] & done[k]
            total -= conditional_score(scores, scratch, clique, v)
            size = most
        toggle(clique, best)
        size += 1
        toggle(done, best)
        toggle(left, best)
    if size + 1 > max_clique:
        return -np.inf
    return total + conditional_score(scores, scratch, clique, v)


@inlined
def lacks_required(scores, v, neighbours):
    """Whether a required edge of v leads to none of its `neighbours` (uint64[words])."""
    for k in range(neighbours.shape[0]):
        if scores.required[v, k] & ~neighbours[k] != np.uint64(0):
            return True
    return False


@kernel
def neighbours_gain(scores, scratch, work, adjacency, v, neighbours, max_clique):
    """L(v, N') - L(v, N) for N' = `neighbours` in place of N; minus infinity if it is not allowed."""
    if lacks_required(scores, v, neighbours):
        return -np.inf
    if not can_have_neighbours(adjacency, v, neighbours, work.rest, work.boundary, work.stack):
        return -np.inf
    after = vertex_score(scores, scratch, work, adjacency, v, neighbours, max_clique)
    if after == -np.inf:
        return after
    return finite(after - vertex_score(scores, scratch, work, adjacency, v, adjacency[v], max_clique))


@kernel
def graph_score(scores, scratch, order, earlier):
    """Score of a chordal graph from its `cardinality_search`: the sum of s(v | earlier[v])."""
    total = 0.0
    for i in range(order.shape[0]):
        total += conditional_score(scores, scratch, earlier[i], i)
    return total
