"""The three recurrences of `common.exact.recurrences`, layer by layer, over the existing states.

Cost: for each state one look-up for each vertex (`states_kernels.place_of`), most of them not from cache, and g. The
parts R of g are of two kinds. Where a set has all its states, they are all sets: 2^(k-1) additions for |U| = k, about a
billion a second and core. Otherwise they are a list, one for each last vertex; it contains only parts that are better
whole than in parts, and most of those are not inside U.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel, lowest_bit, popcount
from ..compiled.records import by_address
from ..sets.subset_numbers_kernels import last_element, with_zero_bit, without_bit
from .states_kernels import OF_SIZE, PLACE_BITS, WORDS, blocks_of, place_from, place_of, states_before


@by_address
class Tables(NamedTuple):
    """The states, and their values in the order of the states.

    n : int, vertices; the last, n - 1, is the root vertex
    scores : float64[2^n], by mask (bit v = vertex v); finite for sets that have states
    sets : int64[m], the masks of the sets that have states, by size
    start : int64[2^n], where the blocks of a set begin, or -1 if it is in no clique of the networks searched
    blocks, words : int32[b + 1], int64[w], see `common.exact.states_kernels`
    g : float64[states], see `common.exact.recurrences`
    parts : int32[states], or none if all sets have all their states: the lists of parts u; that of a set and a last
        vertex begins at the place of the first state with that last vertex
    ends : int64[m, n], or none: where those lists end
    """

    n: int
    scores: np.ndarray
    sets: np.ndarray
    start: np.ndarray
    blocks: np.ndarray
    words: np.ndarray
    g: np.ndarray
    parts: np.ndarray
    ends: np.ndarray


@kernel
def fill_empty(tables):
    """The states of `tables` with U = {}; the lists of parts become empty."""
    blocks, words = tables.blocks, tables.words
    for i in range(tables.sets.shape[0]):
        members = tables.sets[i]
        start = tables.start[members]
        at = place_of(blocks, words, start, 0)
        if at >= 0:
            tables.g[at] = 0.0
        if tables.ends.shape[0]:
            for p in range(tables.n - 1 - popcount(np.uint64(members & ((1 << (tables.n - 1)) - 1)))):
                tables.ends[i, p] = place_from(blocks, words, start, 1 << p)


@kernel
def fill_layer(tables, k, first, last, next_to, gains, stop):
    """All states of `tables` with |U| = k >= 1 of the sets first, ..., last - 1; smaller U, and smaller sets, are done.

    `next_to` (int64[3, n]) and `gains` (float64[n]) are overwritten; once stop[0] (int64[1]) is not zero, the rest is
    left unchanged.
    """
    g, blocks, words = tables.g, tables.blocks, tables.words
    for i in range(first, last):
        if stop[0] != 0:
            return
        members = tables.sets[i]
        start = tables.start[members]
        size, m = neighbouring_sets(tables, members, next_to, gains)
        before = place_from(blocks, words, start, 0)
        has_all = place_from(blocks, words, start, 1 << m) - before == 1 << m
        for part in range(blocks_of(m) if k <= m else 0):
            block = np.int64(blocks[start + part])
            for w in range(WORDS if block >= 0 else 0):
                high = part * WORDS + w
                rest = k - popcount(np.uint64(high))
                word = words[block * WORDS + w]
                bits = word & OF_SIZE[rest] if 0 <= rest <= PLACE_BITS else 0
                while bits:
                    bit = lowest_bit(np.uint64(bits))
                    bits &= bits - 1
                    at = states_before(word, bit)
                    u = high << PLACE_BITS | bit
                    whole = h_of_state(tables, next_to, gains, size, u)
                    if members == 0:  # not a clique: no other parts are attached to it
                        g[at] = whole
                    elif has_all:
                        g[at] = _all_parts(g, before, u, whole)
                    else:
                        g[at] = _listed_parts(tables, i, start, u, whole)


@kernel
def neighbouring_sets(tables, members, next_to, gains):
    """The size and the free vertices of C, whose mask in `tables` is `members`; finds the sets next to it.

    The rows of `next_to` (int64[3, n]) are then, by vertex v: the start of the blocks of C + v; that of C - v; and the
    place of v among the free vertices of C - v, -1 for the root. `gains` (float64[n]) are s(C + v) - s(C).
    """
    larger, smaller, place = next_to[0], next_to[1], next_to[2]
    size, m = 0, 0
    for v in range(tables.n):
        if members >> v & 1:
            smaller[size] = tables.start[members ^ 1 << v]
            place[size] = m if v < tables.n - 1 else -1
            size += 1
        elif v < tables.n - 1:
            larger[m] = tables.start[members | 1 << v]
            gains[m] = tables.scores[members | 1 << v] - tables.scores[members]
            m += 1
    return size, m


@inlined
def h_of_state(tables, next_to, gains, size, u):
    """h(C, R) of the state (C, u) in `tables`.

    R is attached to C by a clique with one more vertex, or by a set with one fewer.

    `size`, `next_to` and `gains` are from `neighbouring_sets` of C.
    """
    larger, smaller, place = next_to[0], next_to[1], next_to[2]
    best, left = -np.inf, u
    while left:
        p = lowest_bit(np.uint64(left))
        left &= left - 1
        found = place_of(tables.blocks, tables.words, larger[p], without_bit(u, p)) if larger[p] >= 0 else -1
        if found >= 0:
            best = max(best, gains[p] + tables.g[found])
    for q in range(size):
        same = u if place[q] < 0 else with_zero_bit(u, place[q])
        found = place_of(tables.blocks, tables.words, smaller[q], same)
        if found >= 0:
            best = max(best, tables.g[found])
    return best


@inlined
def _all_parts(g, first, u, whole):
    """g(C, U) of a set that has all its states, from its place `first` on; U as one part has `whole`."""
    top = last_element(u)
    rest = u ^ 1 << top
    with_top = g[first + (1 << top) : first + (2 << top)]
    best = whole
    part = rest
    while part:
        part = (part - 1) & rest
        best = max(best, with_top[part] + g[first + (rest ^ part)])
    return best


@kernel
def _listed_parts(tables, i, start, u, whole):
    """g(C, U) of the i-th set from its list of parts; U is added to it if it is better as one part, with `whole`."""
    g, parts, blocks, words = tables.g, tables.parts, tables.blocks, tables.words
    top = last_element(u)
    end = tables.ends[i, top]
    best = -np.inf
    for r in range(place_from(blocks, words, start, 1 << top), end):
        part = parts[r]
        if part & ~u == 0:
            rest = place_of(blocks, words, start, u ^ part)
            if rest >= 0:
                best = max(best, g[place_from(blocks, words, start, part)] + g[rest])  # a part listed is there
    if whole > best:
        best = whole
        parts[end] = u
        tables.ends[i, top] = end + 1
    return best


@kernel
def largest_part(tables, members, u, next_to, gains):
    """The part R with the last vertex of U, as a number, that maximizes h(C, R) + g(C, U - R), for u > 0.

    `members` (int mask) is C in `tables`; `next_to` (int64[3, n]) and `gains` (float64[n]) are overwritten.
    """
    blocks, words, start = tables.blocks, tables.words, tables.start[members]
    size, _ = neighbouring_sets(tables, members, next_to, gains)
    top = 1 << last_element(u)
    rest = u ^ top
    best = -np.inf
    found = u
    part = rest
    while True:
        one, other = place_of(blocks, words, start, part | top), place_of(blocks, words, start, rest ^ part)
        if one >= 0 and other >= 0 and tables.g[one] + tables.g[other] > best:  # h is at most g
            whole = h_of_state(tables, next_to, gains, size, part | top)
            if whole + tables.g[other] > best:
                best = whole + tables.g[other]
                found = part | top
        if part == 0:
            return found
        part = (part - 1) & rest
