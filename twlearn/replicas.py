"""Replica exchange over chordal graphs and orders, at temperatures that adapt to the data.

The chains draw moves (`twlearn.chordal_walk_kernels`); after every round those at adjacent temperatures may exchange
their states (`common.search.replica_exchange`), so that good networks move to the cold end while the hot end keeps
finding new ones. The ladder (`common.search.ladder`) begins at fixed ends, which is right for a thousand rows. After
the first phase, and again when the best network's gain over the one without arcs has grown by a tenth, its ends are
measured: a chain is heated from the best network, with a few thousand moves at each temperature. Its rungs are adapted
after 1, 2, 4, ... phases.
"""

import logging

import numpy as np

from ..common.chains.ladder import Ladder, heated_range
from ..common.chains.replica_exchange import exchange_replicas
from .chordal_choice_kernels import BEST, DRAWN, SCORE, settle
from .chordal_walk_kernels import walk

LOG = logging.getLogger("cliquewise")

COLDEST, HOTTEST = 0.3, 16.0  # of the first phase
MOVES = 1000  # per chain, between exchanges
ROUNDS = 50  # per phase
HEATING = 4000  # moves at each temperature tried
GROWTH = 1.1  # growth of the best network's gain over the one without arcs, for new ends
FORBIDDEN = 100.0  # times the median loss: the largest loss of a variable without parents that is taken as a score
STATE = ("adjacency", "order", "place", "choice", "numbers")  # the arrays of a chain's present network


def score_without_arcs(problem):
    """The score of the network without arcs: a float. Of a variable that must have parents, a large loss stands for it.

    Parameters
    ----------
    problem : Problem or Families
    """
    best, none = problem.scores[problem.start[:-1]], problem.scores[problem.start[1:] - 1]
    losses = best - none
    usual = np.median(losses[losses > 0.0]) if (losses > 0.0).any() else 0.0
    return float((best - np.minimum(losses, FORBIDDEN * usual)).sum())


class Replicas:
    """The chains and their temperatures.

    Parameters
    ----------
    problem : Problem
    chains : list of Chain
        The first is the coldest; reordered by exchanges.
    random : uint64[4]
        Of the exchanges, advanced.

    Attributes
    ----------
    ladder : Ladder
    rounds : int
    """

    def __init__(self, problem, chains, random):
        self.problem, self.chains, self.random, self.rounds = problem, chains, random, 0
        self.ladder = Ladder(COLDEST, HOTTEST, len(chains))
        self._empty = score_without_arcs(problem)
        self._measured = 0.0

    @property
    def drawn(self):
        """Moves drawn by all chains."""
        return sum(int(chain.counts[DRAWN]) for chain in self.chains)

    @property
    def best(self):
        """The chain with the best network."""
        return max(self.chains, key=lambda chain: chain.numbers[BEST])

    def state(self):
        """The state to continue from, besides the chains: a dict for `go_on_from`."""
        own = {"exchange": self.random.copy(), "rounds": self.rounds, "measured": self._measured}
        return own | self.ladder.state()

    def go_on_from(self, saved):
        """Continue where an earlier part of the run ended.

        Parameters
        ----------
        saved : Saved
        """
        self.random[:] = saved.array("exchange", self.random)
        self.rounds = saved.value("rounds", int, lambda rounds: rounds >= 0)
        self._measured = saved.value("measured", float)
        self.ladder = Ladder.saved(saved, len(self.chains))

    def round(self, monitor):
        """One round of moves and exchanges; returns whether it was a whole one, not cut short by a limit."""
        left, chains = monitor.iterations_left, self.chains
        moves = MOVES if left is None else min(MOVES, -(-left // len(chains)))

        def go_on(i):
            before = chains[i].counts.copy()
            walk(self.problem, chains[i], self.ladder.temperatures[i], moves, monitor.stop)
            _, tried, taken = (chains[i].counts - before).tolist()
            self.ladder.count_moves(i, tried, taken)

        list(monitor.map(go_on, range(len(chains))))
        scores = [chain.numbers[SCORE] for chain in chains]
        exchanged = exchange_replicas(chains, scores, self.ladder.temperatures, self.random, self.rounds)
        self.ladder.count_exchanges(self.rounds, exchanged)
        self.rounds += 1
        return moves == MOVES and monitor.may_go_on()

    def adapt(self, monitor):
        """Adapt the ladder, if it is time; returns whether no limit cut that short."""
        if self.rounds % ROUNDS:
            return True
        self.ladder.end_phase()
        gain = float(self.best.numbers[BEST]) - self._empty
        if gain <= GROWTH * self._measured:
            return True
        self._measured = gain
        coldest, hottest = self._ends(monitor)
        self.ladder.stretch(coldest, hottest)
        LOG.debug("temperatures from %.3g to %.3g, %d chains", coldest, hottest, len(self.chains))
        return monitor.may_go_on()

    def _ends(self, monitor):
        """Heat the coldest chain from the best network, as far as the limits allow; returns the ends of the ladder."""
        problem, chain, best = self.problem, self.chains[0], self.best
        kept = {name: getattr(chain, name).copy() for name in STATE}
        chain.adjacency[:], chain.order[:] = best.best_adjacency, best.best_order
        settle(problem, chain)
        allowed, first = monitor.iterations_left, int(chain.counts[DRAWN])

        def measure(temperature):
            before = chain.counts.copy()
            left = HEATING if allowed is None else max(0, min(HEATING, allowed + first - int(before[DRAWN])))
            walk(problem, chain, temperature, left, monitor.stop)
            drawn, tried, taken = (chain.counts - before).tolist()
            rate = taken / max(1, tried) if drawn == HEATING else 1.0
            return rate, chain.numbers[SCORE] if drawn == HEATING else -np.inf, self.best.numbers[BEST]

        ends = heated_range(measure, self._empty)
        record = chain.numbers[BEST]
        for name, values in kept.items():
            getattr(chain, name)[:] = values
        chain.numbers[BEST] = record
        return ends
