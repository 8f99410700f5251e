"""The start of a search: the empty graph, the Chow-Liu forest, a network grown from it, or a network from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..common.counted import counted
from ..common.graphs.chordal import bit_rows
from ..common.graphs.start_network import check_start_score
from ..common.scores import growth
from ..common.scores.spanning import forest_around
from .walker_kernels import BEST

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.graphs.graph import Graph
    from ..common.run.monitor import Monitor
    from ..common.scores.scorer import SetScorer
    from .ensemble import Ensemble


PARTNERS = 24  # of a variable, among which moves draw


def best_partners(gains: np.ndarray, count: int = PARTNERS) -> np.ndarray:
    """For each variable the others, sorted by the gain of a single edge to them.

    Parameters
    ----------
    gains : float64[n, n]

    Returns
    -------
    int64[n, min(n - 1, count)]
        Best first, never the variable itself.
    """
    n = gains.shape[0]
    count = min(n - 1, count)
    partners = np.zeros((n, count), np.int64)
    for u, row in enumerate(gains):
        losses = -row
        losses[u] = np.inf
        near = np.flatnonzero(losses <= np.partition(losses, count - 1)[count - 1])
        near = near[near != u]
        partners[u] = near[np.argsort(losses[near], kind="stable")][:count]
    return partners


def check_scores(ensemble: Ensemble, source: Dataset | CliqueScores) -> None:
    """DataError if a file of scores forbids the start network, at which the walkers are."""
    if source.names is None:
        check_start_score(float(ensemble.best.numbers[BEST]), source.source)


def chow_liu(gains: np.ndarray, required: Graph | None) -> np.ndarray:
    """The maximum-weight forest, as bit rows (uint64[n, words]), extending a chordal graph that must be part of it."""
    return bit_rows(forest_around(required, gains))


def grown(scorer: SetScorer, forest: np.ndarray, max_clique: int, monitor: Monitor) -> np.ndarray:
    """The network that grows from a forest (`common.scores.growth`).

    On a thousand variables it takes a second; a random walk takes a minute for the same score.

    Parameters
    ----------
    forest : uint64[n, words]

    Returns
    -------
    uint64[n, words]
        Incomplete if the time was up.
    """

    def progress(edges: int, gained: float) -> None:
        monitor.reporter.progress(f"growing: {counted(edges, 'edge')}, {gained:.2f} above the forest")

    return growth.grown(scorer, forest, max_clique, monitor.should_continue, progress)
