"""mplearn's public functions: `learn`, and its first phase alone, `blankets`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..common.data.dataset import Dataset
from ..common.errors import LimitError, UsageError
from ..common.graphs.graph import Graph
from ..common.run.result import COMBINED, LOCAL_OPTIMUM, OPTIMAL, OPTIMAL_OF_BLANKETS, TIME_LIMIT, LearnResult
from .blankets import climbing, eligible_edges, find_blankets, mutual_edges
from .hillclimb import hill_climb
from .pbo import best_graph, blanket_scores
from .run import BlanketRun
from .size import refuse_scores
from .zero_gain_edges import without_zero_gain_edges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.run.monitor import Monitor
    from .blanket import Blanket
    from .blanket_scoring import BlanketScoring
    from .config import Config


def blankets(
    source: Dataset, scoring: BlanketScoring, config: Config, monitor: Monitor, variables: Sequence[int] | None = None
) -> list[Blanket]:
    """A Markov blanket for each variable, independently of the others.

    Parameters
    ----------
    variables
        The variables; default all.

    Returns
    -------
    list of Blanket
        In the order of the variables; those not reached before an interruption are left out.
    """
    run = _run(source, scoring, config, monitor)
    return _first_phase(run, source, config, range(source.n) if variables is None else variables)


def learn(source: Dataset, scoring: BlanketScoring, config: Config, monitor: Monitor) -> LearnResult:
    """A Markov network.

    Parameters
    ----------
    scoring
        The score to maximise.

    Returns
    -------
    LearnResult
        Its iterations are additions and removals in both phases.

    Raises
    ------
    UsageError
        Scores instead of data; blankets by regression that should be combined by a score; data that are not binary for
        the regression; no scikit-learn; required and forbidden edges that contradict each other.
    LimitError
        Too many candidates for pbo.
    """
    if config.lasso is not None and config.combine not in ("and", "or"):
        raise UsageError(f"--score l1lr has no local score for --combine {config.combine}; choose 'and' or 'or'")
    run = _run(source, scoring, config, monitor)
    found: Sequence[Blanket] = config.blankets or ()
    if config.blankets is None:
        found = _first_phase(run, source, config, range(source.n))
    if monitor.status is not None:
        edges = run.known.among(mutual_edges(found))
        status = monitor.status
        steps = 0
        bound = np.inf
    else:
        edges, status, steps, bound = _second_phase(run, found, config)
    edges = without_zero_gain_edges(run, edges)
    steps += sum(blanket.steps for blanket in found)
    score = sum(blanket_scores(run.local, edges))
    if not math.isfinite(score):
        raise LimitError(f"--combine {config.combine} makes blankets with an infinite penalty; give --max-blanket")
    return LearnResult(Graph(source.n, tuple(edges), source.names), score, status, steps, bound)


def _run(source: Dataset, scoring: BlanketScoring, config: Config, monitor: Monitor) -> BlanketRun:
    """The BlanketRun of these arguments."""
    refuse_scores(source)
    return BlanketRun(source, scoring, config, monitor)


def _first_phase(run: BlanketRun, dataset: Dataset, config: Config, variables: Sequence[int]) -> list[Blanket]:
    """The blankets of some variables, by a score or by regression."""
    if config.lasso is None:
        return find_blankets(run, variables, climbing(run, config.max_blanket))
    from .lasso import regression

    return find_blankets(run, variables, regression(run, dataset, config.lasso))


def _second_phase(
    run: BlanketRun, found: Sequence[Blanket], config: Config
) -> tuple[list[tuple[int, int]], str, int, float]:
    """Edges, status, steps and upper bound."""
    eligible = run.known.among(eligible_edges(found))
    if config.combine == "hc":
        edges, steps, done = hill_climb(run, eligible)
        return edges, LOCAL_OPTIMUM if done else run.monitor.status or TIME_LIMIT, steps, np.inf
    if config.combine == "pbo":
        edges, steps, status, bound = best_graph(run, eligible, config)
        if status == OPTIMAL and len(eligible) < run.local.n * (run.local.n - 1) // 2:
            status = OPTIMAL_OF_BLANKETS  # nothing is known about the edges left out
        return edges, status, steps, bound
    return (eligible if config.combine == "or" else run.known.among(mutual_edges(found))), COMBINED, 0, np.inf
