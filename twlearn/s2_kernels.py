"""S2: random k-trees, for each a random partial order (Algorithm 2 of the paper), and the best families inside.

The vertices of Q get a random order. Then the k-tree is grown vertex by vertex: v joins its clique K(v) at a random
place of the order that K(v) inherits. The order of two variables matters only if some clique contains both, and there
it is the same in all cliques. Every family that fits is considered once, in the clique where the last of its members
joined: v with parents among those before it, and those after it with v among their parents.

Such a candidate is a list of independent draws: Q, the entries of the k-tree's code, and the places. The paper adds
a simple hill climbing (end of Section 4) without details. Here every second candidate of a batch is a neighbour
of the batch's best: one of its draws, chosen uniformly, is repeated; the neighbour replaces the best if its score is
not lower.

Cost per iteration: O(n k), and O(n) lookups of up to (k + 1)^most sets.
"""

from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import inlined, kernel
from ..common.compiled.random_kernels import below
from ..common.compiled.records import by_address
from .dandelion_kernels import KTree, decode, draw_code, draw_entry, exchange_member
from .families_lookup_kernels import best_within


@by_address
class SampleScratch(NamedTuple):
    """One thread's work space.

    climb : bool, whether every second candidate is a neighbour of the best
    tree : KTree, its root the Q that was drawn
    code : int64[max(m - 2, 0)], drawn
    places : int64[n], drawn: where each vertex joins the order of its clique, first Q's (member j at 0 .. j), then
        the numbered ones (at 0 .. k)
    rank : int64[n], of each vertex in a known order of all, which its cliques follow whatever is drawn; or all 0
    is_ordered : bool, whether there is one
    ordered : int64[m + 1, k + 1], each clique K(v) + v in its order; row 0 is Q, with -1 last
    others : int64[k + 1], candidates
    row : int64[n], chosen families
    place : int64[most + 1], path : uint64[most + 1], for lookups
    best_root, best_code, best_places : the draws of the best network
    best_row : int64[n], best_order : int64[n], the best network and its elimination order
    best : float64[1], its score
    """

    climb: bool
    tree: KTree
    code: np.ndarray
    places: np.ndarray
    rank: np.ndarray
    is_ordered: bool
    ordered: np.ndarray
    others: np.ndarray
    row: np.ndarray
    place: np.ndarray
    path: np.ndarray
    best_root: np.ndarray
    best_code: np.ndarray
    best_places: np.ndarray
    best_row: np.ndarray
    best_order: np.ndarray
    best: np.ndarray


@kernel
def sample(table, empty, draws, work, random, stop):
    """Draw candidates (S2, Algorithm 2); the best network goes into `work`.

    Parameters
    ----------
    table : Lookup
    empty : int64[n], the row of each variable's empty set
    draws : int
    work : SampleScratch
    random : uint64[4], advanced
    stop : int64[1], ends the work when not zero

    Returns
    -------
    int
        Number of candidates drawn.
    """
    best = work.best
    best[0] = -np.inf
    for draw in range(draws):
        if stop[0] != 0:
            return draw
        near = work.climb and draw % 2 == 1
        if near:
            _draw_again(work, random)
        else:
            draw_code(work.tree, work.code, random)
            for i in range(work.places.shape[0]):
                _draw_place(work, i, random)
        decode(work.tree, work.code)
        score = _choose(table, empty, work)
        if score > best[0] or (near and score == best[0]):
            best[0] = score
            _keep(work)
    return draws


@inlined
def _copy(source, target):
    """Copy an int64[]."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@kernel
def _draw_place(work, i, random):
    """Draw one of the places."""
    work.places[i] = below(random, min(i, work.tree.root.shape[0]) + 1)


@kernel
def _draw_again(work, random):
    """The draws of the best network, with one of them repeated."""
    _copy(work.best_root, work.tree.root)
    _copy(work.best_code, work.code)
    _copy(work.best_places, work.places)
    k, entries, n = work.tree.root.shape[0], work.code.shape[0], work.places.shape[0]
    which = below(random, k + entries + n)
    if which < k:
        exchange_member(work.tree, which, random)
    elif which < k + entries:
        draw_entry(work.tree, work.code, which - k, random)
    else:
        _draw_place(work, which - k - entries, random)


@kernel
def _choose(table, empty, work):
    """Order the vertices as the places say and choose the families; returns their score."""
    tree, ordered, row, places = work.tree, work.ordered, work.row, work.places
    k = tree.root.shape[0]
    for v in range(row.shape[0]):
        row[v] = empty[v]
    for j in range(k):
        at = _place_among(work, tree.root[j], ordered[0], j, -1) if work.is_ordered else places[j]
        for i in range(j, at, -1):
            ordered[0, i] = ordered[0, i - 1]
        ordered[0, at] = tree.root[j]
    for j in range(k):
        u = ordered[0, j]
        row[u] = best_within(table, row[u], table.child[u], ordered[0], j, table.most, work.place, work.path)
    for i in range(tree.order.shape[0]):
        number = tree.order[i]
        _join(table, work, number, places[k + number - 1])
    score = 0.0
    for v in range(row.shape[0]):
        score += table.scores[row[v]]
    return score


@inlined
def _place_among(work, v, members, size, lacks):
    """How many of members[:size], without `lacks`, come before v in the known order."""
    place = 0
    for i in range(size):
        if members[i] != lacks and work.rank[members[i]] < work.rank[v]:
            place += 1
    return place


@kernel
def _join(table, work, number, at):
    """Vertex `number` of the k-tree takes place `at` of its clique's order; choose among the new families."""
    tree, ordered, row = work.tree, work.ordered, work.row
    k = tree.root.shape[0]
    v, w = tree.vertex[number], tree.parent[number]
    lacks = tree.cliques[w, tree.label[number]] if w else -1
    mine, inherited, size = ordered[number], ordered[w], 0
    if work.is_ordered:
        at = _place_among(work, v, inherited, k + 1 if w else k, lacks)
    for j in range(k + 1):
        if inherited[j] != lacks:
            if size == at:
                size += 1
            mine[size] = inherited[j]
            size += 1
    mine[at] = v
    row[v] = best_within(table, row[v], table.child[v], mine, at, table.most, work.place, work.path)
    if table.most == 0:
        return
    for j in range(at + 1, k + 1):
        u = mine[j]
        count = 0
        for i in range(j):
            if i != at:
                work.others[count] = mine[i]
                count += 1
        key = table.child[u] ^ table.parent[v]
        row[u] = best_within(table, row[u], key, work.others, count, table.most - 1, work.place, work.path)


@kernel
def _keep(work):
    """Copy the draws, the network, and the reversed order of the k-tree's growth: an elimination order of width k."""
    tree = work.tree
    _copy(tree.root, work.best_root)
    _copy(work.code, work.best_code)
    _copy(work.places, work.best_places)
    _copy(work.row, work.best_row)
    m = tree.order.shape[0]
    for i in range(m):
        work.best_order[i] = tree.vertex[tree.order[m - 1 - i]]
    for j in range(tree.root.shape[0]):
        work.best_order[m + j] = tree.root[j]
