"""The trace file: one row per improvement, and at least one per second."""

from ..common.cli.trace import TraceFile

COLUMNS = ("seconds", "iterations", "score")


class ScoreTrace(TraceFile):
    """A CSV of the search.

    Parameters
    ----------
    path : str or None
        None writes nothing.
    """

    def __init__(self, path=None):
        super().__init__(path, COLUMNS)
        self._score = self._last = float("-inf")

    def report(self, progress):
        """Record a Progress."""
        score = round(progress.score, 6)
        if score <= self._score and progress.seconds < self._last + 1.0:
            return
        self._score, self._last = score, progress.seconds
        self.write((f"{progress.seconds:.3f}", progress.iterations, f"{score:.6f}"))
