"""A table on its way from cells to a `Dataset`: codes of its columns, its first rows, and where its cells are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from .csvtext import Raw, records

_BLOCK = 1 << 16  # rows processed together


class Lines(NamedTuple):
    """Where the cells of a table are in its file: by row, or by content.

    raw : Raw or None
    place : int64[n_rows], the row of the text, -1 for the last; or None
    first_seen : list of list of int, by column and code the line of the first row with such a cell; or None
    """

    raw: Raw | None
    place: np.ndarray | None
    first_seen: list | None


def numbered(count: int) -> tuple[str, ...]:
    """Names for columns without names."""
    return tuple(f"V{v}" for v in range(count))


class Top(NamedTuple):
    """The first two rows of a table.

    first, second : list of str, their cells; the second empty if there is none
    first_line, second_line : int
    """

    first: list
    first_line: int
    second: list
    second_line: int


def top_of(raw: Raw) -> Top:
    """The first two rows of a text."""
    rows = records(raw)
    line, first = next(rows)
    second_line, second = next(rows, (line + 1, []))
    return Top(first, line, second if len(second) == len(first) else [], second_line)


class CsvTable(NamedTuple):
    """A table whose first rows may be a header.

    source : str
    first, first_line, second, second_line : as in Top
    last_line : int
    names : tuple of str
    labels : list of tuple of str, the labels of the codes of each column, in order of appearance
    rows : int[k, n_columns], the codes
    counts : int64[k], how many rows each one stands for, the first row not counted; or None: one each
    lines : Lines
    named : bool, whether the first row is known to contain names
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
    lines: Lines
    named: bool
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
        counts, weights = (None if part is None else part[chosen] for part in (self.counts, self.weights))
        place = self.lines.place
        lines = self.lines if place is None else self.lines._replace(place=place[chosen])
        return self._replace(rows=self.rows[chosen], counts=counts, lines=lines, weights=weights)

    def without(self, v: int) -> CsvTable:
        """The table without a column."""
        return self.with_columns([u for u in range(self.n_columns) if u != v])

    def with_columns(self, kept: list[int]) -> CsvTable:
        """The table of some of the columns; rows may then be equal."""
        lines = self.lines
        if lines.first_seen is not None:
            lines = lines._replace(first_seen=[lines.first_seen[v] for v in kept])
        return self._replace(
            names=tuple(self.names[v] for v in kept),
            labels=[self.labels[v] for v in kept],
            rows=self.rows[:, kept],
            first=[self.first[v] for v in kept],
            second=[self.second[v] for v in kept] if self.second else [],
            lines=lines,
            possible=[self.possible[v] for v in kept] if self.possible else (),
        )

    def below(self, skipped: int) -> CsvTable:
        """The table without its first rows, at most two; changes the counts."""
        table = self
        if skipped == 0 and self.lines.first_seen is not None:
            first_seen = [[self.first_line, *column[1:]] for column in self.lines.first_seen]  # its cells have code 0
            table = self._replace(lines=self.lines._replace(first_seen=first_seen))
        if self.counts is None:
            return table.only(slice(skipped, None))
        if skipped == 0:
            self.counts[0] += 1
            return table
        if skipped == 2:
            self.counts[self.number_of(self.second_codes())] -= 1
        return self.only(self.counts > 0)

    def second_codes(self) -> np.ndarray:
        """int[n_columns]: the codes of the second row."""
        if self.counts is None:
            return self.rows[1]
        return np.array([labels.index(cell) for labels, cell in zip(self.labels, self.second, strict=True)])

    def number_of(self, codes: np.ndarray) -> int:
        """The first stored row with these codes."""
        return int((self.rows[:2] == codes).all(axis=1).argmax()) if self.counts is not None else 1

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
        raw, place, first_seen = self.lines
        if raw is None or place is None:
            assert first_seen is not None
            return first_seen[v][self.rows[row, v]]
        lines = (
            [line for line, _ in records(raw)] if '"' in raw.text else range(raw.line, raw.line + raw.text.count("\n"))
        )
        return lines[place[row]]
