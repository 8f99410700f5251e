"""Rows of a table that seem to be no observations: labels or units below the names, a total, empty rows, text below.

Survey programs write questions and codes below the names, and instruments units. Each such row gives most columns a
state of its own; the columns depend on each other by this row alone, and the network has links that are not in the
data. A row is odd if more than half of its known cells, three at least, are in no other row, and that would be rare:
(rows) C(k, f) times the product of s / (rows) over its f such cells in k columns, for a column with s states of one row
each. Only columns count of which at most three rows have a state of their own; in columns of numbers only words are
such states. A row is a total if its first known cell says so, and no other row has this word.

Text stands below the table, as a legend or a footnote, if an empty row separates it from rows of which most are
complete and none of its own rows is; or if each of the last rows has one cell only, which no other row has, nor one
that differs by its number, as identifiers do.

Cost: one pass over the codes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import abridged
from .column_kinds import NUMBER, kind_of_column
from .labels import known_states
from .number_forms import words_among_numbers

if TYPE_CHECKING:
    from .dataset import Dataset

RARE = 1e-3
MIN_CELLS = 3  # of an odd row that no other row has
MAX_ODD_ROWS = 3  # together
MIN_ROWS = 10  # of a table in which a row can be odd
_SHOWN = 3
_NUMBER = re.compile("[0-9]+")
_TOTALS = {
    *("total", "totals", "grand total", "subtotal", "sum", "sums", "average", "mean", "n =", "total general"),
    *("summe", "gesamt", "gesamtsumme", "gesamtergebnis", "insgesamt", "mittelwert", "somme", "suma", "totale"),
}
LABELS, TOTAL, EMPTY, BELOW = "with labels or units", "with a total", "without any cell", "of text below the table"


class OddRow(NamedTuple):
    """A row that seems to be no observation.

    Attributes
    ----------
    kind
        LABELS if most of its cells are in no other row, TOTAL if the first says so, EMPTY, or BELOW the table.
    cells : tuple of (str, str)
        Names of columns, and its states there: those which no other row has, or the first.
    """

    kind: str
    cells: tuple[tuple[str, str], ...]


def odd_rows(data: Dataset) -> list[OddRow]:
    """The rows that seem to be no observations.

    Parameters
    ----------
    data
        Missing cells are a last state `?`; equal rows may be merged.
    """
    if data.n_rows < MIN_ROWS:
        return []
    n_known = np.array([len(known_states(labels)) for labels in data.states])
    end, without_data = _empty_and_below(data, n_known)
    return without_data + _labels_and_totals(data, n_known, end)


def odd_rows_sentence(found: Sequence[OddRow]) -> str:
    """The odd rows in one sentence, with advice; empty if there are none."""
    if not found:
        return ""
    parts = []
    for kind in (LABELS, TOTAL, EMPTY, BELOW):
        of_kind = [row for row in found if row.kind == kind]
        shown = [", ".join(f"{name} '{label}'" for name, label in row.cells[:_SHOWN]) for row in of_kind if row.cells]
        if of_kind:
            word = "a row" if len(of_kind) == 1 else f"{len(of_kind)} rows"
            parts.append(f"{word} {kind}" + (f" ({abridged(shown, _SHOWN)})" if shown else ""))
    return f"{' and '.join(parts)}, as it seems; remove from the table what is no observation"


def _empty_and_below(data: Dataset, n_known: np.ndarray) -> tuple[int, list[OddRow]]:
    """The row below the last one of the table, and the rows that are empty or below it.

    Parameters
    ----------
    n_known : int64[columns]
        The number of states of each column that are not missing cells.
    """
    end = data.n_stored
    if (n_known == data.arity).all():
        return end, []
    cells = np.zeros(data.n_stored, np.int64)
    for v in range(data.n):
        cells += data.codes[:, v] < n_known[v]
    if data.n_stored == data.n_rows:  # otherwise equal rows are merged, and not in the order of the table
        end = _end_of_table(data, n_known, cells)
    empty = [OddRow(EMPTY, ())] * round(data.unweighted_row_counts[cells == 0].sum())
    below = [row for row in range(end, data.n_stored) if cells[row]]
    return end, empty + [_row(data, row, np.flatnonzero(data.codes[row] < n_known)[:1], BELOW) for row in below]


def _labels_and_totals(data: Dataset, n_known: np.ndarray, end: int) -> list[OddRow]:
    """The rows above `end` with labels or units, or with a total; `n_known` as for `_empty_and_below`."""
    stored = data.unweighted_row_counts
    counted = np.zeros(data.n, bool)  # columns
    singles = np.zeros(data.n)  # the states of a column that only one row has
    own: dict[int, list[int]] = {}  # the columns in which a row has a state of its own
    totals: dict[int, int] = {}  # the column in which it says total
    for v in range(data.n):
        single, of_total = _own_states(data, v, stored)
        if len(single) <= MAX_ODD_ROWS:
            counted[v] = True
            singles[v] = len(single)
            for code in single:
                own.setdefault(_row_of(data, v, code), []).append(v)
        for code in of_total:
            totals.setdefault(_row_of(data, v, code), v)

    def has_labels(row: int, columns: list[int]) -> bool:
        """Whether most cells of a row are its own, and this is rare."""
        among = int(((data.codes[row] < n_known) & counted).sum())
        if 2 * len(columns) <= among:
            return False
        log_chance = math.log(data.n_rows) + math.log(math.comb(among, len(columns)))
        return log_chance + float(np.log(singles[columns] / data.n_rows).sum()) < math.log(RARE)

    result = []
    several = {row for row, columns in own.items() if len(columns) >= MIN_CELLS}
    for row in sorted(row for row in several | {*totals} if row < end):
        first, columns = int((data.codes[row] < n_known).argmax()), own.get(row, [])
        if totals.get(row) == first:
            result.append(_row(data, row, [first], TOTAL))
        elif row in several and has_labels(row, columns):
            result.append(_row(data, row, columns, LABELS))
    return result


def _own_states(data: Dataset, v: int, stored: np.ndarray) -> tuple[list[int], list[int]]:
    """The states of a column that only one row has: those that count, and those that say total."""
    labels = data.states[v]
    rows = np.bincount(data.codes[:, v], stored, len(labels))
    known = known_states(labels)
    single = np.flatnonzero(rows[: len(known)] == 1).tolist()
    if not single:
        return [], []
    words = (code for code in single if not labels[code][-1:].isdigit())
    totals = [code for code in words if labels[code].strip(" :").lower() in _TOTALS]
    kind = kind_of_column(data.names[v], known, int(np.count_nonzero(rows[: len(known)])), rows[: len(known)].sum())
    if kind != NUMBER:
        return single, totals
    among = set(words_among_numbers(known))
    return [code for code in single if labels[code] in among] if among else [], totals


def _row_of(data: Dataset, v: int, code: int) -> int:
    """The only row that has a state of a column."""
    return int((data.codes[:, v] == code).argmax())


def _end_of_table(data: Dataset, n_known: np.ndarray, cells: np.ndarray) -> int:
    """The row below the last one of the table: where text begins, or the number of rows if there is none.

    Parameters
    ----------
    n_known : int64[columns]
        The number of states of each column that are not missing cells.
    cells : int64[rows]
        The number of cells of each row that are not missing.
    """

    @cache
    def rows_of_forms(v: int) -> Counter[str]:
        """How many rows have a cell of each form in a column."""
        found: Counter[str] = Counter()
        for label, count in zip(data.states[v], np.bincount(data.codes[:, v], minlength=data.arity[v]), strict=True):
            found[_form(label)] += int(count)
        return found

    def is_alone(row: int) -> bool:
        """Whether no other row has the first cell of a row, or one that differs by its number."""
        v = int((data.codes[row] < n_known).argmax())
        return rows_of_forms(v)[_form(data.states[v][data.codes[row, v]])] == 1

    rows, width = len(cells), data.n
    last = end = int(np.flatnonzero(cells).max(initial=-1)) + 1
    gap = int(np.flatnonzero(cells[:last] == 0).max(initial=0))
    if 2 * gap > rows and (cells[gap + 1 : last] < width).all() and 2 * (cells[:gap] == width).sum() > gap:
        return gap + 1
    while end and width > 2 and cells[end - 1] == 1 and is_alone(end - 1):
        end -= 1
    return end if end < last and 2 * (cells[:end] == width).sum() > rows else rows


def _form(label: str) -> str:
    """A label without its numbers."""
    return _NUMBER.sub("0", label)


def _row(data: Dataset, row: int, columns: Iterable[int], kind: str) -> OddRow:
    cells = data.codes[row]
    return OddRow(kind, tuple((data.names[v], data.states[v][cells[v]]) for v in columns))
