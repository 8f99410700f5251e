"""The exact second phase: count and score the candidates, then solve; hill climbing gives the start."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

import numpy as np

from ..common.counted import counted
from ..common.errors import LimitError
from ..common.graphs.graph import Graph
from ..common.run.result import MEMORY_LIMIT, OPTIMAL, TIME_LIMIT
from .hillclimb import hill_climb
from .pbo_program import candidates, count_candidates

if TYPE_CHECKING:
    from .config import Config
    from .local import LocalScores
    from .pbo_program import BlanketCandidates
    from .pbo_scip import PboSolution
    from .run import BlanketRun

LOG = logging.getLogger("cliquewise")


def best_graph(
    run: BlanketRun, edges: list[tuple[int, int]], config: Config
) -> tuple[list[tuple[int, int]], int, str, float]:
    """The best graph of the eligible edges.

    Parameters
    ----------
    run : BlanketRun
    edges : list of (int, int)
        The eligible ones, u < v, ascending.

    Returns
    -------
    chosen : list of (int, int)
        Ascending; never worse than what hill climbing finds.
    steps : int
        Of hill climbing.
    status : str
    bound : float
        Upper bound on the score of graphs with these edges; infinite if unknown.

    Raises
    ------
    LimitError
        Too many candidates.
    """
    local = run.local
    count = count_candidates(local.n, edges)
    if count > config.pbo_limit:
        raise LimitError(
            f"{counted(count, 'candidate blanket')}, --pbo-limit is {config.pbo_limit}; raise it, or use --combine hc"
        )
    hill_climbed, steps, done = hill_climb(run, edges)
    began = time.monotonic()
    choices = candidates(run, edges) if done else None
    if choices is None:
        return hill_climbed, steps, run.monitor.status or TIME_LIMIT, np.inf
    known = sum(blanket_scores(local, hill_climbed))
    if not edges:
        return hill_climbed, steps, OPTIMAL, known
    scoring_seconds = time.monotonic() - began
    solution = _solve(run, choices, edges, hill_climbed, config.pbo_seconds)
    candidate_count, variables = counted(count, "candidate"), counted(solution.variables, "variable")
    values = (candidate_count, scoring_seconds, variables, solution.status, time.monotonic() - began - scoring_seconds)
    LOG.info("pbo: %s scored in %.2f s; %s, %s after %.2f s", *values)
    chosen = solution.edges
    score = sum(blanket_scores(local, solution.edges))
    if score < known:  # by rounding, or because SCIP stopped before it used the start
        chosen, score = hill_climbed, known
    run.report_graph("pbo", 1, solution.status, score, len(chosen), len(edges))
    ended = {"optimal": OPTIMAL, "memlimit": MEMORY_LIMIT}.get(solution.status) or run.monitor.status or TIME_LIMIT
    return chosen, steps, ended, solution.bound


def blanket_scores(local: LocalScores, edges: list[tuple[int, int]]) -> list[float]:
    """The local scores of all variables in a graph.

    Parameters
    ----------
    edges : iterable of (int, int)

    Returns
    -------
    list of float
    """
    return [local.score(v, blanket) for v, blanket in enumerate(Graph(local.n, tuple(edges)).neighbours())]


def _solve(
    run: BlanketRun,
    choices: list[BlanketCandidates],
    edges: list[tuple[int, int]],
    hill_climbed: list[tuple[int, int]],
    seconds: float,
) -> PboSolution:
    """Run SCIP with its settings."""
    from ..common.exact.scip import ProgramLimits
    from .pbo_scip import solve

    def on_gap(_gap: float, spent: float, _value: float) -> None:
        run.monitor.reporter.progress(f"pbo: {spent:.0f} s")

    return solve(
        choices,
        edges,
        set(hill_climbed),
        run.known.required,
        ProgramLimits(seconds, 0.0, run.monitor.should_continue, on_gap),
    )
