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
        self._score = self._last = float("-inf")

    def report(self, progress: Progress) -> None:
        """Record a Progress."""
        score = round(progress.score, 6)
        if score <= self._score and progress.seconds < self._last + 1.0:
            return
        self._score, self._last = score, progress.seconds
        self.write((f"{progress.seconds:.3f}", progress.iterations, f"{score:.6f}"))
