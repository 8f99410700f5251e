"""The checkpoint of coarsen: results of finished stages, and the last complete step of the current stage.

The stages are: the steps from one start with one length of edges, the local search, the steps after it, and the forced
steps. A step depends only on the network before it. Stages that take seconds, such as the greedy one, start again.
"""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any

from ..common.graphs.chordal import is_chordal, maximal_cliques
from ..common.graphs.graph import Graph
from ..common.run.result import LearnResult
from ..common.run.saved import is_edges, is_index
from ..common.run.state_record import StateRecord, ValueField

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.run.monitor import Monitor


def _graph(edges: list[list[int]], own: Stages) -> Graph:
    return Graph(own.n, tuple((u, v) for u, v in edges), own.names)


def _is_result(found: list[Any], own: Stages) -> bool:
    """Whether a JSON value is what `_plain` makes of a result."""
    n, edges, status, steps = found
    if n != own.n or not is_edges(edges, n) or not isinstance(status, str) or not is_index(steps):
        return False
    graph = _graph(edges, own)
    return is_chordal(graph) and max(map(len, maximal_cliques(graph)), default=0) <= own.max_clique


def _result(found: list[Any], own: Stages) -> LearnResult:
    """A LearnResult from JSON; its score is recomputed."""
    _, edges, status, steps = found
    graph = _graph(edges, own)
    return LearnResult(graph, own.score_of(graph), status, steps)


def _plain(result: LearnResult) -> list[Any]:
    """A LearnResult as JSON, without its score."""
    return [result.graph.n, [list(edge) for edge in result.graph.edges], result.status, result.iterations]


class Stages:
    """The work done so far.

    Parameters
    ----------
    monitor
        Of the whole run.
    n
        Number of variables.
    score_of
        Takes a chordal Graph and returns its score.
    max_clique
        Bound on the cliques.

    Attributes
    ----------
    finished : dict of str to LearnResult
        By stage.
    current : str or None
        The stage that is not finished.
    last : LearnResult or None
        Its last complete step.
    """

    record = StateRecord(
        ValueField(
            name="finished",
            kind=dict,
            is_valid=lambda found, own: all(_is_result(one, own) for one in found.values()),
            pack=lambda finished: {stage: _plain(result) for stage, result in finished.items()},
            unpack=lambda found, own: {stage: _result(one, own) for stage, one in found.items()},
        ),
        ValueField("current", (str, NoneType), pack=lambda stage: stage),
        ValueField(
            name="last",
            kind=(list, NoneType),
            is_valid=lambda found, own: found is None or (own.current is not None and _is_result(found, own)),
            pack=lambda result: None if result is None else _plain(result),
            unpack=lambda found, own: None if found is None else _result(found, own),
        ),
    )

    def __init__(
        self, monitor: Monitor, n: int, names: tuple[str, ...] | None, score_of: Callable, max_clique: int
    ) -> None:
        self.finished: dict[str, LearnResult] = {}
        self.current: str | None = None
        self.last: LearnResult | None = None
        self._monitor, self.n, self.names = monitor, n, names
        self.score_of, self.max_clique = score_of, max_clique
        if monitor.saved is not None:
            self.record.load(monitor.saved, self)

    def begin(self, name: str, graph: Graph, score: float, steps: int) -> tuple[Graph, float, int]:
        """Begin a stage, or continue it.

        Parameters
        ----------
        steps
            The state at its beginning.

        Returns
        -------
        (Graph, float, int)
            The state to continue from.
        """
        if self.current == name and self.last is not None:
            assert isinstance(self.last.graph, Graph)
            return self.last.graph, self.last.score, self.last.iterations
        self.current, self.last = name, None
        return graph, score, steps

    def step(self, graph: Graph, score: float, steps: int) -> None:
        """Record a complete step of the current stage."""
        self.last = LearnResult(graph, score, "", steps)
        self._keep()

    def finish(self, name: str, result: LearnResult) -> LearnResult:
        """Record this LearnResult of a finished stage, unless a signal ended it; returns the result."""
        if self._monitor.should_continue():
            self.finished[name] = result
            self.current = self.last = None
            self._keep()
        return result

    def _keep(self) -> None:
        self._monitor.keep(lambda: self.record.save(self), lasting=True)
