"""The output of a search while it runs: the trace file and the original program's `update` and `solution` lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.cli.trace import SideOutput, TraceFile
from ..common.files.streams import give_up_stdout
from ..common.graphs.chordal import graph_of, maximal_cliques

if TYPE_CHECKING:
    from collections.abc import Callable

    from .ensemble import Snapshot

COLUMNS = ("seconds", "step", "restart", "score", "largest_clique", "scores_computed")
RUNGS = ("temperatures", "exchange_rates", "acceptance_rates")  # numbers with spaces between, at the end of a phase


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
                give_up_stdout()


class SearchTrace(TraceFile):
    """A CSV with one row per improvement and per phase of replica exchange, and at least one per second.

    Parameters
    ----------
    path
        None writes nothing.
    updates : callable taking a str, or None
        Gets an `update SECONDS SCORE` and a `solution CLIQUE CLIQUE ...` line for each improvement.
    """

    def __init__(self, path: str | None = None, updates: Callable | None = None) -> None:
        super().__init__(path, COLUMNS + RUNGS)
        self.updates = updates
        self.largest = 0
        self._last = float("-inf")

    def report(self, progress: Snapshot) -> None:
        """Record a Snapshot."""
        if (
            progress.best is None
            and progress.rungs is None
            and (not self.wanted or progress.seconds < self._last + 1.0)
        ):
            return
        if progress.best is not None and (self.wanted or self.updates is not None):
            cliques = maximal_cliques(graph_of(progress.best))
            self.largest = max(map(len, cliques))
            if self.updates is not None:
                self.updates(f"update {progress.seconds:.3f} {progress.score:.6f}")
                self.updates("solution " + " ".join(",".join(map(str, clique)) for clique in cliques))
        self._last = progress.seconds
        row = (f"{progress.seconds:.3f}", progress.steps, progress.restarts, f"{progress.score:.6f}")
        rungs = [" ".join(f"{value:.4g}" for value in values) for values in progress.rungs or ((), (), ())]
        self.write((*row, self.largest, progress.computed, *rungs))
