"""The output of a search while it runs: the trace file and the original program's `update` and `solution` lines."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

from ..common.files.streams import discard_output
from ..common.graphs.chordal import graph_of, maximal_cliques
from ..common.learning.trace import SideOutput, TraceFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.graphs.graph import Graph
    from ..common.run.result import LearnResult
    from .ensemble import Snapshot

COLUMNS = ("seconds", "step", "restart", "score", "largest_clique", "scores_computed")


class Updates(SideOutput):
    """The lines for standard output, which are optional if the result goes elsewhere.

    Parameters
    ----------
    echo : callable taking a str
        Writes a line.
    """

    def __init__(self, echo: Callable) -> None:
        super().__init__("standard output")
        self._echo = echo

    def __call__(self, line: str) -> None:
        """Write a line."""
        if self.wanted:
            self.attempt(self._echo, line)
            if not self.wanted:
                discard_output(sys.stdout)


class SearchTrace(TraceFile):
    """A CSV with one row per improvement, and at least one per second.

    Parameters
    ----------
    path
        None writes nothing.
    updates : callable taking a str, or None
        Gets an `update SECONDS SCORE` and a `solution CLIQUE CLIQUE ...` line for each improvement.
    """

    def __init__(self, path: str | None, updates: Callable | None) -> None:
        super().__init__(path, COLUMNS)
        self.updates = updates
        self.largest = 0
        self._printed: tuple[tuple[int, ...], ...] = ()

    def report(self, progress: Snapshot) -> None:
        """Record a Snapshot."""
        if not self.is_due(progress.seconds, progress.best is not None):
            return
        if progress.best is not None and (self.wanted or self.updates is not None):
            cliques = maximal_cliques(graph_of(progress.best))
            self.largest = max(map(len, cliques))
            self._update(progress.seconds, progress.score, cliques)
        row = (f"{progress.seconds:.3f}", progress.steps, progress.restarts, f"{progress.score:.6f}")
        self.write((*row, self.largest, progress.computed))

    def end(self, seconds: float, result: LearnResult) -> None:
        """Update to the result, if that is not the last network: it lacks edges that gain nothing."""
        cliques = maximal_cliques(cast("Graph", result.graph))
        if cliques != self._printed:
            self._update(seconds, result.score, cliques)

    def _update(self, seconds: float, score: float, cliques: tuple[tuple[int, ...], ...]) -> None:
        """Print a network, if that is wanted."""
        self._printed = cliques
        if self.updates is not None:
            self.updates(f"update {seconds:.3f} {score:.6f}")
            self.updates("solution " + " ".join(",".join(map(str, clique)) for clique in cliques))
