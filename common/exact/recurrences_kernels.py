"""The three recurrences of `common.exact.recurrences`, one layer of them at a time, over the states that there are.

Cost: for each state one look-up for each vertex (`states_kernels.place_of`), most of them not from cache, and g. The
parts R of g are of two kinds. Where a set has all its states, they are all sets: 2^(k-1) additions for |U| = k, about a
billion a second and core. Otherwise they are a list, one for each last vertex; it holds only parts that are better
whole than in parts, and most of those are not inside U.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import kernel, lowest_bit, popcount
from ..compiled.records import by_address
from ..sets.subset_numbers_kernels import last_element, with_zero_bit, without_bit
from .states_kernels import HALF, OF_SIZE, WORD, place_of, states_before


@by_address
class Tables(NamedTuple):
    """The states, and their values in the order of the states.

    n : int, vertices; the last, n - 1, is the root vertex
    scores : float64[2^n], by mask (bit v = vertex v); minus infinity for sets that may not be cliques or separators
    sets : int64[m], the masks of the sets that have states, by size
    start : int64[2^n], first word of a set, or -1 if it is in no clique of the networks searched
    words : int64[w], see `common.exact.states_kernels`
    f, g, h : float64[states]; f holds max(f, s + g), see `common.exact.recurrences`
    parts : int32[states], or none if all sets have all their states: the lists of parts u; that of a set and a last
        vertex begins at the place of the first state with that last vertex
    ends : int64[m, n], or none: where those lists end
    """

    n: int
    scores: np.ndarray
    sets: np.ndarray
    start: np.ndarray
    words: np.ndarray
    f: np.ndarray
    g: np.ndarray
    h: np.ndarray
    parts: np.ndarray
    ends: np.ndarray


@kernel
def fill_empty(tables):
    """The states of `tables` with U = {}; the lists of parts become empty."""
    words = tables.words
    for i in range(tables.sets.shape[0]):
        members = tables.sets[i]
        start = tables.start[members]
        at = place_of(words, start, 0)
        if at >= 0:
            tables.g[at] = 0.0
            tables.h[at] = -np.inf
            tables.f[at] = tables.scores[members]
        if tables.ends.shape[0]:
            for p in range(tables.n - 1 - popcount(np.uint64(members & ((1 << (tables.n - 1)) - 1)))):
                tables.ends[i, p] = _first_with_last(words, start, p)


@kernel
def fill_layer(tables, k, first, last, work, stop):
    """All states of `tables` with |U| = k >= 1 of the sets first, ..., last - 1; smaller U, and smaller sets, are done.

    `work` (int64[3, n]) is overwritten; once stop[0] (int64[1]) is not zero, the rest is left unchanged.
    """
    f, g, h, words = tables.f, tables.g, tables.h, tables.words
    larger, smaller, place = work[0], work[1], work[2]
    for i in range(first, last):
        if stop[0] != 0:
            return
        members = tables.sets[i]
        start, score = tables.start[members], tables.scores[members]
        size, m = _neighbouring_sets(tables, members, larger, smaller, place)
        has_all = _first_with_last(words, start, m) - (words[start] >> WORD) == 1 << m
        for high in range(1 + ((1 << m) - 1 >> HALF) if k <= m else 0):
            rest = k - popcount(np.uint64(high))
            word = words[start + high]
            bits = word & OF_SIZE[rest] if 0 <= rest <= HALF else 0
            while bits:
                bit = lowest_bit(np.uint64(bits))
                bits &= bits - 1
                at = states_before(word, bit)
                u = high << HALF | bit
                best = -np.inf
                left = u
                while left:
                    p = lowest_bit(np.uint64(left))
                    left &= left - 1
                    found = place_of(words, larger[p], without_bit(u, p)) if larger[p] >= 0 else -1
                    if found >= 0:
                        best = max(best, f[found])
                f[at] = best
                best = best - score if score > -np.inf else -np.inf
                for q in range(size):
                    found = place_of(words, smaller[q], u if place[q] < 0 else with_zero_bit(u, place[q]))
                    if found >= 0:
                        best = max(best, h[found])
                h[at] = best
                if members == 0:  # not a clique: its g is not used
                    g[at] = -np.inf
                else:
                    g[at] = _all_parts(tables, start, u) if has_all else _listed_parts(tables, i, start, u, best)
                    f[at] = max(f[at], score + g[at])


@kernel
def _neighbouring_sets(tables, members, larger, smaller, place):
    """The set's size and free vertices; first words of the sets with one of these more, and with one vertex less.

    `place` is that of the vertex left out among the free vertices, -1 for the root.
    """
    size, m = 0, 0
    for v in range(tables.n):
        if members >> v & 1:
            smaller[size] = tables.start[members ^ 1 << v]
            place[size] = m if v < tables.n - 1 else -1
            size += 1
        elif v < tables.n - 1:
            larger[m] = tables.start[members | 1 << v]
            m += 1
    return size, m


@kernel
def _first_with_last(words, start, p):
    """The place that the first state of a set whose U has the p-th free vertex as the last has, if there is one.

    For p = m, the place after the last state.
    """
    u = 1 << p
    return states_before(words[start + (u >> HALF)], u & (WORD - 1))


@kernel
def _all_parts(tables, start, u):
    """g of a set that has all its states."""
    g, h = tables.g, tables.h
    first = tables.words[start] >> WORD
    top = last_element(u)
    rest = u ^ 1 << top
    whole, part = h[first + (1 << top) : first + (2 << top)], rest
    best = whole[rest]
    while part:
        part = (part - 1) & rest
        best = max(best, whole[part] + g[first + (rest ^ part)])
    return best


@kernel
def _listed_parts(tables, i, start, u, whole):
    """g of the i-th set from its list of parts, to which U is added if it is better as one part, which has `whole`."""
    g, h, parts, words = tables.g, tables.h, tables.parts, tables.words
    top = last_element(u)
    end = tables.ends[i, top]
    best = -np.inf
    for r in range(_first_with_last(words, start, top), end):
        part = parts[r]
        if part & ~u == 0:
            rest = place_of(words, start, u ^ part)
            if rest >= 0:
                best = max(best, h[place_of(words, start, part)] + g[rest])
    if whole > best:
        best = whole
        parts[end] = u
        tables.ends[i, top] = end + 1
    return best


@kernel
def largest_part(tables, start, u):
    """The part R with the last vertex of U, as a number, that maximizes g of the state (C, u), for u > 0.

    `start` (int) is the first word of C in `tables`.
    """
    words = tables.words
    top = 1 << last_element(u)
    rest = u ^ top
    best = -np.inf
    found = u
    part = rest
    while True:
        one, other = place_of(words, start, part | top), place_of(words, start, rest ^ part)
        if one >= 0 and other >= 0 and tables.h[one] + tables.g[other] > best:
            best = tables.h[one] + tables.g[other]
            found = part | top
        if part == 0:
            return found
        part = (part - 1) & rest
