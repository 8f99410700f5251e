"""The networks nearly as good as the best one: `twlearn --networks`, after method milp has found the best one.

The best network alone needs no parent set of which a subset scores at least as well. Here others are needed too: a
network loses what its sets score less than their subsets, and no more than the last network wanted, as these subsets
could replace them.
"""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np

from ..common.bounds.incumbent import equal_within
from ..common.errors import UsageError
from ..common.files.parentsets import ParentSets
from ..common.graphs.dag import Dag
from ..common.graphs.treewidth import treewidth
from ..common.run.result import INTERRUPTED, OPTIMAL, TIME_LIMIT
from .best_networks import BestBayesianNetworks
from .families import families_of, is_searched
from .known_families import useful
from .milp import are_bounded, seconds_left
from .networks_scip import MAX_WORD_VARIABLES
from .silander_myllymaki import best_of_others, best_with_each

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.run.monitor import Monitor
    from ..common.run.result import LearnResult
    from ..common.scores.scoring import Scoring
    from .config import Config
    from .families import ScoredFamilies

    Source = Dataset | CliqueScores | ParentSets

LOG = logging.getLogger("cliquewise")


def check_listing(source: Source, config: Config) -> None:
    """Refuse problems for which no list of the best networks can be proved, with a UsageError.

    Parameters
    ----------
    config
        With its method and number of parents.
    """
    if source.n > MAX_WORD_VARIABLES:
        raise UsageError(f"--networks: {source.n} variables; at most {MAX_WORD_VARIABLES} can be listed with proof")
    if is_searched(source, config):
        raise UsageError("--networks needs the scores of all parent sets; lower --max-parents, without --parent-sets")


def is_by_class(source: Source) -> bool:
    """Whether equivalent networks are one result: their scores are equal, unless a file gives those of parent sets."""
    return not isinstance(source, ParentSets)


def with_best_networks(
    source: Source, scoring: Scoring, config: Config, monitor: Monitor, first: LearnResult
) -> LearnResult:
    """A result with the best networks.

    Parameters
    ----------
    source, scoring, config, monitor
        As for `twlearn.learn`.
    first : LearnResult
        The best network found.

    Returns
    -------
    LearnResult
        Optimal if no other network belongs to those listed.
    """
    w = min(config.treewidth, source.n)
    within = math.inf if config.within is None else config.within
    known = config.known
    families = families_of(source, scoring, config, monitor, loss=within + 2.0 * equal_within(first.score))
    if families is None or not isinstance(first.graph, Dag):  # stopped: the others were not looked for
        alone = replace(first, networks=((first.graph, first.score),), others=first.upper_bound)
        return replace(alone, status=monitor.status or TIME_LIMIT)
    wanted = cast("int", config.best), within, is_by_class(source)
    pool = BestBayesianNetworks(families, w, *wanted, known, lambda: monitor.status != INTERRUPTED)
    pool.offer(tuple(sum(1 << p for p in own) for own in first.graph.parents()))
    others, is_done = first.upper_bound, False
    if first.status == OPTIMAL and monitor.should_continue():
        from ..common.exact.scip import ProgramLimits  # SCIP is loaded only for this
        from .listing_scip import list_all

        chosen = _possible(families, pool)
        chosen = chosen[_bounds(families, config, monitor)[chosen] >= pool.floor - 2.0 * equal_within(pool.best)]
        LOG.info("%d of %d families can be in a network of %.6f or more", len(chosen), len(families.scores), pool.floor)
        limits = ProgramLimits(seconds_left(monitor), should_continue=monitor.should_continue)
        bound, is_done = list_all(families, chosen, pool, () if known is None else known.edges, limits)
        others = min(others, bound)
    networks = pool.networks()
    (graph, score), status = networks[0], OPTIMAL if is_done else monitor.status or TIME_LIMIT
    order = treewidth(graph.moral(), w).order
    found = replace(first, graph=graph, score=score, order=order, status=status, networks=networks)
    return replace(found, others=others, tied=pool.tied)


def _bounds(families: ScoredFamilies, config: Config, monitor: Monitor) -> np.ndarray:
    """A bound on the score of every network with each family: that of the best of any treewidth, if there is time."""
    has_time = are_bounded(families, config.memory, monitor)
    found = best_with_each(families, monitor.map, monitor.should_continue) if has_time else None
    return best_of_others(families) if found is None else found


def _possible(families: ScoredFamilies, pool: BestBayesianNetworks) -> np.ndarray:
    """The families, by row, that a network wanted can have, as no subset scores that much more: int64[]."""
    loss, is_possible = pool.best - pool.floor + 2.0 * equal_within(pool.best), np.zeros(len(families.scores), bool)
    for first, end in pairwise(families.start.tolist()):
        is_possible[first:end][useful(families.parents[first:end], families.scores[first:end], (), loss)] = True
    is_possible[families.artificial] = False
    return np.flatnonzero(is_possible)
