"""A walker: one graph that moves through the space of chordal graphs, and the best graph it has found."""

from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import inlined
from ..common.compiled.records import by_address
from ..common.sets.bitset_kernels import copy_rows

# walker.numbers
SCORE, SINCE_START, BEST = 0, 1, 2
# walker.counts
STEPS, IDLE, STARTS, EVALUATED = 0, 1, 2, 3


@by_address
class Walker(NamedTuple):
    """The state of a search, in plain arrays.

    adjacency, best : uint64[n, words], the current graph and the best one found
    numbers : float64[3], the current score, the best since the last start, the best of all
    counts : int64[4], steps, steps since the last start's best improved, restarts, neighbours evaluated
    random : uint64[4]
    tried, taken : int64[8], moves by kind (see `lsmarkov.walk_kernels`)
    """

    adjacency: np.ndarray
    best: np.ndarray
    numbers: np.ndarray
    counts: np.ndarray
    random: np.ndarray
    tried: np.ndarray
    taken: np.ndarray


# A gain below this is rounding error: two sums of the same scores in different order.
TOLERANCE = 1e-9


@inlined
def record(walker):
    """Keep the current graph if it is the best so far."""
    if walker.numbers[SCORE] > walker.numbers[BEST] + TOLERANCE:
        walker.numbers[BEST] = walker.numbers[SCORE]
        copy_rows(walker.adjacency, walker.best)
