"""Which columns of a table are used, and which of their cells are missing, by the user's options.

A list has names with commas between, quoted as in a CSV if they contain one. A name can be a pattern, `sym_*`, or a
range `a:f` in the order of the table, unless a column is called so. A list of words for missing cells has words for all
columns, and `NAME=WORD` for one.
"""

from __future__ import annotations

import csv
import logging
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ..errors import UsageError, abridged, closest
from .csvwriter import csv_line

if TYPE_CHECKING:
    from .csvtable import CsvTable
    from .reading import Reading

LOG = logging.getLogger("cliquewise")


def split_list(text: str, option: str) -> list[str]:
    """The entries of a list; blanks around them are dropped, but for an entry of blanks in quotes.

    Raises
    ------
    UsageError
        A quote that is not closed, or nothing between commas.
    """
    try:
        found = [word.strip() or word for word in next(csv.reader([text], strict=True, skipinitialspace=True), [])]
    except csv.Error as error:
        raise UsageError(f"{option} '{text}': not a list of names separated by commas: {error}") from None
    if not all(found) or not found:
        raise UsageError(f"{option} '{text}': a name is empty; give names separated by commas")
    return found


def name_list(chosen: Sequence[str], names: Sequence[str]) -> str:
    """The list that names some columns, in the order of the table; four or more neighbours are a range.

    Parameters
    ----------
    chosen
        In that order.
    names
        Of all columns.
    """
    place = {name: v for v, name in enumerate(names)}
    runs: list[list[str]] = []
    for name in chosen:
        if runs and place[name] == place[runs[-1][-1]] + 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    entries = []
    for run in runs:
        word = f"{run[0]}:{run[-1]}"
        is_range = len(run) > 3 and ":" not in run[0] and word not in place
        entries += [word] if is_range else run
    return csv_line(entries)


def chosen_columns(text: str, names: Sequence[str], option: str, all_there: bool = True) -> list[int]:
    """The columns that a list names, in its order; one that is named twice is there twice.

    Parameters
    ----------
    all_there
        Whether each entry must name one.

    Raises
    ------
    UsageError
        An entry that names none; with the nearest name.
    """
    place = {name: v for v, name in enumerate(names)}
    found: list[int] = []
    for word in split_list(text, option):
        first, colon, last = word.partition(":")
        if word in place:
            found.append(place[word])
        elif colon and first in place and last in place:
            ends = sorted((place[first], place[last]))
            found += range(ends[0], ends[1] + 1)
        elif matching := [v for v, name in enumerate(names) if fnmatchcase(name, word)]:
            found += matching
        elif all_there:
            raise UsageError(f"{option}: {unknown_column(word, names)}")
    return found


def unknown_column(word: str, names: Sequence[str]) -> str:
    """The message for a name that no column has, with the nearest name or the first few."""
    found = closest(word, names)
    return f"no column '{word}'; " + (f"did you mean '{found}'?" if found else f"the columns are {abridged(names)}")


def joined(*lists: str | None) -> str | None:
    """A list of an option with the entries of several; None without any."""
    return ",".join(filter(None, lists)) or None


def with_chosen_columns(table: CsvTable, arities: tuple, reading: Reading) -> tuple[CsvTable, tuple]:
    """A table without the columns that the reading leaves out; one of counts or weights stays.

    Parameters
    ----------
    arities : tuple of int
        Of the columns.

    Returns
    -------
    (CsvTable, tuple of int)

    Raises
    ------
    UsageError
        A column that there is not, or none is left.
    """
    kept = set(range(table.n_columns))
    if reading.columns is not None:
        kept &= {*chosen_columns(reading.columns, table.names, "--columns", reading.is_explicit("columns"))}
    if reading.drop is not None:
        kept -= {*chosen_columns(reading.drop, table.names, "--drop", reading.is_explicit("drop"))}
    kept |= {table.names.index(name) for name in (reading.counts, reading.weights) if name in table.names}
    if len(kept) == table.n_columns:
        return table, arities
    order = sorted(kept)
    LOG.info("%s: columns used: %d of %d", table.source, len(order), table.n_columns)
    return table.with_columns(order), tuple(arities[v] for v in order)


def with_missing_words(table: CsvTable, words: str | None) -> CsvTable:
    """The table with those cells empty that a list of words declares missing.

    Raises
    ------
    UsageError
        A word that no cell has.
    """
    if words is None:
        return table
    labels = [list(column) for column in table.labels]
    for word in split_list(words, "--na"):
        named = [(v, word[len(name) + 1 :]) for v, name in enumerate(table.names) if word.startswith(f"{name}=")]
        found = False
        for v, label in named or [(v, word) for v in range(table.n_columns)]:
            for code, known in enumerate(table.labels[v]):
                if known == label or (known and known.isspace() and not label.strip()):
                    labels[v][code], found = "", True
        if not found:
            LOG.warning("%s: --na: no cell is '%s'", table.source, word)
    return table._replace(labels=[tuple(column) for column in labels])
