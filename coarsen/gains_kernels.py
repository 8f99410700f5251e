"""Gains of many edges: of candidates due to given separators, and of the edges at a vertex that keep a graph chordal.

Everywhere `scores` is a SetScores and `scratch` the thread's ScoreScratch (`common.scores.score_cache_kernels`),
`adjacency` a chordal graph as bit rows, uint64[n, words] (`common.graphs.chordal_kernels`), `max_clique` the largest
clique allowed, and `work` an EdgeScratch (`common.scores.edge_gain_kernels`, which says what an edge gains).
"""

import numpy as np

from cliquewise.common.jit import kernel, lowest_bit
from cliquewise.common.scores.edge_gain_kernels import edge_gain, finite, pair_gain
from cliquewise.common.sets.bitset_kernels import has


@kernel
def fill_weights(scores, scratch, separators, first, stride, due_to, us, vs, gains):
    """Fill gains[i] for i = first, first + stride, ... with d(us[i], vs[i] | separators[due_to[i]]).

    Parameters
    ----------
    scores : SetScores
    scratch : ScoreScratch
    separators : uint64[k, words]
    first, stride : int
    due_to, us, vs : int64[m]
    gains : float64[m]; minus infinity where a set has no score
    """
    for i in range(first, us.shape[0], stride):
        gains[i] = finite(pair_gain(scores, scratch, separators[due_to[i]], us[i], vs[i]))


@kernel
def addition_gain(scores, scratch, work, adjacency, u, v, max_clique):
    """What the edge u-v gains; minus infinity if it is there, would end chordality or make too large a clique."""
    if has(adjacency[u], v):
        return -np.inf
    return edge_gain(scores, scratch, work, adjacency, u, v, max_clique)


@kernel
def addition_gains(scores, scratch, work, adjacency, u, others, max_clique, gains):
    """Fill gains (float64[n]) at the members of `others` (uint64[words], without u) with what an edge to u gains."""
    for k in range(others.shape[0]):
        word = others[k]
        while word != np.uint64(0):
            v = 64 * k + lowest_bit(word)
            gains[v] = addition_gain(scores, scratch, work, adjacency, u, v, max_clique)
            word &= word - np.uint64(1)
