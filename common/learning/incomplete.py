"""Learning from completions of rows with missing cells, which are drawn when the data were read."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..counted import counted
from ..files.endings import filled

if TYPE_CHECKING:
    from ..data.completed import CompletedData
    from ..data.incomplete import IncompleteData
    from ..inference.completions import CompletionPlan
    from .options import CheckpointOptions

LOG = logging.getLogger("cliquewise")
COMPLETIONS = 5
_TIME_SHARE = 0.25  # of a time limit, for the rounds


@dataclass(frozen=True)
class EmOptions:
    """Options of completions.

    Attributes
    ----------
    completions
        Of each row.
    completed
        File for the completed rows.
    """

    completions: int = COMPLETIONS
    completed: str | None = None

    def named(self, value: float | None) -> EmOptions:
        """The same for one value of a sweep, see `common.files.endings.filled`."""
        return replace(self, completed=filled(self.completed, value))

    def plan(self, data: IncompleteData, seed: int, checkpoints: CheckpointOptions) -> tuple[CompletionPlan, bool]:
        """How data are completed, and whether a run that is resumed has decided it."""
        from ..files.fingerprint import data_digest
        from ..inference.completions import CompletionPlan
        from ..run.checkpoint_record import CheckpointRecord

        plan = CompletionPlan(self.completions, seed)
        if checkpoints.checkpoint is None or not checkpoints.resume:
            return plan, False
        record = CheckpointRecord.load(checkpoints.checkpoint)
        if record is None:
            return plan, False
        found = record.completion_of(data_digest(data), self.completions, checkpoints.checkpoint)
        return plan if found is None else replace(plan, rounds=found[0], steps=found[1]), found is not None

    def complete(
        self, data: IncompleteData, seed: int, seconds: float | None, checkpoints: CheckpointOptions
    ) -> CompletedData:
        """The completed rows, written if a file for them was named.

        Parameters
        ----------
        seconds
            The time limit of the learner.
        checkpoints
            A run that is resumed has the rows with which it began.
        """
        from ..files.atomic_write import write_whole
        from ..inference.completions import complete, csv_of_completions

        plan, is_kept = self.plan(data, seed, checkpoints)
        done = complete(data, plan, None if seconds is None or is_kept else _TIME_SHARE * seconds)
        values = counted(data.n_missing, "missing cell"), counted(data.n_rows, "row"), counted(self.completions, "time")
        LOG.info("%s in %s drawn %s, given the others of their row", *values)
        if self.completed is not None:
            write_whole(self.completed, csv_of_completions(done))
        return done
