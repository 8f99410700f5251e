"""Gains of many candidate edges, each with its separator.

Everywhere `scores` is a SetScores and `scratch` the thread's ScoreScratch (`common.scores.score_cache_kernels`).
"""

from ..common.compiled.jit import kernel
from ..common.scores.edge_gain_kernels import finite, pair_gain


@kernel
def fill_gains(scores, scratch, separators, first, stride, due_to, us, vs, gains):
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
