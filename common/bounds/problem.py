"""The sets that may be complete in a network, and their scores: the input of `common.bounds.cutting`."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DataError
from ..graphs.chordal import chordal_score
from ..graphs.zero_gain_edges import without_zero_gain_edges
from ..run.resources import check_fits, resident_memory, usable_memory
from ..run.result import MEMORY_LIMIT
from ..scores.all_scores import compile_all_scores, scores_within
from ..scores.allowed import complete_sets
from ..sets.set_orders import all_within, set_count
from .incumbent import Incumbent, KnownScore
from .orders import bytes_of_bounds, compile_order_bounds, order_bounds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..data.dataset import Dataset
    from ..files.scorefile import CliqueScores
    from ..graphs.graph import Graph
    from ..run.monitor import Monitor
    from ..scores.scoring import Scoring

LOG = logging.getLogger("cliquewise")
MAX_VARIABLES = 64
ORDER_BOUND_FROM = 100_000  # sets
ORDER_BOUND_UP_TO, ALL_UP_TO = 26, 28  # variables: of some of their sets, of all
QUICK_ORDER_BOUND = 14  # variables: the order bound takes milliseconds
SET_BYTES, FAMILY_BYTES = 32, 120


class StopCondition:
    """The conditions that stop a run: the user, the clock and the memory.

    Parameters
    ----------
    monitor
    memory
        Bytes that may be used from now on.

    Attributes
    ----------
    monitor : Monitor
    is_full : bool
        Whether all the memory is used.
    """

    def __init__(self, monitor: Monitor, memory: float | None) -> None:
        self.monitor, self.is_full = monitor, False
        self._most = None if memory is None else resident_memory()[0] + memory

    def should_continue(self) -> bool:
        """Whether the user, the clock and the memory limit, if any, allow the run to continue."""
        if self._most is not None and resident_memory()[0] > self._most:
            self.is_full = True
        return not self.is_full and self.monitor.should_continue()

    @property
    def status(self) -> str | None:
        """Why the run was stopped; None if it was not."""
        return MEMORY_LIMIT if self.is_full else self.monitor.status


class Problem(StopCondition):
    """The sets that may be complete and their scores.

    Parameters
    ----------
    source
        Of at most 64 variables.
    scoring
    monitor
    max_clique
    memory
        Bytes that may be used; None for the memory of the machine.
    allowed, required
        The only edges that a network may have, and the edges that it must have.

    Attributes
    ----------
    n : int
    names : tuple of str, or None
    largest : int
        Size of the largest sets.
    sets : uint64[m]
    scores : float64[m]
        From `compute`, as `sets`.
    required : tuple of int
        Masks of the required edges.
    is_full : bool
        Whether all the memory is used.

    Raises
    ------
    DataError
        Too many variables.
    LimitError
        More sets than fit in the allowed memory.
    """

    def __init__(
        self,
        source: Dataset | CliqueScores,
        scoring: Scoring,
        monitor: Monitor,
        max_clique: int | None = None,
        memory: float | None = None,
        allowed: Graph | None = None,
        required: Graph | None = None,
    ) -> None:
        self.n, self.names = source.n, source.names
        if self.n > MAX_VARIABLES:
            message = f"{self.n} variables; the cutting planes take at most {MAX_VARIABLES}, lsmarkov any number"
            raise DataError(message, source.source)
        super().__init__(monitor, memory)
        self._source, self._scoring, self._allowed = source, scoring, allowed
        self.largest = min(max_clique or self.n, source.max_size)
        self._required = required
        self.required = () if required is None else tuple(1 << u | 1 << v for u, v in required.edges)
        self._memory = memory or usable_memory()
        check_size(source, self.largest, memory, bool(self.required))

    def compute(self) -> bool:
        """Compute the scores; returns whether this was completed."""
        monitor = self.monitor
        self.sets, self.scores = scores_within(self._source, self._scoring, self.largest, monitor)
        if not monitor.should_continue():
            return False
        self._keep_possible()
        return True

    def bound_sets(self, known: KnownScore) -> None:
        """Keep only the sets that pass the order bound of `common.bounds.orders`, if there are many sets.

        Parameters
        ----------
        known
            With the score of a network; gets the upper bound.
        """
        if not self._is_bounded(len(self.sets)):
            return
        every, monitor, dense = len(self.sets), self.monitor, self.scores
        if every < 1 << self.n:
            dense = np.full(1 << self.n, -np.inf)
            dense[self.sets.astype(np.int64)] = self.scores
        sets = self.sets.astype(np.int64)
        masks, upper = order_bounds(self.n, dense, sets, known.floor, monitor.map, monitor.should_continue)
        if not monitor.should_continue():
            return
        self.sets, self.scores, known.upper = masks.astype(np.uint64), dense[masks], upper
        LOG.info("%d of %d sets can be in a better network", len(masks), every)
        members = int(np.bitwise_count(self.sets).sum(dtype=np.int64))
        check_fits(
            len(masks) * SET_BYTES + members * FAMILY_BYTES, self._memory, f"{len(masks)} sets that are left", ""
        )

    def _is_bounded(self, count: int) -> bool:
        """Whether the order bound is used for this number of sets."""
        return _has_order_bounds(self.n, self.largest, count, bool(self.required))

    def _keep_possible(self) -> None:
        """Leave out sets that are not allowed or have no score, and all their supersets."""
        good = np.isfinite(self.scores)
        if self._allowed is not None:
            good &= complete_sets(self.sets, self._allowed)
        singles = np.bitwise_count(self.sets) <= 1
        if not good[singles].all():
            raise DataError("no network has a finite score", self._source.source)
        if not good.all():
            kept = all_within(self.sets, good)
            self.sets, self.scores = self.sets[kept], self.scores[kept]

    def score(self, graph: Graph) -> float:
        """The score of a graph from its cliques and separators; minus infinity if one of them is not in the list."""
        return chordal_score(graph, self.score_of)

    def score_of(self, members: Iterable[int]) -> float:
        """The score of a set of variables; minus infinity if it is not in the list."""
        mask = np.uint64(sum(1 << v for v in members))
        at = min(int(np.searchsorted(self.sets, mask)), len(self.sets) - 1)
        return float(self.scores[at]) if self.sets[at] == mask else -math.inf

    def smallest(self, graph: Graph) -> Graph:
        """A chordal graph without the edges that gain nothing and are not required."""
        return without_zero_gain_edges(graph, self.score_of, self._required)

    def incumbent(self, graph: Graph | None = None, gap: float = 0.0) -> Incumbent:
        """The incumbent to begin with.

        Parameters
        ----------
        graph
            Chordal; ignored if it lacks a required edge.
        gap
            As for Incumbent.

        Returns
        -------
        Incumbent
        """
        incumbent = Incumbent(self.n, gap=gap, required=self.required, names=self.names)
        if graph is not None and np.isfinite(score := self.score(graph)):
            incumbent.offer(graph, score)
        return incumbent


def check_size(
    source: Dataset | CliqueScores, max_clique: int | None, memory: float | None = None, has_required: bool = False
) -> None:
    """Raise an error if the sets do not fit in memory.

    Parameters
    ----------
    source
    max_clique
    memory
        Bytes that may be taken; None is what the machine has.
    has_required
        Whether there are required edges.

    Raises
    ------
    LimitError
        More sets than fit in the memory.
    """
    n, largest = source.n, min(max_clique or source.n, source.max_size)
    need = bytes_needed(n, largest, has_required)
    advice = "lower --max-clique" if largest < n else "bound the cliques with --max-clique"
    what = f"{set_count(n, largest)} sets of up to {largest} variables"
    check_fits(need, memory, what, advice)


def bytes_needed(n: int, largest: int, has_required: bool = False) -> int:
    """Memory of the sets of variables, their scores and families.

    Parameters
    ----------
    n
    largest
        Size of the largest sets.
    has_required
        Whether there are required edges.

    Returns
    -------
    int
        Bytes.
    """
    count = set_count(n, largest)
    if count >= ORDER_BOUND_FROM and _has_order_bounds(n, largest, count, has_required):
        return 24 * count + bytes_of_bounds(n) + (0 if largest == n else 8 * 2**n)
    return count * (SET_BYTES + largest * FAMILY_BYTES)


def _has_order_bounds(n: int, largest: int, count: int, has_required: bool) -> bool:
    """Whether the order bound saves time for `count` of the sets of up to `largest` of n variables."""
    most = ALL_UP_TO if largest == n else ORDER_BOUND_UP_TO
    return (count >= ORDER_BOUND_FROM or n <= QUICK_ORDER_BOUND) and n <= most and not has_required


def compile_problem(source: Dataset | CliqueScores, max_clique: int | None, required: Graph | None) -> None:
    """Compile the kernels of a Problem's `compute` and `bound_sets`, as far as they can be needed."""
    largest = min(max_clique or source.n, source.max_size)
    compile_all_scores(source)
    if _has_order_bounds(source.n, largest, set_count(source.n, largest), bool(required and required.edges)):
        compile_order_bounds()
