"""`--missing em` of the learners: they learn from completions of the rows, which are drawn when the data were read."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from .paths import TracePath
from .together import together

if TYPE_CHECKING:
    from ..data.completed import CompletedData
    from ..data.incomplete import IncompleteData

LOG = logging.getLogger("cliquewise")
COMPLETIONS = 5
WITH_EM: dict = {"missing": ("em",)}  # the row of an option that only --missing em has
WITHOUT_EM: dict = {"missing": ("refuse", "state", "drop")}  # of one that it does not have
OF_EM = {"completions": WITH_EM, "completed": WITH_EM}
_SHARE = 0.25  # of a time limit, after which no further round begins


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

    def complete(self, data: IncompleteData, seed: int = 1, seconds: float | None = None) -> CompletedData:
        """The completed rows, written if a file for them was named.

        Parameters
        ----------
        seconds
            The time limit of the learner.
        """
        from ..files.atomic_write import write_whole
        from ..inference.completions import CompletionPlan, complete, csv_of_completions

        until = time.monotonic() + _SHARE * (1e9 if seconds is None else seconds)
        done = complete(data, CompletionPlan(self.completions, seed), lambda: time.monotonic() < until)
        told = data.holes, data.n_rows, self.completions
        LOG.info("%d missing cells in %d rows drawn %d times, given the others of their row", *told)
        if self.completed is not None:
            write_whole(self.completed, csv_of_completions(done))
        return done


em_options = together(
    "em",
    EmOptions,
    click.option(
        "--completions",
        type=click.IntRange(1, 1000),
        default=COMPLETIONS,
        show_default=True,
        metavar="M",
        help="With --missing em: number of completions of each row with missing cells.",
    ),
    click.option(
        "--completed",
        type=TracePath(("csv",)),
        metavar="FILE",
        help="With --missing em: write the completed rows, by which the network is scored, as CSV.",
    ),
)
