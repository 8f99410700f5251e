"""How a network is drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..arguments import number_or_none
from ..errors import UsageError

LAYOUTS = ("organic", "layered")
MAX_INCHES = 200.0


@dataclass(frozen=True)
class Style:
    """How it is drawn.

    Attributes
    ----------
    title
        A line above the picture.
    legend
        Whether the line below has the caption and sample edges.
    size : (float, float), or None
        Width and height in inches; None: as much as the names need.
    grey
        Without colours.
    layout
        `organic`, `layered`, or None: where the file has the variables, or else `organic`.
    """

    title: str = ""
    legend: bool = True
    size: tuple[float, float] | None = None
    grey: bool = False
    layout: str | None = None

    def __post_init__(self) -> None:
        """Refuse values that are out of range."""
        if self.layout not in (None, *LAYOUTS):
            raise UsageError(f"layout {self.layout!r}: expected {' or '.join(LAYOUTS)}")
        if not isinstance(self.title, str):
            raise UsageError(f"title={self.title!r}: expected a text")
        if any("\ud800" <= character <= "\udfff" for character in self.title):  # bytes that were not decoded
            raise UsageError(f"title {self.title!r}: not UTF-8 text; write it in UTF-8")
        if self.size is not None and not _is_size(self.size):
            sides = self.size if isinstance(self.size, tuple | list) else (self.size,)
            shown = "x".join(f"{side:g}" if number_or_none(side) is not None else repr(side) for side in sides)
            raise UsageError(f"size {shown}: expected width and height, above 0 and at most {MAX_INCHES:g} inches")


def _is_size(size: Any) -> bool:
    """Whether something is a width and a height in their range."""
    sides = [number_or_none(side) for side in size] if isinstance(size, Iterable) else []
    return len(sides) == 2 and all(side is not None and 0 < side <= MAX_INCHES for side in sides)


DEFAULT = Style()
