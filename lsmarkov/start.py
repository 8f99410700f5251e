"""The start of a search: the empty graph, the Chow-Liu forest, a network grown from it, or a network from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..common.graphs.chordal import bit_rows, graph_of
from ..common.scores.greedy import GreedySearch
from ..common.scores.spanning import around

if TYPE_CHECKING:
    from ..common.graphs.graph import Graph
    from ..common.run.monitor import Monitor
    from ..common.scores.scorer import SetScorer


def best_partners(gains: np.ndarray, count: int = 24) -> np.ndarray:
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


def chow_liu(gains: np.ndarray, required: Graph | None = None) -> np.ndarray:
    """The maximum-weight forest, as bit rows (uint64[n, words]), extending a chordal graph that must be part of it."""
    return bit_rows(around(required, gains))


def grown(scorer: SetScorer, forest: np.ndarray, max_clique: int, monitor: Monitor) -> np.ndarray:
    """The network that grows from a forest by the best edges (`common.scores.greedy`).

    On a thousand variables it takes a second; a random walk takes a minute for the same score.

    Parameters
    ----------
    forest : uint64[n, words]

    Returns
    -------
    uint64[n, words]
        Incomplete if the time was up.
    """
    rows, edges = forest.copy(), graph_of(forest).edges
    size, gained = len(edges), 0.0

    def may_go_on() -> bool:
        monitor.progress(f"growing: {size} edges, {gained:.2f} above the forest")
        return monitor.may_go_on()

    search = GreedySearch(scorer, rows, edges, max_clique, may_go_on)
    for gain in search.steps():
        size, gained = size + (-1 if search.removing else 1), gained + gain
    return rows
