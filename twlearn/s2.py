"""S2 of the paper: the best of many random k-trees and partial orders (`twlearn.s2_kernels`).

A batch climbs from its own first candidates, so its length is the length of a climb; with fewer than a few hundred
candidates per variable the result is much worse, and long batches report progress rarely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .dandelion_kernels import empty_ktree
from .families_lookup import lookup_of
from .ktrees import best_of_ktrees
from .s2_kernels import SampleScratch, sample

if TYPE_CHECKING:
    from ..common.run.monitor import Monitor
    from ..common.run.result import LearnResult
    from .config import Config
    from .families import ScoredFamilies

BATCH_PER_VARIABLE = 200  # candidates per variable


def s2(families: ScoredFamilies, config: Config, monitor: Monitor) -> LearnResult:
    """The best network among random k-trees.

    Parameters
    ----------
    families
        Of at least two variables, with no more than w parents.
    config
        Unless `independent`, every second k-tree is a neighbour of the batch's best; else all are drawn independently.
    monitor
        An iteration is a k-tree; at least one of seconds and iterations is limited.

    Returns
    -------
    LearnResult
    """
    table = lookup_of(families)
    empty = families.start[1:] - 1
    k = min(config.treewidth, families.n - 1)
    order = config.order

    def draw(draws: int, work: SampleScratch, random: np.ndarray, stop: np.ndarray) -> int:
        return sample(table, empty, draws, work, random, stop)

    def work() -> SampleScratch:
        return _scratch(families.n, k, table.most, not config.independent, order)

    return best_of_ktrees(families, config, monitor, draw, work, BATCH_PER_VARIABLE * families.n)


def _scratch(n: int, k: int, most: int, climb: bool, order: np.ndarray | None = None) -> SampleScratch:
    """Work space for k-trees on n vertices, whose order is known or drawn."""
    m = n - k
    return SampleScratch(
        climb=climb,
        tree=empty_ktree(n, k),
        code=np.zeros(max(m - 2, 0), np.int64),
        places=np.zeros(n, np.int64),
        rank=np.zeros(n, np.int64) if order is None else np.argsort(order),
        is_ordered=order is not None,
        ordered=np.full((m + 1, k + 1), -1, np.int64),
        others=np.zeros(k + 1, np.int64),
        row=np.zeros(n, np.int64),
        place=np.zeros(most + 1, np.int64),
        path=np.zeros(most + 1, np.uint64),
        best_root=np.zeros(k, np.int64),
        best_code=np.zeros(max(m - 2, 0), np.int64),
        best_places=np.zeros(n, np.int64),
        best_row=np.zeros(n, np.int64),
        best_order=np.zeros(n, np.int64),
        best=np.zeros(1),
    )
