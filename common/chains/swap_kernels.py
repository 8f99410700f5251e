"""Swap moves of a chordal graph: one edge is exchanged for another, within a clique bound that an addition breaks.

Let v, w be not adjacent and separated by S, their common neighbours. The edge v-w makes the maximal clique C = S + v +
w; then the edge between another pair x, y of C is removed, which keeps the graph chordal iff no other maximal clique
contains both, that is, iff the common neighbours of x, y are C - x - y. C is replaced by C - x and C - y, which have
one vertex less. `lsmarkov` and `twlearn` use them.

Throughout, `adjacency` is the chordal graph (uint64[n, words]); v, w is the pair that is added and x, y the one that is
removed.
"""

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.random_kernels import another, below
from ..sets.bitset_kernels import element_at, size_of, toggle
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
def take_swap(adjacency, v, w, x, y):
    """Add v-w and remove x-y, in place."""
    toggle(adjacency[v], w)
    toggle(adjacency[w], v)
    toggle(adjacency[x], y)
    toggle(adjacency[y], x)
