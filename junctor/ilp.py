"""Optimal networks of some 20 to 60 variables: the method `ilp` of junctor, from scores to a proved network.

The steps: scores of all sets that may be cliques; a first network by local search; families, reduced by bounds;
the integer program of `common.bounds.cutting` with branching over edges (`common.bounds.branching`). Without a bound
on cliques, the sets are those that pass the order bound of `common.bounds.orders`. Better networks come from the
solutions, and from the first search, which continues beside the solver (`common.exact.concurrent_search`).
"""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..common.bounds.best_networks import BestNetworks
from ..common.bounds.bound import FIRST, check_found, kernel_tasks, outcome, outcome_of_list, solve
from ..common.bounds.callbacks import Callbacks
from ..common.bounds.finish import finish
from ..common.bounds.problem import Problem, compile_problem
from ..common.bounds.proof_log import ProofLog
from ..common.bounds.reports import RoundReporter
from ..common.counted import counted
from ..common.data.dataset import Dataset
from ..common.exact.concurrent_search import ConcurrentSearch
from ..common.files.result_header import Claims
from ..common.files.scorefile import CliqueScores
from ..common.graphs.graph import Graph
from ..common.run.result import MEMORY_LIMIT, LearnResult, without_result
from ..common.scores.scoring import claims_of
from ..common.sets.set_orders import colex_masks
from .best_known import BestKnown
from .local_search import FIRST_STEPS, STEPS_PER_SET, LocalSearch

if TYPE_CHECKING:
    from ..common.bounds.branching import Proof
    from ..common.bounds.cutting import CuttingPlaneLoop
    from ..common.bounds.incumbent import Incumbent
    from ..common.run.monitor import Monitor
    from ..common.run.position import Paused
    from ..common.scores.scoring import Scoring
    from .config import Config

LOG = logging.getLogger("cliquewise")


def warm_up(source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor) -> None:
    """Compile the kernels of a later `learn_by_cutting`, before its clock starts."""
    _compiled(source, scoring, config, monitor)


def _compiled(
    source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor
) -> tuple[Problem, Search]:
    """The program, and the search beside it, with their kernels compiled."""
    within = {"allowed": config.allowed, "required": config.required}
    problem = Problem(source, scoring, monitor, config.max_clique, config.memory, **within)
    search = Search(problem, source, scoring, config, monitor)
    monitor.compile(partial(compile_problem, source, config.max_clique, config.required), *kernel_tasks(problem.n))
    search.warm_up()
    return problem, search


def learn_by_cutting(source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor) -> LearnResult:
    """A chordal Markov network of the highest score, by cutting planes.

    Parameters
    ----------
    source
        Of at most 64 variables.
    scoring
    config
    monitor
        A stop ends the work with the best network so far.

    Returns
    -------
    LearnResult
        Its iterations are the rounds, its upper bound is proved.

    Raises
    ------
    DataError
        Too many variables; no network has a finite score or all required edges.
    LimitError
        More sets than fit in the allowed memory; the time or the memory was used up before any network was known.
    KeyboardInterrupt
        Interrupted before any network was known.
    """
    problem, search = _compiled(source, scoring, config, monitor)
    best_known = BestKnown(monitor, problem.n, problem.largest, source.names)
    first = best_known.first
    if first is None and not problem.required:
        first = search.first()
    monitor.start()
    if not problem.compute():
        if first is None:
            raise without_result(monitor.status, FIRST)
        return best_known.with_bound(LearnResult(first.graph, first.score, monitor.status or MEMORY_LIMIT))
    if first is None:
        first = search.first()
    assert first is not None and isinstance(first.graph, Graph)
    incumbent = _incumbent(problem, first.graph, config)
    if incumbent.graph is not None:
        LOG.info("local search found %.6f", incumbent.score)
        if not config.certificate:  # the certificate covers all sets
            problem.bound_sets(incumbent)
        steps = STEPS_PER_SET * len(problem.sets) - FIRST_STEPS * problem.n
        if best_known.first is None and steps > 0 and problem.should_continue():
            incumbent.offer(*search.scored(search.further(steps)))
        graph = incumbent.graph
        best_known.keep(lambda: graph, incumbent.score)
        if not problem.should_continue():  # listing the families of all sets would take long
            stopped = LearnResult(incumbent.graph, incumbent.score, monitor.status or MEMORY_LIMIT, 0, incumbent.upper)
            return best_known.with_bound(replace(stopped, networks=incumbent.networks()))
    proof, rounds = _prove(problem, search, incumbent, best_known, config, monitor)
    check_found(problem, incumbent, proof, source.source)
    work = f"{counted(proof.nodes, 'node')}, {counted(rounds, 'round')}"
    LOG.info("bound %.6f at the root, %s", proof.root_bound, work)
    header = Claims(**claims_of(scoring, isinstance(source, Dataset))).header()
    if isinstance(incumbent, BestNetworks):
        result = outcome_of_list(problem, incumbent, proof, rounds, header)
    else:
        result = outcome(problem, incumbent, proof, rounds, header)
    result = best_known.with_bound(result)
    best_known.keep(lambda: result.graph, result.score, result.upper_bound)
    return result


def _incumbent(problem: Problem, first: Graph, config: Config) -> Incumbent:
    """The best network known, or as many of the best ones as are to be listed; at first one of the search."""
    if config.best is None:
        return problem.incumbent(first, config.gap)
    about = problem.required, problem.names, problem.should_continue
    incumbent = BestNetworks(problem.n, problem.score_of, config.best, config.within, *about)
    incumbent.offer(first, problem.score(first))
    return incumbent


def _prove(
    problem: Problem, search: Search, incumbent: Incumbent, best_known: BestKnown, config: Config, monitor: Monitor
) -> tuple[Proof, int]:
    """The proof, with the search beside it, and the number of its rounds; `incumbent` and `best_known` are updated."""
    reporter = RoundReporter(monitor, incumbent)

    def on_round(work: CuttingPlaneLoop) -> None:
        reporter(work)
        found = concurrent.after_round(work.program.effort)
        if found is not None:
            graph, score = search.scored(found)
            if incumbent.offer(graph, score):
                work.add_incumbent()
            elif score > incumbent.score - incumbent.tolerance:
                concurrent.back_off()
        if incumbent.graph is not None:
            best, whole = incumbent.graph, reporter.nodes == 1  # otherwise the bound is that of a part of the problem
            best_known.keep(lambda: best, incumbent.score, work.node.bound if whole else math.inf)

    callbacks = Callbacks(problem.should_continue, on_round, parallel_map=monitor.map)
    if config.best is None:  # it finds the best network of a part alone
        callbacks = replace(callbacks, finish=partial(finish, monitor=monitor))
    log = ProofLog() if config.certificate else None
    with ConcurrentSearch(search.resume, monitor, 2 * FIRST_STEPS * problem.n, paused=search.paused) as concurrent:
        proof = solve(problem.n, problem.sets, problem.scores, incumbent, callbacks=callbacks, log=log)
    left = concurrent.left()
    if left is not None and not proof.finished:
        incumbent.offer(*search.scored(left))
    return proof, reporter.rounds


class Search:
    """The local search for networks of a Problem, with a large bonus for required edges.

    Parameters
    ----------
    problem
    source, scoring, config, monitor
        As for `learn_by_cutting`.

    Attributes
    ----------
    paused : Paused or None
        Where it stands.
    """

    def __init__(
        self, problem: Problem, source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor
    ) -> None:
        self._problem, self._source, self._monitor = problem, source, monitor
        self._local = LocalSearch(scoring, config, problem.largest)
        self.paused: Paused | None = None

    def scored(self, found: LearnResult) -> tuple[Graph, float]:
        """The network of a search, and its score without bonus."""
        assert isinstance(found.graph, Graph)
        return found.graph, self._problem.score(found.graph)

    def first(self) -> LearnResult:
        """The network that the search finds in `FIRST_STEPS` steps per variable."""
        return self.further(FIRST_STEPS * self._problem.n)

    def further(self, steps: int) -> LearnResult:
        """The best network after more steps."""
        with self._monitor.part(iterations=steps, paused=self.paused) as part:
            found = self.resume(part)
        self.paused = part.paused
        return found

    def resume(self, monitor: Monitor) -> LearnResult:
        """The search begins, or continues, by a Monitor of its own; see ConcurrentSearch."""
        source = self._with_bonus() if self._problem.required else self._source
        return self._local.learn(source, None, monitor)

    def warm_up(self) -> None:
        """Compile the kernels of a search, before scores are known."""
        n, source = self._problem.n, self._source
        if self._problem.required:  # then the search is by scores with a bonus
            source = CliqueScores(n, 1, colex_masks(n, 1), np.zeros(n + 1), source.source)
        self._local.warm_up(source, self._monitor)

    def _with_bonus(self) -> CliqueScores:
        """Clique scores with a large bonus for every required edge of a network."""
        problem = self._problem
        bonus = 10.0 * (1.0 + np.ptp(problem.scores[np.isfinite(problem.scores)]))
        has = ((problem.sets & np.uint64(edge) == np.uint64(edge)).astype(np.int64) for edge in problem.required)
        masks = colex_masks(problem.n, problem.largest)
        scores = np.full(len(masks), -np.inf)
        scores[np.searchsorted(masks, problem.sets)] = problem.scores + bonus * sum(has)
        return CliqueScores(problem.n, problem.largest, masks, scores, self._source.source)
