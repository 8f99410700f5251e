"""Walkers that search together: kernels run in parallel in slices (`spread`), with a `report` after each.

With a report the score table is enlarged, and the monitor takes in the best score and decides whether the search is
over; its `stop` ends the kernels within a slice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..common.chains.moves_kernels import move_scratch
from ..common.compiled.random_kernels import random_states
from ..common.graphs.chordal import chordal_score, graph_of
from ..common.run.free_threads import on_free_threads
from .walk_kernels import KINDS
from .walker_kernels import BEST, EVALUATED, SCORE, STARTS, STEPS, TOLERANCE, Walker

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.run.monitor import Monitor
    from ..common.scores.scorer import SetScorer

ENDLESS = 2**62


@dataclass(frozen=True)
class Snapshot:
    """The state of the search between two slices: a row of its trace.

    Attributes
    ----------
    seconds : float
    steps : int
    restarts : int
    score : float
        Best so far.
    computed : int
        Scores computed so far.
    best : uint64[n, words] or None
        The best graph, if it is new since the last report.
    """

    seconds: float
    steps: int
    restarts: int
    score: float
    computed: int
    best: np.ndarray | None


def new_walker(start: np.ndarray, state: np.ndarray) -> Walker:
    """A walker at the graph `start` (uint64[n, words]) with random state uint64[4]; its score is not computed yet."""
    return Walker(
        adjacency=start.copy(),
        best=start.copy(),
        numbers=np.full(3, -np.inf),
        counts=np.zeros(4, np.int64),
        random=state.copy(),
        tried=np.zeros(KINDS, np.int64),
        taken=np.zeros(KINDS, np.int64),
    )


def put(walker: Walker, graph: np.ndarray, score: float) -> None:
    """Put a walker at a graph of known score.

    Parameters
    ----------
    graph : uint64[n, words]
    """
    walker.adjacency[:] = graph
    walker.best[:] = graph
    walker.numbers[SCORE] = score
    walker.numbers[BEST] = score


class Ensemble:
    """Walkers that search together.

    Parameters
    ----------
    scorer
        Has a scratch area for each thread to use.
    size
        Number of walkers; they are at the empty graph until `place`.

    Attributes
    ----------
    walkers : list of Walker
    stop : int64[1], the monitor's
    """

    def __init__(self, scorer: SetScorer, size: int, seed: int, monitor: Monitor) -> None:
        self.scorer = scorer
        self.monitor = monitor
        self.stop = monitor.stop.flag
        empty = np.zeros((scorer.n, scorer.words), np.uint64)
        self.walkers = [new_walker(empty, state) for state in random_states(seed, size)]
        self.work = [move_scratch(scorer.n, scorer.words) for _ in scorer.scratch]
        self._reported = -np.inf

    def place(self, graph: np.ndarray) -> None:
        """Put every walker at a graph, uint64[n, words]."""
        score = chordal_score(graph_of(graph), self.scorer.score)
        for walker in self.walkers:
            put(walker, graph, score)

    @property
    def status(self) -> str | None:
        """Why the search is over (see `common.run.result`); None: it continues."""
        return self.monitor.status

    @property
    def steps(self) -> int:
        """Steps of all walkers."""
        return sum(int(walker.counts[STEPS]) for walker in self.walkers)

    @property
    def evaluated(self) -> int:
        """Neighbours evaluated by all walkers."""
        return sum(int(walker.counts[EVALUATED]) for walker in self.walkers)

    @property
    def best(self) -> Walker:
        """The walker with the best network."""
        return max(self.walkers, key=lambda walker: walker.numbers[BEST])

    def spread(self, function: Callable, walkers: list[Walker] | None = None, steps: int = ENDLESS) -> None:
        """Run a slice: call `function(index, walker, steps, scratch, work)` for each walker, in parallel.

        Parameters
        ----------
        walkers
            All, by default.
        steps
            Per walker, as many as the function takes by default; fewer in the last slice, if the limit on iterations
            requires it.
        """
        walkers = self.walkers if walkers is None else walkers
        count = len(walkers)
        left = self.monitor.iterations_left

        def run(i: int, t: int) -> None:
            own = steps if left is None else min(steps, (left + count - 1 - i) // count)
            function(i, walkers[i], own, self.scorer.scratch[t], self.work[t])

        on_free_threads(run, count, len(self.work), self.monitor.map)

    def report(self) -> bool:
        """Report the steps of the walkers and the best network, after a slice.

        Returns
        -------
        bool
            Whether the search may continue.
        """
        self.scorer.make_room()
        monitor, best, steps = self.monitor, self.best, self.steps
        score = float(best.numbers[BEST])
        better = score > self._reported + TOLERANCE
        self._reported = max(score, self._reported)
        monitor.advance(steps - monitor.iterations, score)
        restarts = sum(int(walker.counts[STARTS]) for walker in self.walkers)
        seconds, graph = monitor.clock.seconds, best.best if better else None
        monitor.reporter.record(Snapshot(seconds, steps, restarts, score, self.scorer.computed, graph))
        monitor.reporter.progress(f"{seconds:.0f} s, {steps / max(seconds, 1e-3):,.0f} steps/s, best {score:.4f}")
        return self.status is None
