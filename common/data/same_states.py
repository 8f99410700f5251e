"""Matching of labels to the states of a variable, where two tables, or a table and a model, write them differently.

A label that is a state is that state. Otherwise numbers that are equal are the same state (`0.0` is `0`, `1e0` and `01`
are `1`), intervals whose ends are equal (`(0.0, 5.0]` is `(0,5]`), and the two truth values in any case (`True` is
`TRUE`), if just one state fits. Where all states are intervals, a number means the one that it lies in, also if it is
written for people (`common.data.number_forms`): so a model of classes takes the table as it was before it was cut.
Only then a word for a missing cell (`common.data.reading.MISSING`) means one: it is the state `?` of missing cells if
there is one. On request (`fold`) the rest are the states from which they differ in case and blanks
(`common.data.spellings`), if just one state fits.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from ..number_text import is_number
from .labels import MISSING_LABEL, is_interval
from .reading import MISSING

if TYPE_CHECKING:
    from decimal import Decimal

UNKNOWN = -2  # code of a label that is no state
_BLANKS = re.compile(r"\s+")
_TRUTH = ("true", "false")


def codes_of(labels: Sequence[str], states: Sequence[str], fold: bool = False) -> list[int]:
    """The states that labels denote.

    Parameters
    ----------
    labels
    states
        All different.
    fold
        Whether case and blanks make no difference.

    Returns
    -------
    list of int
        By label: the number of its state, -1 for a missing cell, `UNKNOWN` if it means none.
    """
    place = {state: code for code, state in enumerate(states)}
    if all(label in place for label in labels):
        return [place[label] for label in labels]
    by_meaning: dict[object, list[int]] = {}
    for code, state in enumerate(states):
        by_meaning.setdefault(_meaning(state), []).append(code)
    same = [[place[label]] if label in place else by_meaning.get(_meaning(label), []) for label in labels]
    others = [label for label, codes in zip(labels, same, strict=True) if len(codes) != 1]
    inside = _intervals_of(others, states)
    found = []
    for label, codes in zip(labels, same, strict=True):
        if len(codes) == 1 or label in inside:
            found.append(codes[0] if len(codes) == 1 else inside[label])
        else:
            found.append(place.get(MISSING_LABEL, -1) if label in MISSING else UNKNOWN)
    if fold and UNKNOWN in found:
        from .spellings import folded

        alike: dict[str, list[int]] = {}
        for code, state in enumerate(states):
            alike.setdefault(folded(state), []).append(code)
        for k, label in enumerate(labels):
            if found[k] == UNKNOWN and len(codes := alike.get(folded(label), [])) == 1:
                found[k] = codes[0]
    return found


def extended_states(labels: Sequence[str], states: Sequence[str]) -> tuple[tuple[str, ...], list[int]]:
    """The states, then the labels that denote none of them; and by label its number among these."""
    codes = codes_of(labels, states)
    more = [label for label, code in zip(labels, codes, strict=True) if code < 0]
    behind = iter(range(len(states), len(states) + len(more)))
    return (*states, *more), [code if code >= 0 else next(behind) for code in codes]


def _intervals_of(labels: Sequence[str], states: Sequence[str]) -> dict[str, int]:
    """By label, the number of the interval that a number lies in; empty unless all states but `?` are intervals."""
    if not labels or not all(state == MISSING_LABEL or is_interval(_BLANKS.sub("", state)) for state in states):
        return {}
    from .number_forms import with_numbers_plain  # few questions to a model name a number for an interval

    known = [(code, _meaning(state)) for code, state in enumerate(states) if state != MISSING_LABEL]
    found = {}
    for label, text in zip(labels, with_numbers_plain(labels, all_forms=False, are_numbers=True), strict=True):
        holding = [code for code, interval in known if _holds(interval, text)]
        if len(holding) == 1:
            found[label] = holding[0]
    return found


def _holds(interval: Any, text: str) -> bool:
    """Whether a number, exactly, lies in an interval; False for text, and for numbers beyond exact arithmetic."""
    first, low, high, last = interval
    number = _number(text) if is_number(text) else text
    if any(isinstance(one, str) for one in (low, number, high)):
        return False
    return (low < number or (low == number and first == "[")) and (number < high or (number == high and last == "]"))


def other_spellings(labels: Sequence[str], states: Collection[str], codes: Sequence[int]) -> list[tuple[str, int]]:
    """The labels written differently from their state, with its number; without words for missing cells."""
    pairs = zip(labels, codes, strict=True)
    return [(label, code) for label, code in pairs if code >= 0 and label not in states and label not in MISSING]


def _meaning(label: str) -> object:
    """The number or the interval that a label writes, a truth value in lower case, or the label itself."""
    if label.lower() in _TRUTH:
        return label.lower()
    plain = _BLANKS.sub("", label)
    if is_interval(plain):
        low, high = plain[1:-1].split(",")
        return plain[0], _number(low), _number(high), plain[-1]
    return _number(label) if is_number(label) else label


def _number(text: str) -> Decimal | str:
    """A number exactly; one that is beyond exact arithmetic as it is written."""
    from decimal import Decimal, InvalidOperation  # as above

    try:
        return Decimal(text)
    except InvalidOperation:
        return text
