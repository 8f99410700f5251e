"""Swap moves: one edge of a chordal graph is exchanged for another, within a clique bound that an addition breaks.

With cliques of at most K vertices, a good network is nearly a k-tree: most edges that could be added would create a
clique of K + 1. A swap creates this clique and splits it in another way. Let v, w be not adjacent and separated by S,
their common neighbours. The edge v-w creates the maximal clique C = S + v + w (`common.scores.edge_gain_kernels`); then
the edge between another pair x, y of C is removed, which keeps the graph chordal iff no other maximal clique contains
both, that is, iff the common neighbours of x, y are C - x - y. C is replaced by C - x and C - y, which have one vertex
less. With |S| = K - 1, no clique of the result is larger than K, although C is.

    gain = s(S) - s(S + v) - s(S + w)  -  (s(C - x - y) - s(C - x) - s(C - y))

s(C) cancels: the larger set is never scored. Cost: O(n words) for the check, six score look-ups for the gain.
`lsmarkov` draws swaps by `draw_swap`; so does `twlearn`, which scores families instead; `mnposterior` has reversible
draws of its own.

Throughout, `adjacency` is the chordal graph (uint64[n, words]); v, w is the pair that is added and x, y the one that is
removed; `scores`, `scratch`, `work` and `max_clique` are those of `common.chains.moves_kernels`.
"""

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.random_kernels import another, below
from ..graphs.chordal_kernels import are_separated
from ..scores.edge_gain_kernels import finite
from ..scores.score_cache_kernels import key_of, score_with
from ..sets.bitset_kernels import copy_set, element_at, has, size_of, toggle
from .metropolis_kernels import second_neighbour


@inlined
def are_only_common(adjacency, members, v, w, x, y):
    """Are `members` (uint64[words]) the common neighbours of x and y after v-w is added?"""
    other = np.uint64(0)
    for k in range(members.shape[0]):
        row, column = adjacency[x, k], adjacency[y, k]
        for a, b in ((v, w), (w, v)):
            bit = np.uint64(1) << np.uint64(b & 63) if k == b >> 6 else np.uint64(0)
            row |= bit if x == a else np.uint64(0)
            column |= bit if y == a else np.uint64(0)
        other |= (row & column) ^ members[k]
    return other == np.uint64(0)


@kernel
def draw_swap(adjacency, v, random, chosen):
    """Draw a swap at v.

    Parameters
    ----------
    adjacency : uint64[n, words]
    v : int
    random : uint64[4], random state, advanced
    chosen : uint64[words], overwritten

    Returns
    -------
    (int, int, int)
        w, a neighbour's neighbour of v, or -1 if the draw finds none; x and y, a pair of C.
    """
    w = second_neighbour(adjacency, v, random, chosen)
    if w < 0:
        return -1, -1, -1
    for k in range(chosen.shape[0]):
        chosen[k] = adjacency[v, k] & adjacency[w, k]
    toggle(chosen, v)
    toggle(chosen, w)
    count = size_of(chosen)
    first = below(random, count)
    x, y = element_at(chosen, first), element_at(chosen, another(random, count, first))
    if (x == v and y == w) or (x == w and y == v):
        return -1, -1, -1
    return w, x, y


@inlined
def half_gain(scores, scratch, separator, v, w):
    """s(S) - s(S + v) - s(S + w) for the set S = `separator` (uint64[words]), which contains neither v nor w."""
    key = key_of(scores, separator)
    apart = score_with(scores, scratch, separator, key, v, -1) + score_with(scores, scratch, separator, key, w, -1)
    return score_with(scores, scratch, separator, key, -1, -1) - apart


@kernel
def swap_gain(scores, scratch, work, adjacency, v, w, x, y, max_clique):
    """The gain of adding v-w and removing x-y; minus infinity if it is not allowed.

    Parameters
    ----------
    scores, scratch, work : SetScores, ScoreScratch, MoveScratch
        work.common, work.clique and work.rest are overwritten.
    adjacency : uint64[n, words], a chordal graph
    v, w : int, different and not adjacent
    x, y : int, different members of C, not v and w both
    max_clique : int, the largest clique allowed, not counting C

    Returns
    -------
    float
    """
    common, others = work.common, work.clique  # S and C - x - y
    if has(scores.required[x], y):
        return -np.inf
    for k in range(common.shape[0]):
        common[k] = adjacency[v, k] & adjacency[w, k]
    copy_set(common, others)
    for u in (v, w, x, y):
        toggle(others, u)
    if size_of(common) + 1 > max_clique or not are_only_common(adjacency, others, v, w, x, y):
        return -np.inf
    if not are_separated(adjacency, common, v, w, work.rest, work.stack):
        return -np.inf
    return finite(half_gain(scores, scratch, common, v, w) - half_gain(scores, scratch, others, x, y))


@inlined
def take_swap(adjacency, v, w, x, y):
    """Add v-w and remove x-y, in place."""
    toggle(adjacency[v], w)
    toggle(adjacency[w], v)
    toggle(adjacency[x], y)
    toggle(adjacency[y], x)
