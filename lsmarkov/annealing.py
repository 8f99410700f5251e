"""Annealing: chains are heated from the best network and cooled again, each in a region of it.

A random cut of the junction tree divides the network into regions (`lsmarkov.regions`), which are annealed separately;
all changes that gain are applied, so that a phase never loses. With more than 64 variables, the regions have about 64:
a large network is searched as fast, per variable, as a small one, and on all cores. Smaller networks are cut twice into
regions of random size, up to the whole network, and the cut that gains more is taken. Regions are better than the whole
there too: soybean with cliques of at most 5 reaches -3028 in two seconds of a core, and -3050 without cutting.

*Temperatures* follow the data: a chain is heated, step by step, until it accepts a share of its moves, which is drawn
for each cut, and cooled geometrically to the temperature where one move in seventy is accepted, which is adapted after
each cut. *Cooling* takes longer each time: slow cooling gains more, but only when fast cooling has done its part.

On 1024 variables and 1687 rows this gains 4000 over the greedily grown network in two seconds of one core, where a cold
chain on the whole network gained 200. Moves are those of `lsmarkov.walk_kernels`; before each phase, sets for joint
moves are searched (`lsmarkov.joint`).
"""

from __future__ import annotations

import logging
import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.chains.ladder import HOTTEST
from ..common.chains.moves_kernels import move_scratch
from ..common.compiled.random_kernels import random_states
from ..common.graphs.chordal import are_chordal_within, graph_of
from ..common.run.saved import is_index
from ..common.run.state_record import ArrayField, StateRecord, ValueField, below_infinity, natural
from .ensemble import new_walker, put
from .joint import JointSets
from .joint_kernels import MAX_SET_SIZE, least_gains
from .proposals import walk_rules
from .regions import put_back, regions_of, take_out
from .start import best_partners
from .walk_kernels import walk
from .walker_kernels import BEST, EVALUATED, STEPS, TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.chains.moves_kernels import MoveScratch
    from ..common.run.saved import Saved
    from ..common.scores.score_cache_kernels import ScoreScratch
    from .ensemble import Ensemble
    from .regions import Region
    from .walker_kernels import Walker

LOG = logging.getLogger("cliquewise")

REGION_SIZE = 64  # variables of a region
CUTS = 2  # of a network of at most REGION_SIZE variables: the better counts
MIN_REGION_SHARE = 0.4  # share of its variables in the smallest region of these cuts; the largest has all
HEATING_MOVES = 60  # moves per variable at a temperature
HEATING_FACTOR = 1.5  # between two temperatures while heating
HOT_RATES = (0.03, 0.15)  # share of the moves accepted at the hot end, drawn from this range
COLD_RATE = 0.015  # at the cold end
COLDEST = 0.3  # at first
COOLING_LEVELS = 10  # temperatures while cooling
COOLING_MOVES = (300, 20_000)  # per variable while cooling: at first, and at most
MOVES_GROWTH = 1.3  # each cut than the one before
BATCH_MOVES = 1_000_000  # moves, about, between two reports; at least one region
PHASE_MOVES = 400_000  # moves, at least, of a phase
CACHE_MISS_RATE = 0.25  # of the moves that need a score that is not known yet: more than usual
JOINT_BATCHES = 4  # batches of sets for joint moves before a phase, if nothing was better since the last one
KEPT_NETWORKS = 12  # networks that are kept for merging
MAX_VARIABLES = 200  # of networks that are merged


class Annealing:
    """Phases of annealing.

    Parameters
    ----------
    walker
        One of its walkers: it is put at the result of every phase.
    gains : float64[n, n]
        The gain of every single edge.
    max_clique
        Bound on cliques.
    """

    record = StateRecord(
        ValueField("number", int, natural),
        ValueField("coldest", float, lambda coldest, _: 0.0 < coldest < math.inf),
        ValueField("known", float, below_infinity),
        ArrayField("ends", lambda ends, own: are_chordal_within(ends, len(own.gains)), any_length=True),
        prefix="annealing-",
    )

    def __init__(self, ensemble: Ensemble, walker: Walker, gains: np.ndarray, max_clique: int) -> None:
        self.ensemble, self.walker, self.gains, self.max_clique = ensemble, walker, gains, max_clique
        self.number = 0  # cuts
        self.known = -np.inf  # best score before the last phase
        self.coldest = COLDEST
        self.ends = np.zeros((0, *walker.best.shape), np.uint64)  # the networks in which chains ended, of the last cuts
        self.seed = int(walker.random[0])
        self.joint_sets = JointSets(ensemble.scorer, max_clique, self.seed)

    def state(self) -> dict[str, Any]:
        """The state to continue from, without the walkers."""
        return self.record.save(self) | self.joint_sets.state()

    def restore(self, saved: Saved) -> None:
        """Continue where an earlier part of the run ended."""
        self.record.load(saved, self)
        self.joint_sets.restore(saved, JOINT_BATCHES * saved.value("phases", int, is_index))  # a phase may have no cut

    @property
    def _moves(self) -> int:
        """Moves per variable while the regions of the next cut are cooled."""
        return int(min(COOLING_MOVES[0] * MOVES_GROWTH ** min(self.number, 100), COOLING_MOVES[1]))

    def phase(self) -> None:
        """Anneal the regions of one cut after another, until enough moves are made."""
        walker, best = self.walker, self.ensemble.best
        put(walker, best.best, best.numbers[BEST])
        score = float(best.numbers[BEST])
        for _ in range(1 if score > self.known + TOLERANCE else JOINT_BATCHES):
            self.joint_sets.look(self.ensemble.monitor.map, self.ensemble.stop)
        self.known = score
        end = walker.counts[STEPS] + PHASE_MOVES
        while self.ensemble.status is None and walker.counts[STEPS] < end:
            moves = self._moves
            self.number += 1
            rng = np.random.default_rng([self.seed, self.number])
            if len(walker.adjacency) <= REGION_SIZE:
                self.ends = np.stack([*self.ends, *self.cut(moves, rng)])[-KEPT_NETWORKS:]
                continue
            regions = regions_of(graph_of(walker.adjacency), REGION_SIZE, rng)
            at_once = max(1, BATCH_MOVES // (moves * REGION_SIZE))
            for first in range(0, len(regions), at_once):
                if self.ensemble.status is None:
                    ends = self._anneal([regions[first : first + at_once]], moves, rng)
                    if len(walker.adjacency) <= MAX_VARIABLES:
                        self.ends = np.stack([*self.ends, *ends])[-KEPT_NETWORKS:]
        values = self.number, self._moves, self.coldest
        LOG.debug("annealing: %d cuts, next %d moves per variable, down to temperature %.3g", *values)

    def cut(self, moves: int, rng: Any) -> list[np.ndarray]:
        """Anneal the network of the walker in regions, `moves` per variable; the best of some cuts counts.

        Returns
        -------
        list of uint64[n, words]
            The networks in which the chains of each cut ended.
        """
        graph, n = graph_of(self.walker.adjacency), len(self.walker.adjacency)
        sizes = rng.integers(int(n * MIN_REGION_SHARE) + 1, n + 1, CUTS)
        return self._anneal([regions_of(graph, int(size), rng) for size in sizes], moves, rng)

    def _anneal(self, cuts: list[list[Region]], moves: int, rng: Any) -> list[np.ndarray]:
        """Anneal the regions of cuts (list of list of Region), and take all gains of the best one; returns as `cut`."""
        walker, regions = self.walker, [region for cut in cuts for region in cut]
        graphs = [take_out(walker.best, region.members) for region in regions]
        chains = list(map(new_walker, graphs, random_states(rng.integers(2**63), len(regions))))
        hot_rates = np.exp(rng.uniform(*np.log(HOT_RATES), len(regions)))
        rates = np.full(len(regions), np.nan)

        def anneal(i: int, chain: Walker, most: int, scratch: ScoreScratch, _: MoveScratch) -> None:
            rates[i] = self._heat_and_cool(regions[i], chain, moves, hot_rates[i], most, scratch)

        for chain in chains:
            chain.numbers[:] = 0.0  # what it gains
        planned = sum((moves + 10 * HEATING_MOVES) * len(region.members) for region in regions)
        self.ensemble.scorer.make_room(int(CACHE_MISS_RATE * planned))
        self.ensemble.spread(anneal, chains)
        graph, score, left = walker.best, float(walker.numbers[BEST]), iter(chains)
        cooled = [[(region, next(left)) for region in cut] for cut in cuts]
        results, ends = [_glued(graph, score, cut) for cut in cooled], [_end(graph, cut) for cut in cooled]
        put(walker, *max(results, key=lambda result: result[1]))
        for count in (STEPS, EVALUATED):
            walker.counts[count] += sum(chain.counts[count] for chain in chains)
        if self.ensemble.report() and not np.isnan(rates).all():
            self.coldest *= min(1.2, max(0.8, math.sqrt(COLD_RATE / max(np.nanmedian(rates), 1e-3))))
        return ends

    def _heat_and_cool(
        self, region: Region, chain: Walker, moves: int, hot_rate: float, most: int, scratch: ScoreScratch
    ) -> float:
        """Heat a chain and cool it, in at most `most` moves; returns the acceptance rate at the end."""
        members, ensemble = region.members, self.ensemble
        if len(members) < 2:
            return np.nan
        vertices, partners = members, best_partners(self.gains[np.ix_(members, members)])
        if len(chain.adjacency) == len(members):
            vertices = np.arange(len(members))
        else:
            near, partners = partners, np.zeros((len(chain.adjacency), partners.shape[1]), np.int64)
            partners[members] = members[near]
        sets = self.joint_sets.within(members, vertices)
        rules = walk_rules(vertices, partners, self.max_clique, sets, ensemble.scorer.words > 1)
        work = move_scratch(*chain.adjacency.shape)
        scores = ensemble.scorer.restricted(members, region.shared)

        def acceptance_rate(temperature: float, count: int) -> float:
            drawn, taken, count = chain.tried.sum(), chain.taken.sum(), min(count, most - int(chain.counts[STEPS]))
            walk(chain, temperature, count, scores, scratch, work, rules, ensemble.stop)
            return (chain.taken.sum() - taken) / max(1, chain.tried.sum() - drawn)

        hottest = hot_end(acceptance_rate, self.coldest, hot_rate, len(members), lambda: ensemble.stop[0] == 0)
        for temperature in np.geomspace(hottest, self.coldest, COOLING_LEVELS):
            rate = acceptance_rate(temperature, moves * len(members) // COOLING_LEVELS)
        return rate


def hot_end(
    acceptance_rate: Callable[[float, int], float],
    coldest: float,
    hot_rate: float,
    n: int,
    should_continue: Callable[[], bool],
) -> float:
    """Heat a chain until enough of its moves are accepted.

    Parameters
    ----------
    acceptance_rate
        Makes so many moves at a temperature.
    coldest
        The first temperature.
    hot_rate
        Acceptance rate at which it is hot enough.
    n
        Number of variables.
    should_continue
        Asked before each temperature.

    Returns
    -------
    float
        The last temperature.
    """
    hottest = coldest
    while hottest < HOTTEST and should_continue() and acceptance_rate(hottest, HEATING_MOVES * n) < hot_rate:
        hottest *= HEATING_FACTOR
    return hottest


def kernel_tasks(ensemble: Ensemble) -> list[Callable]:
    """The tasks for `Monitor.compile`, a list of callables: its kernels, for zero steps."""
    scorer, stop = ensemble.scorer, ensemble.stop
    scores, scratch, sets = scorer.scores, scorer.scratch[0], np.zeros((0, MAX_SET_SIZE), np.int64)
    rules = walk_rules(np.arange(scorer.n), np.zeros((scorer.n, 1), np.int64), 2, sets, scorer.words > 1)
    return [
        partial(least_gains, scores, scratch, np.zeros(scorer.words, np.uint64), sets, 0, 1, np.zeros(0), stop),
        partial(walk, ensemble.walkers[0], 1.0, 0, scores, scratch, ensemble.work[0], rules, stop),
    ]


def _glued(graph: np.ndarray, score: float, annealed: list[tuple[Region, Walker]]) -> tuple[np.ndarray, float]:
    """A network with what its regions gained, uint64[n, words], and its score; pairs of a Region and its chain."""
    graph = graph.copy()
    for region, chain in annealed:
        if chain.numbers[BEST] > TOLERANCE:
            put_back(graph, region.members, chain.best)
            score += float(chain.numbers[BEST])
    return graph, score


def _end(graph: np.ndarray, annealed: list[tuple[Region, Walker]]) -> np.ndarray:
    """A network, uint64[n, words], whose regions are as their chains ended; pairs of a Region and its chain."""
    graph = graph.copy()
    for region, chain in annealed:
        put_back(graph, region.members, chain.adjacency)
    return graph
