"""The kind of each column of a table: states, numbers, two of them in a cell, an identifier, dates, text or a constant.

The kind depends only on the labels of a column and on how many rows have each, regardless of their weights, so it can
be determined for any `Dataset`. A network is learned from states. Of the other kinds, numbers have to be cut into
classes (`mnmodel discretize`), and identifiers, dates, text, constants and pairs of numbers have no dependence on other
columns, or none that repeats in new rows.

| kind | rule, in this order; "nearly all" is 95 % of the different labels |
|---|---|
| constant | at most one state |
| date | nearly all labels are dates, months, weeks or times, and there are more than 12 |
| identifier | whole numbers, or words without blanks, nearly every row its own: 90 % of at least 20 rows |
| number | nearly all are numbers, plain or written as `23,6`; over 20 with fewer than 200 rows for each, or over 100 |
| pair | nearly all are two numbers, such as `120/80`, but no ranges that do not overlap; as many as of a number |
| text | not numbers, and labels of three words or more are most of more than 20 |
| states | anything else |

Two columns of 21 to 100 numbers are numbers, too, with fewer than 20 rows for each pair (`kinds_of_columns`). A pair
with a sign that names of rows do not have, as `/`, is no identifier. Whole numbers that are all different are
measurements, not an identifier, unless they fill a range of one and a half times their number (as row numbers do),
begin with zeros, or are in a column whose name is, or ends with, id, no, nr or key, as case_no, CaseNo and caseno.

Cost: one pass over the codes, and over at most two thousand labels of a column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..counted import percent
from ..number_text import is_number, is_whole_number
from .labels import known_states
from .number_forms import NEARLY_ALL, plain_numbers, with_numbers_plain
from .states import (
    FEW_ROWS,
    MANY_NUMBERS,
    MOST_NUMBERS,
    OWN_VALUE,
    ROWS_PER_NUMBER,
    ROWS_PER_PAIR,
    ROWS_PER_STATE,
    SOME_NUMBERS,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .dataset import Dataset

CONSTANT, DATE, IDENTIFIER, NUMBER, PAIR = "constant", "date", "identifier", "number", "pair"
TEXT, STATES = "text", "states"
MANY_DATES = 12  # fewer can be states, as the months of a year
WORDS = 3  # of a label that is text
SHOWN_STATES = 4  # states of a column that are named
SAMPLE = 2000  # labels that are inspected
DENSE_RANGE = 1.5  # width of the range of row numbers, relative to their number

_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?"
_YEAR, _DAY = r"(?:19|20)\d{2}", r"\d{1,2}(?:st|nd|rd|th|\.)?"
_MONTH = (  # as it begins in English, German, Dutch, French, Spanish, Portuguese and Italian
    "(?i:jan|gen|ene|feb|fev|f\u00e9v|mar|m\u00e4r|mrz|maa|apr|abr|avr|may|mai|mag|mei|jun|jui|giu|jul|lug|aug|ago|ao\u00fb|"
    r"sep|set|oct|okt|out|ott|nov|dec|dez|dic|d\u00e9c)[^\W\d_]*\.?"
)
_DAYS = "|".join(
    (
        r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}",
        rf"{_DAY}[-/ ]?(?:de )?{_MONTH},?[-/ ]?(?:de )?\d{{2,4}}|{_MONTH} {_DAY},? \d{{4}}",
        rf"{_YEAR}-[0-3]\d{{2}}|\d{{4}}\u5e74\d{{1,2}}\u6708(?:\d{{1,2}}\u65e5)?",
    )
)
_MONTHS = "|".join(
    (
        rf"{_YEAR}[-/](?:0?[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])[-/]{_YEAR}",
        rf"{_MONTH}[-/ ]{_YEAR}|{_YEAR}[-/ ]{_MONTH}",
        rf"{_YEAR}[- ]?(?:W\d{{2}}|Q[1-4])|Q[1-4][-/ ]?{_YEAR}",
    )
)
_DATES = re.compile(rf"(?:[^\W\d_]{{2,10}}\.?,? )?(?:{_DAYS})(?:,?[T ]{_TIME})?|{_MONTHS}|{_TIME}")
_PLAIN = r"((?!0\d)\d+(?:[.,]\d+)?)"
_PAIR = re.compile(rf"{_PLAIN} ?(?:([/x*\u00d7\u00b1])|[-\u2013:;|]) ?{_PLAIN}", re.ASCII)
_WHOSE = "case|obs|pat|patient|person|record|resp|respondent|row|sample|subj|subject|user"
_NAMES = re.compile(
    rf"(?:^|[_. ])(?i:(?:{_WHOSE})?(?:id|uuid|key|no|nr|number|index))$|[a-z](?:I[dD]|UUID|Key|N[oOrR]|Number|Index)$"
)


@dataclass(frozen=True)
class ColumnKind:
    """A column of a table.

    Attributes
    ----------
    name
    kind
        `STATES`, `NUMBER`, `PAIR`, `DATE`, `IDENTIFIER`, `TEXT` or `CONSTANT`.
    labels : tuple of str
        Its states without the missing one, in order.
    counts : int64[labels]
        Rows of each, in parts of a row as the data's counts are.
    missing
        Share of the rows whose cell is missing, in [0, 1].
    """

    name: str
    kind: str
    labels: tuple[str, ...]
    counts: np.ndarray
    missing: float

    @property
    def content(self) -> str:
        """The most frequent states with their shares, or the range of numbers."""
        if self.kind == NUMBER:
            numbers = [float(label) for label in with_numbers_plain(self.labels) if is_number(label)]
            return f"{min(numbers):g} to {max(numbers):g}, {len(self.labels)} different"
        total = max(1, self.counts.sum())
        often = np.argsort(-self.counts, kind="stable")[:SHOWN_STATES]
        if len(self.labels) > 4 * SHOWN_STATES:
            return f"{len(self.labels)} different, such as {', '.join(self.labels[k] for k in often[:2])}"
        named = ", ".join(f"{self.labels[k]} {percent(self.counts[k] / total)}" for k in often)
        more = len(self.labels) - len(often)
        return named + (f", {more} more" if more > 0 else "")

    @property
    def is_used(self) -> bool:
        """Whether the column can be a variable of a network, cut into classes if it is a number."""
        return self.kind in (STATES, NUMBER)


def column_kinds(data: Dataset) -> list[ColumnKind]:
    """The kind of each column.

    Parameters
    ----------
    data
        Missing cells are -1, as in `IncompleteData`, or a last state `?`.

    Returns
    -------
    list of ColumnKind
        In the order of the columns.
    """
    columns, found = [], []
    weights, unweighted = data.row_counts, data.unweighted_row_counts
    for v, (name, states) in enumerate(zip(data.names, data.states, strict=True)):
        column = data.codes[:, v].astype(np.int64)
        counts = np.bincount(column[column >= 0], weights[column >= 0], len(states)).astype(np.int64)
        labels = known_states(states)
        known = len(labels)
        rows = counts[:known]
        total = int(weights.sum())
        missing = 1.0 - int(rows.sum()) / total if total else 0.0
        is_known = (column >= 0) & (column < known)
        columns.append((name, labels, int(np.count_nonzero(rows)), float(unweighted[is_known].sum())))
        found.append(ColumnKind(name, STATES, labels, rows, missing))
    return [replace(column, kind=kind) for column, kind in zip(found, kinds_of_columns(columns), strict=True)]


def kinds_of_columns(columns: Sequence[tuple[str, tuple[str, ...], int, float]]) -> list[str]:
    """The kinds of all columns of a table: those of the columns alone, and numbers by pairs.

    Parameters
    ----------
    columns
        Of each column, the arguments of `kind_of_column`.
    """
    kinds = [kind_of_column(*column) for column in columns]
    many = {
        k: len(labels)
        for k, (_, labels, _, _) in enumerate(columns)
        if kinds[k] == STATES and MANY_NUMBERS < len(labels) <= MOST_NUMBERS and _are_numbers(labels)
    }
    largest = sorted(many.values())[-2:]
    for k in many if len(largest) == 2 else ():
        partner = largest[0] if many[k] == largest[1] else largest[1]  # the largest of the others
        if columns[k][3] < ROWS_PER_PAIR * many[k] * partner:
            kinds[k] = NUMBER
    return kinds


def kind_of_column(name: str, labels: tuple[str, ...], n_seen: int, rows: float) -> str:
    """The table of the module docstring.

    Parameters
    ----------
    labels
        Without the missing one.
    n_seen
        How many of them rows have.
    rows
        Those without a missing cell.
    """
    many = len(labels)
    if n_seen <= 1:
        return CONSTANT
    if many <= MANY_DATES:
        return STATES
    some = labels[:: max(1, many // SAMPLE)]
    if _share(some, lambda label: _DATES.fullmatch(label) is not None) >= NEARLY_ALL:
        return DATE
    numeric = _are_numbers(some)
    own = many >= max(FEW_ROWS, OWN_VALUE * rows)
    pairs = [] if numeric else list(filter(None, map(_PAIR.fullmatch, some)))
    is_pair = len(pairs) >= NEARLY_ALL * len(some) and not _are_classes(pairs)
    own = own and not (is_pair and all(pair[2] for pair in pairs))
    if own and (_are_row_numbers(name, labels, some) if numeric else _share(some, _is_text) <= 0.5):
        return IDENTIFIER
    few_rows = many > MANY_NUMBERS and rows < ROWS_PER_NUMBER * many
    if numeric or is_pair:
        return STATES if not few_rows and many <= MOST_NUMBERS else NUMBER if numeric else PAIR
    return TEXT if many > MANY_NUMBERS and _share(some, _is_text) > 0.5 else STATES


def are_coarse_numbers(labels: tuple[str, ...], rows: float) -> bool:
    """Whether the states of a column are 8 to 20 numbers with so few rows for each that links are easily missed.

    Parameters
    ----------
    labels
        Without the missing one.
    rows
        Those without a missing cell.
    """
    many = len(labels)
    return SOME_NUMBERS < many <= MANY_NUMBERS and rows < ROWS_PER_STATE * many and all(map(is_number, labels))


def _share(labels: tuple[str, ...], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, labels)) / len(labels)


def _are_numbers(labels: tuple[str, ...]) -> bool:
    is_form = len(labels) > MANY_NUMBERS
    return _share(labels, is_number) >= NEARLY_ALL or (is_form and plain_numbers(labels) is not None)


def _are_classes(ranges: list[re.Match]) -> bool:
    """Whether pairs of numbers are ranges that do not overlap, such as 5-9 and 10-14: classes, which are states."""
    ends = sorted(tuple(float(one[k].replace(",", ".")) for k in (1, 3)) for one in ranges)
    flat = [end for one in ends for end in one]
    return flat == sorted(flat) and all(first < last for first, last in ends) and not any(one[2] for one in ranges)


def _is_text(label: str) -> bool:
    return len(label.split()) >= WORDS


def _are_row_numbers(name: str, labels: tuple[str, ...], some: tuple[str, ...]) -> bool:
    """Whether numbers that nearly all differ number the rows, rather than measure something; `some` are a sample."""
    if _share(some, is_whole_number) < NEARLY_ALL / 2:  # not all labels are looked at
        return False
    whole = [label for label in labels if is_whole_number(label)]
    if len(whole) < NEARLY_ALL * len(labels):
        return False
    if _NAMES.search(name) or any(len(label) > 1 and label[0] == "0" for label in whole):
        return True
    numbers = [int(label) for label in whole]
    return max(numbers) - min(numbers) + 1 <= DENSE_RANGE * len(numbers)
