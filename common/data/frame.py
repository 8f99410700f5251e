"""Tables in memory, as `common.data.csvfile` reads them: the same cells, states and rows as those of their CSV.

A frame is a DataFrame or table of pandas, polars, pyarrow or another library that narwhals knows, a dict of columns, a
list of rows, or a two-dimensional array of numpy. Cells become the text that pandas writes in CSV: `True` and `False`,
2.0 for a floating-point number; None, NaN and the nulls of a library are empty cells, so they are missing. The index of
pandas is no column. Where the type of a column has categories (categorical of pandas, Enum of polars), these are its
states, including those that no row has. Rows of a list may be dicts, which have names; columns of arrays and of other
lists are called V0, V1, ... as those of a file without a header.

Cost: one pass over the cells in Python, some 10 million a second; each value of a column becomes text once.
"""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np

from ..arguments import file_name
from ..counted import counted
from ..errors import DataError, UsageError
from ..files.text_in_memory import TextInMemory
from .csvtable import CsvTable, coded_table, numbered
from .csvwriter import csv_line
from .dataset import Dataset
from .labels import MISSING_LABEL
from .reading import Reading


class Frame:
    """A table in memory.

    Parameters
    ----------
    content
        As described above.
    states
        States of columns that no row need have, besides the categories of their types.

    Raises
    ------
    UsageError
        Anything else.
    DataError
        Columns of different lengths, or of the same name.

    Examples
    --------
    >>> table = Frame({"a": [1, 2, None], "b": ["x", "y", "x"]}).table()
    >>> table.labels
    [('a', '1', '2', ''), ('b', 'x', 'y')]
    """

    def __init__(self, content: Any, states: Mapping[str, Iterable[Any]] = MappingProxyType({})) -> None:
        if not is_frame(content):
            found = "read already" if isinstance(content, Dataset) else f"of the type {type(content).__name__}"
            given = "the input" if isinstance(content, Dataset) else "a DataFrame, the result"
            raise UsageError(f"data: {found}; give {given} of read_csv, or the name of a file")
        self.kind, columns = _columns(content)
        index = _index_of(content)
        repeats = index is not None and not index.is_unique
        self.repeated_index = [name for name in index.names if name is not None] if repeats else []  # may be variables
        self.states: dict[str, list[str]] = {}
        for known in (categories_of(content), states):
            for name, labels in known.items():
                self.states.setdefault(name_as_text(name), []).extend(map(cell_as_text, labels))
        names = [name_as_text(name) for name, _ in columns]
        self.columns = {name: _texts(cells) for name, (_, cells) in zip(names, columns, strict=True)}
        if len(self.columns) < len(columns):
            double = next(name for name in names if names.count(name) > 1)
            raise DataError("two columns have this name; rename one", str(self), column=double)
        lengths = {name: len(cells) for name, cells in self.columns.items()}
        if len(set(lengths.values())) > 1:
            most, least = max(lengths, key=lengths.__getitem__), min(lengths, key=lengths.__getitem__)
            found = f"{counted(lengths[most], 'cell')} in column '{most}', {lengths[least]} in '{least}'"
            raise DataError(f"{found}; all columns must have the same number", str(self))

    def __str__(self) -> str:
        return f"<{self.kind}>"

    def table(self) -> CsvTable:
        """The table, with its names as the first row."""
        length = len(next(iter(self.columns.values()), []))
        lines = np.arange(1, length + 2)  # as in the CSV of the table
        table = coded_table(str(self), [*self.columns], [*self.columns.values()], lines)
        return table.with_possible([self.states.get(name, []) for name in self.columns]) if self.states else table


def is_frame(content: Any) -> bool:
    """Whether something is a table in memory, rather than the name of a file or data that were read.

    Raises
    ------
    DataError
        A DataFrame with two columns of the same name.
    """
    if isinstance(content, Mapping | list | tuple | np.ndarray):
        return True
    import narwhals

    try:
        narwhals.from_native(content, eager_only=True)
    except TypeError:
        return False
    except narwhals.exceptions.DuplicateError:
        raise DataError("two columns have the same name; rename one", f"<{type(content).__name__}>") from None
    return True


def data_or_frame(data: Any) -> Dataset | Frame:
    """Data that were read, or a table in memory as a Frame.

    Raises
    ------
    UsageError
        Neither.
    """
    if isinstance(data, Dataset):
        return data
    return Frame(data)


def library_of(content: Any) -> str | None:
    """The name of the library of a DataFrame or table: pandas, polars, pyarrow, ...; None for everything else.

    A name, not the module, so that results with it can be pickled.
    """
    if not is_frame(content) or isinstance(content, Mapping | list | tuple | np.ndarray):
        return None
    import narwhals

    return narwhals.get_native_namespace(narwhals.from_native(content, eager_only=True)).__name__


def categories_of(content: Any) -> dict[str, list[Any]]:
    """The categories of those columns of a DataFrame whose type has them, including those that no row has.

    These are the categorical columns of pandas and the Enums of polars.
    """
    return {name: kind.categories.to_list() for name, kind in types_with_categories(content).items()}


def types_with_categories(content: Any) -> dict[str, Any]:
    """The types of those columns of a DataFrame that `categories_of` lists."""
    if library_of(content) is None:
        return {}
    import narwhals

    frame = narwhals.from_native(content, eager_only=True)
    types = {name_as_text(name): getattr(column.to_native(), "dtype", None) for name, column in _named(frame)}
    return {name: kind for name, kind in types.items() if hasattr(getattr(kind, "categories", None), "to_list")}


def with_types(frame: Any, types: Mapping[str, Any]) -> Any:
    """A DataFrame whose columns have these types, except those with a value that is no category.

    Parameters
    ----------
    types
        From `types_with_categories` of a DataFrame of the same library.
    """
    import narwhals

    made = narwhals.from_native(frame, eager_only=True)
    for name in types.keys() & {*made.columns}:
        column, kind = made[name], types[name]
        if {*column.drop_nulls().to_list()} <= {*kind.categories.to_list()}:
            native = column.to_native()
            typed = native.cast(kind) if hasattr(native, "cast") else native.astype(kind)
            made = made.with_columns(narwhals.from_native(typed, series_only=True))
    return made.to_native()


def cells_of(content: Any) -> np.ndarray:
    """The cells of a DataFrame as they are, object[rows, columns]; a null is NaN."""
    _, columns = _columns(content)
    rows = np.empty((len(columns[0][1]) if columns else 0, len(columns)), object)
    for v, (_, cells) in enumerate(columns):
        rows[:, v] = [math.nan if cell is None else cell for cell in cells]
    return rows


def frame_of(columns: Mapping[str, Sequence[Any]], library: str, kinds: Sequence[type] | None = None) -> Any:
    """A DataFrame or table of a library.

    Parameters
    ----------
    columns
        None is a missing cell.
    library
        The result of `library_of`, but not None.
    kinds
        Types of the columns in order, str or float, for those without cells; None: as the library decides.
    """
    import narwhals

    types: dict[type, Any] = {str: narwhals.String, float: narwhals.Float64}
    schema: Any = None if kinds is None else {name: types[kind] for name, kind in zip(columns, kinds, strict=False)}
    return narwhals.from_dict(columns, schema, backend=import_module(library)).to_native()


def like(columns: dict[str, list[Any]], content: Any, copies: int = 1) -> Any:
    """A table of answers, of the same kind as the input: a DataFrame for a DataFrame, otherwise the dict of columns.

    Parameters
    ----------
    content
        The table of the queries; answers to one of pandas have its index.
    copies
        How many answers, one after another, each of its rows has.
    """
    library = library_of(content)
    if library is None:
        return columns
    made = with_types(frame_of(columns, library), types_with_categories(content))
    index = _index_of(content)
    if index is not None:
        made.index = index.repeat(copies)
    return made


def original(table: Any) -> Any:
    """The input of `read_csv`, for a table that it returned."""
    return table.origin if isinstance(table, Dataset) and table.origin is not None else table


def values_of(content: Any, states: Mapping[str, Iterable[str]] | None = None) -> dict[str, dict[str, Any]]:
    """The values of each column of a table that has any, by their texts; of a file, whose cells are text, nothing.

    Parameters
    ----------
    states
        The columns that are meant, and texts of each: its cells are read until all these are found. None: all cells.
    """
    found = {}
    for column, cells in _columns(content)[1] if is_frame(content) else ():
        name = name_as_text(column)
        if states is not None and name not in states:
            continue
        left = None if states is None else {*states[name]} - {MISSING_LABEL}
        values: dict[str, Any] = {"": None}
        for cell in cells:
            text = cell_as_text(cell)
            if text and text not in values:
                values[text] = cell
                if left is not None:
                    left.discard(text)
                    if not left:
                        break
        if len(values) > 1:
            found[name] = values
    return found


def with_values(
    columns: Mapping[str, Sequence[str | None]], values: Mapping[str, Mapping[str, Any]]
) -> dict[str, list]:
    """Columns of text with the values of the table that they come from: numbers where it has numbers.

    Parameters
    ----------
    columns
        By name. A text that the table's column does not have becomes a number, or True or False, if all values of the
        column are such of one type; a column that the table does not have stays text.
    values
        `values_of` the table.
    """
    found: dict[str, list[Any]] = {name: list(texts) for name, texts in columns.items()}
    for name in found.keys() & values.keys():
        known = values[name]
        kinds = {type(value) for value in known.values()} - {type(None)}
        kind = kinds.pop() if len(kinds) == 1 else str
        found[name] = [None if one is None else known.get(one, _parsed(one, kind)) for one in found[name]]
    return found


def _parsed(text: str, kind: type) -> Any:
    """A text as a value of this type, a number or bool, or as it is."""
    if kind is bool:
        return {"True": True, "False": False}.get(text, text)
    try:
        return kind(text) if kind in (int, float) else text
    except ValueError:
        return text


def with_columns(content: Any, columns: Mapping[str, list[str | None] | None]) -> Any:
    """A table of the same kind as the input with these columns in this order.

    Parameters
    ----------
    content
        A DataFrame or table of a library; another table is returned as a dict of columns.
    columns
        The cells of new ones, None for a missing cell; None is a column of the content, as it is.
    """
    if library_of(content) is None:
        given = {name_as_text(name): list(cells) for name, cells in _columns(content)[1]}
        return {name: given[name] if cells is None else cells for name, cells in columns.items()}
    import narwhals

    frame = narwhals.from_native(content, eager_only=True)
    library = narwhals.get_native_namespace(frame)
    place = {name_as_text(name): v for v, name in enumerate(frame.columns)}
    chosen = frame[:, [place[name] for name in columns]]
    made = [
        narwhals.new_series(name, cells, narwhals.String, backend=library)
        for name, cells in zip(chosen.columns, columns.values(), strict=True)
        if cells
    ]
    index = _index_of(content)
    if index is not None:
        made = [narwhals.maybe_set_index(series, index=index) for series in made]
    return chosen.with_columns(*made).to_native()


def _index_of(content: Any) -> Any:
    """The index of a DataFrame of pandas, else None."""
    if library_of(content) is None:
        return None
    import narwhals

    return narwhals.maybe_get_index(narwhals.from_native(content, eager_only=True))


def _columns(content: Any) -> tuple[str, Sequence[tuple[Any, list[Any]]]]:
    """The name of a table for messages, and its columns with their names."""
    if isinstance(content, np.ndarray):
        content = np.asarray(content) if isinstance(content, np.matrix) else content  # whose columns are matrices
        if content.ndim != 2:
            raise DataError(f"an array of {content.ndim} dimensions; expected rows and columns", "<array>")
        return "array", [(name, _cells_of_array(content[:, v])) for v, name in enumerate(numbered(content.shape[1]))]
    if isinstance(content, Mapping):
        for name, cells in content.items():
            if isinstance(cells, str | bytes | Mapping) or not isinstance(cells, Iterable):
                found = f"column '{name}' is not a list of cells, but {type(cells).__name__}"
                raise DataError(found, "<dict>")
        return "dict", [(name, list(cells)) for name, cells in content.items()]
    if isinstance(content, list | tuple):
        return "rows", _columns_of_rows(content)
    import narwhals

    frame = narwhals.from_native(content, eager_only=True)
    kind = type(content).__name__
    return kind, [(name, _cells(column)) for name, column in _named(frame)]


def _cells_of_array(column: np.ndarray) -> list[Any]:
    """The cells of a column as Python has them, dates and times too; floats of few digits as numpy does."""
    if column.dtype.kind in "mM":
        times = column.astype(f"{column.dtype.kind}8[us]")  # Python has no nanoseconds
        lost = np.ma.filled(times.astype(column.dtype) != column, False) & ~np.isnat(np.asarray(column))
        texts = [str(cell).replace("T", " ") for cell in np.asarray(column)[lost]]
        cells: np.ndarray = np.array(times.tolist(), object)
        cells[lost] = texts
        return [*cells]
    elif column.dtype.kind == "f" and column.dtype.itemsize < np.dtype(float).itemsize:
        return [None if cell is np.ma.masked else cell for cell in column]
    return column.tolist()


def _named(frame: Any) -> Iterator[tuple[Any, Any]]:
    """The columns of a DataFrame of narwhals with their names, which are any values in pandas."""
    return zip(frame.columns, frame.iter_columns(), strict=True)


def _columns_of_rows(rows: Sequence[Any]) -> list[tuple[Any, list[Any]]]:
    """The columns of a list of rows."""
    if not rows:
        raise DataError("no rows; a table needs at least one", "<rows>")
    if all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(name for row in rows for name in row))
        return [(name, [row.get(name) for row in rows]) for name in names]
    for number, row in enumerate(rows, 1):
        if isinstance(row, str | bytes | Mapping | Set | Iterator) or not isinstance(row, Iterable):
            raise DataError(f"row {number} is not a list of cells, but {type(row).__name__}", "<rows>")
    rows = [[*row] for row in rows]
    lengths = [*map(len, rows)]
    short = next((number for number, length in enumerate(lengths, 1) if length != lengths[0]), None)
    if short is not None:
        raise DataError(f"row {short} has {counted(lengths[short - 1], 'cell')}, the first has {lengths[0]}", "<rows>")
    return [(name, [row[v] for row in rows]) for v, name in enumerate(numbered(lengths[0]))]


def _cells(column: Any) -> list[Any]:
    """The cells of a narwhals Series; None where it has a null."""
    import narwhals

    lacking = column.is_null().to_list()
    cells = column.to_list()
    if column.dtype == narwhals.Float32:
        cells = [cell if cell is None else np.float32(cell) for cell in cells]
    return [None if gap else cell for cell, gap in zip(cells, lacking, strict=True)] if any(lacking) else cells


def name_as_text(name: Any) -> str:
    """The name of a column as `common.data.csvfile` reads it from the CSV of pandas: a line break becomes a blank."""
    return " ".join(re.split("\r\n|[\r\n]", cell_as_text(name)))


def names_of(names: Any) -> list[str]:
    """The names of one column or of several, which are numbers if those of a DataFrame's columns are."""
    several = isinstance(names, Iterable) and not isinstance(names, str)
    return [name_as_text(name) for name in (names if several else [names])]


def list_as_text(values: Any) -> str | None:
    """Names or numbers, as an option has them: with commas between, in quotes if necessary; a text stays."""
    if values is None or isinstance(values, str):
        return values
    return csv_line(names_of(values))


def reading_of_arguments(values: Mapping[str, Any]) -> Reading:
    """How a table is read, from the arguments of a Python function by the names of `Reading`'s fields.

    Raises
    ------
    UsageError
        A value of another type.
    """
    given = dict(values)
    for name, as_text in _AS_TEXT.items():
        if given.get(name) is not None:
            given[name] = as_text(given[name])
    reading = Reading.among(given)
    reading.check()
    return reading


def states_as_text(name: str, given: Any) -> str:
    """The name of a file of states, or in place of a dict {column: [state, ...]} the text that the file would contain.

    Parameters
    ----------
    name
        The argument, for messages.
    """
    if not isinstance(given, Mapping):
        return file_name(name, given)
    found = {}
    for column, states in given.items():
        if isinstance(states, str | bytes | Mapping) or not isinstance(states, Iterable):
            raise UsageError(f"{name}: the states of '{column}' are {states!r}; give a list")
        found[name_as_text(column)] = [cell_as_text(state) for state in states]
    return TextInMemory(f"<{name}>", json.dumps(found, ensure_ascii=False))


def cell_as_text(cell: Any) -> str:
    """A cell as pandas writes it in CSV."""
    if isinstance(cell, str):
        return cell
    if cell is None or (isinstance(cell, float | np.floating) and math.isnan(cell)):
        return ""
    if isinstance(cell, datetime.datetime):
        is_day = cell.time() == datetime.time() and not getattr(cell, "nanosecond", 0)  # which those of pandas have
        return cell.date().isoformat() if is_day else str(cell)
    text = str(cell)
    return "" if text in ("NaT", "<NA>") else text


def _texts(cells: list[Any]) -> list[str]:
    """The text of each cell of a column; if all are of one type, only once for equal ones."""
    kinds = {*map(type, cells)} - {type(None)}
    if len(kinds) != 1 or not kinds <= {str, bool, int, float} or (float in kinds and _has_negative_zero(cells)):
        return [*map(cell_as_text, cells)]
    texts = {cell: cell_as_text(cell) for cell in {*cells}}
    return [texts[cell] for cell in cells]


def _has_negative_zero(cells: list[float | None]) -> bool:
    """Whether one of them is -0.0, which equals 0.0 but is written otherwise."""
    numbers = np.array(cells, float)
    return bool((np.signbit(numbers) & (numbers == 0)).any())


_AS_TEXT: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("columns", "drop", "na"), list_as_text),
    **dict.fromkeys(("counts", "weights"), name_as_text),
    "states": partial(states_as_text, "states"),
    "sheet": str,
}
