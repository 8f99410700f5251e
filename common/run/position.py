"""How far a run has come, and where a search can continue."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .saved import Saved


class Position(NamedTuple):
    """How far a run has come, in all its processes or searches so far.

    Attributes
    ----------
    seconds : float
    iterations : int
    improved : float
        When the best network was found, in seconds of the run.
    score : float
        Of that network; minus infinity if there is none.
    """

    seconds: float = 0.0
    iterations: int = 0
    improved: float = 0.0
    score: float = -math.inf


START = Position()


class Paused(NamedTuple):
    """A search that can continue.

    Attributes
    ----------
    saved : Saved
    position : Position
        With the searches that it continues.
    """

    saved: Saved
    position: Position
