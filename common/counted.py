"""A count before its noun, as messages and reports say it: `1 edge`, `2 edges`, `1,234 rows`."""

from __future__ import annotations


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
