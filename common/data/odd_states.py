"""Oddities in the columns and states of a table, with the option or the command that corrects it.

States that look like missing cells, that are written in several ways or languages, or are words among numbers;
measurements, dates and times, identifiers, two numbers in a cell, free text, constants. Commands warn of them when they
read a table, a line each; `mnmodel describe` lists them for each column.

Measurements: each number is a state with parameters of its own, so that an edge has to explain more than it can. Some
fifty columns of measurements (breast cancer, wine, diabetes) were rounded to various numbers of states: of the edges
that pay when the column is cut into four classes, to a class or to another column cut so, 80 % were lost with 3 to 5
rows a state, 70 % with 15 to 20, and 34 % with 50 to 100 (BDeu, ess 1). In simulated pairs of a number and a column
that depends on it, 71 % were lost with 50 to 100 rows a state, 63 % with 100 to 200, and 61 % with 200 to 500;
of 143 that pay without cuts, cuts lost 3. Where the numbers are codes without order, cuts lost 18 of 134 and found 37
others. With more rows than 200 a state a column of at most 100 numbers may be left as it is, one of more may not: each
joint state of two columns has a parameter, so with a million rows and 400 numbers a correlation of 0.8 does not pay,
with 100 one of 0.2; cut into four classes one of 0.02 does.

Two columns of 21 to 100 numbers, by the rows for each pair of numbers: of simulated pairs (25, 50 or 100 numbers each;
monotone, U-shaped and wavelike dependence; BDeu, ess 1 and 10), those that pay in four classes were lost without cuts
in 99 % with 1 row, 94 with 5, 82 with 20, 69 with 100 and 57 with 500; cuts lost none. What the pair that is found
tells of new rows is the other side: where the dependence is no wave, classes told 0.13 nats a row more with 1 row, 0.06
with 5, as much with 20, and 0.02 less with 50. So two such columns are cut with fewer than 20 rows for each pair.

Columns of 8 to 20 numbers can be codes without order, so they are not cut, but named with fewer than 20 rows for each.
Of simulated pairs of such a column and a binary one (8, 10, 15 or 20 numbers, correlation 0.15 to 0.8, BDeu, ess 1),
those that pay in four classes were lost without cuts in 45 to 71 % with 20 rows for each number, 26 to 54 with 50 and
16 to 31 with 100; of 6 numbers 34, 17 and 4 %. Between two such columns nearly all were lost with 50 rows and fewer.
"""

from __future__ import annotations

import logging
import math
import re
import shlex
import unicodedata
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import abridged
from ..number_text import is_number
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
from .number_forms import words_among_numbers
from .spellings import canonical_labels
from .states import MANY_NUMBERS, ROWS_PER_STATE, SOME_NUMBERS
from .synonyms import synonyms

if TYPE_CHECKING:
    from .dataset import Dataset
    from .reading import Reading

LOG = logging.getLogger("cliquewise")
LIKE_MISSING = {
    *("nan", "null", "n/a", "#n/a", "<na>", "none", "nil", "missing", "unknown", "unk", "not available", "no data"),
    *("refused", "refusal", "no answer", "not answered", "prefer not to say", "prefer not to answer", "keine angabe"),
    *(
        ".",
        "..",
        "-",
        "--",
        "---",
        "*",
        "\\n",
        "#null!",
        "#value!",
        "#div/0!",
        "#ref!",
        "#name?",
        "#num!",
        "#nv",
        "#wert!",
        "#bezug!",
        "#zahl!",
        "na",
        "n.a.",
        "k.a.",
        "-nan",
        "1.#qnan",
        "./.",  # genotypes
        ".|.",
    ),
}
CODES_OF_MISSING = {"-1", "-9", "-99", "-999", "-9999", "9", "99", "999", "9999", "99999"}  # far from the others
_OF_CODES = "-.01789"  # their signs
_NEGATIVE = re.compile(r"-[1-9]", re.ASCII)  # codes of several reasons, such as -9, -8 and -1
MAX_NEGATIVE, MAX_BESIDE, FAR = 6, 20, -7  # such codes, other numbers beside them, and a code that no scale has
_BESIDE_NINES = re.compile(r"9*[78]|7+|8+", re.ASCII)  # codes of several reasons, such as 7 and 9, or 88 and 99
_SHOWN = 5
ONE_WORD = "write one word for both in the table"
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


@dataclass(frozen=True)
class OddColumn:
    """The oddities of a column.

    Attributes
    ----------
    name
    kind
        One of those in `common.data.column_kinds`.
    like_missing : list of str
        Labels that look like missing cells.
    spellings : tuple of str
        Two labels that differ only in case, blanks or accents; none if there are no such.
    words : list of str
        Labels of a column of numbers that are none.
    synonyms : tuple of str
        Two labels that are words for one answer, as `ja` and `yes`; none if there are no such.
    """

    name: str
    kind: str
    like_missing: Sequence[str]
    spellings: tuple[str, ...]
    words: Sequence[str]
    synonyms: tuple[str, ...]


def odd_column(name: str, kind: str, labels: Sequence[str]) -> OddColumn:
    """The oddities of a column.

    Parameters
    ----------
    labels
        Without the missing one.
    """
    words = words_among_numbers(labels) if kind == NUMBER else []
    alike = (
        next(iter(canonical_labels(labels, True).items()), ()) if kind not in (NUMBER, PAIR, IDENTIFIER, DATE) else ()
    )
    lacking = like_missing(labels)
    answers = synonyms(label for label in labels if label not in lacking) if kind == STATES else ()
    return OddColumn(name, kind, lacking, alike, words, answers)


def like_missing(labels: Sequence[str]) -> list[str]:
    """The labels that look like missing cells.

    Words for it, blanks, and the numbers that programs and surveys write for it: if all others are numbers that lie on
    one side of them and at most half as far from 0, -1 only below numbers from 0; or if all others, two at least, are
    words. Surveys give several reasons numbers: 7, 8, 97, 98 and the like are such numbers where 9 or 99 is a state,
    and -88 where -99 is; so are numbers from -9 to -1 below others that are not negative (`_negative_codes`).
    """
    numbers = {label: float(label) for label in labels if is_number(label)}
    words = [label for label in labels if label not in numbers] if len(numbers) < len(labels) else []
    found = [label for label in words if label.strip().lower() in LIKE_MISSING or (label and not label.strip())]
    known = len(known_states(labels)) - len(found)
    whole = {label: label.removesuffix(".0") for label in numbers if not label.strip(_OF_CODES)}
    nines = {label for label in whole.values() if not label.removeprefix("-").strip("9")}
    coded = {
        label
        for label, digits in whole.items()
        if digits in CODES_OF_MISSING or (_BESIDE_NINES.fullmatch(digits.removeprefix("-")) and _nines(digits) in nines)
    }
    if len(numbers) - len(coded) <= MAX_NEGATIVE + MAX_BESIDE:
        rest = {label: value for label, value in numbers.items() if label not in coded or value < 0}
        coded.update(_negative_codes(rest))
    codes = [label for label in numbers if label in coded] if coded else []
    if len(numbers) < known:
        return found + codes if len(codes) == len(numbers) and known - len(codes) > 1 else found
    if not codes or len(numbers) - len(codes) < 2:
        return found
    others = [value for label, value in numbers.items() if label not in coded]
    least, largest = min(others), max(map(abs, others))
    return found + [label for label in codes if numbers[label] < 0 <= least or numbers[label] > 2 * largest]


def _nines(digits: str) -> str:
    """The code of nines beside a code: 99 beside 88, and -99 beside -88."""
    return digits[: digits.startswith("-")] + "9" * len(digits.removeprefix("-"))


def _negative_codes(numbers: dict[str, float]) -> list[str]:
    """Those of a few numbers from -9 to -1 that are codes of missing cells, as surveys have them.

    They are not if they belong to a scale: its numbers go from -k to -1 without a gap, and on to 0 or from 1 to at most
    k. With 0 beside them one must be far from it, at most `FAR`.
    """
    below = {label: int(value) for label, value in numbers.items() if _NEGATIVE.fullmatch(label.removesuffix(".0"))}
    others = [value for label, value in numbers.items() if label not in below]
    if not below or len(below) > MAX_NEGATIVE or len(others) > MAX_BESIDE or min(others, default=0) < 0:
        return []
    least = min(below.values())
    is_scale = sorted(below.values()) == [*range(least, 0)] and (0 in others or max(others, default=math.inf) <= -least)
    return [] if is_scale or (0 in others and least > FAR) else [*below]


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
    for kind, (what, advice) in KIND_WARNINGS.items():
        names = [column.name for column in odd if column.kind == kind]
        if names:
            option = shlex.join([f"--drop={joined(reading.drop, name_list(names, data.names))}"])
            shown = abridged(names, _SHOWN)
            LOG.warning("%s: %s: %d (%s); %s: %s", data.source, what, len(names), shown, advice, option)
    constant = [column.name for column in odd if column.kind == CONSTANT]
    if reading.missing == "em":  # a column without any known cell is refused
        constant = [name for name in constant if data.states[data.names.index(name)] != (MISSING_LABEL,)]
    if constant:
        message = f"columns with one state only, kept: {len(constant)} ({abridged(constant, _SHOWN)})"
        LOG.warning("%s: %s", data.source, message)
    lacking = [(column.name, label) for column in odd for label in column.like_missing if column.name not in declared]
    if lacking:
        words = joined(reading.na, csv_line(_na_entries(data, lacking))) or ""
        shown = abridged([f"{name} '{label}'" for name, label in lacking], _SHOWN)
        message = "states that look like missing cells"
        LOG.warning("%s: %s: %s; --na=%s if they are", data.source, message, shown, shlex.quote(words))
    alike = [f"{column.name} {' and '.join(map(_visible, column.spellings))}" for column in odd if column.spellings]
    if alike and reading.same_states == "auto":
        message = "states that differ in case, blanks or accents"
        LOG.warning("%s: %s: %s; --same-states fold makes them one", data.source, message, abridged(alike, _SHOWN))
    answers = [
        f"{column.name} {' and '.join(map(_visible, column.synonyms))}"
        for column in odd
        if column.synonyms and column.name not in declared
    ]
    if answers:
        message = "states that are words for one answer"
        LOG.warning("%s: %s: %s; %s", data.source, message, abridged(answers, _SHOWN), ONE_WORD)
    of_model = reading.of_model or {}
    cut = {name for name, states in of_model.items() if all(map(is_interval, {*states} - {MISSING_LABEL}))}
    measured = [column for column in odd if column.kind == NUMBER and column.name not in cut]
    if reading.decimal == "auto":
        warn_of_doubt(data, [column.name for column in measured])
    if measured:
        message = "columns with too many different numbers to be states"
        command = _cutting(data, reading, measured)
        LOG.warning("%s: %s: %d; cut them: %s", data.source, message, len(measured), command)
    coarse = [
        column
        for column, labels in zip(odd, known, strict=True)
        if column.kind == STATES and column.name not in declared and are_coarse_numbers(labels, data.n_rows)
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
