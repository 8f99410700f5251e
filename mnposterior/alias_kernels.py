"""Drawing numbers with given probabilities in constant time: alias tables (Walker 1977; built as in Vose 1991).

Each number i has a share 1/n of the unit interval; the fraction `keep[i]` of it stays with i, the rest goes to
`other[i]`.
"""

import numpy as np

from ..common.compiled.jit import inlined, kernel
from ..common.compiled.random_kernels import below, uniform


@inlined
def from_alias(keep, other, state):
    """A number drawn by an alias table; `state` (uint64[4]) is advanced."""
    i = below(state, keep.shape[0])
    return i if uniform(state) < keep[i] else np.int64(other[i])


@kernel
def fill_alias(weights, keep, other, waiting):
    """Make an alias table.

    Parameters
    ----------
    weights : float64[n], not negative, not all 0; overwritten
    keep : float32[n], filled
    other : int32[n], filled
    waiting : int64[n], overwritten
    """
    n = weights.shape[0]
    total = 0.0
    for i in range(n):
        total += weights[i]
    low, high = 0, n  # waiting[:low] have less than 1/n left, waiting[high:] have 1/n or more
    for i in range(n):
        weights[i] *= n / total
        keep[i] = 1.0
        other[i] = i
        if weights[i] < 1.0:
            waiting[low] = i
            low += 1
        else:
            high -= 1
            waiting[high] = i
    while low > 0 and high < n:
        low -= 1
        poor, rich = waiting[low], waiting[high]
        keep[poor] = weights[poor]
        other[poor] = rich
        weights[rich] -= 1.0 - weights[poor]
        if weights[rich] < 1.0:
            high += 1
            waiting[low] = rich
            low += 1
