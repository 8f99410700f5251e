"""junctor's public functions: `learn`, and `learn_posterior`."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cliquewise.common.bounds.orders import all_sets, bytes_of_bounds, possible_sets
from cliquewise.common.data.dataset import Dataset
from cliquewise.common.errors import DataError, LimitError
from cliquewise.common.graphs.chordal import chordal_score
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.graphs.kept_edges import check_edges
from cliquewise.common.scores.all_scores import all_scores
from cliquewise.common.scores.allowed import complete_sets, within
from cliquewise.common.search.resources import available_memory
from cliquewise.common.search.result import OPTIMAL, LearnResult, Posterior
from cliquewise.common.sets.set_orders import colex_masks, set_count
from cliquewise.junctor import sums
from cliquewise.junctor.backtrack import best_bags
from cliquewise.junctor.kept import Kept
from cliquewise.junctor.recurrences import fill
from cliquewise.junctor.tables import SET_BYTES, allocate, bytes_needed

if TYPE_CHECKING:
    from cliquewise.common.files.scorefile import CliqueScores
    from cliquewise.common.scores.scoring import Scoring
    from cliquewise.common.search.monitor import Monitor
    from cliquewise.junctor.config import Config

LOG = logging.getLogger("cliquewise")
MAX_VARIABLES = 32
MAX_SUMMED = 24
BOUNDS_FROM = 16  # variables: with fewer, all states take less time than the local search that bounds them
CUTTING_FROM, BOUNDED_CUTTING_FROM = 19, 13  # variables, without and with a bound on cliques: see `wants_cutting`
INCUMBENT_STEPS = 2_000_000
GIGABYTE = 1e9


def wants_cutting(n, config, limits):
    """Whether the method for n variables is that of cutting planes: asked for, or needed, or faster.

    Parameters
    ----------
    n : int
    config : Config
    limits : Limits
    """
    if config.method != "auto":
        return config.method == "ilp"
    special = config.required is not None or limits.seconds is not None or config.gap > 0.0 or config.certificate
    return special or n >= (CUTTING_FROM if config.max_clique is None else BOUNDED_CUTTING_FROM)


def learn(source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor) -> LearnResult:
    """A chordal Markov network of the highest score.

    Parameters
    ----------
    source : Dataset or CliqueScores
        Of at most 32 variables; memory is the bound in practice.
    scoring : Scoring
    config : Config
    monitor : Monitor
        A stop ends the work, whatever the phase: with the local search's network if it has begun, status
        "interrupted".

    Returns
    -------
    LearnResult
        Its iterations are the states of the dynamic program, its upper bound what is proved.

    Raises
    ------
    LimitError
        The tables do not fit in the memory allowed.
    UsageError
        Edges that contradict each other.
    DataError
        More than 32 variables; scores of a file that allow no network.
    KeyboardInterrupt
        Stopped before any network was known.
    """
    n = source.n
    check_edges(config)
    config = replace(config, allowed=within(config.allowed, config.forbidden, n), forbidden=None)
    if wants_cutting(n, config, monitor.limits):
        from cliquewise.junctor.ilp import learn_by_cutting

        return learn_by_cutting(source, scoring, config, monitor)
    if n > MAX_VARIABLES:
        raise DataError(f"{n} variables; junctor takes at most {MAX_VARIABLES}, lsmarkov any number", source.source)
    largest = min(config.max_clique or n, source.max_size)
    memory = config.memory or available_memory() or math.inf
    bounds = config.bounds and n >= BOUNDS_FROM and largest > 1
    _check_memory(SET_BYTES * 2**n + bounds * bytes_of_bounds(n), memory, f"{n} variables")
    known, upper = None, math.inf
    try:
        with monitor.compiling("junctor"):
            if bounds:  # first of all, so that a network is known from then on
                kept = Kept(monitor, n, largest, source.names)
                known = kept.first or _incumbent(source, scoring, largest, config.allowed, monitor)
                kept.tell(lambda: known.graph, known.score)
            monitor.start()
            if not monitor.may_go_on():
                return _stopped(known, upper, monitor)
            scores = _dense_scores(source, scoring, largest, monitor)
            masks = all_sets(n, largest)
            every = len(masks)
            if known is not None and monitor.may_go_on():
                masks, upper = possible_sets(n, scores, largest, known.score, monitor.map, monitor.may_go_on)
            if not monitor.may_go_on():
                return _stopped(known, upper, monitor)
            if known is not None:
                told = (known.score, len(masks), every)
                LOG.info("local search found %.6f; %d of %d sets can be in a better network", *told)
            if config.allowed is not None:
                masks = masks[complete_sets(masks.astype(np.uint64), config.allowed)]
                LOG.info("%d of %d sets are left within the edges allowed", len(masks), every)
            need = bytes_needed(n, masks)
            _check_memory(need, memory, f"{len(masks)} sets of {n} variables")
            LOG.info("%d sets, tables of %.3g GB", len(masks), need / GIGABYTE)
            tables = allocate(n, scores, masks)
            if not fill(tables, monitor):
                return _stopped(known, upper, monitor)
            bags, best = best_bags(tables)
    except KeyboardInterrupt:  # in the midst of compiling
        return _stopped(known, upper, monitor)
    if not bags:
        raise DataError("no network has a finite score", source.source)
    graph = Graph.from_cliques(n, [[v for v in range(n) if bag >> v & 1] for bag in bags], source.names)
    return LearnResult(graph, _score(graph, scores), OPTIMAL, len(tables.f), best)


def learn_posterior(source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor) -> Posterior:
    """Independent draws from the posterior over chordal networks.

    Parameters
    ----------
    source : Dataset or CliqueScores
    scoring : Scoring
    config : Config
        With `draws`.
    monitor : Monitor
        An iteration is a draw.

    Returns
    -------
    Posterior

    Raises
    ------
    LimitError
        The tables do not fit in the memory allowed, or more than 24 variables.
    DataError
        Scores of a file that allow no network.
    KeyboardInterrupt
        Stopped before anything was drawn.
    """
    n = source.n
    if n > MAX_SUMMED:
        raise LimitError(f"{n} variables; junctor --posterior takes at most {MAX_SUMMED}, lsmarkov --posterior more")
    largest = min(config.max_clique or n, source.max_size)
    memory = config.memory or available_memory() or math.inf
    if (need := sums.bytes_needed(n)) > memory:
        allowed = f"{memory / GIGABYTE:.3g} GB may be used (--memory)"
        raise LimitError(f"{n} variables need {need / GIGABYTE:.3g} GB, {allowed}; lsmarkov --posterior needs little")
    with monitor.compiling("junctor"):
        monitor.start()
        scores = _dense_scores(source, scoring, largest, monitor)
        if config.allowed is not None:
            masks = np.arange(1 << n, dtype=np.uint64)
            scores[~complete_sets(masks, config.allowed)] = -np.inf
        if not monitor.may_go_on():
            raise KeyboardInterrupt
        return sums.sample(source, scores, config, monitor)


def _check_memory(need, memory, what):
    """Refuse what does not fit."""
    if need > memory:
        allowed = f"{memory / GIGABYTE:.3g} GB may be used (--memory)"
        raise LimitError(f"{what} need {need / GIGABYTE:.3g} GB, {allowed}; bound the cliques with --max-clique")


def _stopped(known, upper, monitor):
    """The LearnResult of a run that was stopped: the network known so far."""
    if known is None:
        raise KeyboardInterrupt
    return LearnResult(known.graph, known.score, monitor.status, 0, upper)


def _dense_scores(source, scoring, largest, monitor):
    """The scores by mask: float64[2^n], minus infinity for sets of more than `largest` variables."""
    n = source.n
    if isinstance(source, Dataset):
        total = set_count(n, largest)

        def tell(done):
            monitor.progress(f"scores: {done:,} of {total:,}", done, total)

        by = scoring.score_type, scoring.ess
        values = all_scores(source, *by, largest, monitor.threads, tell, monitor.may_go_on)
        masks = colex_masks(n, largest)
    else:
        kept = np.bitwise_count(source.masks) <= largest
        masks, values = source.masks[kept], source.scores[kept]
    scores = np.full(1 << n, -np.inf)
    scores[masks.astype(np.int64)] = values
    return scores


def _incumbent(source, scoring, largest, allowed, monitor):
    """A network found by local search (LearnResult)."""
    from cliquewise.lsmarkov.config import Config as Search
    from cliquewise.lsmarkov.learn import learn as search

    with monitor.part(iterations=INCUMBENT_STEPS) as part:
        return search(source, scoring, Search(max_clique=max(2, largest), allowed=allowed), part)


def _score(graph, scores):
    """The graph's score summed over its cliques and separators."""

    def of(members):
        return float(scores[sum(1 << v for v in members)])

    return chordal_score(graph, of)
