"""The options of `cliquewise learn`."""

from __future__ import annotations

from dataclasses import dataclass

SECONDS = 40.0
BINS = 4


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
        Columns that are used whatever they look like.
    seed
        Of all random numbers, >= 0.
    threads
        None for all cores.
    """

    time_limit: float = SECONDS
    ess: float = 1.0
    max_clique: int | None = None
    bins: int = BINS
    keep: tuple[str, ...] = ()
    seed: int = 1
    threads: int | None = None
