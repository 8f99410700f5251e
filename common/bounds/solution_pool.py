"""The N best networks known, within a difference of the best score, and those whose neighbours are still to be listed.

Used by the searches for several networks: `common.bounds.best_networks` (chordal) and `twlearn.best_networks`. The
*floor* is the score that a network of interest has at least, and rises as networks are added.
"""

from __future__ import annotations

import heapq
import math
from bisect import insort
from typing import TYPE_CHECKING, Any

from .incumbent import equal_within

if TYPE_CHECKING:
    from collections.abc import Iterable


class SolutionPool:
    """The best networks known.

    Parameters
    ----------
    most
        N, the number of networks that are wanted, >= 1.
    within
        The largest difference from the best score, >= 0; None: any.

    Attributes
    ----------
    lowest : float
        The score before a network is known.
    """

    def __init__(self, most: int, within: float | None) -> None:
        self.most, self.within, self.lowest = most, math.inf if within is None else within, -math.inf
        self._found: dict[Any, tuple[float, Any]] = {}
        self._scores: list[float] = []  # ascending
        self._waiting: list[tuple[float, Any]] = []

    def __contains__(self, identity: Any) -> bool:
        return identity in self._found

    @property
    def best(self) -> float:
        """The best score."""
        return self._scores[-1] if self._scores else self.lowest

    @property
    def floor(self) -> float:
        """The score of the N-th best network, or that of the best less the difference allowed."""
        last = self._scores[-self.most] if len(self._scores) >= self.most else self.lowest
        return max(last, self.best - self.within - 2.0 * equal_within(self.best))

    @property
    def tied(self) -> int:
        """How many more are known that are tied with the last of N."""
        least = self.floor - equal_within(self.floor)
        return max(0, sum(score >= least for score in self._scores) - self.most)

    def is_of_interest(self, score: float) -> bool:
        """Whether a network of this score would be among those wanted, as far as is known."""
        return len(self._scores) < self.most or score >= self.floor

    def add(self, identity: Any, network: Any, score: float) -> None:
        """Add a network, unless one with this identity is known."""
        if identity not in self._found:
            self._found[identity] = score, network
            insort(self._scores, score)
            heapq.heappush(self._waiting, (-score, network))

    def next(self) -> tuple[float, Any] | None:
        """Take the best network of interest whose neighbours are still to be listed, with its score."""
        if not self._waiting or not self.is_of_interest(-self._waiting[0][0]):
            return None
        less, network = heapq.heappop(self._waiting)
        return -less, network

    def wanted(self) -> list[Any]:
        """The networks within the difference and above the floor, in no order; with ties these can be more than N."""
        least = max(self.floor, self.best - self.within) - equal_within(self.best)
        return [network for score, network in self._found.values() if score >= least]


def ranked(scored: Iterable[tuple[Any, float]]) -> tuple[tuple[Any, float], ...]:
    """Networks with their scores, the best first; of tied ones, those with fewer edges first, then by their edges."""
    left = sorted(scored, key=lambda each: -each[1])
    found: list[tuple[Any, float]] = []
    while left:
        count = sum(score >= left[0][1] - equal_within(left[0][1]) for _, score in left)
        found += sorted(left[:count], key=lambda each: (len(each[0].edges), each[0].edges))
        left = left[count:]
    return tuple(found)
