"""A walker: one graph moving through the space of chordal graphs, with the best it has met."""

from typing import NamedTuple

import numpy as np

from cliquewise.common.jit import inlined
from cliquewise.common.records import by_address
from cliquewise.common.sets.bitset_kernels import copy_rows

# walker.numbers
SCORE, SINCE_START, BEST = 0, 1, 2
# walker.counts
STEPS, IDLE, STARTS, EVALUATED = 0, 1, 2, 3


@by_address
class Walker(NamedTuple):
    """Everything a search continues from; all of it plain arrays.

    adjacency, best : uint64[n, words], the current graph and the best one met
    numbers : float64[3], the score now, the best since the last start, the best of all
    counts : int64[4], steps, steps since the last start's best improved, restarts, neighbours evaluated
    random : uint64[4]
    tried, taken : int64[7], moves by kind (see `lsmarkov.exchange_kernels`)
    """

    adjacency: np.ndarray
    best: np.ndarray
    numbers: np.ndarray
    counts: np.ndarray
    random: np.ndarray
    tried: np.ndarray
    taken: np.ndarray


# A gain below this is rounding: two sums of the same scores in another order.
TOLERANCE = 1e-9


@inlined
def record(walker):
    """Note the current graph if it is better than all before."""
    if walker.numbers[SCORE] > walker.numbers[BEST] + TOLERANCE:
        walker.numbers[BEST] = walker.numbers[SCORE]
        copy_rows(walker.adjacency, walker.best)
