"""Counts before their nouns and shares, as messages and reports say them: `1 edge`, `1,234 rows`, `57 %`."""

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


def percent(share: float, decimals: int = 0) -> str:
    """A share of 0 to 1 in per cent; rounding makes neither all nor none of what is only nearly so.

    Examples
    --------
    >>> percent(0.57), percent(1.0), percent(0.997), percent(0.0002, 1)
    ('57 %', '100 %', 'over 99 %', 'under 0.1 %')
    """
    step = 10.0**-decimals
    shown = round(100 * share, decimals)
    is_near = 1e-9 < share < 1 - 1e-9  # sums of weights are not exact
    if is_near and shown in (0, 100):
        return f"over {100 - step:.{decimals}f} %" if shown else f"under {step:.{decimals}f} %"
    return f"{shown:.{decimals}f} %"
