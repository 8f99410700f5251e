"""Numbers that are written for people: `23,6`, `1,234.50`, `1.234,50`, `12 %`, `5 mg`.

A column is of one form if nearly all its labels are (95 % of the different ones), and some are no plain numbers.
`mnmodel discretize` reads these as plain numbers, which is said, and the warning about measurements knows them; as
states of a network they stay as they are written. A comma before three digits can be a
decimal comma or separate thousands: it is read only if another label of the column decides it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .states import MISSING, MISSING_LABEL, DeclaredStates, is_number, ordered_dataset

if TYPE_CHECKING:
    from .dataset import Dataset

LOG = logging.getLogger("cliquewise")
NEARLY_ALL = 0.95  # of the different labels
_SIGN = r"[+-]?"
_BLANKS = "[ \u00a0\u202f']"
_FORMS = (  # name, the numbers of this form, and those among them that only this form has
    ("a decimal comma", rf"{_SIGN}\d+(?:,\d+)?", rf"{_SIGN}(?:0,\d+|\d+,(?!\d{{3}}$)\d+|\d{{4,}},\d+)"),
    ("thousands separated by commas", rf"{_SIGN}\d{{1,3}}(?:,\d{{3}})*(?:\.\d+)?|{_SIGN}\d+", r".*,\d{3}(?:,|\.).*"),
    ("thousands separated by points", rf"{_SIGN}\d{{1,3}}(?:\.\d{{3}})*(?:,\d+)?|{_SIGN}\d+", r".*\.\d{3}(?:\.|,).*"),
    (
        "thousands separated by blanks",
        rf"{_SIGN}\d{{1,3}}(?:{_BLANKS}\d{{3}})*(?:[.,]\d+)?",
        rf".*\d{_BLANKS}\d{{3}}.*",
    ),
)
_WITH_UNIT = re.compile(rf"({_SIGN}(?:[0-9]+(?:[.,][0-9]+)?|\.[0-9]+)) ?(%|[^\W\d_]{{1,5}}\.?|[$\u20ac\u00a3])")
_WITH_CURRENCY = re.compile(rf"([$\u20ac\u00a3]) ?({_SIGN}[0-9]+(?:[.,][0-9]+)?)")
_SHOWN = 5
_SAMPLE = 500  # labels


def with_plain_numbers(data: Dataset, chosen: Callable[[str, int], bool]) -> Dataset:
    """Data in which the numbers of some columns that are written for people are plain numbers.

    Parameters
    ----------
    chosen : callable taking a name and a number of states
        Which columns are meant.
    """
    states, told = list(data.states), []
    for v, (name, labels) in enumerate(zip(data.names, data.states, strict=True)):
        found = plain_numbers(labels) if chosen(name, len(labels)) else None
        if found is not None:
            form, plain = found
            states[v] = tuple(plain.get(label, label) for label in labels)
            told.append(f"{name} ({form}, '{next(iter(plain))}')")
    if not told:
        return data
    LOG.info("%s: read as numbers: %s%s", data.source, ", ".join(told[:_SHOWN]), ", ..." if len(told) > _SHOWN else "")
    return ordered_dataset(data.names, states, data.codes, data.source)


def plain_numbers(labels: Sequence[str]) -> tuple[str, dict[str, str]] | None:
    """The form of numbers of a column, and its labels of this form with the plain numbers.

    Returns
    -------
    (str, dict of str to str) or None
        None if the column has no such form, or only plain numbers.
    """
    known = [label for label in labels if label not in MISSING]
    if not known or all(map(is_number, known)):
        return None
    if len(known) > 4 * _SAMPLE and plain_numbers(known[:: len(known) // _SAMPLE]) is None:
        return None  # a long column of words is not looked at as a whole
    enough = NEARLY_ALL * len(known)
    for name, numbers, only in _FORMS:
        of_form = [label for label in known if re.fullmatch(numbers, label, re.ASCII)]
        odd = [label for label in of_form if not is_number(label)]
        if len(of_form) >= enough and odd and any(re.fullmatch(only, label, re.ASCII) for label in odd):
            return name, {label: _plain(label, name) for label in odd}
    return _of_one_unit(known, enough)


def _plain(label: str, form: str) -> str:
    """A number in a form as Python writes it."""
    if form.endswith("points") or form == "a decimal comma":
        return label.replace(".", "").replace(",", ".")
    if form.endswith("commas"):
        return label.replace(",", "")
    return re.sub(_BLANKS, "", label).replace(",", ".")


def _of_one_unit(known: list[str], enough: float) -> tuple[str, dict[str, str]] | None:
    """Numbers with one unit, per cent or currency, behind or before them."""
    plain, units = {}, set()
    for label in known:
        behind, before = _WITH_UNIT.fullmatch(label), _WITH_CURRENCY.fullmatch(label)
        if behind or before:
            number, unit = behind.groups() if behind else reversed(before.groups())  # type: ignore[union-attr]
            plain[label] = number.replace(",", ".")
            units.add(unit)
    bare = sum(map(is_number, known))
    if len(units) != 1 or len(plain) + bare < enough or len(plain) < 2 or len(set(plain.values())) < len(plain):
        return None
    return f"with {units.pop()}", plain


def words_among_numbers(labels: Sequence[str]) -> list[str]:
    """The labels that are no numbers, neither plain ones nor those of the column's form."""
    form = plain_numbers(labels)
    return [label for label in labels if not is_number(label) and (form is None or label not in form[1])]


def numbers_alone(data: Dataset, names: Sequence[str]) -> tuple[Dataset, dict[str, list[str]]]:
    """Data in which some columns have only plain numbers: those of their form, and words among them are missing.

    Returns
    -------
    (Dataset, dict of str to list of str)
        And the words of each column that has some.
    """
    states = list(data.states)
    words: dict[str, list[str]] = {}
    for v, (name, labels) in enumerate(zip(data.names, data.states, strict=True)):
        if name in names:
            form = plain_numbers(labels)
            plain = {label: label for label in labels if is_number(label)} | (form[1] if form else {})
            states[v] = tuple(plain.get(label, MISSING_LABEL) for label in labels)
            odd = [label for label in labels if label not in plain and label not in MISSING]
            words |= {name: odd} if odd else {}
    if states == list(data.states):
        return data, words
    known = {name: labels for name, labels in zip(data.names, data.states, strict=True) if name not in names}
    declared = DeclaredStates({name: [label for label in known[name] if label != MISSING_LABEL] for name in known})
    ordered = ordered_dataset(data.names, states, data.codes, data.source, declared=declared)
    return replace(ordered, counts=data.counts, denominator=data.denominator), words
