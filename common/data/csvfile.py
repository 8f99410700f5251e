"""Discrete data from a CSV file, as `Dataset`; input that cannot be read safely is refused with file and line.

`common.data.csvtext` defines cells; this file interprets the table. A table in Arrow's formats is read as the CSV that
`common.data.arrowfile` makes of it; its columns have names.

**States** are any text; `common.data.states` has their order. A cell that is empty, `?` or `NA`, quoted or not, is
missing.

**First rows.** Names, the numbers of states that other programs write below them, or data: `common.data.first_rows`.
A first column that numbers or names the rows, and cells after a separator at the end of each row, are left out:
`common.data.extra_columns`. Both are logged.

**Counts.** In a table of counts, a column gives the number of rows that each row stands for. This is equivalent to
listing these rows one by one, and rows of count 0 are ignored. A count is a whole number in any notation: R writes
100000 as 1e+05. Weights that need not be whole are those of `common.data.weights`.
"""

from __future__ import annotations

import logging
import os
import shlex
from collections.abc import Callable
from dataclasses import replace
from io import BufferedReader, BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, UsageError
from ..files.foreign import foreign_kind
from ..files.header_words import SEPARATORS
from ..files.input_stream import opened, unzipped
from ..number_text import is_number
from .arff import arff_table, is_arff
from .arrowfile import TableText, as_csv
from .columns import with_chosen_columns, with_missing_words
from .counts import MAX_ROWS, count_of, no_column, no_count
from .crosstab import warn_of_rows
from .csvtable import CsvTable, numbered, table_of_text
from .csvtext import clean
from .decimals import with_decimal
from .declared import read_declared, with_declared_states
from .extra_columns import longer_first_row, without_extra_columns
from .first_rows import RARE, FirstRowProbability, first_rows, known_labels
from .frame import Frame
from .merging import merged, repeated_first
from .preamble import Preamble, preamble
from .reading import DEFAULT, IN_ORDER, Reading, TableNeeds
from .spellings import with_same_states
from .state_warnings import warn_of_states
from .states import DeclaredStates, ordered_dataset
from .suspected import warn_of_suspected
from .weights import no_weight, weighted, weights_of
from .workbook import is_workbook, may_be_workbook, workbook_text

if TYPE_CHECKING:
    from .dataset import Dataset

KERNEL_FROM = 1 << 21  # bytes of a file from which on a kernel reads it
STREAM_FROM = 1 << 25  # bytes from which on it is not read whole, and equal rows may be merged meanwhile
SEPARATOR_WITHIN = 1 << 12  # bytes in which a separator that a header states should be

LOG = logging.getLogger("cliquewise")


def read_csv(
    path: str | os.PathLike | Frame | CsvTable,
    reading: Reading = DEFAULT,
    needs: TableNeeds = IN_ORDER,
    progress: Callable = lambda share, text: None,
) -> Dataset:
    """Read a table of discrete data.

    Parameters
    ----------
    path
        The file, CSV or a table in Arrow's formats; `-` is standard input. Or a table in memory, or held by
        `table_in_memory`.
    reading
        How it is to be read.
    needs
        The needs of the caller.
    progress : callable taking a float or None, and a str
        Called with the share done, None if it is unknown, and with a description of the work.

    Returns
    -------
    Dataset
        Constant columns are kept. With counts if a column of counts was given, or if the file is large and rows may be
        merged.

    Raises
    ------
    DataError
        One line with file, line and column, if known.
    UsageError
        An option that a table in Arrow's formats contradicts: no names, a separator; or pyarrow is not installed.
    """
    reading.check()
    whole = _whole_table(path, reading, needs, progress)
    reading = _fitting(reading, whole)
    table, arities, has_names = _with_columns(whole, reading, needs)
    states = {**table.declared, **read_declared(reading.states)}
    table, weights = _with_tallies(table, reading, needs)
    written = table.labels
    table = with_missing_words(table, reading.na)
    if states:
        table = with_declared_states(
            table, arities, states, reading.states or table.source, reading.same_states == "fold"
        )
    table = with_same_states(table, "exact" if needs.as_written else reading.same_states, states)
    markers = [set(needs.markers) - {*states.get(name, ())} for name in table.names]
    lacking = _missing_cells(table.labels, table.rows, markers)
    if lacking is not None and reading.missing in ("refuse", None):
        raise _missing_error(table, lacking, written)
    if lacking is not None and reading.missing == "drop":
        table = _without_incomplete_rows(table, lacking)
    if table.n_rows() < needs.min_rows:
        found = f"data rows found: {table.n_rows()}, needed: at least {needs.min_rows}"
        raise DataError(found, table.source, table.last_line)
    # equal rows of a large file were merged while it was read; other labels or fewer columns can make rows equal again
    unchanged = table.labels is written and reading.decimal == "auto" and whole.n_columns == table.n_columns
    whole_rows = unchanged and (lacking is None or reading.missing == "drop")
    distinct = whole_rows and (reading.counts is None or needs.keep_counts)
    declared = DeclaredStates(states, arities, needs.markers, () if needs.as_written else table.possible)
    data = _dataset(table, declared, distinct, lambda share: progress(share, "numbering the states"))
    if table.weights is not None:
        data = weighted(data, weights, table.weights, reading.weight_scale or "rows")
    data = data if has_names else replace(data, has_names=False)
    if reading.before_warnings is not None:
        reading.before_warnings(data)
    if needs.warn and reading.counts is None and reading.weights is None:
        warn_of_suspected(data, "read as a variable", data.names)
    if needs.warn:
        if isinstance(path, Frame) and path.repeated_index:
            found = ", ".join(map(repr, path.repeated_index))
            LOG.warning(
                "%s: the index %s is not read; reset_index() makes it a column, if it is a variable", path, found
            )
        warn_of_rows(data)
        warn_of_states(data, reading, states)
    return data


def _whole_table(path: Any, reading: Reading, needs: TableNeeds, progress: Callable) -> CsvTable:
    """The cells of a table, its first rows included; arguments as for `read_csv`."""
    progress(None, "reading the data")
    if isinstance(path, CsvTable):
        return path
    if isinstance(path, Frame):
        return _table_of(path, reading)
    merge = needs.merge and reading.weights is None  # rows of other weights are others
    return _read(str(path), reading, merge, lambda share: progress(share, "reading the data"))


def _table_of(frame: Frame, reading: Reading) -> CsvTable:
    """The cells of a table in memory."""
    for name in ("sheet", "separator"):
        if reading.is_explicit(name):
            value = getattr(reading, name)
            raise UsageError(f"--{name} {value} has no effect: a table in memory has no {name}s; leave it out")
    return frame.table()


def _with_columns(table: CsvTable, reading: Reading, needs: TableNeeds) -> tuple[CsvTable, dict[str, int], bool]:
    """The rows of data and the columns to read, with their names.

    Returns
    -------
    (CsvTable, dict of str to int, bool)
        And by name the number of states of a column as in the table, 0 if it has none; and whether it has names.
    """
    _check_width(table, reading, needs)
    counts, what = (reading.counts, "counts") if reading.counts is not None else (reading.weights, "weights")
    found = first_rows(table, reading.header, reading.arities, counts, what)
    if reading.header == "auto" and (not found.has_names or "" in table.first[1:]):
        _refuse_title(table)
    names = _header_names(table.first, table) if found.has_names else numbered(table.n_columns)
    declared = found.arities or (0,) * len(names)
    table = table.below(found.skipped)._replace(names=names)
    if len(table.rows) == 0:
        raise DataError("a header and no data", table.source, table.first_line)
    table, declared = without_extra_columns(table, declared, found.has_names)
    _check_width(table, reading, needs)
    table, declared = with_chosen_columns(table, declared, reading)
    if counts is not None and counts not in table.names:
        raise DataError(no_column(counts, table.names, what), table.source)
    arities = dict(zip(table.names, declared, strict=True))
    return with_decimal(table, reading.decimal), arities, found.has_names


def _with_tallies(table: CsvTable, reading: Reading, needs: TableNeeds) -> tuple[CsvTable, list]:
    """The table without the column of counts or weights, unless it is kept; and the weight of each of its codes."""
    weights: list = []
    if reading.counts is not None and not needs.keep_counts:
        table = _with_counts(table, reading.counts)
    if reading.weights is not None and not needs.keep_counts:
        table, weights = _with_weights(table, reading.weights)
    _check_width(table, reading, needs)
    return table, weights


def table_in_memory(content: str | os.PathLike | Frame | bytes, source: str, reading: Reading = DEFAULT) -> CsvTable:
    """The cells of a table, so that `read_csv` can read it several times; standard input, for example, is read once.

    Parameters
    ----------
    content
        As `path` of `read_csv`; or the text of a CSV.
    source
        Its name, for messages.
    reading
        Of it, separator and sheet count; raises what `read_csv` raises of these.
    """
    if isinstance(content, Frame):
        return _table_of(content, reading)
    if isinstance(content, bytes):
        return _table_in(BytesIO(content), source, reading)
    return _read(str(content), reading)


def _read(source: str, reading: Reading, merge: bool = False, progress: Callable = lambda share: None) -> CsvTable:
    """The CsvTable of a file, including its first row."""
    with opened(source) as stream:
        return _table_in(stream, source, reading, merge, progress)


def _table_in(
    stream: Any, source: str, reading: Reading, merge: bool = False, progress: Callable = lambda share: None
) -> CsvTable:
    """The CsvTable of a stream."""
    with unzipped(stream, source) as stored:
        content, is_sheet = _sheet_or_file(stored, source, reading)
        content = as_csv(content, source)
        named = isinstance(content, TableText)
        head = content.read(STREAM_FROM)
        arff = not named and is_arff(head)
        if (named or arff or is_sheet) and reading.is_explicit("separator"):
            raise UsageError(f"--separator {reading.separator}: {source} is not text with separators; leave it out")
        if arff:
            return arff_table(clean(head + content.read(), source), source)
        foreign = None if named else foreign_kind(head)
        if foreign is not None:
            raise DataError(f"{foreign[0]}, not a CSV; {foreign[1]}", source)
        separator = "comma" if named or is_sheet else _separator(reading, head)
        if len(head) >= min(KERNEL_FROM, STREAM_FROM):
            from .csvstream import read_stream  # loading it takes as long as reading two megabytes without it

            merge = merge and len(head) == STREAM_FROM
            top, csv = read_stream(head, content, source, progress, separator, merge, named)
            labels = [tuple(column) for column in csv.labels]
            return CsvTable(source, *top, csv.last_line, (), labels, csv.codes, csv.counts, named, None, csv.lines)
        text = clean(head, source)
    return _table_of_text(text, source, separator, named)


def _separator(reading: Reading, head: bytes) -> str:
    """The separator of a text that begins so; one that only a header states must be there."""
    if "separator" in reading.stated and SEPARATORS[reading.separator].encode() not in head[:SEPARATOR_WITHIN]:
        return "auto"
    return reading.separator


def _table_of_text(text: str, source: str, separator: str, named: bool) -> CsvTable:
    """The CsvTable of a text; `named`: its first row has the names of columns, and nothing is above it."""
    above = Preamble(",") if named else preamble(text, source, separator)
    raw = above.raw(text, source)
    longer = longer_first_row(raw)
    if longer is not None:
        row, n_lines = longer
        raw = replace(raw, text="\n".join([row, *raw.text.split("\n", n_lines)[n_lines:]]))
    return table_of_text(raw)._replace(last_line=text.count("\n"), named=named)


def _fitting(reading: Reading, table: CsvTable) -> Reading:
    """How a table is read, without the settings that do not apply to it."""
    if table.named:
        if reading.is_explicit("header") and reading.header == "no":
            raise UsageError(f"--header no: the columns of {table.source} have names; leave it out")
        reading = replace(reading, header="yes", arities=reading.arities if reading.is_explicit("arities") else "auto")
    if "counts" in reading.stated and reading.counts not in (*table.first, *numbered(len(table.first))):
        LOG.info("%s: no column '%s' of counts; each row is read as one", table.source, reading.counts)
        return replace(reading, counts=None)
    return reading


def _sheet_or_file(content: Any, source: str, reading: Reading) -> tuple[Any, bool]:
    """The stream of a file, of a workbook the text of its sheet; and whether it is one."""
    whole = content.read() if may_be_workbook(content.peek(4)) else b""
    if whole and is_workbook(whole):
        return BufferedReader(BytesIO(workbook_text(whole, source, reading.sheet))), True  # type: ignore[arg-type]
    if reading.is_explicit("sheet"):
        raise UsageError(f"--sheet {reading.sheet} has no effect: {source} is not a workbook; leave it out")
    return (BufferedReader(BytesIO(whole)) if whole else content), False  # type: ignore[arg-type]


def _dataset(table: CsvTable, states: DeclaredStates, distinct: bool, progress: Callable) -> Dataset:
    """The Dataset of a table; with counts, equal rows are merged unless they are known to be `distinct`."""
    parts = table.names, table.labels, table.rows, table.source
    if table.counts is None:
        return ordered_dataset(*parts, progress=progress, declared=states)
    if not distinct:
        return merged(ordered_dataset(*parts, progress=progress, declared=states), table.counts)
    chosen, counts = repeated_first(np.arange(len(table.rows)), table.counts)
    return replace(ordered_dataset(*parts, chosen, progress, states), counts=counts)


def _check_width(table: CsvTable, reading: Reading, needs: TableNeeds) -> None:
    """Refuse a table of too few columns."""
    if table.n_columns < needs.min_columns:
        advice = "separated by comma, semicolon, tab, | or blanks"
        if reading.separator != "auto":
            advice = f"by --separator {reading.separator}; without that the separator is found"
        found = f"columns found: {table.n_columns}, needed: at least {needs.min_columns}"
        if not table.source.startswith("<"):  # a table in memory has no separators
            found += f", {advice}"
        raise DataError(found, table.source, table.first_line)


def _with_counts(table: CsvTable, column: str) -> CsvTable:
    """The table without the column of counts, and without rows of count 0."""
    v = table.names.index(column)
    numbers = np.array([count_of(label) for label in table.labels[v]], np.int64)
    row_counts = numbers[table.rows[:, v]]
    counts = row_counts if table.counts is None or (row_counts < 0).any() else row_counts * table.counts
    if (counts < 0).any():
        row = int((counts < 0).argmax())
        label = table.labels[v][table.rows[row, v]]
        raise DataError(no_count(label), table.source, table.line(row, v), column)
    total = int(counts.astype(float).sum()) if counts.astype(float).sum() > 2**53 else int(counts.sum())
    if total > MAX_ROWS:
        raise DataError(f"{total} rows in all, at most {MAX_ROWS}; divide the counts", table.source, column=column)
    return table._replace(counts=counts).without(v).only(counts > 0)


def _with_weights(table: CsvTable, column: str) -> tuple[CsvTable, list]:
    """The table without the column of weights, and without rows of weight 0; and the weight of each of its codes."""
    v = table.names.index(column)
    codes, labels = table.rows[:, v], table.labels[v]
    used = np.unique(codes).tolist()
    weights: list = [None] * len(labels)
    for code, weight in zip(used, weights_of([labels[code] for code in used]), strict=True):
        weights[code] = weight
    wrong = np.isin(codes, [code for code in used if weights[code] is None])
    if wrong.any():
        row = int(wrong.argmax())
        raise DataError(no_weight(labels[codes[row]]), table.source, table.line(row, v), column)
    if not any(weights[code] for code in used):
        raise DataError("all weights are 0; at least one must be above 0", table.source, table.line(0, v), column)
    counted = np.array([bool(weight) for weight in weights])[codes]
    return table._replace(weights=codes).without(v).only(counted), weights


def _header_names(first: list[str], table: CsvTable) -> tuple[str, ...]:
    """The names, all different unless empty; a line break in a name becomes a blank."""
    numbers: dict = {}
    names = [cell.replace("\n", " ") for cell in first]
    for number, name in enumerate(names, 1):
        if name and name in numbers:
            raise DataError(
                f"columns {numbers[name]} and {number} have the same name; rename one, or use "
                "--header no if the first row is data",
                table.source,
                table.first_line,
                name,
            )
        numbers[name] = number
    return tuple(names)


def _refuse_title(table: CsvTable) -> None:
    """Refuse a first row with gaps above a row that looks like names, or above an empty one: it is a title."""
    second = table.second
    if len(second) > 2 and not any(second) and sum(map(bool, table.first)) == 1:
        found = f"'{next(filter(None, table.first))}' above an empty row seems to be a title; remove both"
        raise DataError(f"{found}, or use --header no if this row is data", table.source, table.first_line)
    if "" not in table.first or "" in second or len(set(second)) < len(table.first):
        return
    tally, codes = table.tally(2), table.second_codes()
    probability = FirstRowProbability(table, tally, codes, 2)
    below = [known_labels(*column) for column in zip(table.labels, tally, strict=True)]
    over_numbers = [
        known and not is_number(cell) and all(map(is_number, known)) for cell, known in zip(second, below, strict=True)
    ]
    if all(probability.fresh) and (any(over_numbers) or probability.of_fresh([*range(len(second))]) < RARE):
        found = f"the names seem to be in line {table.second_line}; remove what is above them"
        raise DataError(f"{found}, or use --header no if this row is data", table.source, table.first_line)


def _missing_cells(labels: list[tuple[str, ...]], rows: np.ndarray, markers: list[set[str]]) -> np.ndarray | None:
    """bool[rows, columns]: which cells are missing; None if none is."""
    gaps = {v: [k for k, label in enumerate(column) if label in markers[v]] for v, column in enumerate(labels)}
    if not any(gaps.values()):
        return None
    lacking = np.zeros(rows.shape, dtype=bool, order="F")
    for v, codes in gaps.items():
        if codes:
            lacking[:, v] = np.isin(rows[:, v], codes)
    return lacking if lacking.any() else None


def _without_incomplete_rows(table: CsvTable, lacking: np.ndarray) -> CsvTable:
    """The table without the rows that lack a cell; logs their number."""
    incomplete = lacking.any(axis=1)
    values = (table.source, table.n_rows(incomplete), table.n_rows())
    LOG.warning("%s: rows with missing cells left out: %d of %d", *values)
    return table.only(~incomplete)


def _missing_error(table: CsvTable, lacking: np.ndarray, written: list) -> DataError:
    """The first missing cell of the file as a `DataError`."""
    row = int(lacking.any(axis=1).argmax())
    v = int(lacking[row].argmax())
    label = written[v][table.rows[row, v]]
    unknown = [name for name, cells in zip(table.names, lacking.T, strict=True) if cells.all()]
    if unknown:
        found = f"column '{unknown[0]}' has no cell that is not missing"
        return DataError(f"{found}; leave it out: --drop {shlex.quote(unknown[0])}", table.source)
    found = f"missing value '{label}'" if label else "empty cell"
    whole = ", as are all of this row; remove it and the text below if they are no observations; otherwise"
    advice = whole if lacking[row].all() else ":"
    total = lacking.sum() if table.counts is None else lacking.sum(axis=1) @ table.counts
    return DataError(
        f"{found} ({total} missing in all){advice} --missing em treats such cells as missing values (learners, "
        "mnmodel), --missing state makes them a state, --missing drop leaves such rows out",
        table.source,
        table.line(row, v),
        table.names[v],
    )
