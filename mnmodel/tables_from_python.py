"""Tables from Python: `cliquewise.describe` and `cliquewise.discretize`, as `mnmodel describe` and `discretize`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..common.python_words import with_python_messages

if TYPE_CHECKING:
    from ..common.networks.network import States
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
    states: States | None = None,
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
        The states of columns, as for `read_csv`; these stay as they are.
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
    from ..common.arguments import CLASS_RANGE, file_name, one_of, whole_number
    from ..common.data.frame import Frame, list_as_text, name_as_text, reading_of_arguments, with_columns
    from ..common.errors import UsageError
    from ..common.files.atomic_write import write_whole
    from .discretization import METHODS, format_cuts
    from .discretize import CutOptions, DiscretizeOptions, cut_table
    from .python_queries import columns_of

    one_of("method", method, METHODS)
    bins = whole_number("bins", bins, *CLASS_RANGE)
    initial_bins = whole_number("initial_bins", initial_bins, *CLASS_RANGE)
    computed = {"bins": bins != 4, "method": method != "quantile", "initial_bins": initial_bins != 20}
    computed |= {"columns": columns is not None, "target": target is not None}
    for name, is_given in computed.items():
        if is_given and apply is not None:
            raise UsageError(f"{name} has no effect with apply; leave one of them out")
    if initial_bins != 20 and method != "hartemink":
        raise UsageError(f"initial_bins has no effect with method={method!r}; leave it out, or use method='hartemink'")
    source = str(table) if isinstance(table, str | os.PathLike) else Frame(table)
    target = None if target is None else name_as_text(target)
    cutting = CutOptions(bins, method, initial_bins, target, list_as_text(columns), list_as_text(keep))
    tally = {"counts": counts, "weights": weights, "weight_scale": weight_scale}
    reading: Any = vars(reading_of_arguments({"drop": drop, "na": na, "states": states, **tally}))
    stored = None if apply is None else file_name("apply", apply)
    result, points = cut_table(DiscretizeOptions(data=source, cutting=cutting, labels=labels, stored=stored, **reading))
    if cuts is not None:
        write_whole(file_name("cuts", cuts), format_cuts(points))
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
    states: States | None = None,
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
        Printed, one line per column; `as_dict`, `as_json`, `as_html`; a notebook shows bars.

    Raises
    ------
    DataError
        Unreadable or malformed, with file and line.
    """
    from ..common.data import csvfile
    from ..common.data.frame import Frame, reading_of_arguments
    from ..common.data.reading import TO_DESCRIBE
    from .describe import describe as described

    reading = reading_of_arguments(locals() | {"missing": "state"})
    table = data if isinstance(data, str | os.PathLike | Frame) else Frame(data)
    return described(csvfile.read_csv(table, reading, TO_DESCRIBE), reading, in_python=True)
