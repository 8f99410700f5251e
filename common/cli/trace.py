"""What a run writes beside its result, as it goes: a trace, a CSV that grows row by row, so that an interrupted run has
left its record.

No such file is worth the result. Where one cannot be written any more (a full disk, a pipe that nobody reads), that is
told, no more is written to it, and the run goes on.
"""

import contextlib
import csv
import logging
from dataclasses import astuple, fields

LOG = logging.getLogger("cliquewise")


class SideOutput:
    """An output that a run can do without.

    Parameters
    ----------
    name : str or None
        For messages; None if it is not wanted.

    Attributes
    ----------
    wanted : bool
        Whether to go on writing.
    """

    def __init__(self, name):
        self.name = name
        self.wanted = name is not None

    def attempt(self, action, *args):
        """Do a part of the writing; its first failure is the end of all."""
        if not self.wanted:
            return
        try:
            action(*args)
        except OSError as error:
            self.wanted = False
            reason = error.strerror or error
            LOG.warning("%s: cannot be written: %s; the run goes on without it", self.name, reason)


class TraceFile(SideOutput):
    """The file, made with its first row, so that a run that never starts leaves none.

    Parameters
    ----------
    path : str or None
        None writes nothing.
    columns : sequence of str
        The first line.

    Attributes
    ----------
    goes_on : bool
        Whether rows are added to those of an earlier part of the run.
    """

    def __init__(self, path, columns):
        super().__init__(path)
        self.goes_on = False
        self._columns = columns
        self._file = None

    def write(self, row):
        """Append a row; nothing if no file is wanted."""
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
            with contextlib.suppress(OSError):  # what is left of a row that could not be written
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
