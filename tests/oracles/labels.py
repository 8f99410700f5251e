"""Which state a label means, from the definition, one label at a time."""

import math
import re
from fractions import Fraction

MISSING = ("", "?", "NA")
DECIMAL = re.compile(r"([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?")


def number(text):
    """Sign, digits without zeros at the ends, and exponent of a decimal number; None if the text is none."""
    found = DECIMAL.fullmatch(text)
    if found is None or not found[2] + found[3]:
        return None
    sign, whole, part, exponent = found.groups()
    digits, power = (whole + part).lstrip("0"), int(exponent or 0) - len(part)
    if not digits:
        return "", "", 0
    short = digits.rstrip("0")
    return sign.replace("+", ""), short, power + len(digits) - len(short)


def interval(text):
    """Brackets and ends of an interval; None if the text is none."""
    plain = "".join(text.split())
    low, comma, high = plain[1:-1].partition(",")
    if not comma or plain[0] not in "[(" or plain[-1] not in "])":
        return None
    ends = [end if end in ("inf", "-inf") else number(end) for end in (low, high)]
    return None if None in ends else (plain[0], *ends, plain[-1])


def same(a, b):
    """Whether two texts mean the same."""
    if a == b or (a.lower() == b.lower() and a.lower() in ("true", "false")):
        return True
    return any(read(a) is not None and read(a) == read(b) for read in (number, interval))


def value(text):
    """A number, or an end of an interval; None for a text that is none, or a number beyond all measure."""
    if text in ("inf", "-inf"):
        return math.inf if text == "inf" else -math.inf
    found = DECIMAL.fullmatch(text)
    if found is None or not found[2] + found[3] or len(found[4] or "") > 6:
        return None
    return Fraction(text + "0" if text.endswith(".") else text)


def lies_in(label, state):
    """Whether a number lies in an interval."""
    plain = "".join(state.split())
    low, high = map(value, plain[1:-1].split(","))
    at = None if label in ("inf", "-inf") else value(label)
    if None in (low, at, high):
        return False
    return (low <= at if plain[0] == "[" else low < at) and (at <= high if plain[-1] == "]" else at < high)


def meant(label, states, fold=False):
    """The state that a label means, also without case and blanks (fold); None: a missing cell, False: none."""
    if label in states:
        return label
    fitting = [state for state in states if same(label, state)]
    if len(fitting) != 1 and all(state == "?" or interval(state) for state in states):
        fitting = [state for state in states if state != "?" and lies_in(label, state)]
    if len(fitting) == 1:
        return fitting[0]
    if label in MISSING:
        return "?" if "?" in states else None
    fitting = [state for state in states if fold and " ".join(state.split()).lower() == " ".join(label.split()).lower()]
    return fitting[0] if len(fitting) == 1 else False
