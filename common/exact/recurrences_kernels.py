"""The three recurrences of `common.exact.recurrences`, one layer of them at a time, on tables in blocks of eight.

A state (C, U) is a set C and a disjoint set U that holds no root vertex. U is written as a number u whose bit p stands
for the p-th vertex that is neither in C nor the root; C has 2^m values of u, m its `free` vertices. Eight sets of
equal size and equal m form a block with interleaved values: entry (C, u) is at base[C] + 8 u. So the inner loop of g,
which takes most of the time, runs over eight adjacent numbers, and the block for which g is filled stays in cache.

Cost for n vertices: g takes 4^(n-1) additions, about 1.5e9 per second and core; f and h take n 3^(n-1) reads, mostly
not from cache.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import kernel
from ..compiled.records import by_address
from ..sets.subset_numbers_kernels import next_of_size, with_zero_bit, without_bit

LANES = 8


@by_address
class Tables(NamedTuple):
    """The layout and values of the states; arrays with one entry per set are indexed by its mask (bit v = vertex v).

    n : int, vertices; the last, n - 1, is the root vertex
    scores : float64[2^n], minus infinity for sets that may not be cliques or separators
    base : int64[2^n], entry of state (C, {}), or -1 if C is in no clique of the networks searched
    sets : int64[blocks, 8], masks; -1 where the last block of a kind is not full
    offset : int64[blocks], first entry of a block
    free : int64[blocks], m
    f, g, h : float64[entries]; f holds max(f, s + g), see `common.exact.recurrences`
    """

    n: int
    scores: np.ndarray
    base: np.ndarray
    sets: np.ndarray
    offset: np.ndarray
    free: np.ndarray
    f: np.ndarray
    g: np.ndarray
    h: np.ndarray


@kernel
def fill_f_and_h(tables, k, first, last, work, best, stop):
    """f, then h, of all states with |U| = k >= 1 of the blocks first, ..., last - 1; states with smaller C are done.

    Interleaving helps here too: the sets of a block mostly differ in low vertices, so that adding the same high vertex
    to each leads to one block, and the eight reads are from one cache line.

    `work` (int64[3, n, 8]) and `best` (float64[8]) are overwritten; once stop[0] (int64[1]) is not zero, the rest is
    left unchanged.
    """
    f, h = tables.f, tables.h
    larger, smaller, place = work[0], work[1], work[2]
    for b in range(first, last):
        m = tables.free[b]
        if k > m:
            continue
        size = _neighbouring_sets(tables, tables.sets[b], larger, smaller, place)
        u = (1 << k) - 1
        while u < 1 << m and stop[0] == 0:
            at = tables.offset[b] + LANES * u
            for lane in range(LANES):
                best[lane] = -np.inf
            for p in range(m):
                if u >> p & 1:
                    rest = LANES * without_bit(u, p)
                    for lane in range(LANES):
                        if larger[p, lane] >= 0:
                            best[lane] = max(best[lane], f[larger[p, lane] + rest])
            for lane in range(LANES):
                f[at + lane] = best[lane]
                members = tables.sets[b, lane]
                score = tables.scores[members] if members >= 0 else -np.inf
                best[lane] = best[lane] - score if score > -np.inf else -np.inf
            for i in range(size):
                for lane in range(LANES):
                    same = u if place[i, lane] < 0 else with_zero_bit(u, place[i, lane])
                    best[lane] = max(best[lane], h[smaller[i, lane] + LANES * same])
            for lane in range(LANES):
                h[at + lane] = best[lane]
            u = next_of_size(u)


@kernel
def _neighbouring_sets(tables, sets, larger, smaller, place):
    """The sets' size; entries of the sets with one more free vertex, and of those with one vertex less and its place.

    A lane without a set reads entries of the empty set.
    """
    root = tables.n - 1
    size = 0
    for lane in range(LANES):
        members = sets[lane]
        free = 0
        count = 0
        for v in range(root):
            if members < 0 or members >> v & 1:
                smaller[count, lane] = 0 if members < 0 else tables.base[members ^ (1 << v)]
                place[count, lane] = -1 if members < 0 else free
                count += 1
            if members < 0 or not members >> v & 1:
                larger[free, lane] = -1 if members < 0 else tables.base[members | (1 << v)]
                free += 1
        if members < 0:
            smaller[root, lane] = 0
            place[root, lane] = -1
        else:
            if members >> root & 1:  # without the root the free vertices are the same
                smaller[count, lane] = tables.base[members ^ (1 << root)]
                place[count, lane] = -1
                count += 1
            size = count
    return size


@kernel
def fill_g_and_f(tables, k, first, last, best, stop):
    """g of all states with |U| = k >= 1 of the blocks first, ..., last - 1, then f.

    `best` (float64[8]) is overwritten; `stop` as in `fill_f_and_h`.
    """
    f, g, h = tables.f, tables.g, tables.h
    for b in range(first, last):
        if tables.sets[b, 0] == 0:  # the empty set is not a clique: its g is not used
            continue
        m = tables.free[b]
        offset = tables.offset[b]
        top = k - 1
        u = (1 << k) - 1
        while u < 1 << m and stop[0] == 0:
            while u >> (top + 1):
                top += 1
            rest = u ^ (1 << top)
            for lane in range(LANES):
                best[lane] = -np.inf
            part = rest
            while True:
                one = offset + LANES * (part | 1 << top)
                other = offset + LANES * (rest ^ part)
                for lane in range(LANES):
                    total = h[one + lane] + g[other + lane]
                    best[lane] = total if total > best[lane] else best[lane]
                if part == 0:
                    break
                part = (part - 1) & rest
            for lane in range(LANES):
                at = offset + LANES * u + lane
                members = tables.sets[b, lane]
                if members >= 0:
                    g[at] = best[lane]
                    f[at] = max(f[at], tables.scores[members] + best[lane])
            u = next_of_size(u)


@kernel
def fill_empty(tables, first, last):
    """The states with U = {} of the blocks first, ..., last - 1."""
    for b in range(first, last):
        for lane in range(LANES):
            at = tables.offset[b] + lane
            members = tables.sets[b, lane]
            tables.g[at] = 0.0
            tables.h[at] = -np.inf
            tables.f[at] = tables.scores[members] if members >= 0 else -np.inf


@kernel
def largest_part(tables, at, u):
    """The part R with the last vertex of U, as a number, that maximizes g of the state at entry `at`, for u > 0."""
    top = 0
    while u >> (top + 1):
        top += 1
    rest = u ^ (1 << top)
    start = at - LANES * u
    best = -np.inf
    found = u
    part = rest
    while True:
        candidate = part | 1 << top
        total = tables.h[start + LANES * candidate] + tables.g[start + LANES * (rest ^ part)]
        if total > best:
            best = total
            found = candidate
        if part == 0:
            return found
        part = (part - 1) & rest
