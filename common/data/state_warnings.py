"""Warnings about suspicious columns and states of a table, with the option or the command that corrects them.

A line for each kind of oddity (`odd_states.py`), which names some of the columns.
"""

from __future__ import annotations

import logging
import shlex
import unicodedata
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from ..errors import abridged
from .column_kinds import (
    CONSTANT,
    DATE,
    IDENTIFIER,
    NUMBER,
    PAIR,
    STATES,
    TEXT,
    are_coarse_numbers,
    kinds_of_columns,
)
from .columns import joined, name_list
from .csvwriter import csv_line
from .decimals import warn_of_doubt
from .labels import MISSING_LABEL, is_interval, known_states
from .odd_states import ONE_WORD, OddColumn, odd_column
from .states import MANY_NUMBERS, ROWS_PER_STATE, SOME_NUMBERS

if TYPE_CHECKING:
    from .dataset import Dataset
    from .reading import Reading

LOG = logging.getLogger("cliquewise")
_SHOWN = 5
# by kind, the name of such columns in a warning, and the advice
KIND_WARNINGS = {
    IDENTIFIER: ("columns that name or number the rows", "not informative; leave them out"),
    DATE: ("columns of dates or times", "leave them out, or write a part of them, as the month, in a column"),
    PAIR: (
        "columns with two numbers in a cell, such as 120/80",
        "write each number in a column of its own, or leave them out",
    ),
    TEXT: ("columns of free text", "leave them out, or code their content as states"),
}


def warn_of_states(data: Dataset, reading: Reading, declared: Container[str]) -> None:
    """Warn about suspicious columns and states, a line for each kind of them.

    Parameters
    ----------
    reading
        How the data were read, for advice.
    declared
        Columns whose states are declared: these are meant so.
    """
    known = [*map(known_states, data.states)]
    lengths = map(len, data.states)
    kinds = kinds_of_columns([*zip(data.names, known, lengths, [data.n_rows] * data.n, strict=True)])
    odd = [odd_column(name, kind, labels) for name, kind, labels in zip(data.names, kinds, known, strict=True)]
    undeclared = [column for column in odd if column.name not in declared]
    _warn_of_kinds(data, reading, odd)
    _warn_of_constants(data, reading, odd)
    _warn_of_missing(data, reading, undeclared)
    if reading.same_states == "auto":
        alike = [(column.name, column.spellings) for column in odd if column.spellings]
        message = "states that differ in case, blanks or accents"
        _warn_of_pairs(data, message, alike, "--same-states fold makes them one")
    answers = [(column.name, column.synonyms) for column in undeclared if column.synonyms]
    _warn_of_pairs(data, "states that are words for one answer", answers, ONE_WORD)
    _warn_of_measurements(data, reading, odd)
    _warn_of_coarse_numbers(data, reading, undeclared)


def _warn_of_kinds(data: Dataset, reading: Reading, odd: Sequence[OddColumn]) -> None:
    """Warn about columns that are best left out."""
    for kind, (what, advice) in KIND_WARNINGS.items():
        names = [column.name for column in odd if column.kind == kind]
        if names:
            option = shlex.join([f"--drop={joined(reading.drop, name_list(names, data.names))}"])
            shown = abridged(names, _SHOWN)
            LOG.warning("%s: %s: %d (%s); %s: %s", data.source, what, len(names), shown, advice, option)


def _warn_of_constants(data: Dataset, reading: Reading, odd: Sequence[OddColumn]) -> None:
    """Warn about columns with one state."""
    constant = [column.name for column in odd if column.kind == CONSTANT]
    if reading.missing == "em":  # a column without any known cell is refused
        constant = [name for name in constant if data.states[data.names.index(name)] != (MISSING_LABEL,)]
    if constant:
        message = f"columns with one state only, kept: {len(constant)} ({abridged(constant, _SHOWN)})"
        LOG.warning("%s: %s", data.source, message)


def _warn_of_missing(data: Dataset, reading: Reading, odd: Sequence[OddColumn]) -> None:
    """Warn about states that look like missing cells."""
    lacking = [(column.name, label) for column in odd for label in column.like_missing]
    if lacking:
        words = joined(reading.na, csv_line(_na_entries(data, lacking))) or ""
        shown = abridged([f"{name} '{label}'" for name, label in lacking], _SHOWN)
        message = "states that look like missing cells"
        LOG.warning("%s: %s: %s; --na=%s if they are", data.source, message, shown, shlex.quote(words))


def _warn_of_pairs(data: Dataset, message: str, pairs: Sequence[tuple[str, tuple[str, ...]]], advice: str) -> None:
    """Warn about two states of a column that may be one."""
    if pairs:
        shown = [f"{name} {' and '.join(map(_visible, labels))}" for name, labels in pairs]
        LOG.warning("%s: %s: %s; %s", data.source, message, abridged(shown, _SHOWN), advice)


def _warn_of_measurements(data: Dataset, reading: Reading, odd: Sequence[OddColumn]) -> None:
    """Warn about columns of numbers, unless a model has their intervals; and about a doubtful decimal sign in them."""
    of_model = reading.of_model or {}
    cut = {name for name, states in of_model.items() if all(map(is_interval, {*states} - {MISSING_LABEL}))}
    measured = [column for column in odd if column.kind == NUMBER and column.name not in cut]
    if reading.decimal == "auto":
        warn_of_doubt(data, [column.name for column in measured])
    if measured:
        message = "columns with too many different numbers to be states"
        command = _cutting(data, reading, measured)
        LOG.warning("%s: %s: %d; cut them: %s", data.source, message, len(measured), command)


def _warn_of_coarse_numbers(data: Dataset, reading: Reading, odd: Sequence[OddColumn]) -> None:
    """Warn about columns of few numbers, each in few rows."""
    states = dict(zip(data.names, data.states, strict=True))
    coarse = [
        column
        for column in odd
        if column.kind == STATES and are_coarse_numbers(known_states(states[column.name]), data.n_rows)
    ]
    if coarse:
        message = (
            f"columns of {SOME_NUMBERS + 1} to {MANY_NUMBERS} numbers with fewer than {ROWS_PER_STATE} rows for each"
        )
        advice = f"links are easily missed; if they are measurements, cut them: {_cutting(data, reading, coarse)}"
        LOG.warning("%s: %s: %d; %s", data.source, message, len(coarse), advice)


def _cutting(data: Dataset, reading: Reading, columns: Sequence[OddColumn]) -> str:
    """The command that cuts columns of numbers, and reads words among them as missing cells."""
    odd_words = list(dict.fromkeys(word for column in columns for word in column.words))
    na = [f"--na={joined(reading.na, csv_line(odd_words))}"] if odd_words else []
    names = [column.name for column in columns]
    named = name_list(names, data.names) if reading.columns is None else csv_line(names)
    read = [word for word in reading.words() if not (odd_words and word.startswith("--na="))]
    return shlex.join(["mnmodel", "discretize", data.source, *read, *na, "--columns", named, "-o", "cut.csv"])


def _na_entries(data: Dataset, lacking: Sequence[tuple[str, str]]) -> list[str]:
    """The entries of --na for labels of columns: with the column's name if the label is a state of another, too."""
    found: dict[str, None] = {}
    for name, label in lacking:
        columns = [other for other, states in zip(data.names, data.states, strict=True) if label in states]
        alone = all((other, label) in lacking for other in columns)
        found[label if alone else f"{name}={label}"] = None
    return list(found)


def _visible(label: str) -> str:
    """A label in quotes; composed accents and blanks that do not break, or are not seen, are shown by code points."""
    odd = unicodedata.normalize("NFC", label) != label or not label.isprintable()
    return ascii(label) if odd else f"'{label}'"
