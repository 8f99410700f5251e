"""The best network inside a k-tree, by dynamic programming over its tree of cliques; see `twlearn.skp`.

Vertex number v of the k-tree (`twlearn.dandelion_kernels`) has the bag K(v) + v. Inside it, member j < k is K(v)'s j-th
and member k is v; a set of members is a mask, an order of them the rank of a permutation. If u is a child with label l,
member l of K(u) is v and all others are the same members as here. Node 0 has the bag Q.

    T(order, A) = sum over members in A of their best family before them, plus for each child the best way
                  F(u, order inside K(u), B) to take a part B of A as well
    F(v, order of K(v), A) = max over places of v in the order, of T(order with v, A + v)

F(v, order, A) is the best total score of the families of A, a part of K(v), and of all vertices below, including v.
`work` is always an InsideScratch and `table` a Lookup.

Cost: n (k + 1)! 3^k additions and n (k + 1) 2^k lookups.
"""

from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import inlined, kernel
from ..common.compiled.records import by_address
from .dandelion_kernels import KTree, decode, draw_code
from .families_lookup_kernels import find


@by_address
class InsideScratch(NamedTuple):
    """One thread's work space; m = n - k.

    tree : KTree
    code : int64[max(m - 2, 0)]
    orders : int64[(k + 1)!, k + 1], the permutations of 0 .. k
    short : int64[k!, k], those of 0 .. k - 1
    without : int64[(k + 1)!, k + 1], rank of each permutation without member l, once k is called l
    f : float64[m + 1, k!, 2^k], F
    totals : float64[m + 2, 2^(k + 1)], T of one order; row i with the first i children
    score : float64[k + 1, 2^(k + 1)], of the best family of a member inside a set of members
    found : int64[k + 1, 2^(k + 1)], its row
    child, sibling : int64[m + 1], first child and next sibling, 0 for none
    order, taken : int64[m + 1], of each node in the best network: rank of its clique's order, and A
    row : int64[n], chosen families
    best_row : int64[n], best_order : int64[n], the best network and its elimination order
    best : float64[1], its score
    """

    tree: KTree
    code: np.ndarray
    orders: np.ndarray
    short: np.ndarray
    without: np.ndarray
    f: np.ndarray
    totals: np.ndarray
    score: np.ndarray
    found: np.ndarray
    child: np.ndarray
    sibling: np.ndarray
    order: np.ndarray
    taken: np.ndarray
    row: np.ndarray
    best_row: np.ndarray
    best_order: np.ndarray
    best: np.ndarray


@kernel
def search(table, draws, work, random, stop):
    """Draw k-trees; the best network inside them goes into `work`.

    Parameters
    ----------
    table : Lookup
    draws : int
    work : InsideScratch
    random : uint64[4], advanced
    stop : int64[1], ends the work when not zero

    Returns
    -------
    int
        Number of k-trees drawn.
    """
    work.best[0] = -np.inf
    for draw in range(draws):
        if stop[0] != 0:
            return draw
        draw_code(work.tree, work.code, random)
        decode(work.tree, work.code)
        best_inside(table, work)
    return draws


@kernel
def best_inside(table, work):
    """The best network inside work.tree; kept if it is better than work.best. Returns its score."""
    tree = work.tree
    m, k = tree.order.shape[0], tree.root.shape[0]
    for v in range(m + 1):
        work.child[v] = 0
    for i in range(m - 1, -1, -1):
        v = tree.order[i]
        work.sibling[v] = work.child[tree.parent[v]]
        work.child[tree.parent[v]] = v
    for i in range(m - 1, -1, -1):
        _fill_f(table, work, tree.order[i])
    _look_up(table, work, 0)
    every = (1 << k) - 1
    best, first = -np.inf, 0
    for rank in range(work.short.shape[0]):
        children = _total(work, 0, rank)
        if work.totals[children, every] > best:
            best, first = work.totals[children, every], rank
    if best > work.best[0]:
        work.best[0] = best
        work.order[0], work.taken[0] = first, every
        _keep(table, work)
    return best


@kernel
def _fill_f(table, work, v):
    """F of node v; F of its children must be filled."""
    k = work.tree.root.shape[0]
    f = work.f[v]
    for rank in range(f.shape[0]):
        for a in range(1 << k):
            f[rank, a] = -np.inf
    _look_up(table, work, v)
    for rank in range(work.orders.shape[0]):
        last = work.totals[_total(work, v, rank)]
        mine = f[work.without[rank, k]]
        for a in range(1 << k):
            mine[a] = max(mine[a], last[a | 1 << k])


@kernel
def _look_up(table, work, v):
    """The best family of each member of a bag inside each set of the others."""
    tree = work.tree
    k = tree.root.shape[0]
    size = k + 1 if v else k
    for e in range(size):
        child = table.child[tree.vertex[v] if e == k else tree.cliques[v, e]]
        for mask in range(1 << size):
            work.score[e, mask] = -np.inf
            if mask >> e & 1:
                continue
            key, count, row = child, 0, -1
            for j in range(size):
                if mask >> j & 1:
                    count += 1
                    key ^= table.parent[tree.vertex[v] if j == k else tree.cliques[v, j]]
            if count <= table.most:
                row = find(table, key)
            if row >= 0:
                work.score[e, mask] = table.scores[row]
                work.found[e, mask] = row
            for j in range(size):
                if mask >> j & 1 and work.score[e, mask ^ (1 << j)] > work.score[e, mask]:
                    work.score[e, mask] = work.score[e, mask ^ (1 << j)]
                    work.found[e, mask] = work.found[e, mask ^ (1 << j)]


@kernel
def _total(work, v, rank):
    """T of a bag's order: fills work.totals; returns which row has all children."""
    k = work.tree.root.shape[0]
    size = k + 1 if v else k
    first, before = work.totals[0], 0
    first[0] = 0.0
    for i in range(size):
        e = work.orders[rank, i] if v else work.short[rank, i]
        score, bit = work.score[e, before], 1 << e
        # every set of members so far, by adding e to the sets without it
        part = before
        while True:
            first[part | bit] = first[part] + score
            if part == 0:
                break
            part = (part - 1) & before
        before |= bit
    row, u = 0, work.child[v]
    while u:
        child_f = work.f[u, rank if v == 0 else work.without[rank, work.tree.label[u]]]
        out, before_u = work.totals[row + 1], work.totals[row]
        for a in range(1 << size):
            usable = _as_child(work, v, u, a)
            best, part = -np.inf, usable
            while True:
                best = max(best, child_f[part] + before_u[a ^ _as_parent(work, v, u, part)])
                if part == 0:
                    break
                part = (part - 1) & usable
            out[a] = best
        row, u = row + 1, work.sibling[u]
    return row


@inlined
def _as_child(work, v, u, a):
    """The members `a` of v's bag that are in K(u), as u numbers them."""
    k, label = work.tree.root.shape[0], work.tree.label[u]
    if v == 0:
        return a
    return (a & ((1 << k) - 1) & ~(1 << label)) | ((a >> k & 1) << label)


@inlined
def _as_parent(work, v, u, a):
    """The members `a` of K(u) as v's bag numbers them."""
    k, label = work.tree.root.shape[0], work.tree.label[u]
    if v == 0:
        return a
    return (a & ~(1 << label)) | ((a >> label & 1) << k)


@kernel
def _keep(table, work):
    """Trace back from node 0, whose order and A are set, to the family of every variable; then copy the network."""
    tree = work.tree
    m, k = tree.order.shape[0], tree.root.shape[0]
    _look_up(table, work, 0)
    _go_back(work, 0, work.order[0], work.taken[0])
    for i in range(m):
        v = tree.order[i]
        _look_up(table, work, v)
        a = work.taken[v]
        value = work.f[v, work.order[v], a]
        for rank in range(work.orders.shape[0]):
            if work.without[rank, k] == work.order[v]:
                children = _total(work, v, rank)
                if work.totals[children, a | 1 << k] == value:
                    _go_back(work, v, rank, a | 1 << k)
                    break
    for v in range(work.row.shape[0]):
        work.best_row[v] = work.row[v]
    for i in range(m):
        work.best_order[i] = tree.vertex[tree.order[m - 1 - i]]
    for j in range(k):
        work.best_order[m + j] = tree.root[j]


@kernel
def _go_back(work, v, rank, a):
    """Assign a part of A to each child, and families to the rest."""
    tree = work.tree
    k = tree.root.shape[0]
    size = k + 1 if v else k
    row = _total(work, v, rank)
    while row:
        u = work.child[v]
        for _ in range(row - 1):
            u = work.sibling[u]
        work.order[u] = rank if v == 0 else work.without[rank, tree.label[u]]
        usable = _as_child(work, v, u, a)
        part = usable
        while True:
            rest = a ^ _as_parent(work, v, u, part)
            if work.f[u, work.order[u], part] + work.totals[row - 1, rest] == work.totals[row, a]:
                break
            part = (part - 1) & usable
        work.taken[u] = part
        a = rest
        row -= 1
    before = 0
    for i in range(size):
        e = work.orders[rank, i] if v else work.short[rank, i]
        if a >> e & 1:
            work.row[tree.vertex[v] if e == k else tree.cliques[v, e]] = work.found[e, before]
        before |= 1 << e
