"""The columns that a network is learned from: what is left out, what is cut into classes, and what is said of each.

Identifiers, dates, free text and constants tell nothing about other columns that would repeat in new rows; a column of
measurements tells it only in classes (`common.data.column_kinds` has the rules).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..common.data.column_kinds import NUMBER, column_kinds
from ..common.data.discretize import apply_cuts, find_cuts, with_few_digits
from ..common.data.incomplete import without_missing_state
from ..common.data.merging import merged
from ..common.data.near_duplicates import near_duplicates
from ..common.data.number_forms import numbers_alone
from ..common.data.reading import USUAL, Reading
from ..common.errors import DataError
from ..mnmodel.describe import described_columns
from .report import ColumnRow

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..mnmodel.described_column import DescribedColumn

SHOWN = 3  # words
FEWEST = 2  # columns that make a network


@dataclass(frozen=True)
class Preparation:
    """A table that is ready to learn from.

    Attributes
    ----------
    table
        The columns chosen and cut, row by row.
    data
        The same with equal rows merged; `IncompleteData` if cells are missing.
    left_out, cut : tuple of str
        Names of columns.
    columns : tuple of ColumnRow
        What became of each column of the table.
    missing_words : tuple of str
        Words among numbers, which are taken as missing: `column=word`.
    """

    table: Dataset
    data: Dataset
    left_out: tuple[str, ...]
    cut: tuple[str, ...]
    columns: tuple[ColumnRow, ...]
    missing_words: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether the table is not used as it is."""
        return bool(self.left_out or self.cut)


def prepare(data: Dataset, bins: int, keep: tuple[str, ...], reading: Reading = USUAL) -> Preparation:
    """Leave out and cut the columns of a table.

    Parameters
    ----------
    data
        Missing cells are the last state, `?`.
    bins
        Classes of a column of numbers, >= 2.
    keep
        Columns that are used whatever they look like.
    reading
        How the table was read, for advice.

    Raises
    ------
    DataError
        A column to keep that is not there; fewer than two columns are left.
    """
    unknown = [name for name in keep if name not in data.names]
    if unknown:
        raise DataError(f"no column '{unknown[0]}'; the columns are {', '.join(data.names)}", data.source)
    kinds = column_kinds(data)
    described = described_columns(data, reading, kinds, near_duplicates(data, kinds))
    used = [kind for kind in kinds if kind.is_used or kind.name in keep]
    cut = [kind.name for kind in used if kind.kind == NUMBER]
    if len(used) < FEWEST:
        told = ", ".join(f"{kind.name} ({kind.kind})" for kind in kinds if kind not in used)
        raise DataError(f"fewer than {FEWEST} columns to learn from; left out: {told}; --keep keeps some", data.source)
    left_out = tuple(kind.name for kind in kinds if kind not in used)
    data, words = numbers_alone(data, cut)
    cuts = with_few_digits(data, find_cuts(data, cut, bins, "quantile", data.row_counts)) if cut else {}
    table = apply_cuts(data, cuts, as_intervals=True) if cuts else data
    places = [data.names.index(kind.name) for kind in used]
    chosen = replace(
        table,
        names=tuple(data.names[v] for v in places),
        states=tuple(table.states[v] for v in places),
        codes=np.asfortranarray(np.repeat(table.codes[:, places], data.row_counts, axis=0)),
        counts=None,
    )
    ready = without_missing_state(merged(chosen))
    rows = tuple(_row(one, one.kind in used, cuts.get(one.kind.name), words.get(one.kind.name)) for one in described)
    missing = tuple(f"{name}={word}" for name in words for word in words[name])
    return Preparation(chosen, ready, left_out, tuple(cut), rows, missing)


def _row(
    column: DescribedColumn, is_used: bool, points: tuple[float, ...] | None, words: Sequence[str] | None
) -> ColumnRow:
    """What is said of a column."""
    decision = "left out" if not is_used else "used" if points is None else f"cut into {len(points) + 1} classes"
    decision += f"; taken as missing: {', '.join(words[:SHOWN])}" if words else ""
    similar = [f"nearly the same as {', '.join(column.similar)}"] if column.similar else []
    odd = [str(note) for note in column.notes if not note.is_mended] + similar if is_used else []
    kind = column.kind
    return ColumnRow(kind.name, kind.kind, kind.content, kind.missing, decision, tuple(odd))
