"""Branches: a part of a chordal graph that hangs at one end of an edge is moved to the other.

Let v-w be an edge and M the common neighbours of its ends. A component D of G - M - v - w with neighbours of v is a
*branch* at v. Let X be these neighbours, and Q the vertices of M that have neighbours in D. A shortest path through D
between two vertices of X, from X to Q, or from X to w would be part of a cycle through v whose only chords are at v, so
all of its vertices are adjacent to v. Therefore

* w has no neighbour in D: v would be adjacent to it, too;
* X is a component of the graph on the neighbours of v that are neither w nor adjacent to it;
* Q are the vertices of M that have neighbours in X.

Q is complete: two vertices of it that are not adjacent would be on a chordless cycle through D and w. The vertices of X
become neighbours of w instead of v. D and Q + w are now as D and Q + v were, and are glued to the rest along a complete
set, so the graph stays chordal, and cliques keep their sizes. M, D and X stay the same, so D can be moved back.

In the notation of `common.chains.moves_kernels`, with W = X + Q, the gain is

    L(w, W) - L(v, W) - s(w|Q) + s(v|Q),

since G is G - D and the graph on D + Q + v, glued along Q + v, and v contributes L(v, W) to the latter.

*Reversible draws.* v is drawn uniformly, w uniformly from its deg(v) neighbours, and a vertex of X uniformly from the
deg(v) - |M| - 1 neighbours of v that are neither w nor adjacent to it. In the new graph H the move back is drawn in the
same way from w, so

    q(G -> H) = |X| / (n deg(v) (deg(v) - |M| - 1)),    q(H -> G) = |X| / (n deg'(w) (deg'(w) - |M| - 1)),

where deg'(w) = deg(w) + |X| is the degree in H. No other draw leads from G to H. `mnposterior` uses this ratio;
`lsmarkov` does not, as it optimises.

Where columns are nearly copies of each other, one of them is the centre of a part of the network, and good networks
differ in which one. Moves at single vertices lead there through bad ones.

Cost: O(|X| words) for the branch, two score look-ups for each of its cliques around v.

Everywhere `scores`, `scratch` and `work` are SetScores, ScoreScratch and MoveScratch, `adjacency` a chordal graph
(uint64[n, words]), and `max_clique` bounds its cliques.
"""

import math

import numpy as np

from ..compiled.jit import inlined, kernel, lowest_bit
from ..compiled.random_kernels import below
from ..scores.edge_gain_kernels import finite
from ..sets.bitset_kernels import common_size, element_at, size_of, toggle
from .moves_kernels import conditional_score, vertex_score


@kernel
def fill_branch(adjacency, v, w, x, work):
    """Find the branch at v with x, a neighbour of v that is not adjacent to w.

    Parameters
    ----------
    adjacency, work
        work.boundary becomes Q, and work.wanted W.
    v, w, x : int
    """
    words = adjacency.shape[1]
    rest, boundary, branch, stack = work.rest, work.boundary, work.wanted, work.stack
    for k in range(words):
        rest[k] = adjacency[v, k] & ~adjacency[w, k]
        boundary[k] = np.uint64(0)
        branch[k] = np.uint64(0)
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
    for k in range(words):
        boundary[k] &= adjacency[v, k] & adjacency[w, k]
        branch[k] |= boundary[k]


@kernel
def draw_branch(adjacency, v, random, work):
    """Draw a neighbour w of v, and a branch at v.

    Parameters
    ----------
    adjacency, work
        work.boundary and work.wanted as `fill_branch` fills them.
    v : int
    random : uint64[4], advanced

    Returns
    -------
    int
        w; -1 if the draw finds none.
    """
    degree = size_of(adjacency[v])
    if degree < 2:
        return np.int64(-1)
    w = element_at(adjacency[v], below(random, degree))
    own = work.chosen
    for k in range(adjacency.shape[1]):
        own[k] = adjacency[v, k] & ~adjacency[w, k]
    toggle(own, w)
    count = size_of(own)
    if count == 0:
        return np.int64(-1)
    fill_branch(adjacency, v, w, element_at(own, below(random, count)), work)
    return w


@kernel
def branch_log_ratio(adjacency, v, w, work):
    """ln (q(H -> G) / q(G -> H)) of the branch in `work`, as `draw_branch` draws it at v, drawn uniformly."""
    shared = common_size(adjacency[v], adjacency[w]) + 1
    before = size_of(adjacency[v])
    after = size_of(adjacency[w]) + size_of(work.wanted) - size_of(work.boundary)
    return math.log(before * (before - shared) / (after * (after - shared)))


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
