"""S2: random k-trees, for each a random partial order (Algorithm 2 of the paper), and the best families inside.

The vertices of Q get a random order. Then the k-tree is grown vertex by vertex: v joins its clique K(v) at a random
place of the order that K(v) inherits. The order of two variables matters only if some clique holds both, and there
it is the same in all cliques. Every family that fits is looked at once, in the clique where the last of its members
joined: v with parents among those before it, and those after it with v among their parents.

Cost: O(n k) and O(n) lookups of up to (k + 1)^most sets an iteration.
"""

from typing import NamedTuple

import numpy as np

from common.jit import kernel
from common.random_kernels import below
from twlearn.ktrees_kernels import KTree, decode, draw_code
from twlearn.lookup_kernels import best_within


class Sample(NamedTuple):
    """One thread's work space.

    tree : KTree
    code : int64[max(m - 2, 0)]
    ordered : int64[m + 1, k + 1], each clique K(v) + v in its order; row 0 is Q, with -1 last
    others : int64[k + 1], candidates
    row : int64[n], chosen families
    place : int64[most + 1], path : uint64[most + 1], for lookups
    best_row : int64[n], best_order : int64[n], the best network and its elimination order
    best : float64[1], its score
    """

    tree: KTree
    code: np.ndarray
    ordered: np.ndarray
    others: np.ndarray
    row: np.ndarray
    place: np.ndarray
    path: np.ndarray
    best_row: np.ndarray
    best_order: np.ndarray
    best: np.ndarray


@kernel
def sample(table, empty, draws, work, random, stop):
    """Draw k-trees and orders; the best network goes into `work`.

    Parameters
    ----------
    table : Lookup
    empty : int64[n], the row of each variable's empty set
    draws : int
    work : Sample
    random : uint64[4], advanced
    stop : int64[1], watched

    Returns
    -------
    int
        How many were drawn.
    """
    work.best[0] = -np.inf
    for draw in range(draws):
        if stop[0] != 0:
            return draw
        draw_code(work.tree, work.code, random)
        decode(work.tree, work.code)
        score = _choose(table, empty, work, random)
        if score > work.best[0]:
            work.best[0] = score
            _keep(work)
    return draws


@kernel
def _choose(table, empty, work, random):
    """Draw the orders and choose the families; returns their score."""
    tree, ordered, row = work.tree, work.ordered, work.row
    k = tree.root.shape[0]
    for v in range(row.shape[0]):
        row[v] = empty[v]
    for j in range(k):
        ordered[0, j] = tree.root[j]
    for j in range(k - 1, 0, -1):
        i = below(random, j + 1)
        ordered[0, j], ordered[0, i] = ordered[0, i], ordered[0, j]
    for j in range(k):
        u = ordered[0, j]
        row[u] = best_within(table, row[u], table.child[u], ordered[0], j, table.most, work.place, work.path)
    for i in range(tree.order.shape[0]):
        _join(table, work, tree.order[i], below(random, k + 1))
    score = 0.0
    for v in range(row.shape[0]):
        score += table.scores[row[v]]
    return score


@kernel
def _join(table, work, number, at):
    """Vertex `number` of the k-tree takes place `at` of its clique's order; choose among the new families."""
    tree, ordered, row = work.tree, work.ordered, work.row
    k = tree.root.shape[0]
    v, w = tree.vertex[number], tree.parent[number]
    lacks = tree.cliques[w, tree.label[number]] if w else -1
    mine, above, size = ordered[number], ordered[w], 0
    for j in range(k + 1):
        if above[j] != lacks:
            if size == at:
                size += 1
            mine[size] = above[j]
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
    """Copy the network, and the k-tree's growth backwards: an elimination order of width k."""
    tree = work.tree
    for v in range(work.row.shape[0]):
        work.best_row[v] = work.row[v]
    m = tree.order.shape[0]
    for i in range(m):
        work.best_order[i] = tree.vertex[tree.order[m - 1 - i]]
    for j in range(tree.root.shape[0]):
        work.best_order[m + j] = tree.root[j]
