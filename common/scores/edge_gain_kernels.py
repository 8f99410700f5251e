"""The gain of a single edge in a chordal graph, and whether it may be added or removed.

Let S be the common neighbours of v and w.

* *Adding* v-w keeps the graph chordal iff S separates v from w (Giudici and Green 1999, Theorem 2). Then some junction
  tree has neighbouring cliques C >= S + v and D >= S + w with the separator S between them. The new edge inserts the
  clique S + v + w, and the separators S + v and S + w replace S. So the sum over cliques less the sum over separators
  grows by

      d(v,w|S) = s(S + v + w) + s(S) - s(S + v) - s(S + w)

  (C may be S + v itself: then it is no longer a maximal clique, and its term and that of the separator S + v cancel.)
  This is the weight of the coarsening paper (Orfanides and Perez 2020, Section 2), and the gain of Deshpande,
  Garofalakis and Jordan (2001).
* *Removing* it keeps the graph chordal iff S is complete, that is, iff only one maximal clique, S + v + w, contains
  both (Frydenberg and Lauritzen 1989). It is the reverse step and gains -d(v,w|S).

Cost: O(n words) for the check, four looked-up scores for the gain.

All edges at one vertex v are checked together: let w be in a component of the graph without v and its neighbours, and
let B be the neighbours of v that are adjacent to that component. Adding v-w keeps the graph chordal iff S = B.

Everywhere `scores` is a SetScores and `scratch` the thread's ScoreScratch (`common.scores.score_cache_kernels`).
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel, lowest_bit, popcount
from ..compiled.records import by_address
from ..graphs.chordal_kernels import are_separated, is_complete
from ..sets.bitset_kernels import has, size_of, toggle
from .score_cache_kernels import key_of, score_with


@by_address
class EdgeScratch(NamedTuple):
    """Work space, overwritten: the sets common and rest, uint64[words], and stack, int64[n]."""

    common: np.ndarray
    rest: np.ndarray
    stack: np.ndarray


@inlined
def finite(gain):
    """The gain, or minus infinity if sets without a score (in a score file) made it infinite or undefined."""
    return gain if abs(gain) < np.inf else -np.inf


@inlined
def pair_gain(scores, scratch, separator, v, w):
    """d(v,w|S), the gain of an edge, for the set S = `separator` (uint64[words]), which contains neither v nor w."""
    key = key_of(scores, separator)
    together = score_with(scores, scratch, separator, key, v, w)
    together += score_with(scores, scratch, separator, key, -1, -1)
    apart = score_with(scores, scratch, separator, key, v, -1) + score_with(scores, scratch, separator, key, w, -1)
    return together - apart


@kernel
def edge_gain(scores, scratch, work, adjacency, v, w, max_clique):
    """The gain of toggling the edge v-w, d(v,w|S) for the common neighbours S; minus infinity if it is not allowed.

    Parameters
    ----------
    scores : SetScores
    scratch : ScoreScratch
    work : EdgeScratch, or a record with the same fields; work.common is set to the common neighbours
    adjacency : uint64[n, words], a chordal graph
    v, w : int, different
    max_clique : int, the largest clique allowed

    Returns
    -------
    float
    """
    common = work.common
    for k in range(common.shape[0]):
        common[k] = adjacency[v, k] & adjacency[w, k]
    sign = 1.0
    if has(adjacency[v], w):
        if has(scores.required[v], w) or not is_complete(adjacency, common):
            return -np.inf
        sign = -1.0
    else:
        if size_of(common) + 2 > max_clique:
            return -np.inf
        if not are_separated(adjacency, common, v, w, work.rest, work.stack):
            return -np.inf
    return finite(sign * pair_gain(scores, scratch, common, v, w))


@kernel
def toggle_gains(scores, scratch, work, adjacency, u, others, max_clique, gains):
    """The gains of toggling the edges from u to each of `others`; minus infinity if it is not allowed.

    Parameters
    ----------
    scores : SetScores
    scratch : ScoreScratch
    work : EdgeScratch
    adjacency : uint64[n, words]
    u : int
    others : uint64[words], without u
    max_clique : int
    gains : float64[n], filled at the members of `others`
    """
    for k in range(others.shape[0]):
        word = others[k]
        while word != np.uint64(0):
            v = 64 * k + lowest_bit(word)
            gains[v] = edge_gain(scores, scratch, work, adjacency, u, v, max_clique)
            word &= word - np.uint64(1)


@kernel
def component_borders(adjacency, v, member_of, borders, rest, stack):
    """Components of the graph without v and its neighbours, and the neighbours of v that are adjacent to each.

    Parameters
    ----------
    adjacency : uint64[n, words]
    v : int
    member_of : int64[n], filled: the component's number, -1 for v and its neighbours
    borders : uint64[n, words], filled from the start
    rest : uint64[words], overwritten
    stack : int64[n], overwritten
    """
    n, words = adjacency.shape
    for k in range(words):
        rest[k] = adjacency[v, k]
    toggle(rest, v)
    for w in range(n):
        member_of[w] = -1
    count = 0
    for first in range(n):
        if has(rest, first):
            continue
        toggle(rest, first)
        member_of[first] = count
        for k in range(words):
            borders[count, k] = np.uint64(0)
        stack[0] = first
        height = 1
        while height > 0:
            height -= 1
            u = stack[height]
            for k in range(words):
                borders[count, k] |= adjacency[u, k] & adjacency[v, k]
                fresh = adjacency[u, k] & ~rest[k]
                rest[k] |= fresh
                while fresh != np.uint64(0):
                    w = 64 * k + lowest_bit(fresh)
                    member_of[w] = count
                    stack[height] = w
                    height += 1
                    fresh &= fresh - np.uint64(1)
        count += 1


@kernel
def edge_gains(scores, scratch, work, adjacency, v, member_of, borders, max_clique, gains):
    """Gains of toggling each edge at v; minus infinity where it is not allowed, and at v itself.

    gains : float64[n], filled
    scores, scratch, work, max_clique : as for `edge_gain`
    adjacency, v, member_of, borders : as for `component_borders`
    """
    n, words = adjacency.shape
    common = work.common
    for w in range(n):
        gains[w] = -np.inf
        if w == v:
            continue
        size = 0
        for k in range(words):
            common[k] = adjacency[v, k] & adjacency[w, k]
        if has(adjacency[v], w):
            if not has(scores.required[v], w) and is_complete(adjacency, common):
                gains[w] = finite(-pair_gain(scores, scratch, common, v, w))
            continue
        inside = True
        for k in range(words):
            size += popcount(common[k])
            inside &= common[k] == borders[member_of[w], k]
        if inside and size + 2 <= max_clique:
            gains[w] = finite(pair_gain(scores, scratch, common, v, w))
