"""Restarting: slow annealings of the whole network, from a temperature at which few of its edges are left.

Annealing from the best network finds networks near it. A chain that is heated until three in ten of its moves are
accepted forgets it. Its structure is decided while it cools, in a narrow range of temperatures (chains of soybean with
cliques of at most 5, which are alike at 8, differ by eighty at 4, and later do not change their rank), so it cools in
many small steps. The network that it finds is annealed in regions (`lsmarkov.annealing`) until that gains nothing more,
and is then merged with the best one and those of other restarts (`lsmarkov.merging`), with up to 200 variables.

A phase has two chains, which cool at the same temperatures, at once where there are two threads; what they find does
not depend on that.

Cost of a chain: five to twenty million moves, one to eight seconds.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.compiled.random_kernels import random_states
from ..common.graphs.chordal import are_chordal_within
from ..common.run.state_record import ArrayField, StateRecord, ValueField, below_infinity, natural
from .annealing import CACHE_MISS_RATE, MAX_VARIABLES, hot_end
from .ensemble import new_walker, put
from .proposals import walk_rules
from .start import best_partners
from .walk_kernels import walk
from .walker_kernels import BEST, EVALUATED, SCORE, STEPS, TOLERANCE

if TYPE_CHECKING:
    from ..common.chains.moves_kernels import MoveScratch
    from ..common.run.saved import Saved
    from ..common.scores.score_cache_kernels import ScoreScratch
    from .annealing import Annealing
    from .ensemble import Ensemble
    from .walker_kernels import Walker

LOG = logging.getLogger("cliquewise")

HOT_RATE = 0.3  # share of the moves accepted at the hot end
CHAINS = 2  # of a phase
COOLING_LEVELS = 40  # temperatures while cooling
COOLING_MOVES = 150_000, 100_000  # per variable while cooling: of up to 64 variables, of more
CUT_MOVES = 8_000  # per variable of a region, afterwards
KEPT_NETWORKS = 24  # networks that are kept for merging
PATIENCE = 0.5  # work of the other methods without a gain before a restart, as a multiple of the last one's
FIRST_COST = 150_000, 0, 150_000  # work of the first one, per variable, as estimated: of up to 64, up to 200, and more
IDLE_CUTS = 2  # cuts that gain nothing, after which a phase ends


class Restarting:
    """Phases of annealing from a new start.

    Parameters
    ----------
    annealing
        Its walker is put at the networks found. The first walker of the ensemble, another one, keeps the best.
    """

    record = StateRecord(
        ValueField("number", int, natural),
        ValueField("cost", int, natural),
        ValueField("ended", int, natural),
        ValueField("known", float, below_infinity),
        ArrayField("ends", lambda ends, own: are_chordal_within(ends, own.annealing.max_clique), any_length=True),
        prefix="restarting-",
    )

    def __init__(self, ensemble: Ensemble, annealing: Annealing) -> None:
        self.ensemble, self.annealing = ensemble, annealing
        self.number = 0  # phases
        self._is_wide = ensemble.scorer.words > 1
        n = ensemble.scorer.n
        self.cost = FIRST_COST[self._is_wide + (n > MAX_VARIABLES)] * n  # neighbours evaluated by the last one
        self.ended = 0  # neighbours that all methods had evaluated when it ended, or when they found the best network
        self.known = -np.inf  # best score then
        self.ends = annealing.ends[:0]  # the networks found, for merging

    def state(self) -> dict[str, Any]:
        """The state to continue from."""
        return self.record.save(self)

    def restore(self, saved: Saved) -> None:
        """Continue where an earlier part of the run ended; with a shorter limit it did not restart."""
        if self.record.is_in(saved):
            self.record.load(saved, self)

    def phase(self) -> None:
        """Anneal chains from nothing, then each in regions while that gains; nothing while other methods still gain."""
        ensemble, annealing, best = self.ensemble, self.annealing, self.ensemble.best
        begin, score = ensemble.evaluated, float(best.numbers[BEST])
        if score > self.known + TOLERANCE:
            self.known, self.ended = score, begin
        if begin - self.ended < PATIENCE * self.cost:
            return
        self.number += 1
        rng = np.random.default_rng([annealing.seed, self.number, 1])
        chains = [new_walker(best.best, state) for state in random_states(rng.integers(2**63), CHAINS)]
        for chain in chains:
            put(chain, best.best, score)
        self._cool(chains)
        for chain in chains:
            if ensemble.status is None:
                self._anneal_regions(chain, rng)
        self.cost, self.ended = ensemble.evaluated - begin, ensemble.evaluated
        self.known = float(ensemble.best.numbers[BEST])

    def _anneal_regions(self, chain: Walker, rng: np.random.Generator) -> None:
        """Anneal the best network of a chain in regions, until that gains nothing more."""
        ensemble, annealing, walker, idle = self.ensemble, self.annealing, self.annealing.walker, 0
        self._keep(ensemble.best)
        cooled = float(chain.numbers[BEST])
        put(walker, chain.best, cooled)
        while ensemble.status is None and idle < IDLE_CUTS:
            before = float(walker.numbers[BEST])
            annealing.cut(CUT_MOVES, rng)
            idle = 0 if walker.numbers[BEST] > before + TOLERANCE else idle + 1
        if ensemble.status is None:
            self.ends = np.stack([*self.ends, walker.best])[-KEPT_NETWORKS:]
        values = self.number, cooled, walker.numbers[BEST], ensemble.best.numbers[BEST]
        LOG.debug("restart %d: %.4f, then %.4f, best %.4f", *values)

    def _keep(self, found: Walker) -> None:
        """Put the first walker of the ensemble at the best network of another one, if that is better."""
        first = self.ensemble.walkers[0]
        if found.numbers[BEST] > first.numbers[BEST]:
            put(first, found.best, float(found.numbers[BEST]))

    def _cool(self, chains: list[Walker]) -> None:
        """Heat the networks of chains, and cool them; the best network of each is the best while cooling."""
        annealing, ensemble, scorer = self.annealing, self.ensemble, self.ensemble.scorer
        walker, vertices = annealing.walker, np.arange(scorer.n)
        sets = annealing.joint_sets.within(vertices, vertices)
        rules = walk_rules(vertices, best_partners(annealing.gains), annealing.max_clique, sets, self._is_wide)

        def acceptance_rate(temperature: float, count: int) -> float:
            def move(_i: int, chain: Walker, most: int, scratch: ScoreScratch, work: MoveScratch) -> None:
                walk(chain, temperature, min(count, most), scorer.scores, scratch, work, rules, ensemble.stop)

            def total(name: str) -> Any:
                return sum(getattr(chain, name) for chain in chains)

            counts, drawn, taken = total("counts"), total("tried").sum(), total("taken").sum()
            scorer.make_room(int(CACHE_MISS_RATE * count * len(chains)))
            ensemble.spread(move, chains)
            walker.counts[[STEPS, EVALUATED]] += (total("counts") - counts)[[STEPS, EVALUATED]]
            found = max(chains, key=lambda chain: chain.numbers[BEST])
            put(walker, found.best, float(found.numbers[BEST]))
            ensemble.report()
            return (total("taken").sum() - taken) / max(1, total("tried").sum() - drawn)

        self._keep(ensemble.best)
        hottest = hot_end(acceptance_rate, annealing.coldest, HOT_RATE, scorer.n, lambda: ensemble.status is None)
        self._keep(walker)
        for chain in chains:
            put(chain, chain.adjacency, float(chain.numbers[SCORE]))
        for temperature in np.geomspace(hottest, annealing.coldest, COOLING_LEVELS):
            if ensemble.status is None:
                acceptance_rate(temperature, COOLING_MOVES[self._is_wide] * scorer.n // COOLING_LEVELS)
