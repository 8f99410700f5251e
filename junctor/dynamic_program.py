"""The optimum by dynamic programming over the states that bounds leave.

The recurrences (`common.exact.recurrences`) take time and memory for each state: a set that may be a clique or a
separator, and vertices that it separates from the rest. Bounds exclude the sets (`common.bounds.orders`) and states
(`common.bounds.separated_states`) that are in no network better than a known one, so a good network is needed first:

1. greedy growth by edges and vertices (`common.scores.growth`) quickly gives a network;
2. if the sets that its score leaves have many states (`SEARCH_FROM`), the local search of lsmarkov improves it, the
   longer the more these are; few data need it, so without a time limit its kernels are compiled only then;
3. the recurrences over the states that are left then give the optimum.

If the N best networks are wanted, excluded sets and states are in no network as good as the N-th best of those known
(`common.bounds.best_networks`), and the tables give all that are (`junctor.ranked`).

Differences from the paper (Kangas, Niinimaki and Koivisto 2014): the paper uses all sets and all states.

Cost: a second or two for the search, or three per cent of the time of the bounds; see `common.bounds.separated_states`
and `common.exact.recurrences`.
"""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from ..common.bounds.best_networks import BestNetworks
from ..common.bounds.incumbent import equal_within
from ..common.bounds.orders import bytes_of_bounds, compile_order_bounds, order_bounds
from ..common.bounds.separated_states import ADVICE, compile_separations, separated_states, steps
from ..common.counted import counted
from ..common.data.dataset import Dataset
from ..common.errors import DataError
from ..common.exact.backtrack import compile_recurrences, optimal_network
from ..common.exact.dense_scores import dense_scores, finite_sets, score_of, set_score
from ..common.exact.recurrences import fill
from ..common.exact.tables import SET_BYTES, States, all_states, allocate, bytes_needed
from ..common.graphs.chordal import bit_rows, chordal_score, graph_of
from ..common.graphs.graph import Graph
from ..common.run.resources import check_fits, megabytes, usable_memory
from ..common.run.result import INTERRUPTED, OPTIMAL, LearnResult, without_result
from ..common.scores.all_scores import compile_all_scores
from ..common.scores.allowed import complete_sets
from ..common.scores.growth import compile_grown, grown
from ..common.scores.scorer import SetScorer
from ..common.scores.spanning import compile_pair_gains, maximum_spanning_forest, pair_gains
from ..common.sets.set_orders import set_count
from .best_known import BestKnown
from .local_search import FIRST_STEPS, LocalSearch
from .ranked import compile_ranked, ranked_networks

if TYPE_CHECKING:
    from ..common.exact.recurrences_kernels import Tables
    from ..common.files.scorefile import CliqueScores
    from ..common.run.monitor import Monitor
    from ..common.scores.scoring import Scoring
    from .config import Config

LOG = logging.getLogger("cliquewise")
BOUNDS_FROM = 13  # variables: with fewer, all states take less time than the bounds
SEARCH_FROM = 2.0**25  # steps of the bounds of states: all sets of 16 variables take a little more
STEPS_PER_MOVE = 4000.0  # such steps for a move of the search: three per cent of their time, if scores take none
ROWS_PER_MOVE = 1000.0  # rows of data for which the new scores of a move take as long as the move
REPEAT_SHARE = 0.9  # of the sets: if no more are left, they are bounded again, without those that are not


def learn_by_dynamic_program(
    source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor
) -> LearnResult:
    """The best network, as `junctor.learn`.

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
        if monitor.should_continue():
            raise DataError("no network has a finite score", source.source)
        raise without_result(monitor.status, "the first network")
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

    def __init__(self, source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor) -> None:
        self.known: LearnResult | None = None
        self.upper = math.inf
        self._source, self._scoring, self._config, self._monitor = source, scoring, config, monitor
        self._n = source.n
        self._largest = min(config.max_clique or source.n, source.max_size)
        self._local = LocalSearch(scoring, config, self._largest)
        self._memory = config.memory or usable_memory()
        self._states, self._proved = 0, False
        self._listed: BestNetworks | None = None

    def run(self) -> None:
        """Find the optimum, or the best network when the monitor stops the run."""
        n, largest, monitor = self._n, self._largest, self._monitor
        bounded = self._config.bounds and n >= BOUNDS_FROM and largest > 1
        self._check_memory(SET_BYTES * 2**n + bounded * bytes_of_bounds(n), f"{n} variables")
        others = [compile_order_bounds, compile_separations] if bounded else []
        others += [compile_ranked] if self._config.best is not None else []
        monitor.compile(partial(compile_all_scores, self._source), *others, compile_recurrences)
        if bounded:  # first, so that a network is known from now on
            if monitor.limits.time_limit is not None and 3.0**n > SEARCH_FROM:  # the steps over all sets
                with monitor.part(iterations=FIRST_STEPS * n) as part:
                    self._local.warm_up(self._source, part)
            best_known = BestKnown(monitor, n, largest, self._source.names)
            self.known = best_known.first or self._grown()
            best_known.keep(lambda: self._best.graph, self._best.score)
        monitor.start()
        if not monitor.should_continue():
            return
        scores = dense_scores(self._source, self._scoring, largest, monitor)
        if not monitor.should_continue():
            return
        masks = self._within(finite_sets(scores))
        if self._config.best is not None:
            possible = np.full_like(scores, -np.inf)
            possible[masks] = scores[masks]
            score_of, wanted = partial(set_score, possible), (self._config.best, self._config.within)
            self._listed = BestNetworks(n, score_of, *wanted, (), self._source.names, monitor.should_continue)
        if bounded:
            self._offer(self._best, scores)
            masks = self._left(scores, masks)
            if math.isfinite(self.upper) and (work := steps(n, masks)) > SEARCH_FROM:
                rows = self._source.n_stored if isinstance(self._source, Dataset) else 0
                self._search(scores, max(FIRST_STEPS * n, int(work / (STEPS_PER_MOVE * (1.0 + rows / ROWS_PER_MOVE)))))
                best_known.keep(lambda: self._best.graph, self._best.score)
                masks = self._left(scores, masks)
        if monitor.should_continue():
            states = self._states_of(scores, masks)
        if monitor.should_continue():
            self._fill(scores, states)

    @property
    def _best(self) -> LearnResult:
        """The known network, if there is one."""
        assert self.known is not None
        return self.known

    @property
    def _floor(self) -> float:
        """Networks that score less are not wanted."""
        return self._best.score if self._listed is None else self._listed.floor

    def _offer(self, network: LearnResult, scores: np.ndarray) -> None:
        """Take a network and those next to it, if several are wanted."""
        if self._listed is not None:
            graph = cast("Graph", network.graph)
            self._listed.offer(graph, score_of(graph, scores))

    def result(self) -> LearnResult:
        """The network known: the optimum, or that of a stopped run; and the others, if several are wanted."""
        status, states = self._monitor.status or INTERRUPTED, 0
        if self._proved:
            status, states = OPTIMAL, self._states
        result = LearnResult(self._best.graph, self._best.score, status, states, self.upper)
        if self._listed is None or self._listed.graph is None:
            return result
        networks = self._listed.networks()
        listed = self._listed
        (graph, score), others = networks[0], listed.floor if self._proved else self.upper
        tied = listed.tied
        return replace(result, graph=graph, score=score, networks=networks, others=others, tied=tied)

    def _left(self, scores: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Those of the sets that can be in a network as good as the one known: int64 masks."""
        monitor, floor = self._monitor, self._floor
        while monitor.should_continue():
            left, upper = order_bounds(self._n, scores, masks, floor, monitor.map, monitor.should_continue)
            if not monitor.should_continue():
                break
            self.upper = min(self.upper, max(floor, upper))
            LOG.info("networks of %.6f or more: %d of %d sets can be in one", floor, len(left), len(masks))
            many, masks = len(masks), left
            if len(left) > REPEAT_SHARE * many:
                break
        return masks

    def _within(self, masks: np.ndarray) -> np.ndarray:
        """Those of the sets that are complete within the edges allowed."""
        if self._config.allowed is None:
            return masks
        masks = masks[complete_sets(masks.astype(np.uint64), self._config.allowed)]
        LOG.info("%d of %d sets are left within the edges allowed", len(masks), set_count(self._n, self._largest))
        return masks

    def _search(self, scores: np.ndarray, moves: int) -> None:
        """Improve the network known by local search."""
        with self._monitor.part(iterations=moves) as part:
            graph = self._local.learn(self._source, cast("Graph", self._best.graph), part).graph
        score = score_of(cast("Graph", graph), scores)
        if score > self._best.score:
            self.known = LearnResult(graph, score, INTERRUPTED)
            self._offer(self.known, scores)

    def _states_of(self, scores: np.ndarray, masks: np.ndarray) -> States:
        """The states of these sets that can be in a network as good as the one known."""
        n = self._n
        if not math.isfinite(self.upper):
            self._check_memory(bytes_needed(n, masks), f"{len(masks)} sets of {n} variables")
            return all_states(n, masks)
        return separated_states(n, scores, masks, self._floor, self._monitor, self._memory)

    def _fill(self, scores: np.ndarray, states: States) -> None:
        """Find the best network of these states, the optimum."""
        n, need = self._n, states.table_bytes
        what = f"{counted(states.total, 'state')} of {counted(len(states.sets), 'set')} of {n} variables"
        self._check_memory(need, what)
        LOG.info("%s, tables of %s", what, megabytes(need))
        tables = allocate(scores, states)
        if not fill(tables, self._monitor):
            return
        self._states = states.total
        graph, best = optimal_network(tables, self._source.names)
        self._proved = graph is not None
        if graph is not None:
            self.known = LearnResult(graph, score_of(graph, scores), INTERRUPTED)
            self.upper = best
            self._offer(self.known, scores)
            self._proved = self._listed is None or self._list(self._listed, tables, scores)

    def _list(self, listed: BestNetworks, tables: Tables, scores: np.ndarray) -> bool:
        """Find the networks that are wanted; returns whether the list is complete."""
        least = listed.floor - 2.0 * equal_within(listed.score)  # the tables subtract a price of edges
        found = ranked_networks(tables, cast("int", self._config.best), least, self._monitor.should_continue)
        for edges in found or ():
            graph = Graph(self._n, edges)
            listed.offer(graph, score_of(graph, scores))
        return found is not None and self._monitor.should_continue()

    def _check_memory(self, need: float, what: str) -> None:
        """Raise an error if the memory is not enough."""
        check_fits(need, self._memory, what, ADVICE)

    def _grown(self) -> LearnResult:
        """The network that grows greedily from the best forest."""
        source, monitor = self._source, self._monitor
        scorer = SetScorer(source, self._scoring, threads=monitor.threads, allowed=self._config.allowed)
        monitor.compile(partial(compile_pair_gains, scorer), partial(compile_grown, scorer))
        forest = maximum_spanning_forest(pair_gains(scorer, monitor.map, monitor.should_continue))

        def report_growth(edges: int, gained: float) -> None:
            monitor.reporter.progress(f"{counted(edges, 'edge')}, gain {gained:.2f}")

        graph = graph_of(
            grown(scorer, bit_rows(forest), self._largest, monitor.should_continue, report_growth), source.names
        )
        score = chordal_score(graph, scorer.score)
        if not math.isfinite(score):
            raise DataError("no network has a finite score", source.source)
        return LearnResult(graph, score, INTERRUPTED)
