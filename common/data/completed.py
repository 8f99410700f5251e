"""Completed rows of incomplete data, from which learners learn as from any table."""

from dataclasses import dataclass

import numpy as np

from .dataset import Dataset
from .incomplete import IncompleteData


@dataclass(frozen=True, repr=False)
class CompletedData(Dataset):
    """A table in which each row of incomplete data occurs several times, each time as a part of a row.

    Attributes
    ----------
    names, states, codes, source, counts, denominator, has_names, rows
        As in `Dataset`; the denominator is that of the incomplete data times the number of completions of each row,
        and equal ones are merged.
    incomplete
        The data with missing cells.
    drawn : int32[completions * n_rows, n_vars]
        The completions of the first row first.
    seed, rounds, steps
        Of the plan by which they were drawn (`common.inference.completions`).
    """

    incomplete: IncompleteData = None  # type: ignore[assignment]  # a default, since those of Dataset have some
    drawn: np.ndarray = None  # type: ignore[assignment]
    seed: int = 1
    rounds: int = 1
    steps: int | None = None

    @property
    def completions(self) -> int:
        """The number of completions of each row."""
        return round(self.denominator / self.incomplete.denominator)

    def lines(self) -> dict[str, str]:
        """How they were drawn, as header lines."""
        lines = {
            "completions": str(self.completions),
            "completion-seed": str(self.seed),
            "completion-rounds": str(self.rounds),
        }
        return lines if self.steps is None else {**lines, "completion-steps": str(self.steps)}
