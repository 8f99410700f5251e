"""The trace of a run, a CSV that grows row by row, so that it survives an interruption.

The result does not depend on it: if a trace can no longer be written (a full disk, a pipe without a reader), a warning
is logged, and the run continues without it.
"""

import contextlib
import csv
import logging
from dataclasses import astuple, fields

LOG = logging.getLogger("cliquewise")


class SideOutput:
    """An optional output of a run.

    Parameters
    ----------
    name : str or None
        For messages; None if not requested.

    Attributes
    ----------
    wanted : bool
        Whether to continue writing.
    """

    def __init__(self, name):
        self.name = name
        self.wanted = name is not None

    def attempt(self, action, *args):
        """Write a part; the first failure ends all writing."""
        if not self.wanted:
            return
        try:
            action(*args)
        except OSError as error:
            self.wanted = False
            reason = error.strerror or error
            LOG.warning("%s: cannot be written: %s; the run continues without it", self.name, reason)


class TraceFile(SideOutput):
    """The trace file, created with its first row, so that a run that never starts leaves none.

    Parameters
    ----------
    path : str or None
        None writes nothing.
    columns : sequence of str
        The first line.

    Attributes
    ----------
    goes_on : bool
        Whether rows are appended to those of an earlier part of the run.
    """

    def __init__(self, path, columns):
        super().__init__(path)
        self.goes_on = False
        self._columns = columns
        self._file = None

    def write(self, row):
        """Append a row, if a file is requested."""
        self.attempt(self._append, row)

    def _append(self, row):
        if self._file is None:
            self._file = open(self.name, "a" if self.goes_on else "w", encoding="utf-8", newline="", buffering=1)
            self._rows = csv.writer(self._file, lineterminator="\n")
            if not (self._file.seekable() and self._file.tell()):  # a pipe begins here
                self._rows.writerow(self._columns)
        self._rows.writerow(row)

    def close(self):
        """Close the file."""
        if self._file is not None:
            self.attempt(self._file.close)
            with contextlib.suppress(OSError):  # the rest of a row that could not be written
                self._file.close()


class RecordTrace(TraceFile):
    """A trace with one row per record of a learner, one column per attribute.

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
