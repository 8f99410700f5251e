"""Discrete data from a CSV file, as `Dataset`; input that cannot be read safely is refused with file and line.

`common.data.csvtext` defines cells, `common.data.csvcodes` reads them; this file interprets the table. A table in
Arrow's formats is read as the CSV that `common.data.arrowfile` makes of it; its columns have names.

**States** are any text; `common.data.states` has their order. A cell that is empty, `?` or `NA`, quoted or not, is
missing.

**Header.** `auto` takes a first row with only numbers as data, unless they are all different and no column has a number
below. Otherwise each column votes: for data if its first cell occurs again below; for a header if it does not, although
the labels below repeat (at least two rows per label) or are all numbers and it is not; otherwise it abstains. A tie
counts as a header. If all abstain, names that are all different make a header. If a column of counts is given, the
first row is a header if and only if it holds its name.

**Counts.** In a table of counts, a column says how many rows each row stands for; it is equivalent to listing these
rows one by one, and rows of count 0 are ignored. A count is a whole number in any notation: R writes 100000 as 1e+05.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import DataError, UsageError
from ..files.input_stream import opened, unzipped
from ..files.result_header import MISSING_RULES, SEPARATORS
from .arrowfile import as_csv
from .counts import MOST_ROWS, count_of, no_column, no_count
from .csvcodes import encode
from .csvtext import Raw, clean, raw_text, records
from .merging import heavy_first, merged
from .states import MISSING, is_number, ordered_dataset, warn_of_states

if TYPE_CHECKING:
    from .dataset import Dataset

MERGE_FROM = 1 << 25  # bytes of a file from which on equal rows are merged during reading
_BLOCK = 1 << 14  # rows processed together

log = logging.getLogger("cliquewise")


def read_csv(
    path: str | os.PathLike,
    header: str = "auto",
    missing: str = "refuse",
    counts: str | None = None,
    *,
    separator: str = "auto",
    min_rows: int = 2,
    min_columns: int = 2,
    warn: bool = True,
    merge: bool = False,
    keep_counts: bool = False,
    markers: Collection[str] = MISSING,
    progress: Callable = lambda share, text: None,
) -> Dataset:
    """Read a table of discrete data.

    Parameters
    ----------
    path
        The file, CSV or a table in Arrow's formats; `-` is standard input.
    header : {"auto", "yes", "no"}
        Whether the first row holds the names; "auto" decides and logs it. Without a header the names are
        V0, V1, ...
    missing : {"refuse", "state", "drop"}
        Missing cells are an error, a separate state (the last one, `?`), or their rows are left out
        (logged).
    counts
        The column that says how many rows each row stands for; it is not a variable.
    separator
        A key of `common.files.result_header.SEPARATORS`, or auto.
    min_rows, min_columns
        Smaller tables are refused; rows are counted without the header and after rows are left out.
    warn
        Whether to warn about suspicious columns.
    merge
        Whether equal rows may be merged, because their order does not matter: then a large file is read in pieces, and
        memory grows with the number of distinct rows.
    keep_counts
        Whether the column of counts is read as others are, for `common.data.counts.split_counts`.
    markers
        The words that mean a missing cell.
    progress : callable taking a float or None, and a str
        Told what is being done, and the share of it that is, None where nobody knows.

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
        What is known of a table in Arrow's formats: no names, a separator; or pyarrow is not installed.
    """
    for value, known in ((header, ("auto", "yes", "no")), (missing, MISSING_RULES), (separator, ("auto", *SEPARATORS))):
        if value not in known:
            raise ValueError(f"{value!r} is not one of {', '.join(known)}")
    source = str(path)
    progress(None, "reading the data")
    table = _read(source, separator, merge, lambda share: progress(share, "reading the data"))
    if table.named and header == "no":
        raise UsageError(f"--header no: the columns of {source} have names; leave it out")
    if len(table.first) < min_columns:
        raise _too_narrow(len(table.first), min_columns, source, table.first_line)
    if table.named:
        header = "yes"
    if header != "auto":
        skip = header == "yes"
    elif counts is None:
        skip = _has_header(table)
    else:
        skip = _names_counts(table, counts)
    names = _header_names(table.first, source) if skip else tuple(f"V{v}" for v in range(len(table.first)))
    table = (table.without_first() if skip else table.with_first())._replace(names=names)
    if len(table.rows) == 0:
        raise DataError("a header and no data", source, table.first_line)
    if counts is not None and counts not in table.names:
        raise DataError(no_column(counts, table.names), source)
    if counts is not None and not keep_counts:
        table = _with_counts(table, counts)
        if len(table.names) < min_columns:
            raise _too_narrow(len(table.names), min_columns, source, table.first_line)
    lacking = _missing_cells(table.labels, table.rows, markers)
    if lacking is not None:
        if missing == "refuse":
            raise _missing_error(table, lacking)
        if missing == "drop":
            incomplete = lacking.any(axis=1)
            told = (source, table.n_rows(incomplete), table.n_rows())
            log.warning("%s: rows with missing cells left out: %d of %d", *told)
            table = table.only(~incomplete)
    if table.n_rows() < min_rows:
        raise DataError(f"data rows found: {table.n_rows()}, needed: at least {min_rows}", source, table.last_line)
    distinct = (counts is None or keep_counts) and (lacking is None or missing == "drop")
    data = _dataset(table, distinct, markers, lambda share: progress(share, "numbering the states"))
    if warn:
        asked = (("--header", header, "auto"), ("--separator", separator, "auto"), ("--counts", counts, None))
        warn_of_states(data, [f"{option}={value}" for option, value, usual in asked if value != usual])
    return data


def _read(source: str, separator: str, merge: bool, progress: Callable) -> _Table:
    """The _Table of a file, including its first row."""
    with opened(source) as stream, unzipped(stream, source) as stored:
        content = as_csv(stored, source)
        named = content is not stored
        if named and separator != "auto":
            raise UsageError(f"--separator {separator}: {source} is not text with separators; leave it out")
        separator = "comma" if named else separator
        head = content.read(MERGE_FROM)
        if merge and len(head) == MERGE_FROM:
            from .csvstream import read_stream

            first, csv = read_stream(head, content, source, progress, separator)
            labels, lines = [tuple(column) for column in csv.labels], csv.lines
            place = Lines(None, None, lines)
            return _Table(source, first, 1, csv.last_line, (), labels, csv.codes, csv.counts, place, named)
        text = clean(head + content.read(), source)
    raw = raw_text(text, source, separator)
    first_line, first = next(records(raw))
    labels, codes = encode(raw, len(first), progress)
    place = Lines(raw, np.arange(-len(codes), 0), None)
    return _Table(source, first, first_line, text.count("\n"), (), labels, codes, None, place, named)


def _dataset(table: _Table, distinct: bool, markers: Collection[str], progress: Callable) -> Dataset:
    """The Dataset of a _Table; with counts, equal rows are merged unless they are known to be `distinct`."""
    parts = table.names, table.labels, table.rows, table.source
    if table.counts is None:
        return ordered_dataset(*parts, progress=progress, markers=markers)
    if not distinct:
        return merged(ordered_dataset(*parts, progress=progress, markers=markers), table.counts)
    chosen, counts = heavy_first(np.arange(len(table.rows)), table.counts)
    return replace(ordered_dataset(*parts, chosen, progress, markers), counts=counts)


def _too_narrow(found: int, needed: int, source: str, line: int) -> DataError:
    """Too few columns, as a DataError."""
    advice = "separated by comma, semicolon, tab or blanks"
    return DataError(f"columns found: {found}, needed: at least {needed}, {advice}", source, line)


class Lines(NamedTuple):
    """Where the cells of a table are in its file: by row, or by content.

    raw : Raw or None
    place : int64[n_rows], the row of the text, -1 for the last; or None
    first_seen : list of list of int, by column and code the line of the first row with such a cell; or None
    """

    raw: Raw | None
    place: np.ndarray | None
    first_seen: list | None


class _Table(NamedTuple):
    """A table on its way from cells to a Dataset.

    source : str
    first : list of str, the cells of the first row
    first_line, last_line : int
    names : tuple of str
    labels : list of tuple of str, the labels of the codes of each column
    rows : int[k, n_columns], the codes
    counts : int64[k], how many rows each one stands for; or None: one each
    lines : Lines
    named : bool, whether the first row is known to hold names
    """

    source: str
    first: list
    first_line: int
    last_line: int
    names: tuple
    labels: list
    rows: np.ndarray
    counts: np.ndarray | None
    lines: Lines
    named: bool

    def only(self, chosen: Any) -> _Table:
        """The table of some of the rows, bool[k]."""
        counts = None if self.counts is None else self.counts[chosen]
        place = self.lines.place
        lines = self.lines if place is None else self.lines._replace(place=place[chosen])
        return self._replace(rows=self.rows[chosen], counts=counts, lines=lines)

    def without_first(self) -> _Table:
        """The table below its first row."""
        if self.counts is None:
            assert self.lines.place is not None
            lines = self.lines._replace(place=self.lines.place[1:])
            return self._replace(rows=self.rows[1:], lines=lines)
        return self.only(slice(0 if self.counts[0] else 1, None))

    def with_first(self) -> _Table:
        """The table with its first row, which has no count."""
        if self.counts is None:
            return self
        assert self.lines.first_seen is not None  # as for all tables with counts
        self.counts[0] += 1
        first_seen = [[self.first_line, *column[1:]] for column in self.lines.first_seen]  # its cells have code 0
        return self._replace(lines=self.lines._replace(first_seen=first_seen))

    def n_rows(self, chosen: Any = slice(None)) -> int:
        """The number of rows that some of the rows stand for."""
        return len(self.rows[chosen]) if self.counts is None else int(self.counts[chosen].sum())

    def line(self, row: int, v: int) -> int:
        """The line of the file where the first row with this cell begins."""
        raw, place, first_seen = self.lines
        if raw is None or place is None:
            assert first_seen is not None
            return first_seen[v][self.rows[row, v]]
        lines = [line for line, _ in records(raw)] if '"' in raw.text else range(1, raw.text.count("\n") + 1)
        return lines[place[row]]


def _with_counts(table: _Table, column: str) -> _Table:
    """The table without the column of counts, and without rows of count 0."""
    v = table.names.index(column)
    numbers = np.array([count_of(label) for label in table.labels[v]], np.int64)
    times = numbers[table.rows[:, v]]
    counts = times if table.counts is None or (times < 0).any() else times * table.counts
    if (counts < 0).any():
        row = int((counts < 0).argmax())
        label = table.labels[v][table.rows[row, v]]
        raise DataError(no_count(label), table.source, table.line(row, v), column)
    total = int(counts.astype(float).sum()) if counts.astype(float).sum() > 2**53 else int(counts.sum())
    if total > MOST_ROWS:
        raise DataError(f"{total} rows in all, at most {MOST_ROWS}; divide the counts", table.source, column=column)
    others = [u for u in range(len(table.names)) if u != v]
    names, labels = tuple(table.names[u] for u in others), [table.labels[u] for u in others]
    lines = table.lines
    if lines.first_seen is not None:
        lines = lines._replace(first_seen=[lines.first_seen[u] for u in others])
    table = table._replace(names=names, labels=labels, rows=table.rows[:, others], counts=counts, lines=lines)
    return table.only(counts > 0)


def _names_counts(table: _Table, column: str) -> bool:
    """Whether the first row is a header because it holds the name of the column of counts."""
    if column not in table.first and column not in (f"V{v}" for v in range(len(table.first))):
        raise DataError(no_column(column, table.first, "the first row is"), table.source)
    return column in table.first


def _has_header(table: _Table) -> bool:
    """Whether the first row holds the names (the rule is at the top of this file); logs the answer and the reason."""
    first, labels, source = table.first, table.labels, table.source
    below = table.without_first()
    again = np.zeros(len(first), bool)
    for start in range(0, len(below.rows), _BLOCK):
        again |= (below.rows[start : start + _BLOCK] == 0).any(axis=0)  # the first row's cells have code 0
    words = [cell for cell in first if cell not in MISSING]
    if words and all(map(is_number, words)):
        known = [label for column in labels for label in column[1:] if label not in MISSING]
        answer = len(set(words)) == len(first) and bool(known) and not again.any() and not any(map(is_number, known))
        taken = "a header: numbers, above columns without any (--header no if not)"
        not_taken = "data: nothing but numbers (--header yes if they are names)"
        log.info("%s: first row taken as %s", source, taken if answer else not_taken)
        return answer
    for_data = for_header = 0
    for v, cell in enumerate(first):
        if again[v]:
            for_data += 1
            continue
        known = [label for label in labels[v][1:] if label not in MISSING]
        over_numbers = all(map(is_number, known)) and cell not in MISSING and not is_number(cell)
        for_header += bool(known) and (over_numbers or 2 * len(known) < below.n_rows() + 1)
    if for_header or for_data:
        answer = for_header >= for_data
    else:
        answer = len(set(words)) == len(first)
    log.info(
        "%s: first row taken as %s: its cells occur again in %d of %d columns (--header %s if not)",
        source,
        "a header" if answer else "data",
        for_data,
        len(first),
        "no" if answer else "yes",
    )
    return answer


def _header_names(first: list[str], source: str) -> tuple[str, ...]:
    """The names, all different and none empty; a line break in a name becomes a blank."""
    numbers: dict = {}
    for number, cell in enumerate(first, 1):
        name = cell.replace("\n", " ")
        if not name:
            raise DataError("a column without a name; name it or remove it", source, 1, number)
        if name in numbers:
            raise DataError(
                f"columns {numbers[name]} and {number} have the same name; rename one, or use "
                "--header no if the first row is data",
                source,
                1,
                name,
            )
        numbers[name] = number
    return tuple(numbers)


def _missing_cells(labels: list[tuple[str, ...]], rows: np.ndarray, markers: Collection[str]) -> np.ndarray | None:
    """bool[rows, columns]: which cells are missing; None if none is."""
    gaps = {v: [k for k, label in enumerate(column) if label in markers] for v, column in enumerate(labels)}
    if not any(gaps.values()):
        return None
    lacking = np.zeros(rows.shape, dtype=bool, order="F")
    for v, codes in gaps.items():
        if codes:
            lacking[:, v] = np.isin(rows[:, v], codes)
    return lacking if lacking.any() else None


def _missing_error(table: _Table, lacking: np.ndarray) -> DataError:
    """The first missing cell of the file as a `DataError`."""
    row = int(lacking.any(axis=1).argmax())
    v = int(lacking[row].argmax())
    label = table.labels[v][table.rows[row, v]]
    found = f"missing value '{label}'" if label else "empty cell"
    total = lacking.sum() if table.counts is None else lacking.sum(axis=1) @ table.counts
    return DataError(
        f"{found} ({total} missing in all): --missing state makes it a state, --missing drop leaves such rows out",
        table.source,
        table.line(row, v),
        table.names[v],
    )
