"""Kernel that finds the best subtree of one vertex, which chooses all its neighbours at once.

The maximal cliques of a chordal graph that contain a vertex v are a subtree of its junction tree (Gavril 1974). Without
v the graph is chordal too, with cliques C_i and separators S_ij of a junction tree. Let U be a connected part of that
tree, and let v join every clique of U: then the graph is chordal again, and v adds

    sum over i in U of [s(C_i + v) - s(C_i)]  -  sum over the separators within U of [s(S_ij + v) - s(S_ij)].

The best U has a clique as its root, and the best part below each child, if that gains more than its separator costs:
one pass from the leaves finds it. In each component of the graph v may have its own part; each further part adds s(v)
less.

A clique of the largest allowed size is joined without one of its vertices, the best choice; a separator that contains
this vertex is not crossed.

So a vertex of many cliques is moved in one step, where single edges or single cliques would first lose score.

Cost: O(n^2 + m words) for m edges, and two scores for each separator and each clique (for a full one, two for each
vertex of it).

Everywhere `scores` is a SetScores, `scratch` the thread's ScoreScratch (`common.scores.score_cache_kernels`), `work` a
SubtreeScratch, `v` the vertex and `max_clique` the largest clique allowed.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel, lowest_bit
from ..compiled.records import by_address
from ..graphs.chordal_kernels import cardinality_search_from, cliques_and_separators, replace_neighbours
from ..sets.bitset_kernels import copy_set, has, size_of, toggle
from .edge_gain_kernels import finite
from .score_cache_kernels import key_of, score_with

CROSSING, ROOT = 0, 1


@by_address
class SubtreeScratch(NamedTuple):
    """Work space, overwritten, and a result.

    wanted : uint64[words], the new neighbours
    rows : uint64[n, words], the graph without the vertex
    order : int64[n] and earlier : uint64[n, words], a cardinality search; place : int64[n], the clique each came with
    cliques, separators : uint64[n, words], each clique's separator to its parent
    parent, child, sibling : int64[n], a clique's parent, first child, and next child of its parent; -1 for none
    cost : float64[n], of the separator to the parent
    best : float64[n, 2], the largest gain of a part below each clique, if it crosses to its parent and as a root
    left_out : int64[n, 2], the vertex of the clique that v is not joined to in it; -1 for none
    """

    wanted: np.ndarray
    rows: np.ndarray
    order: np.ndarray
    earlier: np.ndarray
    place: np.ndarray
    cliques: np.ndarray
    separators: np.ndarray
    parent: np.ndarray
    child: np.ndarray
    sibling: np.ndarray
    cost: np.ndarray
    best: np.ndarray
    left_out: np.ndarray


def subtree_scratch(n, words):
    """Work space for n vertices, sets of `words` words: a SubtreeScratch."""

    def sets(*shape):
        return np.zeros((*shape, words), np.uint64)

    def numbers(*shape):
        return np.zeros((n, *shape), np.int64)

    graph, tree = (sets(n), numbers(), sets(n), numbers()), (numbers(), numbers(), numbers())
    return SubtreeScratch(sets(), *graph, sets(n), sets(n), *tree, np.zeros(n), np.zeros((n, 2)), numbers(2))


@kernel
def best_subtree(scores, scratch, work, adjacency, v, max_clique):
    """The score of the chordal graph once the neighbours of v are those of its best subtree.

    Parameters
    ----------
    scores : SetScores
    scratch : ScoreScratch
    work : SubtreeScratch; work.wanted is set to the neighbours
    adjacency : uint64[n, words], a chordal graph

    Returns
    -------
    float
        Minus infinity if the graph without v has a set without a score.
    """
    n, words = adjacency.shape
    for u in range(n):
        work.place[u] = 0
    count = tree_without(work, adjacency, v, 1)
    for k in range(words):
        work.wanted[k] = np.uint64(0)
    alone = score_with(scores, scratch, work.wanted, key_of(scores, work.wanted), v, -1)
    total = 0.0
    for i in range(count - 1, -1, -1):  # children before their parents
        total += evaluate_part(scores, scratch, work, i, v, max_clique)
    if not abs(total) < np.inf:
        return -np.inf
    first = 0
    while first < count:  # a component's cliques follow each other
        best, end = first, first + 1
        while end < count and work.parent[end] >= 0:
            if work.best[end, ROOT] > work.best[best, ROOT]:
                best = end
            end += 1
        if work.best[best, ROOT] > alone:
            total += work.best[best, ROOT] - alone
            take_part(work, best)
        first = end
    return total


@kernel
def tree_without(work, adjacency, v, step):
    """Make a junction tree of the graph without the edges at v; the tree does not depend on them.

    Parameters
    ----------
    work : SubtreeScratch; its first fields up to `sibling` are filled, `wanted` is overwritten. work.place has weights
        of the vertices, of which `common.graphs.chordal_kernels.cardinality_search_from` takes the larger first
    adjacency : uint64[n, words]
    step : int, larger than the weights

    Returns
    -------
    int
        The number of cliques; {v} is one of them. Cliques of a component are consecutive, parents before children.
    """
    for u in range(adjacency.shape[0]):
        copy_set(adjacency[u], work.rows[u])
    for k in range(adjacency.shape[1]):
        work.wanted[k] = np.uint64(0)
    replace_neighbours(work.rows, v, work.wanted)
    cardinality_search_from(work.rows, work.order, work.earlier, work.place, work.wanted, step)
    count = cliques_and_separators(work.order, work.earlier, work.cliques, work.separators)
    make_tree(work, count)
    return count


@kernel
def make_tree(work, count):
    """Fill `parent`, `child` and `sibling` for `count` cliques as the cardinality search lists them."""
    position = 0
    for i in range(count):
        work.child[i], parent = -1, -1
        for k in range(work.wanted.shape[0]):
            word = work.separators[i, k]
            while word != np.uint64(0):
                parent = max(parent, work.place[64 * k + lowest_bit(word)])
                word &= word - np.uint64(1)
        work.parent[i] = parent  # listed with the last vertex of the separator to be listed, so it contains all of it
        if parent >= 0:
            work.sibling[i] = work.child[parent]
            work.child[parent] = i
        for _ in range(size_of(work.cliques[i]) - size_of(work.separators[i])):
            work.place[work.order[position]] = i
            position += 1


@kernel
def evaluate_part(scores, scratch, work, i, v, max_clique):
    """Fill `cost`, `best` and `left_out` of clique i; returns its score less that of its separator."""
    clique, separator = work.cliques[i], work.separators[i]
    key = key_of(scores, clique)
    total = score_with(scores, scratch, clique, key, -1, -1)
    for kind in (CROSSING, ROOT):
        work.best[i, kind], work.left_out[i, kind] = -np.inf, -1
    if has(clique, v):
        pass
    elif size_of(clique) < max_clique:
        gain = score_with(scores, scratch, clique, key, v, -1) - total + parts_below(work, i, -1)
        for kind in (CROSSING, ROOT):
            work.best[i, kind] = gain
    elif max_clique > 1:
        for k in range(clique.shape[0]):
            word = work.cliques[i, k]
            while word != np.uint64(0):
                u = 64 * k + lowest_bit(word)
                word &= word - np.uint64(1)
                toggle(clique, u)
                key = key_of(scores, clique)
                without = score_with(scores, scratch, clique, key, -1, -1)
                gain = finite(score_with(scores, scratch, clique, key, v, -1) - without) + parts_below(work, i, u)
                toggle(clique, u)
                for kind in (CROSSING, ROOT):
                    if gain > work.best[i, kind] and (kind == ROOT or not has(separator, u)):
                        work.best[i, kind], work.left_out[i, kind] = gain, u
    work.cost[i] = np.inf
    if work.parent[i] >= 0:
        key = key_of(scores, separator)
        without = score_with(scores, scratch, separator, key, -1, -1)
        total -= without
        cost = score_with(scores, scratch, separator, key, v, -1) - without
        if cost > -np.inf:
            work.cost[i] = cost
    return total


@inlined
def crosses(work, child, left_out):
    """Whether the part below a clique, joined without the vertex `left_out`, continues at this child."""
    open_ = left_out < 0 or not has(work.separators[child], left_out)
    return open_ and work.best[child, CROSSING] > work.cost[child]


@kernel
def parts_below(work, i, left_out):
    """The gain of the parts below the children of clique i, if it is joined without the vertex `left_out`."""
    gained, child = 0.0, work.child[i]
    while child >= 0:
        if crosses(work, child, left_out):
            gained += work.best[child, CROSSING] - work.cost[child]
        child = work.sibling[child]
    return gained


@kernel
def take_part(work, root):
    """Add to work.wanted the vertices of the best part with this root."""
    stack, height = work.place, 1  # the place of a vertex is no longer needed
    stack[0] = root
    while height > 0:
        height -= 1
        i = stack[height]
        left_out = work.left_out[i, ROOT if i == root else CROSSING]
        for k in range(work.wanted.shape[0]):
            word = work.cliques[i, k]
            if left_out >= 0 and left_out >> 6 == k:
                word &= ~(np.uint64(1) << np.uint64(left_out & 63))
            work.wanted[k] |= word
        child = work.child[i]
        while child >= 0:
            if crosses(work, child, left_out):
                stack[height] = child
                height += 1
            child = work.sibling[child]
