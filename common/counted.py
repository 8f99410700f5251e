"""A count before its noun, as messages and reports say it: `1 edge`, `2 edges`, `1,234 rows`."""

from __future__ import annotations

import math


def counted(count: float, noun: str, plural: str = "") -> str:
    """The count and the noun.

    Parameters
    ----------
    count
        A sum of weights need not be whole.
    noun
        For a count of 1, as `candidate edge`.
    plural
        For all other counts. Empty: the noun with an s.
    """
    number = f"{count:,.15g}" if isinstance(count, float) else f"{count:,}"
    return f"{number} {noun if count == 1 else plural or noun + 's'}"


def power_of_ten(number: int) -> str:
    """A number as it is, or if it is long as a power of ten.

    Examples
    --------
    >>> power_of_ten(1024), power_of_ten(2**70)
    ('1024', 'about 10^21')
    """
    return str(number) if number < 10**9 else f"about 10^{math.log10(number):.0f}"
