"""Gains of all pairs of variables, row by row."""

import numpy as np

from common.jit import kernel
from common.score_cache_kernels import key_of, score_with


@kernel
def fill_pair_gains(scores, scratch, empty, first, stride, gains):
    """Fill the rows first, first + stride, ... (and their mirror images) of gains with s(uv) - s(u) - s(v).

    Parameters
    ----------
    scores : SetScores
    scratch : ScoreScratch
    empty : uint64[words], zeros
    first, stride : int
    gains : float64[n, n]
    """
    n = gains.shape[0]
    key = key_of(scores, empty)
    for u in range(first, n, stride):
        alone = score_with(scores, scratch, empty, key, u, -1)
        for v in range(u):
            gain = score_with(scores, scratch, empty, key, u, v) - alone
            gain -= score_with(scores, scratch, empty, key, v, -1)
            gains[u, v] = gain if gain < np.inf else -np.inf
            gains[v, u] = gains[u, v]
