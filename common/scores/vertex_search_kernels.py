"""Local search over the neighbours of one vertex after another.

A vertex takes its best subtree (`common.scores.subtree_kernels`) if that gains, then toggles the single edge that gains
most, until none gains. Vertices wait in a queue; when the neighbours of a vertex have changed, it, its old and its new
neighbours are put at the end of it. The search is over when the queue is empty.

Cost of a search at a vertex: that of its best subtree, and for each edge that is toggled, and once more, O(n words) and
O(n) scores for all edges at it.

Everywhere `scores` is a SetScores, `scratch` the thread's ScoreScratch (`common.scores.score_cache_kernels`), `work` a
VertexSearch, `adjacency` the chordal graph (uint64[n, words]), which changes, `v` a vertex and `max_clique` the largest
clique allowed.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel, lowest_bit, shared
from ..compiled.records import by_address
from ..graphs.chordal_kernels import replace_neighbours
from ..sets.bitset_kernels import copy_set, has, toggle
from .edge_gain_kernels import component_borders, edge_gains
from .subtree_kernels import SubtreeScratch, best_subtree, subtree_scratch

MIN_GAIN = 1e-6  # smallest gain of a change: less may be rounding


@by_address
class VertexSearch(NamedTuple):
    """The state of a search, and work space; also an EdgeScratch (`common.scores.edge_gain_kernels`).

    score : float64[1], of the graph
    queue : int64[n], a ring of vertices; ends : int64[2], the place of the first of them, and their number
    waiting : uint64[words], the set of them
    before : uint64[words], a vertex's neighbours before the search at it
    tree : SubtreeScratch
    member_of : int64[n] and borders : uint64[n, words], as for `component_borders`
    gains : float64[n], of the edges at a vertex
    common, rest : uint64[words], and stack : int64[n]
    """

    score: np.ndarray
    queue: np.ndarray
    ends: np.ndarray
    waiting: np.ndarray
    before: np.ndarray
    tree: SubtreeScratch
    member_of: np.ndarray
    borders: np.ndarray
    gains: np.ndarray
    common: np.ndarray
    rest: np.ndarray
    stack: np.ndarray


def vertex_search(n, words):
    """A VertexSearch for n vertices, with an empty queue."""

    def sets(*shape):
        return np.zeros((*shape, words), np.uint64)

    def numbers(size):
        return np.zeros(size, np.int64)

    queue = np.zeros(1), numbers(n), numbers(2), sets(), sets()
    edges = numbers(n), sets(n), np.zeros(n), sets(), sets(), numbers(n + 1)
    return VertexSearch(*queue, subtree_scratch(n, words), *edges)


@inlined
def enqueue(work, v):
    """Put a vertex at the end of the queue, unless it is already in it."""
    if not has(work.waiting, v):
        toggle(work.waiting, v)
        work.queue[(work.ends[0] + work.ends[1]) % work.queue.shape[0]] = v
        work.ends[1] += 1


@shared
def improve(scores, scratch, work, adjacency, max_clique, most, stop):
    """Local search over the neighbours of one vertex in the queue after another, at most `most` times.

    Parameters
    ----------
    most : int
    stop : int64[1], the search ends when it is not zero

    Returns
    -------
    int
        The number of searches.
    """
    n, words = adjacency.shape
    searches = 0
    while work.ends[1] > 0 and searches < most and stop[0] == 0:
        v = work.queue[work.ends[0]]
        work.ends[0] = (work.ends[0] + 1) % n
        work.ends[1] -= 1
        toggle(work.waiting, v)
        searches += 1
        copy_set(adjacency[v], work.before)
        score = best_subtree(scores, scratch, work.tree, adjacency, v, max_clique)
        if score > work.score[0] + MIN_GAIN and holds(work.tree.wanted, scores.required[v]):
            replace_neighbours(adjacency, v, work.tree.wanted)
            work.score[0] = score
        toggle_edges(scores, scratch, work, adjacency, v, max_clique)
        changed = False
        for k in range(words):
            changed |= work.before[k] != adjacency[v, k]
        if changed:
            enqueue(work, v)
            for k in range(words):
                word = work.before[k] | adjacency[v, k]
                while word != np.uint64(0):
                    enqueue(work, 64 * k + lowest_bit(word))
                    word &= word - np.uint64(1)
    return searches


@inlined
def holds(members, others):
    """Whether all of `others` are in the set `members`."""
    for k in range(members.shape[0]):
        if others[k] & ~members[k] != np.uint64(0):
            return False
    return True


@kernel
def toggle_edges(scores, scratch, work, adjacency, v, max_clique):
    """Toggle the edge at v that gains most, until none gains."""
    while True:
        component_borders(adjacency, v, work.member_of, work.borders, work.rest, work.stack)
        edge_gains(scores, scratch, work, adjacency, v, work.member_of, work.borders, max_clique, work.gains)
        w = np.argmax(work.gains)
        if not work.gains[w] > MIN_GAIN:
            return
        toggle(adjacency[v], w)
        toggle(adjacency[w], v)
        work.score[0] += work.gains[w]
