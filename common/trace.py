"""Trace files: a CSV that grows row by row while a learner runs, so that an interrupted run has left its record."""

import csv
from dataclasses import astuple, fields

from common.atomic import check_writable, is_stdout
from common.errors import DataError, UsageError


class TraceFile:
    """The file, made with its first row, so that a run that never starts leaves none.

    Parameters
    ----------
    path : str or None
        None writes nothing.
    columns : sequence of str
        The first line.

    Raises
    ------
    UsageError
        Standard output, which is for results.
    DataError
        A path that cannot be written to.
    """

    def __init__(self, path, columns):
        if path is not None and is_stdout(path):
            raise UsageError("--trace -: standard output carries results only; name a file")
        check_writable(path)
        self.wanted = path is not None
        self._path = path
        self._columns = columns
        self._file = None

    def write(self, row):
        """Append a row; nothing if no file is wanted."""
        if not self.wanted:
            return
        if self._file is None:
            try:
                self._file = open(self._path, "w", encoding="utf-8", newline="", buffering=1)
            except OSError as error:
                raise DataError(f"cannot write the trace: {error.strerror}", self._path) from None
            self._rows = csv.writer(self._file, lineterminator="\n")
            self._rows.writerow(self._columns)
        self._rows.writerow(row)

    def close(self):
        """Close the file."""
        if self._file is not None:
            self._file.close()


class RecordTrace(TraceFile):
    """A trace with a row for each of a learner's records, a column for each of its attributes.

    Parameters
    ----------
    path : str or None
        None writes nothing.
    kind : dataclass
        Of the records; its floats are written with six decimals.
    """

    def __init__(self, path, kind):
        super().__init__(path, tuple(field.name for field in fields(kind)))

    def report(self, record):
        """Write a record."""
        self.write([f"{value:.6f}" if isinstance(value, float) else value for value in astuple(record)])
