"""The trace file: one row per improvement, and at least one per second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.learning.trace import TraceFile

if TYPE_CHECKING:
    from ..common.run.listener import Progress

COLUMNS = ("seconds", "iterations", "score")


class ScoreTrace(TraceFile):
    """A CSV of the search.

    Parameters
    ----------
    path
        None writes nothing.
    """

    def __init__(self, path: str | None) -> None:
        super().__init__(path, COLUMNS)
        self._score = float("-inf")

    def report(self, progress: Progress) -> None:
        """Record a Progress."""
        score = round(progress.score, 6)
        if self.is_due(progress.seconds, score > self._score):
            self._score = score
            self.write((f"{progress.seconds:.3f}", progress.iterations, f"{score:.6f}"))
