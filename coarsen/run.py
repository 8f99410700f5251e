"""The shared state of a run of coarsen: scores, threads, the clock, and the report of each step."""

from __future__ import annotations

import contextlib
import logging
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from ..common.counted import counted
from ..common.errors import CliquewiseError
from ..common.graphs.chordal import chordal_score, is_chordal
from ..common.graphs.graph import Graph
from ..common.run.result import TIME_LIMIT
from ..common.scores.greedy import compile_growth
from ..common.scores.spanning import compile_pair_gains
from .candidates import candidates
from .gains_kernels import fill_gains
from .trace import Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..common.run.monitor import Monitor
    from ..common.run.result import LearnResult
    from ..common.scores.scorer import SetScorer
    from .coarsening_scip import CoarseningSolution
    from .stages import Stages

LOG = logging.getLogger("cliquewise")
ROUNDING = 1e-9  # relative error allowed between the gain a step claims and the change of the score


class CoarseningRun:
    """Scores, the monitor and the steps done, of the whole run or from one of several starts.

    Parameters
    ----------
    scorer
        With a scratch area for each thread.
    stages
        The work done so far, including earlier parts of the run.
    gains : float64[n, n]
        The gain of every single edge, as far as time allowed: see `common.scores.spanning.pair_gains`.

    Attributes
    ----------
    steps : int
        Done so far.
    """

    def __init__(self, scorer: SetScorer, monitor: Monitor, stages: Stages, gains: np.ndarray) -> None:
        self.scorer = scorer
        self.monitor = monitor
        self.stages = stages
        self.gains = gains
        self.steps = 0

    @property
    def ended_by(self) -> str:
        """The status of a run that ends: that of the whole run, or else the time limit of an integer program."""
        return self.monitor.status or TIME_LIMIT

    def begin_stage(self, stage: str, first: LearnResult) -> tuple[Graph, float]:
        """The network and score that a stage begins with: from a LearnResult, or the last step in the checkpoint."""
        assert isinstance(first.graph, Graph)
        graph, score, self.steps = self.stages.begin(stage, first.graph, first.score, self.steps)
        return graph, score

    def keep_step(self, graph: Graph, score: float) -> None:
        """Record a step in the checkpoint, unless a signal interrupted it."""
        if self.monitor.should_continue():
            self.stages.step(graph, score, self.steps)

    @contextlib.contextmanager
    def part(self, share: int) -> Iterator[CoarseningRun]:
        """A separate CoarseningRun with 1 / `share` of the remaining time, as a context."""
        left = self.monitor.clock.seconds_left
        with self.monitor.part(None if left is None else left / share, shares_trace=True) as part:
            part.start()
            yield CoarseningRun(self.scorer, part, self.stages, self.gains)

    @cached_property
    def joins(self) -> tuple[np.ndarray, np.ndarray]:
        """The pairs that gain without any other edge: u < v, two of int64[m], ascending."""
        u, v = np.nonzero(np.triu(self.gains > 0.0, 1))
        return u, v

    def score(self, graph: Graph) -> float:
        """The score of a chordal Graph."""
        self.scorer.make_room()
        return chordal_score(graph, self.scorer.score)

    def report(
        self, method: str, graph: Graph, score: float, gain: float = 0.0, program: CoarseningSolution | None = None
    ) -> None:
        """Report a finished step.

        Parameters
        ----------
        program
            Of the step's integer program.
        """
        size = (program.variables, program.constraints, program.cuts) if program else (0, 0, 0)
        quality = (program.bound, program.gap) if program else (0.0, 0.0)
        status = program.status if program else ""
        place = self.monitor.clock.root.seconds, self.steps, method
        step = Step(*place, *size, *quality, gain, score, len(graph.edges), status)
        self.monitor.reporter.record(step)
        known = f", {step.status}: bound {step.bound:.4f}, gap {step.gap:.2%}" if step.status else ""
        problem = f"{counted(step.variables, 'variable')}{known}; " if step.variables else ""
        values = (step.step, step.method, problem, step.gain, step.score, counted(step.edges, "edge"))
        LOG.info("step %d (%s): %sgain %.4f, score %.4f, %s", *values)


def kernel_tasks(scorer: SetScorer, method: str) -> list[Callable]:
    """The tasks for `Monitor.compile`: the kernels that a method uses.

    Parameters
    ----------
    method
        As in `coarsen.config.Config`.

    Returns
    -------
    list of callable
    """
    tasks: list[Callable] = [partial(compile_pair_gains, scorer), scorer.compile]
    if method == "greedy":
        return [*tasks, partial(compile_growth, scorer)]
    if method != "forest":
        sets, none = np.zeros((1, scorer.words), np.uint64), np.zeros(0, np.int64)
        scores = scorer.scores, scorer.scratch[0]
        tasks.append(partial(fill_gains, *scores, sets, 0, 1, none, none, none, np.zeros(0)))
        tasks.append(partial(candidates, Graph(2, ())))
    return tasks


def checked(new: Graph, gain: float, score: float, run: CoarseningRun) -> float:
    """The score of a step's graph, after a check that it is chordal and has the claimed gain.

    Parameters
    ----------
    gain
        Claimed.
    score
        Of the graph before the step.

    Returns
    -------
    float

    Raises
    ------
    CliquewiseError
        The claim is wrong, which is a bug in this program.
    """
    if not is_chordal(new):
        raise CliquewiseError("internal error: a step gave a graph that is not chordal; please report it")
    after = run.score(new)
    if not abs(after - score - gain) <= ROUNDING * (abs(after) + abs(score) + 1.0):
        raise CliquewiseError(f"internal error: a step gained {after - score:.9f}, not {gain:.9f}; please report it")
    return after
