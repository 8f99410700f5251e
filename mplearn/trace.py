"""The trace file: a row for each blanket and each step of the second phase."""

from dataclasses import astuple, fields

from common.trace import TraceFile
from mplearn.run import Event

COLUMNS = tuple(field.name for field in fields(Event))


class Trace(TraceFile):
    """A CSV of events.

    Parameters
    ----------
    path : str or None
        None writes nothing.
    """

    def __init__(self, path=None):
        super().__init__(path, COLUMNS)

    def report(self, event):
        """Write an Event."""
        self.write([f"{value:.6f}" if isinstance(value, float) else value for value in astuple(event)])
