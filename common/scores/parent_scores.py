"""Parent-set scores of every variable, from the scores of all sets: the local score of P for v is s(P + v) - s(P).

For BDeu, BIC and log-likelihood this is the usual score of a family in a Bayesian network.
"""

from collections.abc import Iterator

import numpy as np

from ..sets.set_orders import set_count, set_counts
from .parent_scores_kernels import parent_scores


def families(n: int, largest: int, scores: np.ndarray, prune: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The parent sets of each variable in turn.

    Parameters
    ----------
    n
        Number of variables.
    largest
        Largest number of parents, 0 <= largest < n.
    scores : float64[set_count(n, largest + 1)]
        Scores of sets in colex order.
    prune
        Leave out a set if one of its subsets scores at least as well.

    Yields
    ------
    (int32[m, largest], float64[m])
        The parent sets in colex order, each ascending and padded with -1, and their scores. Both are
        overwritten by the next.
    """
    counts_below, count = set_counts(n, largest + 1), set_count(n - 1, largest)
    parents, out, best = np.empty((count, largest), np.int32), np.empty(count), np.empty(count)
    others, members = np.zeros(largest + 1, np.int64), np.zeros(largest + 1, np.int64)
    for v in range(n):
        kept = parent_scores(v, scores, counts_below, others, members, best, prune, parents, out)
        yield parents[:kept], out[:kept]
