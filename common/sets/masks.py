"""Sets of variables as masks, Python integers: bit v is variable v."""

from collections.abc import Iterator


def members(mask: int) -> Iterator[int]:
    """The members of a set, ascending.

    >>> list(members(0b10110))
    [1, 2, 4]
    """
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
