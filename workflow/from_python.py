"""`cliquewise.learn`: what `cliquewise learn` does, in memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .config import BINS, SECONDS, WorkflowOptions

if TYPE_CHECKING:
    from .learn import Study


def learn(
    data: Any,
    *,
    header: str = "auto",
    counts: str | None = None,
    time_limit: float = SECONDS,
    ess: float = 1.0,
    max_clique: int | None = None,
    bins: int = BINS,
    keep: Sequence[str] = (),
    seed: int = 1,
    threads: int | None = None,
    edge_priors: str | os.PathLike[str] | None = None,
) -> Study:
    """Learn a network from a table, with all that belongs to it.

    Identifiers, dates, free text and constants are left out, numbers are cut into classes, and missing cells are
    completed from the rest of their rows.

    Parameters
    ----------
    data
        A DataFrame of pandas, polars or pyarrow, a dict of columns, a list of rows, an array, or the name of a file.
    header
        auto, yes or no: whether the first row of a file holds names.
    counts
        Column that says how many rows each row stands for.
    time_limit
        Seconds for all steps together, > 0, without compiling.
    ess
        Equivalent sample size of BDeu, > 0.
    max_clique
        Largest clique allowed, at least 2; None for any.
    bins
        Classes of a column of numbers, at least 2.
    keep
        Columns that are used even if they look like identifiers, dates, text or constants.
    seed
        Of all random numbers, at least 0.
    threads
        Number of cores to use; None for all.
    edge_priors
        File of prior probabilities of some edges, rows u,v,probability: 0 forbids, 1 requires.

    Returns
    -------
    Study
        `network`, `probabilities`, `model`, `links`, `predictions`, and `write_report`. Tables of their methods are of
        the kind of `data`.

    Raises
    ------
    UsageError, DataError
        An option out of its range; a table that nothing can be learned from.
    """
    from ..common.cli.from_python import read_csv
    from ..common.data.frame import library_of
    from ..common.data.reading import Reading
    from .learn import learn as study_of

    known = None if edge_priors is None else os.fspath(edge_priors)
    options = WorkflowOptions(time_limit, ess, max_clique, bins, tuple(keep), seed, threads, known)
    reading = Reading(header=header, counts=counts)
    found, library = study_of(read_csv(data, header, "state", counts), options, reading=reading), library_of(data)
    kinds = {name: replace(getattr(found, name), library=library) for name in ("network", "probabilities", "model")}
    return replace(found, **kinds)
