"""A table on its way from cells to a `Dataset`: codes of its columns, its first rows, and where its cells are.

Texts of less than two megabytes are read here, by the reference parser; others by `common.data.csvstream`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from .csvtext import Raw, check_width, records

_BLOCK = 1 << 16  # rows processed together


def numbered(count: int) -> tuple[str, ...]:
    """Names for columns without names."""
    return tuple(f"V{v}" for v in range(count))


class TopRows(NamedTuple):
    """The first two rows of a table.

    first, second : list of str, their cells; the second empty if there is none
    first_line, second_line : int
    """

    first: list
    first_line: int
    second: list
    second_line: int


def top_rows(raw: Raw) -> TopRows:
    """The first two rows of a text."""
    rows = records(raw)
    line, first = next(rows)
    second_line, second = next(rows, (line + 1, []))
    return TopRows(first, line, second if len(second) == len(first) else [], second_line)


class CsvTable(NamedTuple):
    """A table whose first rows may be a header.

    source : str
    first, first_line, second, second_line : as in TopRows, of all columns that the file has
    last_line : int
    names : tuple of str
    labels : list of tuple of str, the labels of the codes of each column, in order of appearance
    rows : int[k, n_columns], the codes
    counts : int64[k], how many rows each one stands for, the first row not counted; or None: one each
    named : bool, whether the first row is known to contain names
    row_lines : int64[k], the line of the file where each row begins; None if only those of labels are known
    label_lines : list of list of int, by column and code the line of the first row with such a cell; or None
    declared : dict of str to tuple of str, the states of columns that the file declares, in order
    weights : int[k], the codes of a column of weights that was taken out; or None
    possible : list of list of int, by column, the codes of labels that are states even if they do not occur; or empty
    """

    source: str
    first: list
    first_line: int
    second: list
    second_line: int
    last_line: int
    names: tuple
    labels: list
    rows: np.ndarray
    counts: np.ndarray | None
    named: bool
    row_lines: np.ndarray | None = None
    label_lines: list | None = None
    declared: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    weights: np.ndarray | None = None
    possible: Sequence[Sequence[int]] = ()

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.labels)

    def with_possible(self, states: Sequence[Sequence[str]]) -> CsvTable:
        """The table with further states of each column, which need not occur."""
        labels = [tuple(dict.fromkeys((*own, *more))) for own, more in zip(self.labels, states, strict=True)]
        possible = [[*map(own.index, more)] for own, more in zip(labels, states, strict=True)]
        return self._replace(labels=labels, possible=possible)

    def codes_of_states(self, v: int) -> list[int]:
        """The codes of a column that occur, or that are states in any case."""
        return sorted({*np.unique(self.rows[:, v]).tolist(), *(self.possible[v] if self.possible else ())})

    def only(self, chosen: Any) -> CsvTable:
        """The table of some of the rows, bool[k]."""
        parts = {name: getattr(self, name) for name in ("rows", "counts", "weights", "row_lines")}
        return self._replace(**{name: part[chosen] for name, part in parts.items() if part is not None})

    def without(self, v: int) -> CsvTable:
        """The table without a column."""
        return self.with_columns([u for u in range(self.n_columns) if u != v])

    def with_columns(self, kept: list[int]) -> CsvTable:
        """The table of some of the columns; rows may then be equal."""
        return self._replace(
            names=tuple(self.names[v] for v in kept),
            labels=[self.labels[v] for v in kept],
            rows=self.rows[:, kept],
            label_lines=None if self.label_lines is None else [self.label_lines[v] for v in kept],
            possible=[self.possible[v] for v in kept] if self.possible else (),
        )

    def below(self, skipped: int) -> CsvTable:
        """The table without its first rows, at most two; changes the counts."""
        table = self
        if skipped == 0 and self.label_lines is not None:  # its cells have code 0
            table = self._replace(label_lines=[[self.first_line, *column[1:]] for column in self.label_lines])
        if self.counts is None:
            return table.only(slice(skipped, None))
        if skipped == 0:
            self.counts[0] += 1
            return table
        if skipped == 2:
            self.counts[(self.rows[:2] == self.second_codes()).all(axis=1).argmax()] -= 1
        return self.only(self.counts > 0)

    def second_codes(self) -> np.ndarray:
        """int[n_columns]: the codes of the second row."""
        if self.counts is None:
            return self.rows[1]
        return np.array([labels.index(cell) for labels, cell in zip(self.labels, self.second, strict=True)])

    def tally(self, skipped: int) -> list[np.ndarray]:
        """Float64[labels] of each column: how often each cell occurs below the first rows, one or two."""
        found = []
        for v, labels in enumerate(self.labels):
            column, weights = (self.rows[:, v], self.counts) if self.counts is not None else (self.rows[1:, v], None)
            found.append(np.bincount(column, weights, len(labels)).astype(float))
        if skipped == 2:
            for counts, code in zip(found, self.second_codes(), strict=True):
                counts[code] -= 1
        return found

    def repeats(self, codes: np.ndarray, skipped: int) -> int:
        """How many rows below the first ones are equal to one of these, which has the codes."""
        found = 0
        for start in range(0, len(self.rows), _BLOCK):
            equal = (self.rows[start : start + _BLOCK] == codes).all(axis=1)
            found += int(equal.sum() if self.counts is None else equal @ self.counts[start : start + _BLOCK])
        if self.counts is not None:
            return found - (skipped == 2)
        return found - sum(bool((self.rows[k] == codes).all()) for k in range(skipped))

    def n_rows(self, chosen: Any = slice(None)) -> int:
        """The number of rows of data in some of the stored rows."""
        return len(self.rows[chosen]) if self.counts is None else int(self.counts[chosen].sum())

    def line(self, row: int, v: int) -> int:
        """The line of the file where the first row with this cell begins."""
        if self.row_lines is not None:
            return int(self.row_lines[row])
        assert self.label_lines is not None
        return self.label_lines[v][self.rows[row, v]]


def coded_table(
    source: str, first: Sequence[str], columns: Sequence[Sequence[str]], lines: np.ndarray, named: bool = True
) -> CsvTable:
    """A table of columns of cells.

    Parameters
    ----------
    first
        The cells of the first row, which the columns do not have.
    lines : int64[rows]
        Of this row and the others, for messages.
    named
        As in `CsvTable`.
    """
    labels, rows = [], []
    for name, cells in zip(first, columns, strict=True):
        codes: dict[str, int] = {name: 0}
        rows.append(np.array([0, *[codes.setdefault(cell, len(codes)) for cell in cells]], np.int32))
        labels.append(tuple(codes))
    coded = np.asfortranarray(np.column_stack(rows)) if rows else np.empty((1, 0), np.int32)
    second_line = lines[1] if len(lines) > 1 else lines[0] + 1
    second = [cells[0] for cells in columns if len(cells)]
    top = TopRows([*first], int(lines[0]), second, int(second_line))
    return CsvTable(source, *top, int(lines[-1]), (), labels, coded, None, named, lines)


def table_of_text(raw: Raw) -> CsvTable:
    """The table of a text, whose first row may be a header.

    Raises
    ------
    DataError
        The shape of the text is wrong; with the line.
    """
    lines: list[int] = []
    rows: list[list[str]] = []
    for line, cells in records(raw):
        if rows:
            check_width(cells, len(rows[0]), raw.source, line)
        lines.append(line)
        rows.append(cells)
    first, *others = rows
    columns = [*zip(*others, strict=True)] if others else [()] * len(first)
    return coded_table(raw.source, first, columns, np.array(lines), False)
