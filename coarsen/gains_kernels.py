"""Gains of many edges: of candidates due to given separators, and of the edges at a vertex, there or not.

Everywhere `scores` is a SetScores and `scratch` the thread's ScoreScratch (`common.scores.score_cache_kernels`),
`adjacency` a chordal graph as bit rows, uint64[n, words] (`common.graphs.chordal_kernels`), `max_clique` the largest
clique allowed, and `work` an EdgeScratch (`common.scores.edge_gain_kernels`, which says what an edge gains).
"""

import numpy as np

from cliquewise.common.jit import kernel, lowest_bit
from cliquewise.common.scores.edge_gain_kernels import edge_gain, finite, pair_gain


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
def flip_gains(scores, scratch, work, adjacency, u, others, max_clique, gains):
    """What flipping the edge from u to each of some vertices gains, minus infinity where it may not be done.

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
