"""Gains of edges: of candidates due to a given separator, and of single edges that keep a graph chordal.

Everywhere `scores` is a SetScores and `scratch` the thread's ScoreScratch (`common.scores.score_cache_kernels`),
`adjacency` a chordal graph as bit rows, uint64[n, words] (`common.graphs.chordal_kernels`), `max_clique` the largest clique
allowed, and `work` an EdgeScratch.
"""

from typing import NamedTuple

import numpy as np

from cliquewise.common.graphs.chordal_kernels import are_separated
from cliquewise.common.jit import kernel, lowest_bit
from cliquewise.common.scores.score_cache_kernels import key_of, score_with
from cliquewise.common.sets.bitset_kernels import has, size_of


class EdgeScratch(NamedTuple):
    """Work space, overwritten: the sets between and visited, uint64[words], and stack, int64[n]."""

    between: np.ndarray
    visited: np.ndarray
    stack: np.ndarray


@kernel
def fill_weights(scores, scratch, sets, first, stride, due_to, us, vs, gains):
    """Fill gains[i] for i = first, first + stride, ... with d(us[i], vs[i] | sets[due_to[i]]).

    Parameters
    ----------
    scores : SetScores
    scratch : ScoreScratch
    sets : uint64[k, words]
    first, stride : int
    due_to, us, vs : int64[m]
    gains : float64[m]
    """
    for i in range(first, us.shape[0], stride):
        gains[i] = _gain(scores, scratch, sets[due_to[i]], us[i], vs[i])


@kernel
def edge_gain(scores, scratch, adjacency, u, v, max_clique, work):
    """What the edge u-v gains; minus infinity if it is there, would end chordality or make too large a clique."""
    between = work.between
    if has(adjacency[u], v):
        return -np.inf
    for k in range(between.shape[0]):
        between[k] = adjacency[u, k] & adjacency[v, k]
    if size_of(between) + 2 > max_clique:
        return -np.inf
    if not are_separated(adjacency, between, u, v, work.visited, work.stack):
        return -np.inf
    return _gain(scores, scratch, between, u, v)


@kernel
def gains_at(scores, scratch, adjacency, u, others, max_clique, work, gains):
    """Fill gains (float64[n]) at the members of `others` (uint64[words], without u) with what an edge to u gains."""
    for k in range(others.shape[0]):
        word = others[k]
        while word != np.uint64(0):
            v = 64 * k + lowest_bit(word)
            gains[v] = edge_gain(scores, scratch, adjacency, u, v, max_clique, work)
            word &= word - np.uint64(1)


@kernel
def _gain(scores, scratch, between, u, v):
    key = key_of(scores, between)
    both = score_with(scores, scratch, between, key, u, v) + score_with(scores, scratch, between, key, -1, -1)
    gain = both - score_with(scores, scratch, between, key, u, -1) - score_with(scores, scratch, between, key, v, -1)
    return gain if gain < np.inf else -np.inf
