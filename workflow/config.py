"""The options of `cliquewise learn`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..common.arguments import CLASS_RANGE, MAX_SECONDS, MAX_THREADS, number, whole_number
from ..common.data.csvwriter import csv_line

SECONDS = 40.0
BINS = 4
FOR_LEARNERS = ("ess", "max_clique", "seed", "edge_priors", "threads")  # options that each learner has, too


@dataclass(frozen=True)
class WorkflowOptions:
    """How a table becomes a network.

    Attributes
    ----------
    time_limit
        Seconds for all steps together, > 0, after the kernels are compiled.
    ess
        Equivalent sample size of BDeu, > 0.
    max_clique
        Largest clique allowed; None for any.
    bins
        Classes of a column of numbers, >= 2.
    keep : tuple of str
        Columns that are used as they are.
    seed
        Of all random numbers, >= 0.
    threads
        None for all cores.
    edge_priors
        File of prior probabilities of edges.
    """

    time_limit: float = SECONDS
    ess: float = 1.0
    max_clique: int | None = None
    bins: int = BINS
    keep: tuple[str, ...] = ()
    seed: int = 1
    threads: int | None = None
    edge_priors: str | None = None

    def __post_init__(self) -> None:
        """Refuse values that are out of range."""
        number("time_limit", self.time_limit, above=0, most=MAX_SECONDS)
        number("ess", self.ess, above=0)
        whole_number("bins", self.bins, *CLASS_RANGE)
        whole_number("seed", self.seed, 0)
        if self.max_clique is not None:
            whole_number("max_clique", self.max_clique, 2)
        if self.threads is not None:
            whole_number("threads", self.threads, 1, MAX_THREADS)

    def changed(self, *names: str) -> dict[str, Any]:
        """The values of these options, by default of all, that differ from the defaults."""
        default = WorkflowOptions()
        values = {name: getattr(self, name) for name in names or vars(self)}
        return {name: value for name, value in values.items() if value != getattr(default, name)}


def words_of(values: Mapping[str, Any]) -> list[str]:
    """Options as words of a command line; those of value None are left out."""
    words = []
    for name, value in values.items():
        if value is not None:
            listed = csv_line(value) if isinstance(value, tuple) else value
            text = f"{listed:.15g}" if isinstance(listed, float) else str(listed)
            words += [f"--{name.replace('_', '-')}", text]
    return words
