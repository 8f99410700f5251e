"""The recurrences of `mnposterior.exact` in logarithms, and draws of random rooted junction trees from their tables.

A state (C, U) of disjoint sets, U without the root vertex n - 1, has the entry t(C) + 2 t(U), where t(S) is the sum of
3^v over v in S: the base-three digits of an entry say where each vertex is. So the states that a sum runs over differ
by multiples of t of the set that moves, and no set has to be renumbered.

Cost for n vertices: 2 * 4^(n-1) additions for f, 4^(n-1) for g, 2 n 3^(n-2) for h; about three nanoseconds each.

Throughout, `tables` is a SumTables.
"""

import math
from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import inlined, kernel, lowest_bit, popcount
from ..common.compiled.random_kernels import uniform
from ..common.compiled.records import by_address
from ..common.sets.subset_numbers_kernels import next_of_size

LOG_NEGLIGIBLE = -40.0  # ln of a share too small to change a sum


@by_address
class SumTables(NamedTuple):
    """The states' values, all logarithms.

    n : int, vertices
    scores : float64[2^n], minus infinity for sets that may not be cliques or separators
    place : int64[2^n], t of each set
    f, h : float64[2 * 3^(n-1)]
    score_plus_g : float64[2 * 3^(n-1)], s(C) + g(C, U); minus infinity where C may not be a clique
    """

    n: int
    scores: np.ndarray
    place: np.ndarray
    f: np.ndarray
    h: np.ndarray
    score_plus_g: np.ndarray


@inlined
def add_logs(a, b):
    """ln(e^a + e^b)."""
    high, low = max(a, b), min(a, b)
    if low - high < LOG_NEGLIGIBLE or low == -np.inf:
        return high
    return high + math.log1p(math.exp(low - high))


@kernel
def fill_f(tables, separator, part):
    """f(S, R) for S = `separator` and R = `part`, int masks: the sum over the cliques S + D, D <= R not empty."""
    score_plus_g, place = tables.score_plus_g, tables.place
    entry = place[separator] + 2 * place[part]
    best = -np.inf
    moved = part
    while moved:
        best = max(best, score_plus_g[entry - place[moved]])
        moved = (moved - 1) & part
    total = 0.0
    if best > -np.inf:
        moved = part
        while moved:
            term = score_plus_g[entry - place[moved]] - best
            if term > LOG_NEGLIGIBLE:
                total += math.exp(term)
            moved = (moved - 1) & part
        best += math.log(total)
    tables.f[entry] = best
    return best


@kernel
def fill_f_and_h(tables, part, own, strict, stop):
    """f(S, R) and h(C, R) for R = `part` (an int mask without the root vertex) and all S and C.

    h, the sum of f(S, R) - s(S) over S < C, is a transform over the vertices one by one that never subtracts. After
    vertex j, strict[C] is the sum over those S < C for which C - S contains only vertices up to j; adding own[C], the
    term S = C, gives the sum over all such S <= C.

    own, strict : float64[2^n], overwritten
    stop : int64[1], ends the work when not zero
    """
    n, place, scores = tables.n, tables.place, tables.scores
    others = ((1 << n) - 1) ^ part
    offset = 2 * place[part]
    separator = 0
    while True:  # all subsets of `others`, ascending
        value = -np.inf
        if scores[separator] > -np.inf and stop[0] == 0:
            value = fill_f(tables, separator, part) - scores[separator]
        own[separator] = value
        strict[separator] = -np.inf
        separator = (separator - others) & others
        if separator == 0:
            break
    for j in range(n):
        bit = 1 << j
        if not others & bit:
            continue
        smaller = others ^ bit
        clique = 0
        while True:
            with_j = clique | bit
            strict[with_j] = add_logs(strict[with_j], add_logs(own[clique], strict[clique]))
            clique = (clique - smaller) & smaller
            if clique == 0:
                break
    clique = 0
    while True:
        tables.h[place[clique] + offset] = strict[clique]
        clique = (clique - others) & others
        if clique == 0:
            break


@kernel
def fill_g(tables, clique, k, stop):
    """g(C, U) for C = `clique` (an int mask) and all U of k >= 1 vertices; ends when `stop` (int64[1]) is not zero."""
    n, place, h, score_plus_g = tables.n, tables.place, tables.h, tables.score_plus_g
    score, at = tables.scores[clique], place[clique]
    free = ((1 << (n - 1)) - 1) & ~clique
    if score == -np.inf or popcount(np.uint64(free)) < k:
        return
    numbered = (1 << k) - 1
    while numbered < 1 << popcount(np.uint64(free)) and stop[0] == 0:
        rest = spread(free, numbered)
        top = 0
        while rest >> (top + 1):
            top += 1
        whole = rest
        rest ^= 1 << top
        one, other = at + 2 * place[1 << top], at + 2 * place[rest]
        best = -np.inf
        part = rest
        while True:
            moved = 2 * place[part]
            best = max(best, h[one + moved] + score_plus_g[other - moved])
            if part == 0:
                break
            part = (part - 1) & rest
        if best > -np.inf:
            total = 0.0
            part = rest
            while True:
                moved = 2 * place[part]
                term = h[one + moved] + score_plus_g[other - moved] - best
                if term > LOG_NEGLIGIBLE:
                    total += math.exp(term)
                if part == 0:
                    break
                part = (part - 1) & rest
            best += math.log(total)  # includes s(C), as score_plus_g does
        score_plus_g[at + 2 * place[whole]] = best
        numbered = next_of_size(numbered)


@inlined
def spread(free, number):
    """The subset of `free` that has its i-th vertex iff bit i of `number` is set."""
    found = 0
    while number:
        low = free & -free
        if number & 1:
            found |= low
        free ^= low
        number >>= 1
    return found


@kernel
def draw_part(tables, clique, rest, state):
    """Draw the part R of U = `rest` that is attached to C = `clique` first, by h(C, R) + g(C, U - R)."""
    place, h, score_plus_g = tables.place, tables.h, tables.score_plus_g
    at = place[clique]
    total = score_plus_g[at + 2 * place[rest]]
    top = 0
    while rest >> (top + 1):
        top += 1
    others = rest ^ (1 << top)
    left = uniform(state)
    part, chosen = others, others
    while True:
        term = h[at + 2 * place[part | 1 << top]] + score_plus_g[at + 2 * (place[others] - place[part])] - total
        if term > LOG_NEGLIGIBLE:
            chosen = part
            left -= math.exp(term)
            if left < 0.0:
                break
        if part == 0:
            break
        part = (part - 1) & others
    return chosen | 1 << top


@kernel
def draw_separator(tables, clique, part, state):
    """Draw the separator S < C = `clique` by which R = `part` is attached, by f(S, R) - s(S)."""
    place = tables.place
    total = tables.h[place[clique] + 2 * place[part]]
    left = uniform(state)
    separator, chosen = clique, 0
    while separator:
        separator = (separator - 1) & clique
        if tables.scores[separator] > -np.inf:
            term = tables.f[place[separator] + 2 * place[part]] - tables.scores[separator] - total
            if term > LOG_NEGLIGIBLE:
                chosen = separator
                left -= math.exp(term)
                if left < 0.0:
                    break
    return chosen


@kernel
def draw_clique(tables, separator, part, state):
    """Draw the clique S + D, S = `separator`, D <= R = `part`, by s(S + D) + g(S + D, R - D)."""
    place = tables.place
    entry = place[separator] + 2 * place[part]
    total = tables.f[entry]
    left = uniform(state)
    moved, chosen = part, part
    while moved:
        term = tables.score_plus_g[entry - place[moved]] - total
        if term > LOG_NEGLIGIBLE:
            chosen = moved
            left -= math.exp(term)
            if left < 0.0:
                break
        moved = (moved - 1) & part
    return separator | chosen


@kernel
def draw_tree(tables, root, state, cliques, separators, parents, rests):
    """Draw a rooted junction tree whose first clique is `root` (an int mask), by the sums.

    cliques, separators, parents : int64[n], filled from the start; the root has the separator 0 and the parent -1
    rests : int64[n], overwritten
    state : uint64[4], advanced

    Returns
    -------
    int
        Number of cliques.
    """
    everything = (1 << (tables.n - 1)) - 1
    cliques[0], separators[0], parents[0], rests[0] = root, 0, -1, everything & ~root
    count, at = 1, 0
    while at < count:
        while rests[at]:
            part = draw_part(tables, cliques[at], rests[at], state)
            rests[at] ^= part
            separator = draw_separator(tables, cliques[at], part, state)
            clique = draw_clique(tables, separator, part, state)
            cliques[count], separators[count], parents[count] = clique, separator, at
            rests[count] = part & ~clique
            count += 1
        at += 1
    return count


@kernel
def log_rooted_trees(n, cliques, separators, parents, count, member_of):
    """ln r(G), r(G) the number of junction trees of a graph, each rooted at a clique with the vertex n - 1.

    Let t cliques contain a separator S of multiplicity m. Without the links S they form m + 1 parts of f_0, ..., f_m
    cliques, which can be linked in t^(m-1) f_0 ... f_m ways. The result is the product over all S (Thomas and Green
    2009).

    cliques, separators, parents : int64[>= count], as in `draw_tree`
    count : int
    member_of : int64[n], overwritten
    """
    total = 0.0
    roots = 0
    for i in range(count):
        roots += cliques[i] >> (n - 1) & 1
    for i in range(1, count):
        separator = separators[i]
        earlier = False
        for j in range(1, i):
            earlier |= separators[j] == separator
        if earlier:
            continue
        containing, multiplicity = 0, 0
        for j in range(count):  # a parent comes before its children
            member_of[j] = -1
            if cliques[j] & separator == separator:
                containing += 1
                linked = j > 0 and separators[j] & separator == separator
                multiplicity += linked and separators[j] == separator
                member_of[j] = member_of[parents[j]] if linked and separators[j] != separator else j
        total += (multiplicity - 1) * math.log(containing)
        for j in range(count):
            size = 0
            for k in range(count):
                size += member_of[k] == j
            if size > 0:
                total += math.log(size)
    return total + math.log(roots)


@kernel
def draw_graphs(tables, roots, shares, state, neighbours, log_trees, work, stop):
    """Draw graphs, each by a rooted junction tree.

    Parameters
    ----------
    tables : SumTables
    roots : int64[m], the cliques that can be the root
    shares : float64[m], cumulative probabilities of the roots, the last 1
    state : uint64[4], advanced
    neighbours : uint32[draws, n], filled: the neighbours of each vertex
    log_trees : float64[draws], filled: ln of the number of rooted junction trees of the graph
    work : int64[5, n], overwritten
    stop : int64[1], ends the work when not zero

    Returns
    -------
    int
        Number of graphs drawn.
    """
    n = tables.n
    cliques, separators, parents = work[0], work[1], work[2]
    for i in range(neighbours.shape[0]):
        if stop[0] != 0:
            return i
        root = roots[min(np.searchsorted(shares, uniform(state), side="right"), roots.shape[0] - 1)]
        count = draw_tree(tables, root, state, cliques, separators, parents, work[3])
        log_trees[i] = log_rooted_trees(n, cliques, separators, parents, count, work[4])
        for v in range(n):
            neighbours[i, v] = 0
        for j in range(count):
            members = cliques[j]
            while members:
                v = lowest_bit(np.uint64(members))
                members &= members - 1
                neighbours[i, v] |= np.uint32(cliques[j])
        for v in range(n):
            neighbours[i, v] &= ~(np.uint32(1) << np.uint32(v))
    return neighbours.shape[0]
