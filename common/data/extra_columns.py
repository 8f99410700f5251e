"""Columns of a table that are none: row numbers and row names, and cells after a separator at the end of each row.

R writes row names, with an empty name above them or with none, so that the first row has a cell less than the others;
pandas writes an index with an empty name, or `Unnamed: 0` when it was read and written again. Such a first column is
left out if its cells are all different. Last columns without a name in which all cells are empty are what other
programs' separators at the ends of rows make, as Excel's after cells were cleared; they are left out, too. Both are
logged.
"""

from __future__ import annotations

import logging
from itertools import islice

import numpy as np

from ..errors import DataError
from .csvtable import CsvTable
from .csvtext import Raw, records
from .csvwriter import quoted
from .first_rows import INDEX_NAMES
from .reading import MISSING

_SAMPLE_ROWS = 50

LOG = logging.getLogger("cliquewise")


def longer_first_row(raw: Raw) -> tuple[str, int] | None:
    """The first row with more empty cells, if all others have as many more cells than it.

    They are the last, if those of all others are empty. Otherwise it is a single one, the first: then the others begin
    with the name of the row.

    Parameters
    ----------
    raw
        The beginning of a table is enough.

    Returns
    -------
    (str, int) or None
        The text of the first row without its line break, and its number of lines, which stays. None if the first row
        is to stay.
    """
    try:
        (line, first), *others = islice(records(raw), _SAMPLE_ROWS)
    except DataError:  # the reader reports it
        return None
    if len(first) < 2 or len(others) < 2:
        return None
    more = len(others[0][1]) - len(first)
    if more < 1 or any(len(cells) != len(first) + more for _, cells in others):
        return None
    at_end = all(set(cells[len(first) :]) == {""} for _, cells in others)
    if more > 1 and not at_end:
        return None
    cells = [*first, *[""] * more] if at_end else ["", *first]
    return raw.separator.join(map(quoted, cells)), others[0][0] - line


def without_extra_columns(table: CsvTable, arities: tuple, has_names: bool) -> tuple[CsvTable, tuple]:
    """A table without row numbers or names, and without empty last columns.

    Parameters
    ----------
    table
        Without its header. Names may be empty.
    arities : tuple of int
        Of the columns.
    has_names
        Whether the names are from the file.

    Returns
    -------
    (CsvTable, tuple of int)
        With the columns that are left, which all have names.

    Raises
    ------
    DataError
        Another column without a name.
    """
    kept = list(range(table.n_columns))
    while (table.names[kept[-1]] == "" or not has_names) and kept[-1] > 0 and _labels_of(table, kept[-1]) == {""}:
        kept.pop()
    if (empty := table.n_columns - len(kept)) > 0:
        found = "the separator at the end of each row makes no column"
        if empty > 1:
            found = f"the {empty} separators at the end of each row make no columns"
        LOG.info("%s: %s", table.source, found)
    if has_names and table.names[0] in INDEX_NAMES and kept and _is_index(table):
        column = f"column '{table.names[0]}'" if table.names[0] else "the column without a name"
        LOG.info("%s: %s left out: it numbers or names the rows", table.source, column)
        kept.remove(0)
    for v in kept:
        if table.names[v] == "":
            found = "a column without a name; name it or remove it"
            if sum(map(bool, table.first)) == 1:
                found = "one name for several columns; if this line is a title, remove it"
            raise DataError(found, table.source, table.first_line, str(v + 1))
    if len(kept) == table.n_columns:
        return table, arities
    return table.with_columns(kept), tuple(arities[v] for v in kept)


def _labels_of(table: CsvTable, v: int) -> set[str]:
    """The cells that occur in a column."""
    if len(table.labels[v]) > 3:  # the first two rows may have others
        return set(table.labels[v])
    return {table.labels[v][code] for code in np.unique(table.rows[:, v]).tolist()}


def _is_index(table: CsvTable) -> bool:
    """Whether the cells of the first column are all different and none is missing."""
    n_rows = table.n_rows()
    if len(table.labels[0]) < n_rows:
        return False
    codes = np.unique(table.rows[:, 0])
    return len(codes) == n_rows and not any(table.labels[0][code] in MISSING for code in codes.tolist())
