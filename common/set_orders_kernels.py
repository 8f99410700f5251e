"""The place of a set in colex order, computed without a search."""

import numpy as np

from common.jit import inlined, lowest_bit, popcount


@inlined
def colex_rank(below, bits, max_size):
    """How many sets of at most `max_size` elements have a smaller mask.

    Take the elements from the largest down. Each element c adds the sets that agree above c, lack c and are
    free below: as many as there are sets of c elements of at most the size that is not used up yet.

    Parameters
    ----------
    below : int64[n, >= max_size + 1], see `common.set_orders.set_counts`
    bits : uint64, the set, of at most max_size elements
    max_size : int

    Returns
    -------
    int
    """
    rank = 0
    left = max_size + 1 - popcount(bits)
    while bits:
        rank += below[lowest_bit(bits), left]
        left += 1
        bits &= bits - np.uint64(1)
    return rank
