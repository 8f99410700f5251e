"""The trace file: a CSV with a row for the start and for each step, written as it comes."""

import csv
from dataclasses import astuple, fields

from coarsen.step import Step
from common.atomic import check_writable, is_stdout
from common.errors import DataError, UsageError

COLUMNS = tuple(field.name for field in fields(Step))


class Trace:
    """The file, made with its first row, so that a run that never starts leaves none.

    Parameters
    ----------
    path : str or None
        None writes nothing.
    """

    def __init__(self, path=None):
        if path is not None and is_stdout(path):
            raise UsageError("--trace -: standard output carries results only; name a file")
        check_writable(path)
        self._path = path
        self._file = None

    def close(self):
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def report(self, step):
        """Write a Step."""
        if self._path is None:
            return
        if self._file is None:
            try:
                self._file = open(self._path, "w", encoding="utf-8", newline="", buffering=1)
            except OSError as error:
                raise DataError(f"cannot write the trace: {error.strerror}", self._path) from None
            self._rows = csv.writer(self._file, lineterminator="\n")
            self._rows.writerow(COLUMNS)
        self._rows.writerow(f"{value:.6f}" if isinstance(value, float) else value for value in astuple(step))
