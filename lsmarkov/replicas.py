"""Replica exchange: chains at the temperatures of a ladder that adapts to the data.

All chains draw moves (`lsmarkov.exchange_kernels`); after every round those at adjacent temperatures may exchange their
states (`common.search.replica_exchange`). The ladder (`common.search.ladder`) is determined at the beginning of the
first phase: a chain is heated from the best network, with a few thousand moves at each temperature, a tenth of a second
in all. It is determined again when the best network's gain over the empty one has grown by a tenth: on data where no
single edge gains anything, the right hot end is unknown until the first strong set is found.

When there was no improvement for some phases, the hot end is lowered to a half and a quarter of its value, and then
raised again: the cold rungs are then closer to each other, and their chains exchange more often.
"""

import logging

import numpy as np

from ..common.chains.ladder import COLDEST, Ladder, heated_range
from ..common.chains.replica_exchange import exchange_replicas
from ..common.run.checkpoint import is_permutation
from .ensemble import put
from .exchange_kernels import walk
from .joint import JointSets
from .walker_kernels import BEST, SCORE, TOLERANCE

LOG = logging.getLogger("cliquewise")

MOVES = 1000  # per chain, between exchanges
HEATING = 4000  # moves at each temperature tried
ROUNDS = 100  # per phase
GROWTH = 1.1  # growth of the best network's gain over the empty one, for a new ladder
LOOKS = 4  # batches of sets evaluated for joint moves before a phase, if the last one brought nothing
STALE = 8  # phases without improvement, for another hot end
HOT_ENDS = (1.0, 0.5, 0.25)  # in turn, as shares of the hot end determined


class Exchange:
    """Chains with replica exchange.

    Parameters
    ----------
    ensemble : Ensemble
    chains : list of Walker, at least two
        chains[i] is the chain on rung i.
    rules : WalkRules
    """

    def __init__(self, ensemble, chains, rules):
        self.ensemble = ensemble
        self.rules = rules
        self.chains = chains
        self.random = chains[0].random.copy()
        self.ladder = None
        self.rounds = 0
        scorer = ensemble.scorer
        self.joint_sets = JointSets(scorer, rules.max_clique, int(self.random[0]))
        self._empty = sum(scorer.score((v,)) for v in range(scorer.n))
        self._measured = 0.0  # gain over the empty network when the ladder was last determined
        self._ends = COLDEST, COLDEST
        self._best = -np.inf
        self._stale = 0

    def state(self):
        """The state to continue from, besides the chains: a dict for `go_on_from`."""
        number = {id(walker): i for i, walker in enumerate(self.ensemble.walkers)}
        state = {"rungs": [number[id(chain)] for chain in self.chains], "exchange": self.random.copy()}
        state |= {"rounds": self.rounds, "measured": float(self._measured), "ends": list(map(float, self._ends))}
        state |= {"known": float(self._best), "stale": self._stale, **self.joint_sets.state()}
        return state if self.ladder is None else state | self.ladder.state()

    def go_on_from(self, saved):
        """Continue where an earlier part of the run ended.

        Parameters
        ----------
        saved : Saved
        """
        walkers, count = self.ensemble.walkers, len(self.chains)
        rungs = saved.value("rungs", list, lambda rungs: is_permutation(rungs, count))
        self.chains = [walkers[i] for i in rungs]
        self.random = saved.array("exchange", self.random)
        self.rounds = saved.value("rounds", int, lambda rounds: rounds >= 0)
        self._measured = saved.value("measured", float)
        self._ends = tuple(saved.value("ends", list, lambda ends: 0.0 < ends[0] <= ends[1] and len(ends) == 2))
        self._best, self._stale = saved.value("known", float), saved.value("stale", int, lambda stale: stale >= 0)
        self.joint_sets.go_on_from(saved)
        self.ladder = Ladder.saved(saved, count) if "ladder-temperatures" in saved else None

    def phase(self):
        """Run some rounds. Better networks found elsewhere are adopted: first by all chains, later by the coldest."""
        best = self.ensemble.best
        score = float(best.numbers[BEST])
        if score > max(chain.numbers[BEST] for chain in self.chains) + TOLERANCE:
            for chain in self.chains[:1] if self.rounds else self.chains:
                put(chain, best.best, score)
        for _ in range(LOOKS if self._stale else 1):
            self.joint_sets.look(self.ensemble.monitor.map, self.ensemble.stop)
        self.rules = self.rules._replace(joint_sets=self.joint_sets.listed)
        self._fit_ladder(score)
        for _ in range(ROUNDS):
            if self.ensemble.status is not None or not self.ensemble.run_slice(self._go_on, self.chains, MOVES):
                return
            self.rounds += 1
            scores = [chain.numbers[SCORE] for chain in self.chains]
            exchanged = exchange_replicas(self.chains, scores, self.ladder.temperatures, self.random, self.rounds)
            self.ladder.count_exchanges(self.rounds, exchanged)
        self.ensemble.tell(self.ladder)
        self._say_rates()
        self.ladder.end_phase()

    def _fit_ladder(self, score):
        """Determine the ladder, or lower its hot end, when it is time."""
        self._stale = 0 if score > self._best + TOLERANCE else self._stale + 1
        self._best = max(score, self._best)
        if self.ladder is None or score - self._empty > GROWTH * self._measured:
            self._measured = max(score - self._empty, 0.0)
            self._ends = self._measure()
        elif self._stale == 0 or self._stale % STALE:
            return
        coldest, hottest = self._ends
        hottest = max(coldest, hottest * HOT_ENDS[self._stale // STALE % len(HOT_ENDS)])
        if self.ladder is None:
            self.ladder = Ladder(coldest, hottest, len(self.chains))
        else:
            self.ladder.stretch(coldest, hottest)
        LOG.debug("temperatures from %.3g to %.3g, %d chains", coldest, hottest, len(self.chains))

    def _say_rates(self):
        ladder, phases = self.ladder, self.ladder.phases + 1
        if phases & (phases - 1) == 0:
            shares = [
                f"{rates.min():.0%} to {rates.max():.0%}" for rates in (ladder.exchange_rates, ladder.acceptance_rates)
            ]
            LOG.debug("phase %d: %s of the exchanges taken, %s of the moves", phases, *shares)

    def _measure(self):
        """Heat the coldest chain from the best network; returns the ends of the ladder."""
        ensemble, chain = self.ensemble, self.chains[0]
        kept, kept_score = chain.adjacency.copy(), chain.numbers[SCORE]
        best = ensemble.best
        chain.adjacency[:], chain.numbers[SCORE] = best.best, best.numbers[BEST]

        def measure(temperature):
            before = chain.tried.sum(), chain.taken.sum()
            running = ensemble.run_slice(self._at(temperature), [chain], HEATING) if ensemble.status is None else False
            drawn, taken = chain.tried.sum() - before[0], chain.taken.sum() - before[1]
            rate = taken / max(1, drawn) if running else 1.0
            return rate, chain.numbers[SCORE] if running else -np.inf, ensemble.best.numbers[BEST]

        ends = heated_range(measure, self._empty)
        chain.adjacency[:], chain.numbers[SCORE] = kept, kept_score
        return ends

    def _at(self, temperature):
        """Function for `run_slice`: heat a chain."""

        def go_on(_, walker, moves, scratch, work):
            scores, stop = self.ensemble.scorer.scores, self.ensemble.stop
            walk(walker, temperature, moves, scores, scratch, work, self.rules, stop)

        return go_on

    def _go_on(self, i, walker, moves, scratch, work):
        drawn, taken = walker.tried.sum(), walker.taken.sum()
        temperature, scores, stop = self.ladder.temperatures[i], self.ensemble.scorer.scores, self.ensemble.stop
        walk(walker, temperature, moves, scores, scratch, work, self.rules, stop)
        self.ladder.count_moves(i, walker.tried.sum() - drawn, walker.taken.sum() - taken)
