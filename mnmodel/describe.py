"""`mnmodel describe`: the columns of a table, the learners that are feasible, and the recommended command.

`common.data.column_kinds` classifies the columns, and `common.data.odd_states` finds oddities. The command at the end
leaves out columns without information, treats labels that look like missing cells as missing, discretizes measurements
and learns a network.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.counted import counted, percent
from ..common.data.column_kinds import (
    CONSTANT,
    DATE,
    IDENTIFIER,
    NUMBER,
    PAIR,
    STATES,
    TEXT,
    ColumnKind,
    are_coarse_numbers,
    column_kinds,
)
from ..common.data.columns import joined, name_list
from ..common.data.crosstab import sentence_about_rows
from ..common.data.csvwriter import cell_text, csv_line
from ..common.data.decimals import DECIMAL_ADVICE, DOUBTFUL_DECIMALS, doubtful_columns
from ..common.data.merging import merged
from ..common.data.near_duplicates import NearDuplicates, near_duplicates
from ..common.data.odd_states import ONE_WORD, OddColumn, odd_column
from ..common.data.suspected import kind_of_suspected, suspected_column
from ..common.errors import MAX_WORD_LENGTH, abridged, shortened
from ..common.python_words import call, in_python_words
from .described_column import DescribedColumn, OddNote
from .feasibility import Feasibility, feasibility_of
from .several_answers import several_answers
from .skipped_cells import skipped_cells_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.data.dataset import Dataset
    from ..common.data.reading import Reading

BINS = 4  # classes of a column of numbers
WIDTHS = (24, 44)  # columns of the text: names, contents
_KIND_NOTES = {
    IDENTIFIER: "names or numbers of the rows",
    DATE: "dates or times; a part of them, such as the month, would have states",
    PAIR: "two numbers in a cell; each in a column of its own could be cut into classes",
    TEXT: "free text",
    CONSTANT: "one state only",
}


@dataclass(frozen=True, eq=False, repr=False)
class Description:
    """The description of a table.

    Attributes
    ----------
    source
    rows
        Their number, regardless of their weights.
    columns : tuple of DescribedColumn
    duplicates : tuple of NearDuplicates
    odd_rows
        A sentence about rows that seem to be no observations; empty if there are none.
    feasibility : Feasibility or None
        Of learning from the table; None with fewer than two columns to learn from.
    command
        The recommended command line, or call from Python, which learns from the table; empty if nothing can be learned.
    in_python
        Whether Python shows it, with arguments instead of options.
    skipped : tuple of str
        Sentences about cells that are missing exactly where another column has certain states.
    """

    source: str
    rows: int
    columns: tuple[DescribedColumn, ...]
    duplicates: tuple[NearDuplicates, ...]
    odd_rows: str
    feasibility: Feasibility | None
    command: str
    in_python: bool = False
    skipped: tuple[str, ...] = ()

    @property
    def missing(self) -> float:
        """Share of the cells that are missing, in [0, 1]."""
        return float(np.mean([column.kind.missing for column in self.columns]))

    def __repr__(self) -> str:
        size = f"{counted(self.rows, 'row')}, {counted(len(self.columns), 'column')}"
        return f"<Description of {self.source}: {size}; print it>"

    def __str__(self) -> str:
        """One line per column, then the total and the command."""
        names = [_short(column.kind.name, WIDTHS[0]) for column in self.columns]
        contents = [_short(column.kind.content, WIDTHS[1]) for column in self.columns]
        widths = max(map(len, names)), max(map(len, contents))
        lines = [self.title]
        for column, name, content in zip(self.columns, names, contents, strict=True):
            missing = f"{percent(column.kind.missing, 1)} missing" if column.kind.missing else ""
            notes = "; ".join(map(str, column.notes))
            similar = f"nearly the same as {', '.join(column.similar)}" if column.similar else ""
            remarks = "; ".join(filter(None, (missing, notes, similar)))
            lines.append(f"  {name:{widths[0]}}  {column.kind.kind:10}  {content:{widths[1]}}  {remarks}".rstrip())
        lines += self.totals
        lines += [f"recommended {self.form}:", f"  {self.command}"] if self.command else []
        return "\n".join(lines)

    @property
    def title(self) -> str:
        """The size of the table."""
        missing = f", {percent(self.missing, 1)} of the cells missing" if self.missing else ""
        return f"{self.source}: {counted(self.rows, 'row')} x {counted(len(self.columns), 'column')}{missing}"

    @property
    def form(self) -> str:
        """What the command is: a command of a shell or a call from Python."""
        return "call" if self.in_python else "command"

    @property
    def totals(self) -> list[str]:
        """Sentences about the table as a whole."""
        sentences = [self.odd_rows, *self.skipped] if self.odd_rows else [*self.skipped]
        sentences = [*map(in_python_words, sentences)] if self.in_python else sentences
        sentences += [
            f"nearly the same: {pair.first} and {pair.second} ({percent(pair.share)})" for pair in self.duplicates
        ]
        if self.feasibility is None:
            return [*sentences, "fewer than two columns that a network can be learned from"]
        of_learning = self.feasibility.sentences
        return sentences + (list(map(in_python_words, of_learning)) if self.in_python else of_learning)

    def as_dict(self) -> dict[str, Any]:
        """The content as values that JSON has."""
        columns = []
        for column in self.columns:
            kind = column.kind
            total = max(1, kind.counts.sum())
            states = [{"state": a, "share": float(b / total)} for a, b in zip(kind.labels, kind.counts, strict=True)]
            columns.append(
                {
                    "name": kind.name,
                    "kind": kind.kind,
                    "content": kind.content,
                    "missing": kind.missing,
                    "states": states,
                    "odd": [{"note": note.text, "option": note.option} for note in column.notes],
                    "similar": list(column.similar),
                }
            )
        pairs = [pair._asdict() for pair in self.duplicates]
        feasibility = None if self.feasibility is None else self.feasibility.as_dict()
        return {
            "table": self.source,
            "rows": self.rows,
            "missing": self.missing,
            "columns": columns,
            "near-duplicates": pairs,
            "odd-rows": self.odd_rows,
            "skipped": list(self.skipped),
            "feasibility": feasibility,
            "command": self.command,
        }

    def as_json(self) -> str:
        """The same as text."""
        return json.dumps(self.as_dict(), indent=1, ensure_ascii=False) + "\n"

    def as_html(self) -> str:
        """A page with a bar for each column, without outside resources."""
        from .describe_page import page_of

        return page_of(self.title, self.columns, self.totals, self.command, self.form)

    def _repr_html_(self) -> str:
        """The representation in a notebook."""
        from .describe_page import table_of

        return table_of(self.columns)


def describe(data: Dataset, reading: Reading, in_python: bool = False) -> Description:
    """Describe a table.

    Parameters
    ----------
    data
        Missing cells are the last state, `?`; equal rows may be merged.
    reading
        How it was read.
    in_python
        Whether advice names arguments of functions instead of options.
    """
    tally = suspected(data, reading)
    kinds = column_kinds(data)
    skipped = tuple(skipped_cells_sentences(data, kinds))
    odd = odd_columns(kinds, reading)
    pairs = near_duplicates(data, kinds)
    columns = described_columns(data, reading, kinds, odd, pairs, tally)
    if in_python:
        columns = tuple(replace(one, notes=tuple(note.in_python() for note in one.notes)) for one in columns)
    if tally is not None:
        option, name = tally
        reading, place = reading.reading(**{option: name}), data.names.index(name)
        del kinds[place], odd[place]
    used = [kind for kind in kinds if kind.is_used]
    feasibility = feasibility_of(_in_classes(data, used), used) if len(used) > 1 else None
    sentence = sentence_about_rows(data)
    command = _command(data.source, kinds, odd, reading, in_python, bool(skipped)) if len(used) > 1 else ""
    return Description(
        data.source, data.n_rows, columns, tuple(pairs), sentence, feasibility, command, in_python, skipped
    )


def suspected(data: Dataset, reading: Reading) -> tuple[str, str] | None:
    """The option and the column that seem to be meant (`suspected_column`), unless counts or weights are named."""
    return suspected_column(data) if reading.counts is None and reading.weights is None else None


def described_columns(
    data: Dataset,
    reading: Reading,
    kinds: Sequence[ColumnKind],
    odd: Sequence[OddColumn],
    pairs: Sequence[NearDuplicates],
    tally: tuple[str, str] | None,
) -> tuple[DescribedColumn, ...]:
    """The description of each column of a table.

    Parameters
    ----------
    data, reading
        As for `describe`.
    kinds, odd, pairs
        The kinds of its columns, their oddities, and near duplicates among them.
    tally
        From `suspected`.
    """
    measured = [kind.name for kind in kinds if kind.kind == NUMBER]
    doubts = doubtful_columns(data, measured) if reading.decimal == "auto" else {}
    columns = []
    for kind, oddities in zip(kinds, odd, strict=True):
        similar = [pair.second if pair.first == kind.name else pair.first for pair in pairs if kind.name in pair[:2]]
        notes = _notes(kind, oddities, reading, data.n_rows * (1 - kind.missing))
        if tally is not None and kind.name == tally[1]:
            notes = [OddNote(f"seems to give {kind_of_suspected(tally[0])}", shlex.join([f"--{tally[0]}={kind.name}"]))]
        if kind.name in doubts:
            notes.append(OddNote(f"'{doubts[kind.name]}': {DOUBTFUL_DECIMALS}", DECIMAL_ADVICE))
        columns.append(DescribedColumn(kind, tuple(notes), tuple(similar)))
    return tuple(columns)


def odd_columns(kinds: Sequence[ColumnKind], reading: Reading) -> list[OddColumn]:
    """Oddities of each column in the states that rows have; states that the user declares are not odd."""
    return [_odd(kind, reading) for kind in kinds]


def corrected_reading(reading: Reading, columns: Sequence[OddColumn]) -> Reading:
    """A reading in which odd words of columns are missing cells, and states written in several ways are one."""
    words = [word for odd in columns for word in _na_of(odd.name, [*odd.words, *odd.like_missing])]
    na = joined(reading.na, csv_line(dict.fromkeys(words))) if words else reading.na
    fold = reading.same_states == "auto" and any(odd.spellings for odd in columns)
    return reading.reading(na=na, same_states="fold" if fold else reading.same_states)


def _odd(kind: ColumnKind, reading: Reading) -> OddColumn:
    labels = tuple(label for label, rows in zip(kind.labels, kind.counts, strict=True) if rows)
    odd = odd_column(kind.name, kind.kind, labels)
    return odd if reading.states is None else replace(odd, like_missing=(), synonyms=())


def _notes(kind: ColumnKind, odd: OddColumn, reading: Reading, rows: float) -> list[OddNote]:
    """Oddities in a column with so many rows that are not missing."""
    notes = []
    if kind.kind in _KIND_NOTES:
        notes.append(OddNote(_KIND_NOTES[kind.kind], _option("drop", [kind.name]), True))
    cut = shlex.join(["mnmodel", "discretize", "--columns", cell_text(kind.name)])
    if kind.kind == NUMBER:
        notes.append(OddNote("too many numbers to be states", cut, True))
    if kind.kind == STATES and reading.states is None and are_coarse_numbers(kind.labels, rows):
        notes.append(OddNote("few rows for each number, so links are easily missed", cut))
    missing = "look like missing cells" if len(odd.like_missing) > 1 else "looks like a missing cell"
    for labels, reason in ((odd.words, "no numbers"), (odd.like_missing, missing)):
        if labels:
            shown = abridged([f"'{label}'" for label in labels], 3)
            notes.append(OddNote(f"{shown}: {reason}", _option("na", _na_of(kind.name, labels)), labels is odd.words))
    if odd.spellings and reading.same_states == "auto":
        shown = " and ".join(shortened(f"'{label}'", MAX_WORD_LENGTH) for label in odd.spellings)
        notes.append(OddNote(f"{shown} may be one state", "--same-states=fold"))
    if odd.synonyms:
        shown = " and ".join(f"'{label}'" for label in odd.synonyms)
        notes.append(OddNote(f"{shown} are words for one answer; {ONE_WORD}", ""))
    answers = several_answers(kind.labels) if kind.kind in (STATES, TEXT) else None
    if answers is not None:
        separator, many = answers
        note = f"several of {many} answers in a cell, between {separator}; give each answer a column of its own"
        notes.append(OddNote(note, ""))
    rare = int((kind.counts == 1).sum()) if kind.kind not in (NUMBER, PAIR, IDENTIFIER, TEXT, DATE) else 0
    if rare:
        notes.append(OddNote(f"{rare} states of one row" if rare > 1 else "a state of one row", ""))
    return notes


def _command(
    source: str, kinds: list[ColumnKind], odd: list[OddColumn], reading: Reading, in_python: bool, has_skipped: bool
) -> str:
    """The command line, or the call, that makes the corrections of `_notes` and learns a network.

    Missing cells are completed, unless some are skipped: being missing is a state of these, and of the others, too.
    """
    dropped = [kind.name for kind in kinds if not kind.is_used]
    kept = [(kind, column) for kind, column in zip(kinds, odd, strict=True) if kind.is_used]
    cut = [kind.name for kind, _ in kept if kind.kind == NUMBER]
    corrected = corrected_reading(reading, [column for _, column in kept])
    names = [kind.name for kind in kinds]
    drop = joined(reading.drop, name_list(dropped, names))
    lacking = corrected.na != reading.na or any(kind.missing for kind, _ in kept)
    learned = ["--missing", "state" if has_skipped else "em"] if lacking else []
    if in_python and cut:  # `learn` leaves columns out, cuts others, and completes missing cells by itself
        return call("learn", source, [*corrected.words(), *(learned if has_skipped else [])])
    read = replace(corrected, drop=drop)
    if in_python:
        return f"cliquewise.lsmarkov({call('read_csv', source, [*read.words(), *learned])})"
    if not cut:
        return shlex.join(["lsmarkov", source, *read.words(), *learned, "-o", "net.cliques"])
    first = replace(read, columns=None, states=None, same_states="auto").words()
    named = name_list(cut, names)
    table = shlex.join(["mnmodel", "discretize", source, *first, "--columns", named, "-q"])
    rest = replace(
        corrected, header="yes", separator="comma", arities="no", decimal="auto", sheet=None, drop=None, na=None
    )
    return f"{table} | {shlex.join(['lsmarkov', '-', *rest.words(), *learned, '-o', 'net.cliques'])}"


def _na_of(name: str, labels: Any) -> list[str]:
    """The entries of --na that call labels of one column missing."""
    return [f"{name}={label}" for label in dict.fromkeys(labels)]


def _option(name: str, entries: list[str]) -> str:
    """An option with a list, as a word of a command line."""
    return shlex.join([f"--{name}={csv_line(entries)}"])


def _in_classes(data: Dataset, used: list[ColumnKind]) -> Dataset:
    """The columns that are used, with numbers in classes of nearly equal size, to estimate time and memory."""
    codes = np.empty((data.n_stored, len(used)), np.int32, order="F")
    states = []
    for place, kind in enumerate(used):
        v = data.names.index(kind.name)
        known = len(data.states[v])
        classes = np.arange(known) * min(known, BINS) // known if kind.kind == NUMBER else np.arange(known)
        codes[:, place] = classes[data.codes[:, v]]
        states.append(tuple(map(str, range(int(classes.max()) + 1))))
    chosen = replace(data, names=tuple(kind.name for kind in used), states=tuple(states), codes=codes, counts=None)
    return merged(chosen, np.asarray(data.row_counts))


def _short(text: str, most: int) -> str:
    """A text in one line, shortened if it is too long."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 3] + "..."
