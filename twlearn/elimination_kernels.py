"""An elimination order that proves the treewidth of a network while arcs are added to it.

The vertices are eliminated one by one, and the remaining neighbours of a vertex, its *later* ones, are joined. The
earliest of them is its *parent* in the elimination tree: the later ones of a vertex, without the parent, are later ones
of that. So a new clique is inserted upwards from its earliest member, and only the vertices on that path are visited
(`insert`). If one of them then has more than w later ones, the vertices between the members of the clique and their
first common ancestor are eliminated in another order, that of least fill, and no others: their subtrees and ancestors
stay as they are (`reorder`). If arcs are removed, the order is kept and the later neighbours are recomputed
(`rebuild`).

Cost: `insert` O(w) for each vertex on the way; `rebuild` O(n w); `reorder` O(n + m^2) and O(w m / 64) for each
vertex whose fill changes, with m vertices on the way.

`elim` is an Elimination everywhere, `arcs` the network (`twlearn.arcs_kernels`).
"""

from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import kernel, lowest_bit, popcount
from ..common.compiled.records import by_address
from ..common.sets.bitset_kernels import size_of


@by_address
class Elimination(NamedTuple):
    """An elimination order with the later neighbours of each vertex, and work space.

    order : int64[n]; place : int64[n], the position of each vertex in it
    later : int32[n, w + 1], count : int64[n], the later neighbours of each vertex, in any order
    grown : int64[n * (w + 2)], the vertices that `insert` gave a later neighbour, to undo it
    mark : int64[n + 1], stamps; the last is that in use
    chosen, local : int64[n], hits : int64[n], fill : int64[n], overwritten
    near : uint64[n, words], overwritten
    width : int, the bound w
    """

    order: np.ndarray
    place: np.ndarray
    later: np.ndarray
    count: np.ndarray
    grown: np.ndarray
    mark: np.ndarray
    chosen: np.ndarray
    local: np.ndarray
    hits: np.ndarray
    fill: np.ndarray
    near: np.ndarray
    width: int


@kernel
def tree_parent(elim, v):
    """The parent of v in the elimination tree, its earliest later neighbour; -1 if it has none."""
    best, at = -1, elim.order.shape[0]
    for i in range(elim.count[v]):
        u = elim.later[v, i]
        if elim.place[u] < at:
            best, at = np.int64(u), elim.place[u]
    return best


@kernel
def _stamp(elim, v):
    """Mark v and its later neighbours; returns the stamp."""
    n = elim.order.shape[0]
    elim.mark[n] += 1
    stamp = elim.mark[n]
    elim.mark[v] = stamp
    for i in range(elim.count[v]):
        elim.mark[elim.later[v, i]] = stamp
    return stamp


@kernel
def _add_later(elim, x, members, size, grown):
    """Give x the later neighbours `members`[:size] that it lacks, until it has w.

    Returns
    -------
    grown : int
        How many vertices `elim.grown` then lists.
    full : bool
        Whether one did not fit.
    """
    stamp = _stamp(elim, x)
    for i in range(size):
        u = members[i]
        if elim.mark[u] != stamp:
            if elim.count[x] == elim.width:
                return grown, True
            elim.later[x, elim.count[x]] = u
            elim.count[x] += 1
            elim.grown[grown] = x
            grown += 1
    return grown, False


@kernel
def insert(elim, clique, size):
    """Insert the clique `clique`[:size] (int64), if each vertex keeps at most w later neighbours; else change nothing.

    Returns
    -------
    bool
    """
    x = clique[0]
    for i in range(1, size):
        if elim.place[clique[i]] < elim.place[x]:
            x = clique[i]
    grown, full = _add_later(elim, x, clique, size, 0)
    changed = grown > 0
    while changed and not full:
        p, before = tree_parent(elim, x), grown
        grown, full = _add_later(elim, p, elim.later[x], elim.count[x], grown)
        changed = grown > before
        x = p
    if full:
        for i in range(grown):
            elim.count[elim.grown[i]] -= 1
    return not full


@kernel
def earliest(elim, arcs, v):
    """The earliest of v and its parents."""
    x = v
    for i in range(arcs.count[v]):
        if elim.place[arcs.parents[v, i]] < elim.place[x]:
            x = np.int64(arcs.parents[v, i])
    return x


@kernel
def rebuild(elim, arcs):
    """Find all later neighbours by the present order; returns whether no vertex has more than w."""
    n = elim.order.shape[0]
    elim.count[:] = 0
    for v in range(n):
        count = arcs.count[v]
        for i in range(count):
            arcs.clique[i] = arcs.parents[v, i]
        arcs.clique[count] = v
        if _add_later(elim, earliest(elim, arcs, v), arcs.clique, count + 1, 0)[1]:
            return False
    for at in range(n):
        x = elim.order[at]
        p = tree_parent(elim, x)
        if p >= 0 and _add_later(elim, p, elim.later[x], elim.count[x], 0)[1]:
            return False
    return True


@kernel
def _choose_path(elim, clique, size):
    """Choose the vertices from a clique's members to their first common ancestor: their number, and it or -1."""
    n, m, top = elim.order.shape[0], 0, -1
    elim.hits[:] = 0
    for i in range(size):
        x = clique[i]
        while x >= 0:
            elim.hits[x] += 1
            if elim.hits[x] == 1:
                elim.chosen[m] = x
                m += 1
            elif elim.hits[x] == size and (top < 0 or elim.place[x] < elim.place[top]):
                top = x
            x = tree_parent(elim, x)
    if top >= 0:
        kept = 0
        for i in range(m):
            if elim.place[elim.chosen[i]] <= elim.place[top]:
                elim.chosen[kept] = elim.chosen[i]
                kept += 1
        m = kept
    for v in range(n):
        elim.local[v] = -1
    return m, top


@kernel
def _join(elim, a, b):
    """Join two local vertices."""
    if a != b:
        elim.near[a, b >> 6] |= np.uint64(1) << np.uint64(b & 63)
        elim.near[b, a >> 6] |= np.uint64(1) << np.uint64(a & 63)


@kernel
def _fill_of(elim, v, words):
    """Twice the edges that are lacking among the neighbours of a local vertex, and their number."""
    degree = size_of(elim.near[v, :words])
    lacking = 0
    for k in range(words):
        word = elim.near[v, k]
        while word != np.uint64(0):
            u = 64 * k + lowest_bit(word)
            word &= word - np.uint64(1)
            for j in range(words):
                lacking += popcount(elim.near[v, j] & ~elim.near[u, j])
            lacking -= 1
    return lacking, degree


@kernel
def reorder(elim, arcs, clique, size):
    """Find an order with a further clique in which each vertex has at most w later neighbours; else change nothing.

    Parameters
    ----------
    elim : Elimination
    arcs : Arcs
    clique : int64[>= size]
    size : int

    Returns
    -------
    bool
    """
    n = elim.order.shape[0]
    m, top = _choose_path(elim, clique, size)
    for i in range(m):
        elim.local[elim.chosen[i]] = i
    inside = m
    if top >= 0:
        for i in range(elim.count[top]):
            elim.local[elim.later[top, i]] = inside
            elim.hits[inside] = elim.later[top, i]
            inside += 1
    words = (inside + 63) >> 6
    for a in range(inside):
        for k in range(words):
            elim.near[a, k] = np.uint64(0)
    for a in range(m, inside):
        for b in range(m, a):
            _join(elim, a, b)
    for i in range(size):
        for j in range(i):
            _join(elim, elim.local[clique[i]], elim.local[clique[j]])
    for v in range(n):
        a = elim.local[v]
        if a < 0 or a >= m:  # v is below the path
            p = tree_parent(elim, v) if a < 0 else -1
            if p >= 0 and 0 <= elim.local[p] < m:
                for i in range(elim.count[v]):
                    for j in range(i):
                        _join(
                            elim,
                            elim.local[elim.later[v, i]],
                            elim.local[elim.later[v, j]],
                        )
        x = earliest(elim, arcs, v)
        if 0 <= elim.local[x] < m:
            for i in range(arcs.count[v]):
                _join(elim, elim.local[v], elim.local[arcs.parents[v, i]])
                for j in range(i):
                    _join(elim, elim.local[arcs.parents[v, i]], elim.local[arcs.parents[v, j]])
    if not _eliminate(elim, m, words):
        return False
    _accept(elim, m, inside, words)
    return True


@kernel
def _eliminate(elim, m, words):
    """Eliminate the first m local vertices by least fill, the order in grown; False if one has more than w neighbours.

    The rows of `near` of those that have gone keep their later neighbours.
    """
    for a in range(m):
        elim.fill[a] = -1  # not known
    gone = np.int64(-2)
    for step in range(m):
        best, least = -1, np.int64(0)
        for a in range(m):
            if elim.fill[a] == gone:
                continue
            if elim.fill[a] == -1:
                lacking, degree = _fill_of(elim, a, words)
                elim.fill[a] = lacking * 4096 + degree
            degree = elim.fill[a] & 4095
            if degree <= elim.width and (best < 0 or elim.fill[a] < least):
                best, least = a, elim.fill[a]
                if least < 4096:
                    break
        if best < 0:
            return False
        elim.grown[step] = best
        fills = least >= 4096
        elim.fill[best] = gone
        for k in range(words):
            word = elim.near[best, k]
            while word != np.uint64(0):
                u = 64 * k + lowest_bit(word)
                word &= word - np.uint64(1)
                for j in range(words):
                    elim.near[u, j] |= elim.near[best, j]
                elim.near[u, u >> 6] &= ~(np.uint64(1) << np.uint64(u & 63))
                elim.near[u, best >> 6] &= ~(np.uint64(1) << np.uint64(best & 63))
                if u < m:
                    elim.fill[u] = -1
        if fills:  # vertices adjacent to both ends of a new edge lack one edge less
            for k in range(words):
                word = elim.near[best, k]
                while word != np.uint64(0):
                    u = 64 * k + lowest_bit(word)
                    word &= word - np.uint64(1)
                    for j in range(words):
                        other = elim.near[u, j]
                        while other != np.uint64(0):
                            a = 64 * j + lowest_bit(other)
                            other &= other - np.uint64(1)
                            if a < m and elim.fill[a] != gone:
                                elim.fill[a] = -1
    return True


@kernel
def _accept(elim, m, inside, words):
    """Put the local vertices in the order in grown, behind all others up to their last; list their later ones."""
    last = 0
    for a in range(m):
        last = max(last, elim.place[elim.chosen[a]])
    at = 0
    for i in range(last + 1):
        v = elim.order[i]
        if not 0 <= elim.local[v] < m:
            elim.order[at] = v
            elim.place[v] = at
            at += 1
    for a in range(m, inside):
        elim.chosen[a] = elim.hits[a]
    for step in range(m):
        a = elim.grown[step]
        v = elim.chosen[a]
        elim.order[at] = v
        elim.place[v] = at
        at += 1
        elim.count[v] = 0
        for k in range(words):
            word = elim.near[a, k]
            while word != np.uint64(0):
                elim.later[v, elim.count[v]] = elim.chosen[64 * k + lowest_bit(word)]
                elim.count[v] += 1
                word &= word - np.uint64(1)
