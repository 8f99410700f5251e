"""Iterated local search (Lourenço, Martin and Stützle 2003): parts of the best network are removed and rebuilt.

A vertex and some of its neighbours lose all their edges. In random order each is searched for new neighbours, then
those whose neighbours have changed, until none gains (`common.scores.vertex_search_kernels`). The result is kept if it
is better.

Everywhere `walker` is a Walker, `scores` and `scratch` are SetScores and ScoreScratch, `work` a VertexSearch; cliques
are of at most `max_clique` vertices, and the search ends when `stop` (int64[1]) is not zero, or after `most`
searches at a vertex.
"""

import numpy as np

from ..common.compiled.jit import kernel
from ..common.compiled.random_kernels import below
from ..common.graphs.chordal_kernels import replace_neighbours
from ..common.scores.vertex_search_kernels import enqueue, improve
from ..common.sets.bitset_kernels import copy_rows, copy_set, element_at, is_empty, size_of, toggle
from .walker_kernels import EVALUATED, SCORE, STARTS, STEPS, record

MAX_SET_SIZE = 12  # vertices that lose their edges
SEARCH_COST = 100  # approximate number of neighbours evaluated in the time of one search at a vertex


@kernel
def improve_all(walker, scores, scratch, work, max_clique, most, stop):
    """Improve the walker's network, whose score is known, until no vertex gains."""
    for v in range(walker.adjacency.shape[0]):
        enqueue(work, v)
    work.score[0] = walker.numbers[SCORE]
    improve_queued(walker, scores, scratch, work, max_clique, most, stop)


@kernel
def rebuild(walker, scores, scratch, work, max_clique, steps, most, stop):
    """Iterated local search: remove and rebuild parts of the walker's best network.

    Parameters
    ----------
    steps : int, searches at a vertex; the last network is finished, unless `most` is reached
    """
    begin = walker.counts[STEPS]
    while walker.counts[STEPS] - begin < min(steps, most) and stop[0] == 0:
        copy_rows(walker.best, walker.adjacency)
        remove_edges(walker, scores, work)
        improve_queued(walker, scores, scratch, work, max_clique, most - (walker.counts[STEPS] - begin), stop)


@kernel
def improve_queued(walker, scores, scratch, work, max_clique, most, stop):
    """Improve the network until no vertex in the queue gains, and keep it if it is the best."""
    searches = improve(scores, scratch, work, walker.adjacency, max_clique, most, stop)
    walker.counts[STEPS] += searches
    walker.counts[EVALUATED] += SEARCH_COST * searches
    walker.numbers[SCORE] = work.score[0]
    record(walker)


@kernel
def remove_edges(walker, scores, work):
    """Some vertices lose their edges and enter the queue; the score is not known before the first search at one."""
    adjacency, state, near = walker.adjacency, walker.random, work.before
    n = adjacency.shape[0]
    walker.counts[STARTS] += 1
    walker.counts[STEPS] += 1
    v = below(state, n)
    copy_set(adjacency[v], near)
    size = 2 + below(state, MAX_SET_SIZE - 1)
    place = below(state, size)
    for i in range(size):
        u = v
        if i != place:
            count = size_of(near)
            u = below(state, n) if count == 0 else element_at(near, below(state, count))
            if count > 0:
                toggle(near, u)
        if is_empty(scores.required[u]):
            enqueue(work, u)
    for k in range(near.shape[0]):
        near[k] = np.uint64(0)
    for i in range(work.ends[1]):
        replace_neighbours(adjacency, work.queue[(work.ends[0] + i) % n], near)
    work.score[0] = -np.inf
