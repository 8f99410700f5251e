"""What a search tells while it runs: the trace file and the original program's `update` and `solution` lines."""

import csv

from common.atomic import check_writable, is_stdout
from common.chordal import graph_of, maximal_cliques
from common.errors import DataError, UsageError

COLUMNS = ("seconds", "step", "restart", "score", "largest_clique", "scores_computed")


class Trace:
    """A CSV with a row for each better network, and one at least every second; written as it comes.

    The file is made with its first row, so that a search that never starts leaves none.

    Parameters
    ----------
    path : str or None
        None writes nothing.
    updates : callable taking a str, or None
        Gets an `update SECONDS SCORE` and a `solution CLIQUE CLIQUE ...` line for each better network.
    """

    def __init__(self, path=None, updates=None):
        self.updates = updates
        self.largest = 0
        self._path = path
        self._last = float("-inf")
        self._file = None
        if path is not None and is_stdout(path):
            raise UsageError("--trace -: standard output carries results only; name a file")
        check_writable(path)

    def close(self):
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def report(self, progress):
        """Take note of a Progress."""
        if progress.best is None and (self._path is None or progress.seconds < self._last + 1.0):
            return
        if progress.best is not None and (self._path is not None or self.updates is not None):
            cliques = maximal_cliques(graph_of(progress.best))
            self.largest = max(map(len, cliques))
            if self.updates is not None:
                self.updates(f"update {progress.seconds:.3f} {progress.score:.6f}")
                self.updates("solution " + " ".join(",".join(map(str, clique)) for clique in cliques))
        if self._path is not None:
            self._open()
            self._last = progress.seconds
            row = (f"{progress.seconds:.3f}", progress.steps, progress.restarts, f"{progress.score:.6f}")
            self._rows.writerow((*row, self.largest, progress.computed))

    def _open(self):
        """Begin the file, if that was not done yet."""
        if self._file is None:
            try:
                self._file = open(self._path, "w", encoding="utf-8", newline="", buffering=1)
            except OSError as error:
                raise DataError(f"cannot write the trace: {error.strerror}", self._path) from None
            self._rows = csv.writer(self._file, lineterminator="\n")
            self._rows.writerow(COLUMNS)
