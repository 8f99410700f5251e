"""The checkpoint of junctor: the best network known, and the proved bound.

A resumed run starts with both: it rules out more from the start, and never reports a worse bound. The tables of
the dynamic program are not saved: writing gigabytes takes longer than filling them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

from ..common.graphs.chordal import is_chordal, maximal_cliques
from ..common.graphs.graph import Graph
from ..common.run.result import INTERRUPTED, LearnResult
from ..common.run.saved import is_edges
from ..common.run.state_record import StateRecord, ValueField

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..common.run.monitor import Monitor


def _is_network(edges: list[list[int]], own: Any) -> bool:
    if not is_edges(edges, own.n):
        return False
    graph = _network(edges, own)
    return is_chordal(graph) and max(map(len, maximal_cliques(graph)), default=0) <= own.largest


def _network(edges: Sequence[Sequence[int]], own: Any) -> Graph:
    return Graph(own.n, tuple(sorted((u, v) for u, v in edges)), own.names)


class BestKnown:
    """The best network and bound so far.

    Parameters
    ----------
    monitor
    n, largest
        Number of variables, and the bound on cliques.
    names : tuple of str or None

    Attributes
    ----------
    first : LearnResult or None
        The network of an earlier part of the run.
    bound : float
        On the score of all networks, proved by the earlier part.
    """

    record = StateRecord(
        ValueField(
            "graph", list, _is_network, pack=lambda graph: [list(edge) for edge in graph.edges], unpack=_network
        ),
        ValueField("score", float, lambda score, _: math.isfinite(score)),
        ValueField("bound", float, lambda bound, own: bound >= own.score - 1e-6 * (1.0 + abs(own.score))),
    )

    def __init__(self, monitor: Monitor, n: int, largest: int, names: tuple[str, ...] | None) -> None:
        self._monitor, self.n, self.largest, self.names = monitor, n, largest, names
        self.first: LearnResult | None = None
        self.graph = Graph(n, (), names)
        self.score, self.bound = -math.inf, math.inf
        if monitor.saved is not None:
            self.record.load(monitor.saved, self)
            self.first = LearnResult(self.graph, self.score, INTERRUPTED)

    def keep(self, graph: Callable, score: float, bound: float = math.inf) -> None:
        """A safe point.

        Parameters
        ----------
        graph
            Returns the best network known, a Graph.
        score, bound
            Score of that network, and bound on all networks.
        """
        self.bound = min(self.bound, bound)

        def state() -> dict[str, Any]:
            return self.record.save(SimpleNamespace(graph=graph(), score=score, bound=self.bound))

        self._monitor.keep(state, lasting=True)

    def with_bound(self, result: LearnResult) -> LearnResult:
        """A LearnResult with the best bound of all parts of the run, unless its own bound is to be certified."""
        if result.proof is not None or self.bound >= result.upper_bound:
            return result
        return replace(result, upper_bound=self.bound)
