"""What a caller adds to a proof: when it stops, who gets its reports, other threads, another way to finish a part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from .families import FamilyPool
    from .incumbent import Incumbent


def _never(pool: FamilyPool, incumbent: Incumbent, rounds: int) -> bool:
    """Finish no part."""
    return False


@dataclass(frozen=True)
class Callbacks:
    """The callbacks of a proof.

    Attributes
    ----------
    should_continue
        Called every round, and about every second between pivots.
    on_round : callable taking a CuttingPlaneLoop
        Called after every round.
    finish
        Finds the best network of a part after some rounds, if it can; returns whether it did
        (`common.bounds.finish`). Not recorded in a log.
    parallel_map
        Like `map`; a thread pool's `map` shares the work.
    """

    should_continue: Callable[[], bool] = lambda: True
    on_round: Callable[[Any], None] = lambda loop: None
    finish: Callable[[FamilyPool, Incumbent, int], bool] = _never
    parallel_map: Callable = map


NO_CALLBACKS = Callbacks()
