"""The optimum by dynamic programming, in two passes over restricted sets.

The recurrences (`common.exact.recurrences`) take time and memory for each set that may be a clique or a separator.
Bounds (`common.bounds.orders`) exclude the sets that are in no network better than a known one, so a good network is
needed first:

1. greedy growth by single edges quickly gives a network of score g;
2. the first pass takes only the sets whose bound is at least t = g + FIRST_SHARE (u - g), where u bounds every
   network. They are few, but the best network of these sets usually is the optimum. If its score is at least t, it is;
3. the second pass takes the sets whose bound is at least the best score so far. This is exact.

Where we differ from the paper (Kangas, Niinimaki and Koivisto 2014): the paper uses all sets. If stopped, the result is
the best network of the completed passes.

Cost: the first pass about a third of the second, and none where it would be more than half; see
`common.exact.recurrences`.
"""

from __future__ import annotations

import logging
import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..common.bounds.orders import OrderBounds, all_sets, bytes_of_bounds, compile_order_bounds
from ..common.data.dataset import Dataset
from ..common.errors import DataError
from ..common.exact.backtrack import best_bags, compile_kernels
from ..common.exact.dense_scores import dense_scores, score_of
from ..common.exact.recurrences import fill
from ..common.exact.tables import SET_BYTES, allocate, bytes_needed
from ..common.graphs.chordal import compile_chordal_score
from ..common.graphs.graph import Graph
from ..common.run.resources import GIGABYTE, check_fits, usable_memory
from ..common.run.result import INTERRUPTED, OPTIMAL, LearnResult
from ..common.scores.all_scores import compile_all_scores
from ..common.scores.allowed import complete_sets
from ..common.sets.set_orders import set_count
from .best_known import BestKnown

if TYPE_CHECKING:
    from ..common.files.scorefile import CliqueScores
    from ..common.run.monitor import Monitor
    from ..common.scores.scoring import Scoring
    from .config import Config

LOG = logging.getLogger("cliquewise")
BOUNDS_FROM = 13  # variables: with fewer, all states take less time than the bounds
FIRST_SHARE = 0.8


def learn_by_dynamic_program(source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor):
    """The best network, as `junctor.learn`.

    Parameters
    ----------
    source : Dataset or CliqueScores
    scoring : Scoring
    config : Config
    monitor : Monitor

    Returns
    -------
    LearnResult

    Raises
    ------
    LimitError
        The tables do not fit in the allowed memory.
    DataError
        The scores in the file allow no network.
    KeyboardInterrupt
        Stopped before any network was known.
    """
    program = DynamicProgram(source, scoring, config, monitor)
    program.run()
    if program.known is None:
        if monitor.may_go_on():
            raise DataError("no network has a finite score", source.source)
        raise KeyboardInterrupt
    return program.result()


class DynamicProgram:
    """One run.

    Parameters
    ----------
    source, scoring, config, monitor
        As for `learn_by_dynamic_program`.

    Attributes
    ----------
    known : LearnResult or None
        The best network so far.
    upper : float
        A bound on the score of every network.
    """

    def __init__(self, source, scoring, config, monitor):
        self.known, self.upper = None, math.inf
        self._source, self._scoring, self._config, self._monitor = source, scoring, config, monitor
        self._n = source.n
        self._largest = min(config.max_clique or source.n, source.max_size)
        self._memory = config.memory or usable_memory()
        self._states, self._proved = 0, False

    def run(self):
        """Find the optimum, or the best network when the monitor stops the run."""
        n, largest, monitor = self._n, self._largest, self._monitor
        bounded = self._config.bounds and n >= BOUNDS_FROM and largest > 1
        self._check_memory(SET_BYTES * 2**n + bounded * bytes_of_bounds(n), f"{n} variables")
        bounds = [compile_order_bounds] if bounded else []
        monitor.compile(partial(compile_all_scores, self._source), *bounds, compile_kernels, compile_chordal_score)
        if bounded:  # first, so that a network is known from now on
            best_known = BestKnown(monitor, n, largest, self._source.names)
            self.known = best_known.first or self._grown()
            best_known.keep(lambda: self.known.graph, self.known.score)
        monitor.start()
        if not monitor.may_go_on():
            return
        scores = dense_scores(self._source, self._scoring, largest, monitor)
        if not monitor.may_go_on():
            return
        if not bounded:
            self._pass(scores, all_sets(n, largest), -math.inf, final=True)
            return
        bounds = OrderBounds(n, scores, largest, monitor.map, monitor.may_go_on)
        self.upper = bounds.upper
        if math.isfinite(self.upper):
            least = self.known.score + FIRST_SHARE * (self.upper - self.known.score)
            few, many = bounds.sets(least), bounds.sets(self.known.score)
            if 2 * bytes_needed(n, few) < bytes_needed(n, many):
                self._pass(scores, few, least)
                best_known.keep(lambda: self.known.graph, self.known.score)
        if not self._proved and monitor.may_go_on():
            self._pass(scores, bounds.sets(self.known.score), self.known.score, final=True)

    def result(self):
        """The LearnResult."""
        if self._proved:
            return LearnResult(self.known.graph, self.known.score, OPTIMAL, self._states, self.upper)
        return LearnResult(self.known.graph, self.known.score, self._monitor.status, 0, self.upper)

    def _pass(self, scores, masks, least, final=False):
        """Find the best network of the sets that can be in a network of score `least` or more."""
        if not self._monitor.may_go_on():
            return
        n, allowed, every = self._n, self._config.allowed, set_count(self._n, self._largest)
        if self.known is not None:
            told = (least, len(masks), every)
            LOG.info("networks of %.6f or more: %d of %d sets can be in one", *told)
        if allowed is not None:
            masks = masks[complete_sets(masks.astype(np.uint64), allowed)]
            LOG.info("%d of %d sets are left within the edges allowed", len(masks), every)
        need = bytes_needed(n, masks)
        self._check_memory(need, f"{len(masks)} sets of {n} variables")
        LOG.info("%d sets, tables of %.3g GB", len(masks), need / GIGABYTE)
        tables = allocate(n, scores, masks)
        if not fill(tables, self._monitor):
            return
        self._states += len(tables.f)
        bags, best = best_bags(tables)
        self._proved = final or best >= least
        if bags and (self._proved or best > self.known.score):
            members = [[v for v in range(n) if bag >> v & 1] for bag in bags]
            graph = Graph.from_cliques(n, members, self._source.names)
            self.known = LearnResult(graph, score_of(graph, scores), INTERRUPTED)
            self.upper = best if self._proved else self.upper

    def _check_memory(self, need, what):
        """Raise an error if the memory is not enough."""
        check_fits(need, self._memory, what, "bound the cliques with --max-clique")

    def _grown(self):
        """The network of greedy growth (LearnResult)."""
        from ..coarsen.config import Config as Coarsening
        from ..coarsen.config import StepLimits
        from ..coarsen.learn import learn as coarsen

        growth = Coarsening(method="greedy", steps=StepLimits(max_clique=self._largest), allowed=self._config.allowed)
        with self._monitor.part() as part:
            return coarsen(self._source, self._scoring, growth, part)
