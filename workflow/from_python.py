"""`cliquewise.learn`: what `cliquewise learn` does, in memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..common.python_words import with_python_messages
from .config import BINS, SECONDS, WorkflowOptions

if TYPE_CHECKING:
    from threading import Event

    from ..common.networks.network import Priors, States
    from .learn import Study


@with_python_messages
def learn(
    data: Any,
    *,
    missing: str = "em",
    header: str = "auto",
    separator: str = "auto",
    arities: str = "auto",
    decimal: str = "auto",
    sheet: str | None = None,
    counts: str | None = None,
    weights: str | None = None,
    weight_scale: str | None = None,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    states: States | None = None,
    na: str | Sequence[str] | None = None,
    same_states: str = "auto",
    time_limit: float = SECONDS,
    ess: float = 1.0,
    max_clique: int | None = None,
    bins: int = BINS,
    keep: str | Sequence[str] = (),
    seed: int = 1,
    threads: int | None = None,
    edge_priors: Priors | None = None,
    stop: Event | None = None,
) -> Study:
    """Learn a network from a table, with probabilities of its links, a model and a report.

    Identifiers, dates, free text, constants and columns with two numbers in a cell are left out, numbers are cut into
    classes, and missing cells are completed from the rest of their rows.

    Parameters
    ----------
    data
        A DataFrame of pandas, polars or pyarrow, a dict of columns, a list of rows, an array, or the name of a file.
    missing
        Missing cells. em: completed from the rest of their rows; state: a state of their own; drop: their rows are left
        out; refuse.
    header, separator, arities, decimal, sheet, counts, weights, weight_scale, columns, drop, states, na, same_states
        How the table is read, as for `read_csv`.
    time_limit
        Seconds for all steps together, > 0, without compiling.
    ess
        Equivalent sample size of BDeu, > 0.
    max_clique
        Largest clique allowed, at least 2; None for any.
    bins
        Classes of a column of numbers, at least 2.
    keep
        Columns that are used as they are, even if they look like numbers to be cut, identifiers or dates.
    seed
        Of all random numbers, at least 0.
    threads
        Number of cores to use; None for all.
    edge_priors
        Prior probabilities of some edges, 0 forbids, 1 requires: a dict {(name, name): probability}, a list of (name,
        name, probability), a DataFrame with these columns, or a file of rows u,v,probability.
    stop
        A `threading.Event`: when another thread sets it, the run ends as after Ctrl-C.

    Returns
    -------
    Study
        `network`, `probabilities`, `model`, `links`, `predictions`, and `write_report`. Tables of their methods are of
        the kind of `data`.

    Raises
    ------
    UsageError, DataError
        An option out of its range; a table without columns to learn from.
    KeyboardInterrupt
        Ctrl-C, or `stop` was set.
    """
    from ..common.arguments import stop_event
    from ..common.data.columns import split_list
    from ..common.data.csvfile import table_in_memory
    from ..common.data.dataset import Dataset
    from ..common.data.frame import data_or_frame, library_of, names_of, reading_of_arguments
    from ..common.errors import UsageError
    from ..common.networks.edges_in_memory import PRIORS, file_or_memory
    from .learn import learn as study_of

    kept = tuple(split_list(keep, "--keep") if isinstance(keep, str) else names_of(() if keep is None else keep))
    known = None if edge_priors is None else file_or_memory("edge_priors", edge_priors, PRIORS)
    options = WorkflowOptions(time_limit, ess, max_clique, bins, kept, seed, threads, known)
    stop, reading = stop_event(stop), reading_of_arguments(locals())
    table = data if isinstance(data, str | os.PathLike) else data_or_frame(data)
    if isinstance(table, Dataset):
        raise UsageError(
            "data: already read; learn chooses and cuts columns itself, so give the table, or the name of its file"
        )
    content, library = table_in_memory(table, str(table), reading), library_of(data)
    found = study_of(content, options, reading=reading, stop=stop)
    kinds = {name: replace(getattr(found, name), library=library) for name in ("network", "probabilities", "model")}
    return replace(found, **kinds)
