"""The tables of `twlearn.kp` and how they are filled, one layer at a time.

An ordered bag is a tuple of distinct vertices, given by its rank among all tuples of its length (`rank_of`). The state
(bag, U, A) of the table T is at offset[bag] + u 2^(w+1) + a: bit p of u is the p-th vertex that is neither in the bag
nor the root vertex n - 1, bit i of a is the bag's i-th member. The table H of ordered separators has the same layout,
with 2^w. `tables` is always a StateTables, `scratch` a Scratch, and `stop` ends a layer early when it is not zero.

Cost: T (w+1)-tuples, m free vertices: 3^m / 2 pairs (U, part of U) with 3^(w+1) additions each.
"""

from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import inlined, kernel
from ..common.compiled.records import by_address
from ..common.sets.subset_numbers_kernels import next_of_size, with_zero_bit, without_bit


@by_address
class StateTables(NamedTuple):
    """All the states.

    n, w : int, 1 <= w <= n - 2
    place : int64[n], of each vertex in an order that bags have; all 0 if they have any
    best : float64[n, 2^(n-1)], the best family of v with parents in a set, numbered without the bit of v
    t_offset : int64[n! / (n - w - 1)!], h_offset : int64[n! / (n - w)!], where the states of a bag or a separator begin
    t, h : float64[], the tables T and H
    """

    n: int
    w: int
    place: np.ndarray
    best: np.ndarray
    t_offset: np.ndarray
    h_offset: np.ndarray
    t: np.ndarray
    h: np.ndarray


@by_address
class Scratch(NamedTuple):
    """Work space, overwritten; one per thread.

    members, bag, faces, places : int64[w + 1]
    best_h : float64[2^(w + 1)]
    """

    members: np.ndarray
    bag: np.ndarray
    faces: np.ndarray
    places: np.ndarray
    best_h: np.ndarray


@inlined
def rank_of(members, size, n):
    """The rank of the tuple members[:size] among all tuples of `size` distinct of n vertices."""
    rank = 0
    for i in range(size):
        digit = members[i]
        for j in range(i):
            if members[j] < members[i]:
                digit -= 1
        rank = rank * (n - i) + digit
    return rank


@inlined
def tuple_of(rank, size, n, members):
    """Write the tuple of a rank to members[:size]; returns its mask."""
    for i in range(size - 1, -1, -1):
        members[i] = rank % (n - i)
        rank //= n - i
    mask = 0
    for i in range(size):  # members[i] is an index among the vertices not before it
        vertex = members[i]
        v = 0
        while mask >> v & 1:
            v += 1
        while vertex:
            v += 1
            if not mask >> v & 1:
                vertex -= 1
        members[i] = v
        mask |= 1 << v
    return mask


@inlined
def follows(members, size, place):
    """Whether members[:size] are in the order of their places.

    Parameters
    ----------
    members : int64[>= size]
    size : int
    place : int64[n]
    """
    for i in range(size - 1):
        if place[members[i]] > place[members[i + 1]]:
            return False
    return True


@inlined
def place_of(v, mask):
    """The index of v among the vertices outside a bag, given as a mask."""
    place = v
    for u in range(v):
        if mask >> u & 1:
            place -= 1
    return place


@inlined
def free_of(n, mask):
    """Number of vertices that are neither in a bag, given as a mask, nor the root vertex."""
    free = n - 1
    for v in range(n - 1):
        free -= mask >> v & 1
    return free


@kernel
def lay_out(n, size, states, place, members, offset):
    """Where the states of each ordered bag begin; those that do not follow the order have none.

    Parameters
    ----------
    n : int
    size : int, of the bags
    states : int, per U
    place : int64[n], as in StateTables
    members : int64[size], overwritten
    offset : int64[bags], filled

    Returns
    -------
    int
        Total number of states.
    """
    total = 0
    for bag in range(offset.shape[0]):
        offset[bag] = total
        mask = tuple_of(bag, size, n, members)
        if follows(members, size, place):
            total += states << free_of(n, mask)
    return total


@kernel
def fill_t_of_bags(tables, first, last, scratch):
    """T of the bags first, ..., last - 1 for empty U: the families of A with parents before them."""
    size, members = tables.w + 1, scratch.members
    for bag in range(first, last):
        tuple_of(bag, size, tables.n, members)
        if not follows(members, size, tables.place):
            continue
        at = tables.t_offset[bag]
        tables.t[at] = 0.0
        before = 0
        for i in range(size):
            score = tables.best[members[i], without_bit(before, members[i])]
            before |= 1 << members[i]
            for a in range(1 << i):
                tables.t[at + (a | 1 << i)] = tables.t[at + a] + score


@kernel
def fill_h(tables, k, first, last, scratch, stop):
    """H of the separators first, ..., last - 1 for all U of k >= 1 vertices: one bag that adds a vertex of U."""
    n, w, members, bag = tables.n, tables.w, scratch.members, scratch.bag
    for separator in range(first, last):
        if stop[0]:
            return
        mask = tuple_of(separator, w, n, members)
        free = free_of(n, mask)
        if k > free or not follows(members, w, tables.place):
            continue
        offset = tables.h_offset[separator]
        u = (1 << k) - 1
        while u < 1 << free:
            for a in range(1 << w):
                tables.h[offset + (u << w) + a] = -np.inf
            u = next_of_size(u)
        for v in range(n - 1):
            if mask >> v & 1:
                continue
            p = place_of(v, mask)
            for i in range(w + 1):
                _insert(members, w, v, i, bag)
                if not follows(bag, w + 1, tables.place):
                    continue
                start = tables.t_offset[rank_of(bag, w + 1, n)]
                u = (1 << k) - 1
                while u < 1 << free:
                    if u >> p & 1:
                        at = offset + (u << w)
                        rest = start + (without_bit(u, p) << (w + 1))
                        for a in range(1 << w):
                            score = tables.t[rest + (with_zero_bit(a, i) | 1 << i)]
                            tables.h[at + a] = max(tables.h[at + a], score)
                    u = next_of_size(u)


@inlined
def _insert(members, size, v, i, bag):
    """Write members[:size] with v inserted before members[i] to `bag`."""
    for j in range(i):
        bag[j] = members[j]
    bag[i] = v
    for j in range(i, size):
        bag[j + 1] = members[j]


@kernel
def fill_t(tables, k, first, last, scratch, stop):
    """T of the bags first, ..., last - 1 for all U of k >= 1 vertices: two parts joined, one with the first of U."""
    n, w, members, best_h = tables.n, tables.w, scratch.members, scratch.best_h
    faces, places = scratch.faces, scratch.places
    every = (1 << (w + 1)) - 1
    for bag in range(first, last):
        if stop[0]:
            return
        mask = tuple_of(bag, w + 1, n, members)
        free = free_of(n, mask)
        if k > free or not follows(members, w + 1, tables.place):
            continue
        _faces(tables, members, mask, faces, places)
        offset = tables.t_offset[bag]
        u = (1 << k) - 1
        while u < 1 << free:
            at = offset + (u << (w + 1))
            for a in range(every + 1):
                tables.t[at + a] = -np.inf
            low = u & -u
            others = u ^ low
            rest = others
            while True:  # rest: the vertices outside the part that contains the first
                _best_face(tables, u ^ rest, faces, places, best_h)
                other = offset + (rest << (w + 1))
                for taken in range(every + 1):
                    score = best_h[taken]
                    if score > -np.inf:
                        left = every ^ taken
                        more = left
                        while True:
                            total = score + tables.t[other + more]
                            if total > tables.t[at + (taken | more)]:
                                tables.t[at + (taken | more)] = total
                            if more == 0:
                                break
                            more = (more - 1) & left
                if rest == 0:
                    break
                rest = (rest - 1) & others
            u = next_of_size(u)


@inlined
def _faces(tables, members, mask, faces, places):
    """For each member i: where the states of the bag without i begin, and the bit of i in the numbers U there."""
    n, w = tables.n, tables.w
    for i in range(w + 1):
        rank = 0
        for j in range(w + 1):
            if j != i:
                digit = members[j]
                for h in range(j):
                    if h != i and members[h] < members[j]:
                        digit -= 1
                rank = rank * (n - (j if j < i else j - 1)) + digit
        faces[i] = tables.h_offset[rank]
        places[i] = -1 if members[i] == n - 1 else place_of(members[i], mask ^ (1 << members[i]))


@inlined
def _best_face(tables, u, faces, places, best_h):
    """For each A the best H of U over the faces of the bag: `best_h`."""
    w = tables.w
    for a in range(best_h.shape[0]):
        best_h[a] = -np.inf
    for i in range(w + 1):
        at = faces[i] + ((u if places[i] < 0 else with_zero_bit(u, places[i])) << w)
        for a in range(1 << w):
            members = with_zero_bit(a, i)
            best_h[members] = max(best_h[members], tables.h[at + a])


@kernel
def find_split(tables, bag, u, a, scratch, out):
    """The part that gives the maximum of T at (bag, U, A), U not empty.

    Parameters
    ----------
    tables : StateTables
    bag, u, a : int, the state
    scratch : Scratch, its members end as the bag
    out : int64[3], filled: the part of U, the part of A, and the member that its separator lacks
    """
    n, w, members, best_h = tables.n, tables.w, scratch.members, scratch.best_h
    faces, places = scratch.faces, scratch.places
    mask = tuple_of(bag, w + 1, n, members)
    _faces(tables, members, mask, faces, places)
    offset = tables.t_offset[bag]
    value = tables.t[offset + (u << (w + 1)) + a]
    others = u & (u - 1)
    rest = others
    while True:
        part = u ^ rest
        _best_face(tables, part, faces, places, best_h)
        taken = a
        while True:
            if best_h[taken] + tables.t[offset + (rest << (w + 1)) + (a ^ taken)] == value:
                out[0], out[1] = part, taken
                for i in range(w + 1):
                    at = faces[i] + ((part if places[i] < 0 else with_zero_bit(part, places[i])) << w)
                    if not taken >> i & 1 and tables.h[at + without_bit(taken, i)] == best_h[taken]:
                        out[2] = i
                        return
            if taken == 0:
                break
            taken = (taken - 1) & a
        if rest == 0:
            return
        rest = (rest - 1) & others


@kernel
def find_vertex(tables, separator, u, a, scratch, out):
    """The vertex that the maximum of H at (separator, U, A) introduces, and its place.

    Parameters
    ----------
    tables : StateTables
    separator, u, a : int, the state
    scratch : Scratch, its bag ends as the separator with the vertex
    out : int64[2], filled: the vertex and its place in the bag
    """
    n, w, members, bag = tables.n, tables.w, scratch.members, scratch.bag
    mask = tuple_of(separator, w, n, members)
    value = tables.h[tables.h_offset[separator] + (u << w) + a]
    for v in range(n - 1):
        if mask >> v & 1 or not u >> place_of(v, mask) & 1:
            continue
        rest = without_bit(u, place_of(v, mask)) << (w + 1)
        for i in range(w + 1):
            _insert(members, w, v, i, bag)
            if not follows(bag, w + 1, tables.place):
                continue
            start = tables.t_offset[rank_of(bag, w + 1, n)]
            if tables.t[start + rest + (with_zero_bit(a, i) | 1 << i)] == value:
                out[0], out[1] = v, i
                return
