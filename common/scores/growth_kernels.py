"""Kernel of growth by vertices: the best neighbours in a clique, by forward selection; see `common.scores.growth`.

Everywhere `scores` is a SetScores and `scratch` the thread's ScoreScratch (`common.scores.score_cache_kernels`).
"""

import numpy as np

from ..compiled.jit import kernel, lowest_bit
from ..sets.bitset_kernels import copy_set, has, size_of, toggle
from .edge_gain_kernels import finite, pair_gain
from .score_cache_kernels import key_of, score_with


@kernel
def look_at_clique(
    scores, scratch, chosen, alone, clique, newest, outside, max_clique, first, stride, gains, neighbours
):
    """Let the vertices outside look for better neighbours in a new clique.

    The best so far, as far as they are in the clique, are kept; the newest vertex of the clique is added if it gains,
    then others as long as they gain, the best first.

    Parameters
    ----------
    chosen : uint64[words], work space
    alone : float64[n], the score of each vertex
    clique : uint64[words]
    newest : int, its vertex that joined last
    outside : uint64[words], the vertices of no clique
    max_clique : int, at least 2
    first, stride : int, the share of this thread: vertices first, first + stride, ...
    gains : float64[n], of the best neighbours of each vertex; changed
    neighbours : uint64[n, words], likewise
    """
    for v in range(first, len(gains), stride):
        if not has(outside, v):
            continue
        for k in range(len(clique)):
            chosen[k] = neighbours[v, k] & clique[k]
        if size_of(chosen) + 2 > max_clique:
            for k in range(len(clique)):
                chosen[k] = np.uint64(0)
        if not finite(pair_gain(scores, scratch, chosen, v, newest)) > 0.0:
            continue
        toggle(chosen, newest)
        key = key_of(scores, chosen)
        gain = score_with(scores, scratch, chosen, key, v, -1) - score_with(scores, scratch, chosen, key, -1, -1)
        gain -= alone[v]
        while size_of(chosen) + 2 <= max_clique:
            more, best = 0.0, -1
            for k in range(len(clique)):
                word = clique[k] & ~chosen[k]
                while word != np.uint64(0):
                    u = 64 * k + lowest_bit(word)
                    word &= word - np.uint64(1)
                    new = finite(pair_gain(scores, scratch, chosen, v, u))
                    if new > more:
                        more, best = new, u
            if best < 0:
                break
            gain += more
            toggle(chosen, best)
        if gain > gains[v]:
            gains[v] = gain
            copy_set(chosen, neighbours[v])
