"""Branches: a part of a chordal graph that hangs at one vertex is moved to another.

Let v and w be vertices and M their common neighbours. A component D of G - M - v - w is a *branch* at v if v has
neighbours in it and w has none. The neighbours of D are then v and a set Q inside M, and Q is complete: two vertices of
Q that are not adjacent would be on a chordless cycle through D and w. The vertices of D that v is adjacent to become
neighbours of w instead. D and Q + w are now as D and Q + v were, and are glued to the rest along a complete set, so the
graph stays chordal, and cliques keep their sizes. The same D leads back.

In the notation of `common.chains.moves_kernels`, with W the neighbours of v in D + Q, the gain is

    L(w, W) - L(v, W) - s(w|Q) + s(v|Q),

since G is G - D and the graph on D + Q + v, glued along Q + v, and v contributes L(v, W) to the latter.

Where columns are nearly copies of each other, one of them is the centre of a part of the network, and good networks
differ in which one. Moves at single vertices lead there through bad ones.

Cost: O(n words) for the branch, two score look-ups for each of its cliques around v.

Everywhere `scores`, `scratch` and `work` are SetScores, ScoreScratch and MoveScratch, `adjacency` a chordal graph
(uint64[n, words]), and `max_clique` bounds its cliques.
"""

import numpy as np

from ..common.chains.moves_kernels import conditional_score, vertex_score
from ..common.compiled.jit import inlined, kernel, lowest_bit
from ..common.compiled.random_kernels import below
from ..common.scores.edge_gain_kernels import finite
from ..common.sets.bitset_kernels import element_at, has, size_of, toggle


@kernel
def fill_branch(adjacency, v, w, x, work):
    """Find the component D of x.

    Parameters
    ----------
    adjacency, work
        work.boundary becomes Q, and work.wanted W: the neighbours of v in D and Q.
    v, w, x : int
        x is adjacent to v, and not to w.

    Returns
    -------
    bool
        Whether w has no neighbour in D.
    """
    words = adjacency.shape[1]
    rest, boundary, branch, stack = work.rest, work.boundary, work.wanted, work.stack
    for k in range(words):
        rest[k] = ~(adjacency[v, k] & adjacency[w, k])
        boundary[k] = np.uint64(0)
        branch[k] = np.uint64(0)
    toggle(rest, v)
    toggle(rest, w)
    toggle(rest, x)
    toggle(branch, x)
    stack[0] = x
    height = 1
    while height > 0:
        height -= 1
        row = adjacency[stack[height]]
        for k in range(words):
            boundary[k] |= row[k]
            fresh = row[k] & rest[k]
            rest[k] ^= fresh
            branch[k] |= fresh
            while fresh != np.uint64(0):
                stack[height] = 64 * k + lowest_bit(fresh)
                height += 1
                fresh &= fresh - np.uint64(1)
    if has(boundary, w):
        return False
    for k in range(words):
        boundary[k] &= adjacency[v, k] & adjacency[w, k]
        branch[k] = adjacency[v, k] & branch[k] | boundary[k]
    return True


@kernel
def draw_branch(adjacency, v, w, random, work):
    """Draw a neighbour of v that w does not have, for its branch; returns whether there is one.

    Parameters
    ----------
    adjacency, work
        work.boundary and work.wanted as `fill_branch` fills them.
    v, w : int
    random : uint64[4], advanced
    """
    own = work.chosen
    for k in range(adjacency.shape[1]):
        own[k] = adjacency[v, k] & ~adjacency[w, k]
    if has(own, w):
        toggle(own, w)
    count = size_of(own)
    return count > 0 and fill_branch(adjacency, v, w, element_at(own, below(random, count)), work)


@kernel
def branch_gain(scores, scratch, work, adjacency, v, w, max_clique):
    """The gain of moving the branch in `work` from v to w; minus infinity if it is not allowed.

    L(w, W) - L(v, W) - s(w|Q) + s(v|Q): W is the branch with Q, the neighbours of it that v and w share.
    """
    wanted, base = work.wanted, work.boundary
    for k in range(wanted.shape[0]):
        if scores.required[v, k] & wanted[k] & ~base[k] != np.uint64(0):
            return -np.inf
    gain = vertex_score(scores, scratch, work, adjacency, w, wanted, max_clique)
    gain -= vertex_score(scores, scratch, work, adjacency, v, wanted, max_clique)
    gain -= conditional_score(scores, scratch, base, w)
    return finite(gain + conditional_score(scores, scratch, base, v))


@inlined
def move_branch(adjacency, v, w, work):
    """Move the branch that is in `work` from v to w."""
    for k in range(adjacency.shape[1]):
        moved = work.wanted[k] & ~work.boundary[k]
        adjacency[v, k] ^= moved
        adjacency[w, k] ^= moved
        while moved != np.uint64(0):
            x = 64 * k + lowest_bit(moved)
            toggle(adjacency[x], v)
            toggle(adjacency[x], w)
            moved &= moved - np.uint64(1)
