"""The trace file: a row for the start and for each step."""

from dataclasses import astuple, fields

from coarsen.step import Step
from common.trace import TraceFile

COLUMNS = tuple(field.name for field in fields(Step))


class Trace(TraceFile):
    """A CSV of steps.

    Parameters
    ----------
    path : str or None
        None writes nothing.
    """

    def __init__(self, path=None):
        super().__init__(path, COLUMNS)

    def report(self, step):
        """Write a Step."""
        self.write([f"{value:.6f}" if isinstance(value, float) else value for value in astuple(step)])
