"""How a network is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import UsageError

LAYOUTS = ("organic", "layered")
MAX_INCHES = 200.0


@dataclass(frozen=True)
class Look:
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
        if self.size is not None and (len(self.size) != 2 or not all(0 < side <= MAX_INCHES for side in self.size)):
            shown = "x".join(f"{side:g}" for side in self.size)
            raise UsageError(f"size {shown}: expected width and height, above 0 and at most {MAX_INCHES:g} inches")


DEFAULT = Look()
