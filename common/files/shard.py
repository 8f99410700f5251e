"""Numbered parts of a piece of work: the first of eight is `1/8`, as in array jobs of batch systems."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple


class Shard(NamedTuple):
    """One part of several.

    number : int, from 1
    count : int, number of parts
    """

    number: int
    count: int  # type: ignore[assignment]  # of a sequence, tuple.count is not wanted here

    @classmethod
    def read(cls, text: str) -> Shard | None:
        """The part from text such as `3/8`; None if the text is not valid."""
        match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text.strip())
        shard = match and cls(int(match[1]), int(match[2]))
        return shard if shard and 1 <= shard.number <= shard.count else None

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def block(self, items: Sequence) -> Sequence:
        """The items of this part of a sequence, consecutive; the parts differ by at most one in length."""
        return items[len(items) * (self.number - 1) // self.count : len(items) * self.number // self.count]

    def stride(self, items: Sequence) -> Sequence:
        """The items of this part of a sequence, every `count`-th one; increasing amounts of work are spread evenly."""
        return items[self.number - 1 :: self.count]
