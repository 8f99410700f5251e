"""Transpositions: two vertices of a chordal graph change places.

v gets w's neighbours and w gets v's; if they are adjacent they stay so. The graph is the same but for the names of two
vertices, so it stays chordal, and its cliques keep their sizes. Columns that are nearly copies of each other often have
each other's places in two good networks, and every path of moves of fewer edges between these leads through bad ones.

The gain, in the notation of `common.chains.moves_kernels`: with R = G - v - w, which does not change,

    score of G  =  score of R  +  L(v, N(v))  +  L(w, N(w) - v).

Cost: four times L, which is two score look-ups for each clique around one of both.

Everywhere `scores`, `scratch` and `work` are SetScores, ScoreScratch and MoveScratch, `adjacency` the graph (uint64[n,
words]), and `max_clique` bounds its cliques.
"""

import numpy as np

from ..common.chains.moves_kernels import lacks_required, vertex_score
from ..common.compiled.jit import inlined, kernel, lowest_bit
from ..common.scores.edge_gain_kernels import finite
from ..common.sets.bitset_kernels import copy_set, has, toggle


@inlined
def exchange_neighbours(adjacency, v, w, k, vertices):
    """Join v to the neighbours of w among some vertices, and w to those of v.

    Parameters
    ----------
    adjacency : uint64[n, words], changed
    v, w : int
    k : int, number of the word that `vertices` is
    vertices : uint64, each adjacent to one of v and w
    """
    adjacency[v, k] ^= vertices
    adjacency[w, k] ^= vertices
    while vertices != np.uint64(0):
        x = 64 * k + lowest_bit(vertices)
        toggle(adjacency[x], v)
        toggle(adjacency[x], w)
        vertices &= vertices - np.uint64(1)


@kernel
def transpose(adjacency, v, w):
    """Let v and w change places, in place; a second time undoes it. Returns whether the graph is another one."""
    changed = False
    joined = has(adjacency[v], w)
    if joined:
        toggle(adjacency[v], w)
        toggle(adjacency[w], v)
    for k in range(adjacency.shape[1]):
        other = adjacency[v, k] ^ adjacency[w, k]
        changed |= other != np.uint64(0)
        exchange_neighbours(adjacency, v, w, k, other)
    if joined:
        toggle(adjacency[v], w)
        toggle(adjacency[w], v)
    return changed


@kernel
def contribution_of_two(scores, scratch, work, adjacency, v, w, max_clique):
    """What v and w contribute to the score: L(v, N(v)) + L(w, N(w) - v)."""
    copy_set(adjacency[w], work.wanted)
    if has(work.wanted, v):
        toggle(work.wanted, v)
    first = vertex_score(scores, scratch, work, adjacency, v, adjacency[v], max_clique)
    return first + vertex_score(scores, scratch, work, adjacency, w, work.wanted, max_clique)


@kernel
def take_transposition(scores, scratch, work, adjacency, v, w, max_clique):
    """Let two vertices change places, and return the gain.

    Parameters
    ----------
    scores, scratch, work : SetScores, ScoreScratch, MoveScratch
        work.wanted is overwritten.
    adjacency : uint64[n, words], a chordal graph, changed
    v, w : int, not the same
    max_clique : int

    Returns
    -------
    (float, bool)
        The gain, minus infinity if a required edge is lost or a score is missing; whether the graph is another one. If
        not taken, `transpose` undoes it.
    """
    before = contribution_of_two(scores, scratch, work, adjacency, v, w, max_clique)
    if not transpose(adjacency, v, w):
        return 0.0, False
    for x in (v, w):
        if lacks_required(scores, x, adjacency[x]):
            return -np.inf, True
    return finite(contribution_of_two(scores, scratch, work, adjacency, v, w, max_clique) - before), True
