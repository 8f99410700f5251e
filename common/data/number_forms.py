"""Numbers that are written for people: `23,6`, `1,234.50`, `12 %`, `5 mg`, `14,2 g/dl`, `1.2M`, `<0.1`.

A column is of one form if nearly all its labels are (95 % of the different ones), and some are no plain numbers.
`mnmodel discretize` reads these as plain numbers, which is logged, and they are included in the warning about
measurements; as states of a network they stay as they are written. A comma before three digits can be a
decimal comma or separate thousands: another label of the column decides it, as a whole number below 1000 without a
comma does for thousands; so do more than twenty labels that all have three digits behind it.

Thousands, millions and billions, as `900`, `2.85K` and `1.2M`, are read if a column has two of these; `K` alone is a
unit. Full-width and Arabic digits are read as those of ASCII.

A limit, as `<0.1` of a laboratory, `>100` or `90+`, is read as its number if no number of the column is beyond it: it
then is in the first or last class, where its rows belong, whereas as missing cells they would be completed by others.
Limits are at most half of the labels.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from ..errors import abridged
from ..number_text import is_number
from .labels import MISSING_LABEL
from .states import MISSING, DeclaredStates, ordered_dataset

if TYPE_CHECKING:
    from .dataset import Dataset

LOG = logging.getLogger("cliquewise")
NEARLY_ALL = 0.95  # of the different labels
_SIGN = r"[+-]?"
_BLANKS = "[ \u00a0\u202f'\u2019]"
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
_WRITTEN = rf"{_SIGN}(?:[0-9](?:[0-9.,]|{_BLANKS}(?=[0-9]))*|\.[0-9]+)"
_UNIT = r"\u00b0|\u00b0?[^\W\d_]{1,5}\.?(?:/[^\W\d_]{1,5}[23]?)?"
_SYMBOL = "[$\u00a3\u00a5\u20a0-\u20cf]"
_CODES = (
    "AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|ILS|INR|JPY|KRW|MXN|NOK|NZD|PLN|RON|RUB|SEK|SGD|THB|TRY|UAH|USD|ZAR"
)
_WITH_UNIT = re.compile(rf"({_WRITTEN}) ?(%|{_UNIT}|{_SYMBOL})")
_WITH_CURRENCY = re.compile(rf"({_SYMBOL}|{_CODES}) ?({_WRITTEN})")
_MULTIPLE = re.compile(rf"({_SYMBOL}?)({_WRITTEN})( ?)((?:[KkMmBbGT]|[Mm]n|[Mm]io\.?|[Bb]n)?)")
_FACTORS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "g": 10**9, "t": 10**12}  # by the first letter
_ARABIC = str.maketrans({"\u066a": "%", "\u066b": ".", "\u066c": "", "\uff0d": "-", "\u2212": "-"})
_NEGATIVE = re.compile(rf"(?:\u2212|-(?={_SYMBOL}|{_CODES}))(.+)|\((.*[0-9].*)\)|(.*[0-9])-", re.DOTALL)
_LIMIT = re.compile(r"([<>\u2264\u2265]=?) ?(.+)|(.+[0-9]) ?(\+)", re.DOTALL)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+", re.ASCII)  # of thousands, or with three decimals
_MANY_GROUPED = 20  # labels that all have three digits behind a comma are no decimals
_SHOWN = 5
_SAMPLE = 500  # labels


def with_plain_numbers(data: Dataset, chosen: Callable[[str, int], bool], are_numbers: bool) -> Dataset:
    """Data in which the numbers of some columns that are written for people are plain numbers.

    Parameters
    ----------
    chosen : callable taking a name and a number of states
        Which columns are meant.
    are_numbers
        As for `plain_numbers`.
    """
    states, examples = list(data.states), []
    for v, (name, labels) in enumerate(zip(data.names, data.states, strict=True)):
        found = plain_numbers(labels, are_numbers=are_numbers) if chosen(name, len(labels)) else None
        if found is not None:
            form, plain = found
            states[v] = tuple(plain.get(label, label) for label in labels)
            examples.append(f"{name} ({form}, '{next(iter(plain))}')")
    if not examples:
        return data
    LOG.info("%s: read as numbers: %s", data.source, abridged(examples, _SHOWN))
    return ordered_dataset(data.names, states, data.codes, data.source)


def plain_numbers(
    labels: Sequence[str], all_forms: bool = True, are_numbers: bool = False
) -> tuple[str, dict[str, str]] | None:
    """The form of numbers of a column, and its labels of this form with the plain numbers.

    Parameters
    ----------
    labels
    all_forms
        Whether limits are read as their numbers, and `(5)`, which can be an interval, as -5.
    are_numbers
        Whether the column is known to have numbers, so that a single label with a unit is one.

    Returns
    -------
    (str, dict of str to str) or None
        None if the column has no such form, or only plain numbers.
    """
    known = [label for label in labels if label not in MISSING]
    if not known or all(map(is_number, known)):
        return None
    some = known[:: len(known) // _SAMPLE] if len(known) > 4 * _SAMPLE else []
    if not all(map(is_number, some)) and plain_numbers(some) is None:
        return None  # a long column of words is not looked at as a whole
    ascii_digits = {label: _in_ascii(label) for label in known if not label.isascii()}
    if any(ascii_digits[label] != label for label in ascii_digits):
        return _with_other_digits(known, ascii_digits, all_forms, are_numbers)
    found = (_with_signs(known) or _with_limits(known)) if all_forms else None  # a few do not hide behind the others
    return found or _of_one_form(known) or _with_multiples(known) or _of_one_unit(known, 1 if are_numbers else 2)


def _in_ascii(label: str) -> str:
    """A label with the digits 0 to 9 in place of those of other scripts, with the signs beside them."""
    if not any(char.isdecimal() and not char.isascii() for char in label):
        return label
    text = unicodedata.normalize("NFKC", label).translate(_ARABIC)
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)


def _with_other_digits(
    known: list[str], ascii_digits: dict[str, str], all_forms: bool, are_numbers: bool
) -> tuple[str, dict[str, str]] | None:
    """Numbers of any form, with digits that are not those of ASCII: full-width or Arabic ones."""
    texts = {label: ascii_digits.get(label, label) for label in known}
    form, of_form = plain_numbers([*dict.fromkeys(texts.values())], all_forms, are_numbers) or ("", {})
    plain = {label: of_form.get(text, text) for label, text in texts.items()}
    plain = {label: number for label, number in plain.items() if number != label and is_number(number)}
    return (f"{form}, in other digits".removeprefix(", "), plain) if _are_enough(plain, known) else None


def _with_multiples(known: list[str]) -> tuple[str, dict[str, str]] | None:
    """Numbers with letters for thousands, millions and so on: two of these, or one beside numbers without."""
    found = {label: multiple for label in known if (multiple := _MULTIPLE.fullmatch(label))}
    factors = {_factor(multiple[4]) for multiple in found.values()}
    if len(factors) < 2 or len({multiple[1] for multiple in found.values()}) > 1:
        return None
    if (
        len(factors) == 2
        and 1 in factors
        and any(multiple[3] or multiple[4] in ("m", "b") for multiple in found.values())
    ):
        return None  # K, m and b can be units
    form, of_form = _of_texts([multiple[2] for multiple in found.values()])
    numbers = {label: of_form.get(multiple[2], multiple[2]) for label, multiple in found.items()}
    plain = {
        label: f"{(Decimal(number) * _factor(found[label][4])).normalize():f}"
        for label, number in numbers.items()
        if is_number(number) and not is_number(label)
    }
    return (f"{form}in thousands and millions", plain) if _are_enough(plain, known) else None


def _factor(letter: str) -> int:
    """What a letter, or the beginning of a word, multiplies a number by."""
    return _FACTORS[letter[:1].lower()]


def _with_signs(known: list[str]) -> tuple[str, dict[str, str]] | None:
    """Numbers of any form, of which negative ones are written otherwise: `(5)` in accounts, `5-`, `-$5`."""
    found = {
        label: next(filter(None, negative.groups())) for label in known if (negative := _NEGATIVE.fullmatch(label))
    }
    others = [label for label in known if label not in found]
    if not found or not others:
        return None
    form, of_form = _of_texts([*others, *found.values()])
    plain = {label: of_form[label] for label in others if label in of_form}
    numbers = {label: of_form.get(text, text) for label, text in found.items()}
    plain |= {label: f"-{number}" for label, number in numbers.items() if is_number(number) and number[0] not in "+-"}
    return (f"{form}with signs", plain) if _are_enough(plain, known) and plain.keys() & found.keys() else None


def _with_limits(known: list[str]) -> tuple[str, dict[str, str]] | None:
    """Numbers of any form, and limits, such as `<5`, beyond which there is no other number."""
    found = {label: limit[2] or limit[3] for label in known if (limit := _LIMIT.fullmatch(label))}
    others = [label for label in known if label not in found]
    if not found or len(found) > len(others):
        return None
    form, of_form = _of_texts([*others, *found.values()])
    plain = {label: of_form[label] for label in others if label in of_form}
    numbers = [float(number) for label in others if is_number(number := of_form.get(label, label))]
    if not numbers:
        return None
    least, most = min(numbers), max(numbers)
    for label, text in found.items():
        at = of_form.get(text, text)
        if is_number(at) and (float(at) <= least if label[0] in "<\u2264" else float(at) >= most):
            plain[label] = at
    return (f"{form}with limits", plain) if _are_enough(plain, known) and plain.keys() & found.keys() else None


def _of_texts(texts: list[str]) -> tuple[str, dict[str, str]]:
    """The form of labels of which a part was taken away, to begin a description, and the plain numbers."""
    form, plain = plain_numbers([*dict.fromkeys(texts)]) or ("", {})
    return f"{form}, " if form else "", plain


def _are_enough(plain: dict[str, str], known: list[str]) -> bool:
    """Whether nearly all labels are numbers, plain ones or in place of which there are plain ones."""
    return len(plain) + sum(map(is_number, known)) >= NEARLY_ALL * len(known)


def _of_one_form(known: list[str]) -> tuple[str, dict[str, str]] | None:
    """Numbers without a unit."""
    enough = NEARLY_ALL * len(known)
    for name, numbers, only in _FORMS:
        of_form = [label for label in known if re.fullmatch(numbers, label, re.ASCII)]
        odd = [label for label in of_form if not is_number(label)]
        if len(of_form) >= enough and odd:
            if any(re.fullmatch(only, label, re.ASCII) for label in odd) or (
                name.endswith("by commas") and _are_grouped(odd, of_form)
            ):
                return name, {label: _plain(label, name) for label in odd}
    return None


def _are_grouped(odd: list[str], of_form: list[str]) -> bool:
    """Whether commas before three digits separate thousands, since smaller numbers have none, or since all do."""
    if not all(map(_GROUPED.fullmatch, odd)):
        return False
    plain = [label for label in of_form if is_number(label)]
    return all(abs(float(label)) < 1000 for label in plain) if plain else len(odd) > _MANY_GROUPED


def _plain(label: str, form: str) -> str:
    """A number in a form as Python writes it."""
    if form.endswith("points") or form == "a decimal comma":
        return label.replace(".", "").replace(",", ".")
    if form.endswith("commas"):
        return label.replace(",", "")
    return re.sub(_BLANKS, "", label).replace(",", ".")


def _of_one_unit(known: list[str], least: int) -> tuple[str, dict[str, str]] | None:
    """Numbers with one unit, per cent or currency, behind or before them; at least so many labels have it."""
    written, units = {}, set()
    for label in known:
        behind, before = _WITH_UNIT.fullmatch(label), _WITH_CURRENCY.fullmatch(label)
        if behind or before:
            written[label], unit = behind.groups() if behind else reversed(before.groups())  # type: ignore[union-attr]
            units.add(unit)
    if len(units) != 1 or len(written) < least:
        return None
    texts = list(dict.fromkeys(written.values()))
    form = None if all(map(is_number, texts)) else _of_one_form(texts)
    of_form = form[1] if form else {}
    plain = {label: of_form.get(text, text) for label, text in written.items()}
    plain = {label: number for label, number in plain.items() if is_number(number)}
    bare = sum(map(is_number, known))
    if len(plain) + bare < NEARLY_ALL * len(known) or len(set(plain.values())) < len(plain):
        return None
    return f"with {units.pop()}" + (f", {form[0]}" if form else ""), plain


def with_numbers_plain(labels: Sequence[str], all_forms: bool = True, are_numbers: bool = False) -> list[str]:
    """The labels of a column, with plain numbers in place of those of the column's form (`plain_numbers`)."""
    found = plain_numbers(labels, all_forms, are_numbers)
    plain = {} if found is None else found[1]
    return [plain.get(label, label) for label in labels]


def words_among_numbers(labels: Sequence[str]) -> list[str]:
    """The labels that are no numbers, neither plain ones nor those of the column's form."""
    if all(map(is_number, labels)):
        return []
    return [label for label, plain in zip(labels, with_numbers_plain(labels), strict=True) if not is_number(plain)]


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
            states[v] = tuple(label if is_number(label) else MISSING_LABEL for label in with_numbers_plain(labels))
            odd = [label for label in words_among_numbers(labels) if label not in MISSING]
            words |= {name: odd} if odd else {}
    if states == list(data.states):
        return data, words
    known = {name: labels for name, labels in zip(data.names, data.states, strict=True) if name not in names}
    declared = DeclaredStates({name: [label for label in known[name] if label != MISSING_LABEL] for name in known})
    ordered = ordered_dataset(data.names, states, data.codes, data.source, declared=declared)
    return replace(ordered, counts=data.counts, denominator=data.denominator), words
