"""When a run ends: its limits on time, iterations and score, and how long a search without limits continues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .position import Position

DEFAULT_SECONDS = 60.0  # of a search that would never end
IDLE_FACTOR, MIN_IDLE, MAX_IDLE = 3.0, 5.0, 60.0  # of the time that the best network took; seconds
UNTIL_IDLE = (
    f"until nothing better is found for {IDLE_FACTOR:g} times as long as the best took, {MIN_IDLE:g} to {MAX_IDLE:g} s"
)


@dataclass(frozen=True)
class Limits:
    """When to stop; None is no limit.

    Attributes
    ----------
    time_limit : float or None
        In seconds, counted from the time when the kernels are compiled.
    iterations : int or None
        In the learner's own unit.
    target_score : float or None
        A score at which the run stops.
    until_idle : bool
        Whether the run ends when no better network was found for `IDLE_FACTOR` times as long as the best one took, but
        at least `MIN_IDLE` and at most `MAX_IDLE` seconds.
    """

    time_limit: float | None = None
    iterations: int | None = None
    target_score: float | None = None
    until_idle: bool = False

    def after(self, done: Position) -> Limits:
        """Limits that count from there, as limits of the total."""
        time_limit = None if self.time_limit is None else done.seconds + self.time_limit
        return Limits(time_limit, None if self.iterations is None else done.iterations + self.iterations)

    @property
    def is_given(self) -> bool:
        """Whether there is any limit."""
        return self != Limits()

    @property
    def of_search(self) -> Limits:
        """These limits; for a search without any, until it finds nothing better."""
        return self if self.is_given else Limits(until_idle=True)

    @property
    def of_sampling(self) -> Limits:
        """These limits; for work without any that does not search one best network, `DEFAULT_SECONDS`."""
        return self if self.is_given else Limits(DEFAULT_SECONDS)


def patience(seconds: float) -> float:
    """For how long a search continues without improvement, in seconds, if it found its best network after `seconds`.

    >>> patience(1.0), patience(4.0), patience(100.0)
    (5.0, 12.0, 60.0)
    """
    return min(max(MIN_IDLE, IDLE_FACTOR * seconds), MAX_IDLE)
