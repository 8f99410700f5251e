"""Tables from Python: `cliquewise.describe` and `cliquewise.discretize`, as `mnmodel describe` and `discretize`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..common.python_words import with_python_messages

if TYPE_CHECKING:
    from .describe import Description


@with_python_messages
def discretize(
    table: Any,
    bins: int = 4,
    method: str = "quantile",
    *,
    columns: str | Sequence[str] | None = None,
    keep: str | Sequence[str] | None = None,
    target: str | None = None,
    initial_bins: int = 20,
    labels: bool = True,
    drop: str | Sequence[str] | None = None,
    na: str | Sequence[str] | None = None,
    states: str | None = None,
    counts: str | None = None,
    weights: str | None = None,
    weight_scale: str | None = None,
    cuts: str | os.PathLike[str] | None = None,
    apply: str | os.PathLike[str] | None = None,
) -> Any:
    """Cut the numbers of a table into classes.

    Parameters
    ----------
    table
        A DataFrame, dict of columns, list of rows as dicts, or the name of a file.
    bins
        Classes per column, 2 to 1000.
    method
        quantile, uniform, kmeans, hartemink (keeps the mutual information of pairs of columns) or mdl (separates the
        states of `target` apart).
    columns
        The columns to cut, as a list of names or as text: "A,B", "A:F", "sym_*". None is all with more than `bins`
        numbers.
    keep
        Columns that stay as they are.
    target
        The column by which mdl cuts.
    initial_bins
        Classes that hartemink begins with.
    labels
        Whether classes are intervals as "[135,150)", otherwise their numbers.
    drop
        Columns to leave out.
    na
        Further words for missing cells: "-99", or "AGE=999" in one column.
    states
        A file of the states of columns; these stay as they are.
    counts, weights, weight_scale
        As for `read_csv`: for how many rows each row counts.
    cuts
        A file to write the cut points to.
    apply
        A file of cut points to use instead of finding some.

    Returns
    -------
    DataFrame of the same kind as the input, otherwise a dict of columns
        Columns that are not cut are as they were; None is a missing cell of one that is.

    Raises
    ------
    UsageError, DataError
        Options that contradict each other; a column that is unknown or not numeric.
    """
    from ..common.data.frame import Frame, list_as_text, with_columns
    from ..common.errors import UsageError
    from ..common.files.atomic_write import write_whole
    from .discretization import METHODS, format_cuts
    from .discretize import CutOptions, DiscretizeOptions, cut_table
    from .python_queries import columns_of

    if method not in METHODS:
        raise UsageError(f"method={method!r}: expected one of {', '.join(METHODS)}")
    if not 2 <= bins <= 1000:
        raise UsageError(f"bins={bins}: expected a number from 2 to 1000")
    source = str(table) if isinstance(table, str | os.PathLike) else Frame(table)
    cutting = CutOptions(bins, method, initial_bins, target, list_as_text(columns), list_as_text(keep))
    tally = {"counts": counts, "weights": weights, "weight_scale": weight_scale}
    reading: dict[str, Any] = {"drop": list_as_text(drop), "na": list_as_text(na), "states": states, **tally}
    stored = None if apply is None else str(apply)
    result, points = cut_table(DiscretizeOptions(data=source, cutting=cutting, labels=labels, stored=stored, **reading))
    if cuts is not None:
        write_whole(str(cuts), format_cuts(points))
    found = columns_of(result, ())
    if isinstance(source, str):
        return found
    return with_columns(table, {name: cells if name in points else None for name, cells in found.items()})


@with_python_messages
def describe(
    data: Any,
    *,
    header: str = "auto",
    counts: str | None = None,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    states: str | None = None,
    na: str | Sequence[str] | None = None,
    same_states: str = "auto",
    sheet: str | None = None,
    decimal: str = "auto",
) -> Description:
    """A description of a table, column by column, and of the feasible learners: as `mnmodel describe`.

    Parameters
    ----------
    data
        A DataFrame of pandas, polars or pyarrow, a dict of columns, a list of rows, an array, or the name of a file.
    header, counts, columns, drop, states, na, same_states, sheet, decimal
        As for `cliquewise.read_csv`.

    Returns
    -------
    Description
        Printed, a line a column; `as_dict`, `as_json`, `as_html`; a notebook shows bars.

    Raises
    ------
    DataError
        Unreadable or malformed, with file and line.
    """
    from ..common.data import csvfile
    from ..common.data.frame import Frame, list_as_text
    from ..common.data.reading import Reading, TableNeeds
    from .describe import describe as described

    columns, drop, na = map(list_as_text, (columns, drop, na))
    reading = Reading.among(locals()).reading(missing="state")
    table = data if isinstance(data, str | os.PathLike | Frame) else Frame(data)
    return described(
        csvfile.read_csv(table, reading, TableNeeds(1, 1, warn=False, merge=True)), reading, in_python=True
    )
