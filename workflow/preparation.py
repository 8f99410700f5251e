"""The columns from which a network is learned: those left out, those cut into classes, and their contents.

Identifiers, dates, free text, constants and columns with two numbers in a cell have no dependence on other columns that
would repeat in new rows; a column of measurements shows it only after discretization (`common.data.column_kinds` has
the rules).

The new table is what `mnmodel discretize` writes, and it is read as the commands after that read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..common.data.column_kinds import NUMBER, column_kinds
from ..common.data.columns import joined, name_list, unknown_column
from ..common.data.crosstab import sentence_about_rows
from ..common.data.csvfile import read_csv, table_in_memory
from ..common.data.csvwriter import csv_line, csv_pieces
from ..common.data.declared import read_declared
from ..common.data.incomplete import without_missing_state
from ..common.data.near_duplicates import near_duplicates
from ..common.data.number_forms import numbers_alone
from ..common.data.reading import DEFAULT, Declared, Reading, States, TableNeeds
from ..common.errors import DataError
from ..common.learning.choice import few_messages
from ..common.models.model_states import with_declared
from ..mnmodel.describe import corrected_reading, described_columns, odd_columns, suspected
from ..mnmodel.discretize import CutOptions, DiscretizeOptions, cut_table
from ..mnmodel.skipped_cells import skipped_cells_sentences
from .report import ColumnRow

if TYPE_CHECKING:
    from ..common.data.column_kinds import ColumnKind
    from ..common.data.csvtable import CsvTable
    from ..common.data.dataset import Dataset
    from ..common.data.odd_states import OddColumn
    from ..mnmodel.described_column import DescribedColumn

SHOWN_WORDS = 3  # words
MIN_COLUMNS = 2  # columns that make a network
QUIETLY = TableNeeds(warn=False)
NEW_TABLE_OPTIONS = ("counts", "weights", "weight_scale", "states", "same_states")  # by which commands read it
STATES = "states.csv"
BY_EM = Reading(missing="em")


@dataclass(frozen=True)
class NewTable:
    """The table of the columns chosen and cut.

    Attributes
    ----------
    text
        A CSV, with the column of counts or weights if there is one.
    states : dict of str to tuple of str
        Of the columns that are not cut, if states without rows are declared; otherwise empty.
    discretize_words : tuple of str
        Options of `mnmodel discretize` that make it from the first table.
    states_words : tuple of str
        Options of `mnmodel states` that make the file of states.
    """

    text: bytes
    states: States
    discretize_words: tuple[str, ...]
    states_words: tuple[str, ...]


@dataclass(frozen=True)
class Preparation:
    """A table that is ready to learn from.

    Attributes
    ----------
    data
        The columns chosen and cut, equal rows merged; `IncompleteData` if cells are missing.
    left_out, cut : tuple of str
        Names of columns.
    columns : tuple of ColumnRow
        The decision on each column of the table.
    reading
        How the data are read from the new table, or, without one, from the table that was given.
    odd_rows
        A sentence about rows that seem to be no observations; empty if there are none.
    corrected : tuple of str
        Options that read the table that was given with the corrections of its odd columns; empty without any.
    skipped : tuple of str
        Sentences about cells that are missing exactly where another column has certain states, unless being missing is
        a state.
    new
        None: the table is used as it is.
    tally
        The option and the column that seems to have counts or weights of the rows (`suspected_column`).
    """

    data: Dataset
    left_out: tuple[str, ...]
    cut: tuple[str, ...]
    columns: tuple[ColumnRow, ...]
    reading: Reading = field(repr=False)
    odd_rows: str
    corrected: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    new: NewTable | None = None
    tally: tuple[str, str] | None = None


def prepare(
    content: CsvTable, bins: int, keep: tuple[str, ...], reading: Reading = BY_EM, warns: bool = False
) -> Preparation:
    """Leave out and cut the columns of a table.

    Parameters
    ----------
    content
    bins
        Classes of a column of numbers, >= 2.
    keep
        Columns that are used as they are.
    reading
        How the table is read.
    warns
        Whether to warn about odd columns that are learned from, as the commands do that read the table.

    Raises
    ------
    CliquewiseError
        A table that cannot be read in this way; an unknown column to keep; fewer than two columns to learn from.
    """
    rule, stated = "refuse" if reading.missing == "refuse" else "state", with_declared(reading)
    data = read_csv(content, stated.reading(missing=rule), QUIETLY)
    unknown = [name for name in keep if name not in data.names]
    if unknown:
        raise DataError(unknown_column(unknown[0], data.names), data.source)
    kinds = column_kinds(data)
    sentence = sentence_about_rows(data)
    skipped = () if reading.missing == "state" else tuple(skipped_cells_sentences(data, kinds))
    odd, tally = odd_columns(kinds, reading), suspected(data, reading)
    described = described_columns(data, reading, kinds, odd, near_duplicates(data, kinds), tally)
    used = [kind for kind in kinds if kind.is_used or kind.name in keep]
    if len(used) < MIN_COLUMNS:
        columns = ", ".join(f"{kind.name} ({kind.kind})" for kind in kinds if kind not in used)
        raise DataError(
            f"fewer than {MIN_COLUMNS} columns to learn from; left out: {columns}; --keep keeps some", data.source
        )
    corrected = _corrected(reading, [one for one in odd if one.name in {kind.name for kind in used}], tally)
    declared = read_declared(stated.states)
    cut = [kind.name for kind in used if kind.kind == NUMBER and kind.name not in {*declared, *keep}]
    left_out = tuple(kind.name for kind in kinds if kind not in used)
    words = numbers_alone(data, cut)[1]
    new: NewTable | None = None
    points: dict[str, tuple[float, ...]] = {}
    form = reading.reading(missing="refuse", **{name: getattr(DEFAULT, name) for name in NEW_TABLE_OPTIONS})
    if cut or left_out or form != DEFAULT or not Path(content.source).is_file():
        missing = [f"{name}={word}" for name in words for word in words[name]]
        used_only = reading.reading(
            drop=_dropped(content, reading, left_out, data.names),
            na=joined(reading.na, csv_line(missing)),
            columns=None,
        )
        new, points = _new_table(content, used_only, used, name_list(cut, data.names), bins)
        data, reading = _read_new_table(new, reading, [kind.name for kind in used], content.source, warns)
    else:
        with few_messages():
            data = _to_learn(content, reading, warns)
    rows = tuple(_row(one, one.kind in used, points.get(one.kind.name), words.get(one.kind.name)) for one in described)
    return Preparation(data, left_out, tuple(cut), rows, reading, sentence, corrected, skipped, new, tally)


def _dropped(content: CsvTable, reading: Reading, left_out: Sequence[str], chosen: Sequence[str]) -> str | None:
    """The columns that are not used, as the value of --drop; `chosen` are those that are read."""
    if reading.columns is None:
        return joined(reading.drop, name_list(left_out, chosen))
    everything = reading.reading(columns=None, drop=None, missing="state", states=None)
    names = read_csv(content, everything, QUIETLY).names
    return name_list([name for name in names if name not in chosen or name in left_out], names) or None


def _new_table(
    content: CsvTable, reading: Reading, used: Sequence[ColumnKind], cut: str, bins: int
) -> tuple[NewTable, dict[str, tuple[float, ...]]]:
    """The new table, and the cut points of its columns.

    Parameters
    ----------
    reading
        By which only the columns used are read.
    cut
        The columns to cut, as a list for --columns.
    """
    cutting = CutOptions(bins, "quantile", bins, None, cut or None, None if cut else "*")
    with few_messages():
        table, points = cut_table(DiscretizeOptions(data=content, cutting=cutting, **vars(reading)))
    made = replace(reading, same_states="auto", missing="refuse").words()
    made += ["--columns", cut, "--bins", str(bins)] if cut else ["--keep", "*"]
    kept = {kind.name: kind.labels for kind in used if kind.name not in points}
    needs_states = reading.states is None and any((kind.counts == 0).any() for kind in used if kind.name in kept)
    stated = replace(reading, drop=joined(reading.drop, cut), missing="refuse").words()
    return NewTable(b"".join(csv_pieces(table)), kept if needs_states else {}, tuple(made), tuple(stated)), points


def _read_new_table(
    new: NewTable, reading: Reading, names: Sequence[str], source: str, warns: bool
) -> tuple[Dataset, Reading]:
    """The data in a new table, which has columns of these names, and how they are read."""
    said: set[str] = set()
    options = {name: getattr(reading, name) for name in NEW_TABLE_OPTIONS}
    if new.states:
        options["states"] = Declared(STATES, new.states)
    table = table_in_memory(new.text, source)
    for header in ("auto", "yes"):  # names that look like data
        new_reading = Reading(**options, header=header, missing=reading.missing)
        with few_messages(said), suppress(*[DataError] * (header == "auto")):
            data = _to_learn(table, new_reading, warns)
            if [*data.names] == [*names]:
                break
    return data, new_reading


def _to_learn(table: CsvTable, reading: Reading, warns: bool) -> Dataset:
    """The data of a table; `IncompleteData` if cells are missing and treated as missing values."""
    rule = "state" if reading.missing == "em" else reading.missing
    data = read_csv(table, with_declared(reading).reading(missing=rule), TableNeeds(warn=warns))
    return without_missing_state(data) if reading.missing == "em" else data


def _corrected(reading: Reading, odd: Sequence[OddColumn], tally: tuple[str, str] | None) -> tuple[str, ...]:
    """Options that read a table as before, and with corrections of its odd columns; none without corrections.

    Columns of numbers need none: their words are taken as missing anyway.
    """
    named = dict([tally] if tally is not None and any(one.name == tally[1] for one in odd) else [])
    others = [replace(one, words=()) for one in odd if one.name not in named.values()]
    corrected = corrected_reading(reading, others).reading(**named)
    if corrected == reading.reading():
        return ()
    missing = () if reading.missing == BY_EM.missing else (f"--missing={reading.missing}",)
    return (*corrected.words(), *missing)


def _row(
    column: DescribedColumn, is_used: bool, points: tuple[float, ...] | None, words: Sequence[str] | None
) -> ColumnRow:
    """The report's row of a column."""
    decision = "left out" if not is_used else "used" if points is None else f"cut into {len(points) + 1} classes"
    decision += f"; taken as missing: {', '.join(words[:SHOWN_WORDS])}" if words else ""
    similar = [f"nearly the same as {', '.join(column.similar)}"] if column.similar else []
    odd = [str(note) for note in column.notes if not note.is_corrected] + similar if is_used else []
    kind = column.kind
    return ColumnRow(kind.name, kind.kind, kind.content, kind.missing, decision, tuple(odd))
