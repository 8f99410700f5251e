"""The trace of a run, a CSV that grows row by row, so that it survives an interruption.

The result does not depend on it: if a trace can no longer be written (a full disk, a pipe without a reader), a warning
is logged, and the run continues without it.
"""

from __future__ import annotations

import contextlib
import csv
import logging
from collections.abc import Callable, Sequence
from dataclasses import astuple, fields
from typing import Any, TextIO

LOG = logging.getLogger("cliquewise")


class SideOutput:
    """An optional output of a run.

    Parameters
    ----------
    name
        For messages; None if not requested.

    Attributes
    ----------
    wanted : bool
        Whether to continue writing.
    """

    def __init__(self, name: str | None) -> None:
        self.name = name
        self.wanted = name is not None

    def attempt(self, action: Callable, *args: Any) -> None:
        """Write a part; the first failure ends all writing."""
        if not self.wanted:
            return
        try:
            action(*args)
        except OSError as error:
            self.wanted = False
            reason = error.strerror or error
            LOG.error("%s: cannot be written: %s; the run continues without it", self.name, reason)  # also with -q


class TraceFile(SideOutput):
    """The trace file, created with its first row or at the end of a run, so that one that never starts leaves none.

    Parameters
    ----------
    path
        None writes nothing.
    columns
        The first line.

    Attributes
    ----------
    continues : bool
        Whether rows are appended to those of an earlier part of the run.
    """

    def __init__(self, path: str | None, columns: Sequence[str]) -> None:
        super().__init__(path)
        self.continues = False
        self._columns = columns
        self._file: TextIO | None = None
        self._last = float("-inf")

    def write(self, row: Sequence[int | str]) -> None:
        """Append a row, if a file is requested."""
        self.attempt(self._append, row)

    def is_due(self, seconds: float, is_better: bool) -> bool:
        """Whether a trace of improvements gets a row: one for each, and one per second; if so, it is to be written."""
        is_due = is_better or seconds >= self._last + 1.0
        if is_due:
            self._last = seconds
        return is_due

    def create(self) -> None:
        """Create the file, if one is requested and there is none yet: a run may end without a row."""
        self.attempt(self._create)

    def _append(self, row: Sequence[int | str]) -> None:
        self._create()
        self._rows.writerow(row)

    def _create(self) -> None:
        if self._file is None:
            path: Any = self.name
            file: Any = open(path, "a" if self.continues else "w", encoding="utf-8", newline="", buffering=1)
            self._file = file
            self._rows = csv.writer(file, lineterminator="\n")
            if not (file.seekable() and file.tell()):  # a pipe begins here
                self._rows.writerow(self._columns)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self.attempt(self._file.close)
            with contextlib.suppress(OSError):  # the rest of a row that could not be written
                self._file.close()


class RecordTrace(TraceFile):
    """A trace with one row per record of a learner, one column per attribute.

    Parameters
    ----------
    path
        None writes nothing.
    kind : dataclass
        Of the records; its floats are written with six decimals.
    """

    def __init__(self, path: str | None, kind: type) -> None:
        super().__init__(path, tuple(field.name for field in fields(kind)))

    def report(self, record: Any) -> None:
        """Write a record."""
        self.write([f"{value:.6f}" if isinstance(value, float) else value for value in astuple(record)])
