"""One coarsening step: the best set of candidate edges, chosen by an integer program (Problem 2 of the paper).

A forced step with edges of length 1 needs no program: the candidates due to a separator are then independent of the
others, and a spanning tree of maximum weight over its components is optimal (Section 5 of the paper);
`coarsening_program.greedy_choice` finds it.

A large program is first solved for short edges only, then for longer ones, each time from the previous solution: this
is cheap, and with a good known solution SCIP soon excludes most of the long edges.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from ..common.counted import counted
from ..common.errors import CliquewiseError
from ..common.graphs.graph import Graph
from .candidates import candidate_gains, candidates
from .coarsening_program import greedy_choice, problem_of, shorter
from .run import checked

if TYPE_CHECKING:
    from .coarsening_program import ChoiceProblem
    from .coarsening_scip import CoarseningSolution
    from .config import StepLimits
    from .run import CoarseningRun


LOG = logging.getLogger("cliquewise")
MANY_CANDIDATES = 500_000  # candidates; more take minutes
STAGE_SHARE = 0.25  # of the time left, for a smaller program whose solution starts a larger one


def coarsening_step(
    run: CoarseningRun, graph: Graph, score: float, method: str, limits: StepLimits
) -> tuple[Graph, float, bool]:
    """The network after one step; unchanged if nothing gains.

    Parameters
    ----------
    graph : Graph, chordal
    score
        Its score.
    method
        ic, or fic for a forced step.

    Returns
    -------
    (Graph, float, bool)
        The network, its score, and whether no choice gains more.
    """
    run.monitor.reporter.progress(f"step {run.steps + 1}: candidate edges")
    forced = method == "fic"
    joins = None if forced else run.joins
    found = candidates(graph, limits.max_clique, limits.max_length, run.monitor.should_continue, joins)
    if len(found) > MANY_CANDIDATES:
        LOG.info("%s; --max-length leaves out the long ones", counted(len(found), "candidate edge"))
    gains = candidate_gains(found, run.scorer, run.monitor.map, run.monitor.should_continue)
    task = problem_of(found, gains, forced, run.monitor.should_continue)
    if task is None:
        return graph, score, False
    if not len(task.found):
        return graph, score, run.monitor.should_continue()  # otherwise not all candidates were listed
    program = None
    if forced and limits.max_length == 1:
        chosen, optimal = greedy_choice(task), True
    else:
        program, chosen, optimal = _solved(run, task, limits)
    gain = float(task.gains[chosen].sum())
    edges = np.stack([task.found.u[chosen], task.found.v[chosen]], axis=1).tolist()
    new = Graph(graph.n, tuple(sorted({*graph.edges, *map(tuple, edges)})), graph.names)
    after = checked(new, gain, score, run)
    run.steps += 1
    run.report(method, new, after, gain, program)
    return new, after, optimal


def _solved(run: CoarseningRun, task: ChoiceProblem, limits: StepLimits) -> tuple[CoarseningSolution, np.ndarray, bool]:
    """The CoarseningSolution of the integer program, its choice, and whether that is optimal."""
    from ..common.exact.scip import ProgramLimits
    from .coarsening_scip import solve

    def on_gap(gap: float, _seconds: float, _value: float) -> None:
        run.monitor.reporter.progress(f"step {run.steps + 1}: {len(task.found)} variables, gap {gap:.2%}")

    monitor = run.monitor
    began = monitor.clock.seconds

    def solved(part: ChoiceProblem, start: np.ndarray, share: float) -> CoarseningSolution:
        left = limits.seconds + began - monitor.clock.seconds
        if monitor.clock.seconds_left is not None:
            left = min(left, monitor.clock.seconds_left)
        return solve(part, start, ProgramLimits(share * left, limits.gap, run.monitor.should_continue, on_gap))

    first = greedy_choice(task)
    for smaller in shorter(task, run.monitor.should_continue):
        easier = solved(smaller, np.isin(smaller.found.key, task.found.key[first]), STAGE_SHARE)
        first = np.isin(task.found.key, smaller.found.key[easier.chosen])
    solution = solved(task, first, 1.0)
    if task.forced and not solution.chosen.any():
        raise CliquewiseError(f"no solution of the forced step was found (SCIP: {solution.status})")
    return solution, solution.chosen, solution.status in ("optimal", "gaplimit")
