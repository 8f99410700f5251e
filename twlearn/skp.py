"""S+K&P of the NIPS 2014 paper: random k-trees, and the best network inside each, exactly.

The dynamic program (`twlearn.skp_kernels`) is that of Korhonen and Parviainen (2013) for a given tree of bags. One
k-tree costs much more than with S2, so far fewer are tried; the paper found S2 better, and this method is here for
that comparison.

Cost: O(n (k + 1)! 3^k) per k-tree; a treewidth above `MAX_TREEWIDTH` is refused.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from ..common.errors import LimitError
from .dandelion_kernels import empty_ktree
from .families_lookup import lookup_of
from .ktrees import best_of_ktrees
from .skp_kernels import InsideScratch, search

if TYPE_CHECKING:
    from ..common.run.monitor import Monitor
    from ..common.run.result import LearnResult
    from .config import Config
    from .families import ScoredFamilies

BATCH_KTREES = 20
MAX_TREEWIDTH = 6


def skp(families: ScoredFamilies, config: Config, monitor: Monitor) -> LearnResult:
    """The best network inside any of the k-trees drawn.

    Parameters
    ----------
    families
        Of at least two variables.
    monitor
        An iteration is a k-tree; at least one of seconds and iterations is limited.

    Returns
    -------
    LearnResult

    Raises
    ------
    LimitError
        A treewidth of more than `MAX_TREEWIDTH`.
    """
    k = min(config.treewidth, families.n - 1)
    if k > MAX_TREEWIDTH:
        raise LimitError(f"treewidth {k}; method skp takes at most {MAX_TREEWIDTH}, s2 and chordal any")
    table = lookup_of(families)

    def draw(draws: int, work: InsideScratch, random: np.ndarray, stop: np.ndarray) -> int:
        return search(table, draws, work, random, stop)

    return best_of_ktrees(families, config, monitor, draw, lambda: scratch_of(families.n, k), BATCH_KTREES)


def scratch_of(n: int, k: int) -> InsideScratch:
    """Work space for k-trees on n vertices."""
    m = n - k
    orders, short = (np.array(list(permutations(range(size))), np.int64) for size in (k + 1, k))
    rank = {tuple(order): i for i, order in enumerate(short.tolist())}
    without = [
        [rank[tuple(member if e == k else e for e in order if e != member)] for member in range(k + 1)]
        for order in orders.tolist()
    ]
    child, sibling, order, taken = np.zeros((4, m + 1), np.int64)
    row, best_row, best_order = np.zeros((3, n), np.int64)
    return InsideScratch(
        empty_ktree(n, k),
        np.zeros(max(m - 2, 0), np.int64),
        orders,
        short,
        np.array(without, np.int64),
        np.zeros((m + 1, len(short), 1 << k)),
        np.zeros((m + 2, 2 << k)),
        np.zeros((k + 1, 2 << k)),
        np.zeros((k + 1, 2 << k), np.int64),
        child,
        sibling,
        order,
        taken,
        row,
        best_row,
        best_order,
        np.zeros(1),
    )
