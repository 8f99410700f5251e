"""Gains of moves that touch one vertex (DESIGN section 5), and their checks.

Every neighbourhood of the lsmarkov paper changes only the edges at a single vertex v, whose neighbour set
becomes N'. So neither the whole graph's order nor its whole score is needed: with s(.|K) = s(K + v) - s(K),
the part of the score that involves v is

    L(v, N') = sum over the maximal cliques K of the graph on N' of s(v|K)  -  the same over its separators,

which is the sum over a perfect order of DESIGN section 5 with its telescoping terms left out; a move gains
L(v, N') - L(v, N). A single edge v-w with common neighbours S gains s(S+v+w) + s(S) - s(S+v) - s(S+w) when it
is added and loses as much when it is removed.

Cost: O(n words) for the check, four looked-up scores for an edge, two for each clique and separator of N'
otherwise.

Everywhere `scores`, `scratch` and `work` are SetScores, ScoreScratch and MoveScratch, `adjacency` a chordal
graph (uint64[n, words]), and `max_clique` bounds its cliques.
"""

from typing import NamedTuple

import numpy as np

from cliquewise.common.graphs.chordal_kernels import (
    are_separated,
    can_have_neighbours,
    is_complete,
    next_by_cardinality,
)
from cliquewise.common.jit import inlined, kernel
from cliquewise.common.scores.score_cache_kernels import key_of, score_with
from cliquewise.common.sets.bitset_kernels import flip, has, is_empty, size_of


class MoveScratch(NamedTuple):
    """One thread's work space for moves.

    common, rest, boundary, done, clique : uint64[words], overwritten by the functions here
    chosen, wanted : uint64[words], for their callers: a clique, and a vertex's new neighbours
    stack : int64[n], overwritten
    """

    common: np.ndarray
    rest: np.ndarray
    boundary: np.ndarray
    done: np.ndarray
    clique: np.ndarray
    chosen: np.ndarray
    wanted: np.ndarray
    stack: np.ndarray


@kernel
def edge_gain(scores, scratch, work, adjacency, v, w, max_clique):
    """What flipping the edge v-w gains; minus infinity where it may not be done.

    Parameters
    ----------
    scores : SetScores
    scratch : ScoreScratch
    work : MoveScratch; work.common is set to the common neighbours
    adjacency : uint64[n, words], a chordal graph
    v, w : int, different
    max_clique : int

    Returns
    -------
    float
    """
    common = work.common
    for k in range(common.shape[0]):
        common[k] = adjacency[v, k] & adjacency[w, k]
    sign = 1.0
    if has(adjacency[v], w):
        if not is_complete(adjacency, common):
            return -np.inf
        sign = -1.0
    else:
        if size_of(common) + 2 > max_clique:
            return -np.inf
        if not are_separated(adjacency, common, v, w, work.rest, work.stack):
            return -np.inf
    return finite(sign * pair_gain(scores, scratch, common, v, w))


@inlined
def finite(gain):
    """The gain, or minus infinity if sets without a score (in a score file) made it infinite or undefined."""
    return gain if abs(gain) < np.inf else -np.inf


@inlined
def pair_gain(scores, scratch, common, v, w):
    """s(S+v+w) + s(S) - s(S+v) - s(S+w) for the set S = `common` (uint64[words])."""
    key = key_of(scores, common)
    together = score_with(scores, scratch, common, key, v, w)
    together += score_with(scores, scratch, common, key, -1, -1)
    apart = score_with(scores, scratch, common, key, v, -1) + score_with(scores, scratch, common, key, w, -1)
    return together - apart


@kernel
def given(scores, scratch, members, v):
    """s(v | K) = s(K + v) - s(K) for the set K = `members`."""
    key = key_of(scores, members)
    with_v = score_with(scores, scratch, members, key, v, -1)
    return with_v - score_with(scores, scratch, members, key, -1, -1)


@kernel
def vertex_score(scores, scratch, work, adjacency, v, neighbours, max_clique):
    """L(v, N') for N' = `neighbours` (uint64[words]); minus infinity if a clique would be too large."""
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
        if most < size:  # the clique in hand is maximal; the next one meets it in `best`'s earlier neighbours
            if size + 1 > max_clique:
                return -np.inf
            total += given(scores, scratch, clique, v)
            for k in range(words):
                clique[k] = adjacency[best, k] & done[k]
            total -= given(scores, scratch, clique, v)
            size = most
        flip(clique, best)
        size += 1
        flip(done, best)
        flip(left, best)
    if size + 1 > max_clique:
        return -np.inf
    return total + given(scores, scratch, clique, v)


@kernel
def neighbours_gain(scores, scratch, work, adjacency, v, neighbours, max_clique):
    """What replacing v's neighbours by `neighbours` gains; minus infinity where it may not be done."""
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
        total += given(scores, scratch, earlier[i], i)
    return total
