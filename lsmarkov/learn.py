"""lsmarkov's one public function: `learn`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from ..common.errors import UsageError
from ..common.graphs.chordal import are_chordal_within, bit_rows, chordal_score, graph_of
from ..common.graphs.edge_constraints import edges_of, required_network
from ..common.graphs.graph import Graph
from ..common.graphs.start_network import init_network
from ..common.graphs.zero_gain_edges import without_zero_gain_edges
from ..common.run.monitor import TOLERANCE
from ..common.run.result import IDLE, INTERRUPTED, LOCAL_OPTIMUM, OPTIMAL, TIME_LIMIT, LearnResult
from ..common.run.saved import FOUND
from ..common.scores.scorer import SetScorer
from ..common.scores.spanning import pair_gains
from ..common.scores.tiny_source import tiny_source
from . import exact, published, search
from .config import OPERATIONS, RESTART_RATE
from .descent_kernels import DescentRules
from .ensemble import Ensemble
from .start import check_scores, chow_liu, grown

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.run.monitor import Monitor
    from ..common.scores.scoring import Scoring
    from .config import Config

FOUND_GRAPH = f"{FOUND}graph"


def learn(
    source: Dataset | CliqueScores,
    scoring: Scoring,
    config: Config,
    monitor: Monitor,
    scorer: SetScorer | None = None,
) -> LearnResult:
    """The best chordal Markov network found within the limits.

    Parameters
    ----------
    source : Dataset or CliqueScores
    monitor
        An iteration is a step of a walker.
    scorer
        Of the same source, scoring and edges, with the scores that an earlier search computed. None: a new one.

    Returns
    -------
    LearnResult

    Raises
    ------
    UsageError
        A bound or a start network that does not fit the data.
    DataError
        The scores in the file forbid the start network.
    """
    as_published = config.as_published
    if as_published and config.required is not None:
        raise UsageError(
            "--required-edges: the published search restarts from random networks, which lack them; leave it out"
        )
    if scorer is None:
        threads = 1 if as_published else min(search.MAX_THREADS, monitor.threads)
        scorer = SetScorer(source, scoring, config.cache_mb, threads, *edges_of(config))
    max_clique = min(config.max_clique or scorer.n, scorer.largest_set)
    init = None if config.init is None else init_network(config, scorer.n, max_clique)
    required = None if init is not None else required_network(config, scorer.n, max_clique)
    is_small = exact.is_small(source, config, max_clique)
    ensemble = _ensemble(scorer, config, monitor)
    status = None
    if scorer.n > 1:
        monitor.compile(*_kernel_tasks(source, config, ensemble, is_small))
        if config.precompute:
            scorer.precompute(max_clique, monitor.map, monitor.should_continue, monitor.reporter.phase("scores"))
        monitor.start()
        gains = pair_gains(scorer, monitor.map, monitor.should_continue, monitor.reporter.phase("pairs of variables"))
        if init is None:
            grows = not (is_small or as_published or monitor.saved is not None)  # which has walkers
            init = _start(config, scorer, required, gains, max_clique, monitor if grows else None)
        ensemble.place(init)
        if is_small:
            status = exact.search(ensemble, source, scoring, config, max_clique)
        else:
            check_scores(ensemble, source)
            if config.as_published:
                status = published.search(ensemble, _rules(config, max_clique), config.dynamic_bound)
            else:
                status = search.search(ensemble, gains, max_clique)
    found = graph_of(ensemble.best.best, source.names)
    graph = without_zero_gain_edges(found, scorer.score, config.required)
    score = chordal_score(graph, scorer.score)
    upper_bound = score if status == OPTIMAL else math.inf
    result = LearnResult(graph, score, status or LOCAL_OPTIMUM, ensemble.steps, upper_bound)
    return _or_earlier(result, monitor, scorer, max_clique)


def _or_earlier(result: LearnResult, monitor: Monitor, scorer: SetScorer, max_clique: int) -> LearnResult:
    """The result, or the network with which an earlier part of the run ended, if that is better.

    A run continues from the last safe point of an earlier part, which may have ended in a later phase with a better
    network. With enough time it is found again; otherwise it would be lost.
    """
    rows = bit_rows(cast("Graph", result.graph), scorer.n)
    if monitor.saved is not None and FOUND_GRAPH in monitor.saved:
        earlier = monitor.saved.array(FOUND_GRAPH, rows, lambda found: are_chordal_within(found, max_clique))
        graph = graph_of(earlier, result.graph.names)
        score = chordal_score(graph, scorer.score)
        if score > result.score + TOLERANCE:
            result, rows = replace(result, graph=graph, score=score), earlier
    if result.status in (TIME_LIMIT, IDLE, INTERRUPTED):
        monitor.keep_found({FOUND_GRAPH: rows})
    return result


def warm_up(source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor) -> None:
    """Compile the kernels of a later `learn`, before the clock of the monitor starts.

    Parameters
    ----------
    source, scoring, config
        As for `learn`.
    """
    if source.n > 1:
        is_small = exact.is_small(source, config, min(config.max_clique or source.n, source.max_size))
        tiny = tiny_source(source)
        ensemble = _ensemble(SetScorer(tiny, scoring, 1, 1, *edges_of(config)), config, monitor)
        monitor.compile(*_kernel_tasks(tiny, config, ensemble, is_small))


def _ensemble(scorer: SetScorer, config: Config, monitor: Monitor) -> Ensemble:
    """The walkers of a search."""
    size = 1 if config.as_published else search.walkers_for(scorer.n)
    return Ensemble(scorer, size, config.seed, monitor)


def _kernel_tasks(source: Dataset | CliqueScores, config: Config, ensemble: Ensemble, is_small: bool) -> list[Callable]:
    """The tasks for `Monitor.compile`: the kernels of the search or, for few variables, of the dynamic program."""
    if is_small:
        return exact.kernel_tasks(source, ensemble.scorer)
    return (published if config.as_published else search).kernel_tasks(ensemble)


def _rules(config: Config, max_clique: int) -> DescentRules:
    """The options of the published search in the form of its kernel."""
    operations = 0 if config.greedy else published.operations_of(config.operations or OPERATIONS)
    return DescentRules(operations, config.restart_rate or RESTART_RATE, config.fixed_iters, max_clique)


def _start(
    config: Config,
    scorer: SetScorer,
    required: Graph | None,
    gains: np.ndarray,
    max_clique: int,
    monitor: Monitor | None,
) -> np.ndarray:
    """The start graph if there is no init, as bit rows; it contains the chordal graph `required`, if there is one.

    Without a monitor a forest is not grown.
    """
    if config.chow_liu and max_clique > 1:
        forest = chow_liu(gains, required)
        return forest if monitor is None else grown(scorer, forest, max_clique, monitor)
    return bit_rows(Graph(scorer.n, ()) if required is None else required)
