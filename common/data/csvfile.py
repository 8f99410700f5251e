"""Discrete data from a CSV file, as `Dataset`; what cannot be read safely is refused with file and line.

`common.data.csvtext` says what a cell is, `common.data.csvcodes` reads them; here is what the table means.

**States** are any text; `common.data.states` has their order. A cell that is empty, `?` or `NA`, quoted or not, is
missing.

**Header.** `auto` takes a first row of nothing but numbers for data, unless they are all different and no column has a
number below. Otherwise each column votes: for data if
its first cell occurs again below; for a header if it does not, though the labels below repeat (at least two
rows a label) or are all numbers and it is none; else it abstains. A tie goes to the header. If all abstain,
names that are all different make a header. Where a column of counts is named, a first row that holds its name is one,
and any other is not.

**Counts.** A table of counts, in which a column says how many rows each row stands for, is the same data as these rows
one by one; rows of count 0 are as if they were not there. A count is a whole number, however it is written: R writes
100000 as 1e+05.
"""

import logging
from typing import NamedTuple

import numpy as np

from cliquewise.common.data.csvcodes import encode
from cliquewise.common.data.csvtext import Raw, clean, raw_text, records
from cliquewise.common.data.merging import merged
from cliquewise.common.data.states import MISSING, is_number, ordered_dataset, warn_of_states
from cliquewise.common.errors import DataError
from cliquewise.common.files.input_stream import opened

MOST_ROWS = 2**31 - 1  # of all rows together: kernels count in 32 bits
_SHOWN = 8

log = logging.getLogger("cliquewise")


def read_csv(
    path, header="auto", missing="refuse", counts=None, *, min_rows=2, min_columns=2, warn=True, tell=lambda share: None
):
    """Read a table of discrete data.

    Parameters
    ----------
    path : str or os.PathLike
        The file; `-` is standard input.
    header : {"auto", "yes", "no"}
        Whether the first row holds the names; "auto" decides and logs it. Without a header the names are
        V0, V1, ...
    missing : {"refuse", "state", "drop"}
        Missing cells are an error, a state of their own (the last one, `?`), or reason to leave the row out
        (logged).
    counts : str, optional
        The column that says how many rows each row stands for; it is no variable.
    min_rows, min_columns : int
        Smaller tables are refused; rows are counted without the header and after rows are left out.
    warn : bool
        Whether to say which columns are hardly meant as they are.
    tell : callable taking a float
        Told the share of the file that is read.

    Returns
    -------
    Dataset
        Constant columns are kept. With counts, if a column of them was named.

    Raises
    ------
    DataError
        One line with file, line and column as far as known.
    """
    if header not in ("auto", "yes", "no") or missing not in ("refuse", "state", "drop"):
        raise ValueError(f"header={header!r}, missing={missing!r}: the docstring has the choices")
    source = str(path)
    with opened(source) as stream:
        text = clean(stream.read(), source)
    raw = raw_text(text, source)
    first_line, first = next(records(raw))
    if len(first) < min_columns:
        raise _too_narrow(len(first), min_columns, source, first_line)
    labels, codes = encode(raw, len(first), tell)

    if header != "auto":
        skip = header == "yes"
    else:
        skip = _has_header(first, labels, codes, source) if counts is None else counts in first
    names = _header_names(first, source) if skip else tuple(f"V{v}" for v in range(len(first)))
    rows = codes[1:] if skip else codes
    if len(rows) == 0:
        raise DataError("a header and no data", source, first_line)
    table = _Table(raw, names, labels, rows, np.arange(-len(rows), 0), None)
    if counts is not None:
        table = _with_counts(table, counts)
        if len(table.names) < min_columns:
            raise _too_narrow(len(table.names), min_columns, source, first_line)
    lacking = _missing_cells(table.labels, table.rows)
    if missing == "refuse" and lacking.any():
        raise _missing_error(table, lacking)
    if missing == "drop" and lacking.any():
        incomplete = lacking.any(axis=1)
        log.warning("%s: rows with missing cells left out: %d of %d", source, table.n_rows(incomplete), table.n_rows())
        table = table.only(~incomplete)
    if table.n_rows() < min_rows:
        last_line = text.count("\n")
        raise DataError(f"data rows found: {table.n_rows()}, needed: at least {min_rows}", source, last_line)
    data = ordered_dataset(table.names, table.labels, table.rows, source)
    data = data if table.counts is None else merged(data, table.counts)
    if warn:
        warn_of_states(data)
    return data


def _too_narrow(found, needed, source, line):
    """Too few columns, as a DataError."""
    advice = "separated by comma, semicolon, tab or blanks"
    return DataError(f"columns found: {found}, needed: at least {needed}, {advice}", source, line)


class _Table(NamedTuple):
    """A table on its way from cells to a Dataset.

    raw : Raw
    names : tuple of str
    labels : list of tuple of str, of each column what a code stands for
    rows : int32[n_rows, n_columns], the codes
    place : int64[n_rows], which row of the file it is, the last being -1
    counts : int64[n_rows], or None
    """

    raw: Raw
    names: tuple
    labels: list
    rows: np.ndarray
    place: np.ndarray
    counts: np.ndarray | None

    def only(self, chosen):
        """The table of some of the rows, bool[n_rows]."""
        counts = None if self.counts is None else self.counts[chosen]
        return self._replace(rows=self.rows[chosen], place=self.place[chosen], counts=counts)

    def n_rows(self, chosen=slice(None)):
        """How many rows some of the rows stand for."""
        return len(self.place[chosen]) if self.counts is None else int(self.counts[chosen].sum())

    def line(self, row):
        """The line of the file in which a row begins."""
        text = self.raw.text
        lines = [line for line, _ in records(self.raw)] if '"' in text else range(1, text.count("\n") + 1)
        return lines[self.place[row]]


def _with_counts(table, column):
    """The table without the column of counts, and without rows of count 0."""
    if column not in table.names:
        shown = ", ".join(table.names[:_SHOWN]) + (", ..." if len(table.names) > _SHOWN else "")
        raise DataError(f"no column '{column}' of counts; the columns are {shown}", table.raw.source)
    v = table.names.index(column)
    numbers = np.array([_count(label) for label in table.labels[v]], np.int64)
    counts = numbers[table.rows[:, v]]
    if (counts < 0).any():
        row = int((counts < 0).argmax())
        found = f"'{table.labels[v][table.rows[row, v]]}' is no count; expected a whole number from 0 to {MOST_ROWS}"
        raise DataError(found, table.raw.source, table.line(row), column)
    total = sum(counts.tolist())
    if total > MOST_ROWS:
        raise DataError(f"{total} rows in all, at most {MOST_ROWS}; divide the counts", table.raw.source, column=column)
    others = [u for u in range(len(table.names)) if u != v]
    names, labels = tuple(table.names[u] for u in others), [table.labels[u] for u in others]
    return table._replace(names=names, labels=labels, rows=table.rows[:, others], counts=counts).only(counts > 0)


def _count(label):
    """The number in a cell, -1 if it is no count."""
    number = float(label) if is_number(label) else -1.0
    return int(number) if 0 <= number <= MOST_ROWS and number.is_integer() else -1


def _has_header(first, labels, codes, source):
    """Whether the first row holds the names (the rule is on top of this file); logs the answer and why."""
    words = [cell for cell in first if cell not in MISSING]
    if words and all(map(is_number, words)):
        below = [label for column in labels for label in column[1:] if label not in MISSING]
        again = (codes[1:] == 0).any()  # the first row was encoded first, so its cells have code 0
        answer = len(set(words)) == len(first) and bool(below) and not again and not any(map(is_number, below))
        taken = "a header: numbers, above columns without any (--header no if not)"
        not_taken = "data: nothing but numbers (--header yes if they are names)"
        log.info("%s: first row taken as %s", source, taken if answer else not_taken)
        return answer
    for_data = for_header = 0
    for v, cell in enumerate(first):
        if (codes[1:, v] == 0).any():
            for_data += 1
            continue
        below = [label for label in labels[v][1:] if label not in MISSING]
        over_numbers = all(map(is_number, below)) and cell not in MISSING and not is_number(cell)
        for_header += bool(below) and (over_numbers or 2 * len(below) < len(codes))
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


def _header_names(first, source):
    """The names, all different and none empty; a line break in a name becomes a blank."""
    numbers = {}
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


def _missing_cells(labels, rows):
    """bool[rows, columns]: which cells are missing."""
    lacking = np.zeros(rows.shape, dtype=bool, order="F")
    for v, column in enumerate(labels):
        missing_codes = [code for code, label in enumerate(column) if label in MISSING]
        if missing_codes:
            lacking[:, v] = np.isin(rows[:, v], missing_codes)
    return lacking


def _missing_error(table, lacking):
    """The first missing cell of the file as a `DataError`."""
    row = int(lacking.any(axis=1).argmax())
    v = int(lacking[row].argmax())
    label = table.labels[v][table.rows[row, v]]
    found = f"missing value '{label}'" if label else "empty cell"
    total = lacking.sum() if table.counts is None else lacking.sum(axis=1) @ table.counts
    return DataError(
        f"{found} ({total} missing in all): --missing state makes it a state, --missing drop leaves such rows out",
        table.raw.source,
        table.line(row),
        table.names[v],
    )
