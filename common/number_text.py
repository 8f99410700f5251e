"""Numbers in texts: digits 0 to 9, a point, an exponent.

Python reads `1_0` and the digits of other scripts as numbers, too; here they are none.
"""

import re

DECIMAL = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"  # with re.ASCII
_NUMBER = re.compile(DECIMAL, re.ASCII)


def is_number(text: str) -> bool:
    """Whether a text reads as a decimal number."""
    return _NUMBER.fullmatch(text) is not None


def is_whole_number(text: str) -> bool:
    """Whether a text consists of digits 0 to 9."""
    return text.isascii() and text.isdigit()


def whole_number(text: str) -> int:
    """A text of one to nine digits 0 to 9 as a number; -1 for any other."""
    return int(text) if is_whole_number(text) and len(text) < 10 else -1


def has_plain_digits(text: str) -> bool:
    """Whether a text has neither digits of other scripts nor `_`: what Python reads of it as a number is one."""
    return text.isascii() and "_" not in text
