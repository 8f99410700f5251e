"""Oddities in the columns and states of a table, with the option or the command that corrects it.

States that look like missing cells, that are written in several ways or languages, or are words among numbers;
measurements, dates and times, identifiers, two numbers in a cell, free text, constants. Commands warn of them when they
read a table (`state_warnings.py`); `mnmodel describe` lists them for each column.

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

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..number_text import is_number
from .column_kinds import DATE, IDENTIFIER, NUMBER, PAIR, STATES
from .labels import known_states
from .number_forms import words_among_numbers
from .spellings import canonical_labels
from .synonyms import synonyms

LIKE_MISSING = {
    *("nan", "null", "n/a", "#n/a", "<na>", "none", "nil", "missing", "unknown", "unk", "not available", "no data"),
    *("refused", "refusal", "no answer", "not answered", "prefer not to say", "prefer not to answer", "keine angabe"),
    *(".", "..", "-", "--", "---", "*", "\\n", "na", "n.a.", "k.a.", "-nan", "1.#qnan"),
    *("#null!", "#value!", "#div/0!", "#ref!", "#name?", "#num!", "#nv", "#wert!", "#bezug!", "#zahl!"),
    *("./.", ".|."),  # genotypes
}
CODES_OF_MISSING = {"-1", "-9", "-99", "-999", "-9999", "9", "99", "999", "9999", "99999"}  # far from the others
_OF_CODES = "-.01789"  # their signs
_NEGATIVE = re.compile(r"-[1-9]", re.ASCII)  # codes of several reasons, such as -9, -8 and -1
MAX_NEGATIVE, MAX_BESIDE, FAR = 6, 20, -7  # such codes, other numbers beside them, and a code that no scale has
_BESIDE_NINES = re.compile(r"9*[78]|7+|8+", re.ASCII)  # codes of several reasons, such as 7 and 9, or 88 and 99
ONE_WORD = "write one word for both in the table"


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
    coded = _codes_of_missing(numbers)
    codes = [label for label in numbers if label in coded] if coded else []
    if len(numbers) < known:  # the others are words
        return found + codes if len(codes) == len(numbers) and known - len(codes) > 1 else found
    if not codes or len(numbers) - len(codes) < 2:
        return found
    others = [value for label, value in numbers.items() if label not in coded]
    least, largest = min(others), max(map(abs, others))
    return found + [label for label in codes if numbers[label] < 0 <= least or numbers[label] > 2 * largest]


def _codes_of_missing(numbers: dict[str, float]) -> set[str]:
    """Those labels of numbers that surveys and programs use as codes of missing cells, wherever the others lie."""
    whole = {label: label.removesuffix(".0") for label in numbers if not label.strip(_OF_CODES)}
    nines = {digits for digits in whole.values() if not digits.removeprefix("-").strip("9")}
    coded = {
        label
        for label, digits in whole.items()
        if digits in CODES_OF_MISSING or (_BESIDE_NINES.fullmatch(digits.removeprefix("-")) and _nines(digits) in nines)
    }
    if len(numbers) - len(coded) <= MAX_NEGATIVE + MAX_BESIDE:
        rest = {label: value for label, value in numbers.items() if label not in coded or value < 0}
        coded.update(_negative_codes(rest))
    return coded


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
