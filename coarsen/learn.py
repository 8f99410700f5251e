"""coarsen's one public function: `learn`.

Algorithm 1 of the paper (IC) adds the best set of candidate edges until nothing gains; Algorithm 2 (FIC) then forces K+
further steps. Differences from the paper: IC starts from both the spanning tree and the forest, and the better result
counts. With many variables a pass with short edges comes before the requested one, so that a network exists when time
runs out, and with very many no edges longer than `LONG_EDGES` are considered unless that is requested. On request, a
local search that also removes edges continues from the result, and IC continues from the network found.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from ..common.graphs.chordal import chordal_score
from ..common.graphs.edge_constraints import edges_of, required_network
from ..common.graphs.graph import Graph
from ..common.graphs.start_network import check_start, check_start_score
from ..common.graphs.zero_gain_edges import without_zero_gain_edges
from ..common.run.result import COMPLETE, INTERRUPTED, ITERATION_LIMIT, LOCAL_OPTIMUM, OPTIMAL, TIME_LIMIT, LearnResult
from ..common.scores.scorer import SetScorer
from ..common.scores.spanning import pair_gains
from .coarsening_step import coarsening_step
from .greedy import greedy
from .run import CoarseningRun, kernel_tasks
from .stages import Stages
from .start import spanning_starts

if TYPE_CHECKING:
    from typing import Any

    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.run.monitor import Monitor
    from ..common.scores.scoring import Scoring
    from ..lsmarkov.config import Config as SearchConfig
    from .config import Config, StepLimits

LOG = logging.getLogger("cliquewise")
MIN_GAIN = 1e-7  # smallest gain of a step; less is rounding
SHORT_EDGES = 4  # length of edges with which hundreds of variables take seconds
LONG_EDGES = 8  # length of edges with which a thousand variables end
MANY_VARIABLES = 150  # from this number on, long edges can take hours
VERY_MANY_VARIABLES = 400  # with more, longer edges are only considered on request: their number grows with n^2


def learn(source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor) -> LearnResult:
    """A decomposable model, by adding edges.

    Parameters
    ----------
    source
    scoring
    config
    monitor

    Returns
    -------
    LearnResult
        Its iterations are the steps taken.

    Raises
    ------
    UsageError
        The start does not fit the data or the bound.
    DataError
        The scores in the file forbid the start.
    """
    scorer = SetScorer(source, scoring, config.cache_mb, monitor.threads, *edges_of(config))
    largest = min(config.steps.max_clique or scorer.n, scorer.largest_set)
    config = replace(config, steps=replace(config.steps, max_clique=largest, max_length=_longest(config, scorer.n)))
    if config.start_network is not None:
        check_start(config.start_network, scorer.n, largest, f"--start {config.start}", config)
    required_core = None if config.start_network is not None else required_network(config, scorer.n, largest)
    monitor.compile(*kernel_tasks(scorer, config.method))
    if config.search is not None:
        from ..lsmarkov.learn import warm_up

        warm_up(source, scoring, _search_config(config), monitor)
    monitor.start()
    stages = Stages(monitor, scorer.n, source.names, lambda graph: chordal_score(graph, scorer.score), largest)
    progress = monitor.reporter.phase("pairs of variables")
    gains = pair_gains(scorer, monitor.map, monitor.should_continue, progress)
    run = CoarseningRun(scorer, monitor, stages, gains)
    if config.start_network is not None:
        starts = {"given": Graph(scorer.n, config.start_network.edges, source.names)}
    else:
        kinds = ("forest", "tree") if config.start == "best" else (config.start,)
        starts = spanning_starts(run, kinds, largest, source.names, required_core)
    best = _best_of(run, starts, config, source.source)
    if config.search is not None and monitor.should_continue():
        best = _after_search(run, best, source, scoring, config)
    if config.method == "fic":
        best = stages.finish("forced", stages.finished.get("forced") or _forced(run, best, config))
    graph = without_zero_gain_edges(_undirected(best), scorer.score, config.required)
    return replace(best, graph=graph, score=run.score(graph))


def _longest(config: Config, n: int) -> int | None:
    """The longest edges considered with n variables; None: any."""
    length = config.steps.max_length
    if length is None and n > VERY_MANY_VARIABLES and config.short_first and config.method in ("ic", "fic"):
        LOG.info("edges across at most %d separators; --max-length allows longer ones", LONG_EDGES)
        return LONG_EDGES
    return length


def _best_of(run: CoarseningRun, starts: dict[str, Graph], config: Config, path: str) -> LearnResult:
    """The best LearnResult of the method from these starts ({kind: Graph}), which share the remaining time."""
    best, cut_short = None, None
    start_only = config.method == "forest"
    tries = [(kind, start, limits) for kind, start in starts.items() for limits in _passes(run, config)]
    for left, (kind, start, limits) in zip(range(len(tries), 0, -1), tries, strict=True):
        score = run.score(start)
        check_start_score(score, path)
        stage = f"{kind}, {limits.max_length}"
        result = run.stages.finished.get(stage)
        if result is None:
            with run.part(left) as part:
                part.report(kind, start, score)
                first = LearnResult(start, score, COMPLETE)
                result = (
                    _start_only(run, kind, first, limits, config.required)
                    if start_only
                    else _run_method(part, stage, first, config, limits)
                )
            run.stages.finish(stage, result)
        if len(tries) > 1:
            limit = "" if limits.max_length is None else f", edges of up to {limits.max_length}"
            LOG.info("from the %s%s: score %.6f", kind, limit, result.score)
        if result.status in (TIME_LIMIT, INTERRUPTED):
            cut_short = result.status
        if best is None or result.score > best.score:
            best = result
    assert best is not None  # there is at least one start
    return replace(best, status=cut_short or best.status)


def _undirected(result: LearnResult) -> Graph:
    """The network of a result that is not directed."""
    assert isinstance(result.graph, Graph)
    return result.graph


def _passes(run: CoarseningRun, config: Config) -> tuple[StepLimits, ...]:
    """The limits for the steps from a start: with many variables short edges first, in case time runs out."""
    length = config.steps.max_length
    long = run.scorer.n >= MANY_VARIABLES and (length is None or length > SHORT_EDGES)
    if long and config.short_first and config.method in ("ic", "fic"):
        return replace(config.steps, max_length=SHORT_EDGES), config.steps
    return (config.steps,)


def _start_only(run: CoarseningRun, kind: str, first: LearnResult, limits: StepLimits, required: Any) -> LearnResult:
    """The start as the result: the forest is optimal for cliques of two, if no edges are required."""
    assert limits.max_clique is not None
    if not run.monitor.should_continue():  # perhaps not all gains are known
        return replace(first, status=run.ended_by)
    proved = kind == "forest" and limits.max_clique <= 2 and not required
    return replace(first, status=OPTIMAL) if proved else first


def _run_method(run: CoarseningRun, stage: str, first: LearnResult, config: Config, limits: StepLimits) -> LearnResult:
    """The LearnResult of the method from a network; for fic without its forced steps."""
    run.steps = first.iterations
    if config.method == "greedy":
        assert limits.max_clique is not None
        graph, score, done = greedy(run, _undirected(first), first.score, limits.max_clique)
        return LearnResult(graph, score, LOCAL_OPTIMUM if done else run.ended_by, run.steps)
    graph, score, status = _iterate(run, stage, first, limits)
    return LearnResult(graph, score, status, run.steps)


def _iterate(run: CoarseningRun, stage: str, first: LearnResult, limits: StepLimits) -> tuple[Graph, float, str]:
    """IC (Algorithm 1): steps until nothing gains; the network, its score and the status."""
    graph, score = run.begin_stage(stage, first)
    while run.monitor.should_continue():
        new, after, optimal = coarsening_step(run, graph, score, "ic", limits)
        if after <= score + MIN_GAIN:
            if optimal:
                return graph, score, LOCAL_OPTIMUM
            return graph, score, run.ended_by
        graph, score = new, after
        run.keep_step(graph, score)
    return graph, score, run.ended_by


def _search_config(config: Config) -> SearchConfig:
    """The Config of the local search, without its start."""
    from ..lsmarkov.config import Config as SearchConfig

    assert config.steps.max_clique is not None
    plan = SearchConfig(max_clique=max(2, config.steps.max_clique), seed=config.seed, cache_mb=config.cache_mb)
    return replace(plan, allowed=config.allowed, forbidden=config.forbidden, required=config.required)


def _after_search(
    run: CoarseningRun, result: LearnResult, source: Dataset | CliqueScores, scoring: Scoring, config: Config
) -> LearnResult:
    """The LearnResult after local search from a result, followed by the method's steps."""
    found = run.stages.finished.get("search")
    run.steps = result.iterations + 1
    if found is None:
        from ..lsmarkov import learn as local_search

        with run.monitor.part(config.search) as part:
            found = local_search.learn(source, scoring, replace(_search_config(config), init=_undirected(result)), part)
        run.report("search", _undirected(found), found.score, found.score - result.score)
        found = run.stages.finish("search", replace(found, status=run.ended_by, iterations=run.steps))
    if not run.monitor.should_continue():
        return found
    after = run.stages.finished.get("after search")
    return after or run.stages.finish("after search", _run_method(run, "after search", found, config, config.steps))


def _forced(run: CoarseningRun, result: LearnResult, config: Config) -> LearnResult:
    """The LearnResult after the K+ forced steps of FIC, even if they lose."""
    limits = replace(config.steps, max_length=config.forced_length)
    run.steps = result.iterations
    graph, score = run.begin_stage("forced", result)
    status = ITERATION_LIMIT if run.steps > result.iterations else result.status
    for _ in range(config.forced - (run.steps - result.iterations)):
        if not run.monitor.should_continue():
            status = run.ended_by
            break
        graph, score, optimal = coarsening_step(run, graph, score, "fic", limits)
        status = ITERATION_LIMIT if optimal or run.monitor.should_continue() else run.ended_by
        run.keep_step(graph, score)
    return LearnResult(graph, score, status, run.steps)
