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

`cover` is a Cover everywhere, `arcs` the network (`twlearn.arcs_kernels`).
"""

from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import kernel, lowest_bit, popcount
from ..common.compiled.records import by_address
from ..common.sets.bitset_kernels import size_of


@by_address
class Cover(NamedTuple):
    """An elimination order, and work space.

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
def tree_parent(cover, v):
    """The parent of v in the elimination tree, its earliest later neighbour; -1 if it has none."""
    best, at = -1, cover.order.shape[0]
    for i in range(cover.count[v]):
        u = cover.later[v, i]
        if cover.place[u] < at:
            best, at = np.int64(u), cover.place[u]
    return best


@kernel
def _stamp(cover, v):
    """Mark v and its later neighbours; returns the stamp."""
    n = cover.order.shape[0]
    cover.mark[n] += 1
    stamp = cover.mark[n]
    cover.mark[v] = stamp
    for i in range(cover.count[v]):
        cover.mark[cover.later[v, i]] = stamp
    return stamp


@kernel
def _add_later(cover, x, members, size, grown):
    """Give x the later neighbours `members`[:size] that it lacks, until it has w.

    Returns
    -------
    grown : int
        How many vertices `cover.grown` then lists.
    full : bool
        Whether one did not fit.
    """
    stamp = _stamp(cover, x)
    for i in range(size):
        u = members[i]
        if cover.mark[u] != stamp:
            if cover.count[x] == cover.width:
                return grown, True
            cover.later[x, cover.count[x]] = u
            cover.count[x] += 1
            cover.grown[grown] = x
            grown += 1
    return grown, False


@kernel
def insert(cover, clique, size):
    """Insert the clique `clique`[:size] (int64), if each vertex keeps at most w later neighbours; else change nothing.

    Returns
    -------
    bool
    """
    x = clique[0]
    for i in range(1, size):
        if cover.place[clique[i]] < cover.place[x]:
            x = clique[i]
    grown, full = _add_later(cover, x, clique, size, 0)
    changed = grown > 0
    while changed and not full:
        p, before = tree_parent(cover, x), grown
        grown, full = _add_later(cover, p, cover.later[x], cover.count[x], grown)
        changed = grown > before
        x = p
    if full:
        for i in range(grown):
            cover.count[cover.grown[i]] -= 1
    return not full


@kernel
def earliest(cover, arcs, v):
    """The earliest of v and its parents."""
    x = v
    for i in range(arcs.count[v]):
        if cover.place[arcs.parents[v, i]] < cover.place[x]:
            x = np.int64(arcs.parents[v, i])
    return x


@kernel
def rebuild(cover, arcs):
    """Find all later neighbours by the present order; returns whether no vertex has more than w."""
    n = cover.order.shape[0]
    cover.count[:] = 0
    for v in range(n):
        count = arcs.count[v]
        for i in range(count):
            arcs.clique[i] = arcs.parents[v, i]
        arcs.clique[count] = v
        if _add_later(cover, earliest(cover, arcs, v), arcs.clique, count + 1, 0)[1]:
            return False
    for at in range(n):
        x = cover.order[at]
        p = tree_parent(cover, x)
        if p >= 0 and _add_later(cover, p, cover.later[x], cover.count[x], 0)[1]:
            return False
    return True


@kernel
def _choose_way(cover, clique, size):
    """Choose the vertices from a clique's members to their first common ancestor: their number, and it or -1."""
    n, m, top = cover.order.shape[0], 0, -1
    cover.hits[:] = 0
    for i in range(size):
        x = clique[i]
        while x >= 0:
            cover.hits[x] += 1
            if cover.hits[x] == 1:
                cover.chosen[m] = x
                m += 1
            elif cover.hits[x] == size and (top < 0 or cover.place[x] < cover.place[top]):
                top = x
            x = tree_parent(cover, x)
    if top >= 0:
        kept = 0
        for i in range(m):
            if cover.place[cover.chosen[i]] <= cover.place[top]:
                cover.chosen[kept] = cover.chosen[i]
                kept += 1
        m = kept
    for v in range(n):
        cover.local[v] = -1
    return m, top


@kernel
def _join(cover, a, b):
    """Join two local vertices."""
    if a != b:
        cover.near[a, b >> 6] |= np.uint64(1) << np.uint64(b & 63)
        cover.near[b, a >> 6] |= np.uint64(1) << np.uint64(a & 63)


@kernel
def _fill_of(cover, v, words):
    """Twice the edges that are lacking among the neighbours of a local vertex, and their number."""
    degree = size_of(cover.near[v, :words])
    lacking = 0
    for k in range(words):
        word = cover.near[v, k]
        while word != np.uint64(0):
            u = 64 * k + lowest_bit(word)
            word &= word - np.uint64(1)
            for j in range(words):
                lacking += popcount(cover.near[v, j] & ~cover.near[u, j])
            lacking -= 1
    return lacking, degree


@kernel
def reorder(cover, arcs, clique, size):
    """Find an order with a further clique in which each vertex has at most w later neighbours; else change nothing.

    Parameters
    ----------
    cover : Cover
    arcs : Arcs
    clique : int64[>= size]
    size : int

    Returns
    -------
    bool
    """
    n = cover.order.shape[0]
    m, top = _choose_way(cover, clique, size)
    for i in range(m):
        cover.local[cover.chosen[i]] = i
    inside = m
    if top >= 0:
        for i in range(cover.count[top]):
            cover.local[cover.later[top, i]] = inside
            cover.hits[inside] = cover.later[top, i]
            inside += 1
    words = (inside + 63) >> 6
    for a in range(inside):
        for k in range(words):
            cover.near[a, k] = np.uint64(0)
    for a in range(m, inside):
        for b in range(m, a):
            _join(cover, a, b)
    for i in range(size):
        for j in range(i):
            _join(cover, cover.local[clique[i]], cover.local[clique[j]])
    for v in range(n):
        a = cover.local[v]
        if a < 0 or a >= m:  # what hangs below
            p = tree_parent(cover, v) if a < 0 else -1
            if p >= 0 and 0 <= cover.local[p] < m:
                for i in range(cover.count[v]):
                    for j in range(i):
                        _join(cover, cover.local[cover.later[v, i]], cover.local[cover.later[v, j]])
        x = earliest(cover, arcs, v)
        if 0 <= cover.local[x] < m:
            for i in range(arcs.count[v]):
                _join(cover, cover.local[v], cover.local[arcs.parents[v, i]])
                for j in range(i):
                    _join(cover, cover.local[arcs.parents[v, i]], cover.local[arcs.parents[v, j]])
    if not _eliminate(cover, m, words):
        return False
    _accept(cover, m, inside, words)
    return True


@kernel
def _eliminate(cover, m, words):
    """Eliminate the first m local vertices by least fill, the order in grown; whether each has at most w neighbours.

    The rows of `near` of those that have gone keep their later neighbours.
    """
    for a in range(m):
        cover.fill[a] = -1  # not known
    gone = np.int64(-2)
    for step in range(m):
        best, least = -1, np.int64(0)
        for a in range(m):
            if cover.fill[a] == gone:
                continue
            if cover.fill[a] == -1:
                lacking, degree = _fill_of(cover, a, words)
                cover.fill[a] = lacking * 4096 + degree
            degree = cover.fill[a] & 4095
            if degree <= cover.width and (best < 0 or cover.fill[a] < least):
                best, least = a, cover.fill[a]
                if least < 4096:
                    break
        if best < 0:
            return False
        cover.grown[step] = best
        fills = least >= 4096
        cover.fill[best] = gone
        for k in range(words):
            word = cover.near[best, k]
            while word != np.uint64(0):
                u = 64 * k + lowest_bit(word)
                word &= word - np.uint64(1)
                for j in range(words):
                    cover.near[u, j] |= cover.near[best, j]
                cover.near[u, u >> 6] &= ~(np.uint64(1) << np.uint64(u & 63))
                cover.near[u, best >> 6] &= ~(np.uint64(1) << np.uint64(best & 63))
                if u < m:
                    cover.fill[u] = -1
        if fills:  # those adjacent to both ends of a new edge lack one less
            for k in range(words):
                word = cover.near[best, k]
                while word != np.uint64(0):
                    u = 64 * k + lowest_bit(word)
                    word &= word - np.uint64(1)
                    for j in range(words):
                        other = cover.near[u, j]
                        while other != np.uint64(0):
                            a = 64 * j + lowest_bit(other)
                            other &= other - np.uint64(1)
                            if a < m and cover.fill[a] != gone:
                                cover.fill[a] = -1
    return True


@kernel
def _accept(cover, m, inside, words):
    """Put the local vertices in the order in grown, behind all others up to their last; list their later ones."""
    last = 0
    for a in range(m):
        last = max(last, cover.place[cover.chosen[a]])
    at = 0
    for i in range(last + 1):
        v = cover.order[i]
        if not 0 <= cover.local[v] < m:
            cover.order[at] = v
            cover.place[v] = at
            at += 1
    for a in range(m, inside):
        cover.chosen[a] = cover.hits[a]
    for step in range(m):
        a = cover.grown[step]
        v = cover.chosen[a]
        cover.order[at] = v
        cover.place[v] = at
        at += 1
        cover.count[v] = 0
        for k in range(words):
            word = cover.near[a, k]
            while word != np.uint64(0):
                cover.later[v, cover.count[v]] = cover.chosen[64 * k + lowest_bit(word)]
                cover.count[v] += 1
                word &= word - np.uint64(1)
