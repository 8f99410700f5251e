"""The log of a run for a proof that can be checked: the rows and multipliers of each round, in every part.

Multipliers are rounded to multiples of 2^-30, so that the fractions of the proof are those that were used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .rows_kernels import WIDTH, Rows
from .violated_rows import pick_rows, rows_of_table

MAX_DENOMINATOR = 1 << 30


class LoggedStep(NamedTuple):
    """A round.

    numbers : int32[r], of its rows
    multipliers : float64[r], rounded
    """

    numbers: np.ndarray
    multipliers: np.ndarray


class ProofLog:
    """The data collected for a part of the problem.

    Parameters
    ----------
    numbers : dict of bytes to int, optional
        The number of each row in the whole problem, by its bytes: the same rows are in many rounds.

    Attributes
    ----------
    steps : list of LoggedStep
        From the first round on.
    edge : int
        Mask of the edge over which the part was split, 0 if it was not.
    parts : list of ProofLog
    """

    def __init__(self, numbers: dict[bytes, int] | None = None) -> None:
        self._numbers: dict[bytes, int] = {} if numbers is None else numbers
        self.steps: list[LoggedStep] = []
        self._is_needed = True  # the last of them
        self.edge = 0
        self.parts: list[ProofLog] = []

    def add(self, rows: Rows, multipliers: np.ndarray, is_better: bool, rules_out: bool) -> None:
        """Record the multipliers of a round; they replace the last ones if these are no longer needed.

        Parameters
        ----------
        rows
        multipliers : float64[r]
        is_better
            Whether they have the lowest bound so far.
        rules_out
            Whether they rule out families.
        """
        if is_better and not self._is_needed:
            self.steps.pop()
        self._is_needed = rules_out
        rounded = np.round(multipliers * MAX_DENOMINATOR) / MAX_DENOMINATOR
        used = rounded > 0.0
        numbers = self._numbers
        found = [numbers.setdefault(row.tobytes(), len(numbers)) for row in np.column_stack(pick_rows(rows, used))]
        self.steps.append(LoggedStep(np.array(found, np.int32), rounded[used]))

    def rows(self) -> Rows:
        """All rows, in the order of their numbers."""
        return rows_of_table(np.frombuffer(b"".join(self._numbers), np.uint64).reshape(-1, 2 + WIDTH))

    def split(self, edge: int) -> list[ProofLog]:
        """The logs of the parts without and with an edge."""
        self.edge, self.parts = edge, [ProofLog(self._numbers), ProofLog(self._numbers)]
        return self.parts
