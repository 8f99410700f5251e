"""Replica exchange: chains at the temperatures of a ladder that exchange their states; the ladder adapts to the data.

Chain i draws Metropolis moves at temperature T_i (`twlearn.chordal_walk_kernels`): for networks of score s, its
distribution p_i(G) is proportional to exp(s(G) / T_i). Exchanging the states G, H of the chains i and j is a Metropolis
move of the joint chain, accepted with probability

    min(1, p_i(H) p_j(G) / (p_i(G) p_j(H))) = min(1, exp((1/T_i - 1/T_j) (s(H) - s(G))))

(Swendsen and Wang 1986; Geyer 1991). So good networks move to the cold end while the hot end keeps finding new ones.
Only adjacent temperatures are tried, the pairs (0, 1), (2, 3), ... and (1, 2), (3, 4), ... in turn, which are
independent of each other.

The exchange is done between the rounds of moves, by one thread and with separate random numbers: the same seed gives
the same exchanges with any number of threads. (The rounds of `mnposterior` are too short for that, see
`mnposterior.chains_kernels`.)

The ladder begins at fixed ends, which is right for a thousand rows. Its ends (`twlearn.ladder`) are measured after the
first phase, and again whenever the best network's gain over the one without arcs has grown by a tenth: a chain is
heated from the best network, with a few thousand moves at each temperature, a tenth of a second in all. On data where
no single edge gains anything, the right hot end is unknown until the first strong set is found. The rungs between are
adapted after 1, 2, 4, ... phases.
"""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING

import numpy as np

from ..common.chains.metropolis_kernels import exchange_probability
from ..common.compiled.random_kernels import uniform
from ..common.graphs.chordal import are_chordal_within
from ..common.run.state_record import ArrayField, StateRecord, ValueField, are_random, below_infinity, natural
from .chordal_choice_kernels import ACCEPTED, BEST, DRAWN, SCORE, TRIED, choose_all_families
from .chordal_walk_kernels import walk
from .ladder import Ladder, heated_range
from .result import are_rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..common.run.monitor import Monitor
    from ..common.run.saved import Saved
    from .chordal_choice_kernels import Chain, ChordalProblem

LOG = logging.getLogger("cliquewise")

FIRST_COLDEST, FIRST_HOTTEST = 0.3, 16.0  # of the first phase
ROUND_MOVES = 1000  # per chain, between exchanges
PHASE_ROUNDS = 50  # per phase
HEATING_MOVES = 4000  # moves at each temperature tried
GROWTH = 1.1  # growth of the best network's gain over the empty one, for new ends
CURRENT_ARRAYS = ("adjacency", "order", "place", "choice")  # the arrays of a chain's present network


def exchange_replicas(
    chains: list[Any], scores: Sequence[float], temperatures: np.ndarray, random: np.ndarray, round_number: int
) -> list[int]:
    """Try to exchange every second pair of adjacent chains in a list.

    Parameters
    ----------
    chains : list
        chains[i] is the chain at temperatures[i]; reordered in place.
    scores
        Of the chains' current networks, in the same order.
    temperatures : float64[k]
        Positive, ascending; in units of log score.
    random : uint64[4]
        Random state, advanced.
    round_number
        Even: the pairs (0, 1), (2, 3), ...; odd: (1, 2), (3, 4), ...

    Returns
    -------
    list of int
        The i for which the chains i and i + 1 were exchanged.
    """
    beta = 1.0 / temperatures
    exchanged = []
    for i in range(round_number % 2, len(chains) - 1, 2):
        probability = exchange_probability(beta[i], beta[i + 1], scores[i], scores[i + 1])
        if uniform(random) < probability:
            chains[i], chains[i + 1] = chains[i + 1], chains[i]
            exchanged.append(i)
    return exchanged


def compile_exchange() -> None:
    """Compile its kernels."""
    exchange_replicas([0, 1], [0.0, 0.0], np.ones(2), np.zeros(4, np.uint64), 0)


def score_without_arcs(problem: ChordalProblem) -> float:
    """The score of the network without arcs.

    Parameters
    ----------
    problem : ChordalProblem or ScoredFamilies
    """
    return float(problem.scores[problem.start[1:] - 1].sum())


class ReplicaExchange:
    """Chains with replica exchange.

    Parameters
    ----------
    problem
    chains
        chains[i] is the chain on rung i, the first the coldest; reordered by exchanges.
    random : uint64[4]
        Of the exchanges, advanced.
    monitor
        An iteration is a move.

    Attributes
    ----------
    rounds : int
        Number of the next round.
    """

    record = StateRecord(
        ArrayField("random", are_random),
        ValueField("rounds", int, natural),
        ValueField("measured", float, lambda gain, _: 0.0 <= gain < math.inf),
        prefix="exchange-",
    )

    def __init__(self, problem: ChordalProblem, chains: list[Chain], random: np.ndarray, monitor: Monitor) -> None:
        self.problem, self.chains, self.random, self.monitor = problem, chains, random, monitor
        self.ladder, self.empty = Ladder(FIRST_COLDEST, FIRST_HOTTEST, len(chains)), score_without_arcs(problem)
        self.rounds = 0
        self.measured = 0.0  # gain over the empty network when the ends were last measured

    @property
    def best(self) -> Chain:
        """The chain with the best network."""
        return max(self.chains, key=lambda chain: chain.numbers[BEST])

    def state(self) -> dict[str, Any]:
        """The state to continue from: for each array of the chains, one row per chain."""
        return self._chain_record.save(self.chains) | self.record.save(self) | self.ladder.state()

    def restore(self, saved: Saved) -> None:
        """Continue where an earlier part of the run ended."""
        self._chain_record.load(saved, self.chains)
        self.record.load(saved, self)
        self.ladder = Ladder.from_saved(saved, len(self.chains))

    @property
    def _chain_record(self) -> StateRecord:
        """The arrays of a chain that its next moves depend on, and its best network."""

        def are_graphs(graphs: np.ndarray, _: list[Chain]) -> bool:
            return are_chordal_within(graphs, self.problem.width + 1)

        def are_orders(rows: np.ndarray, _: list[Chain]) -> bool:
            return (np.sort(rows, axis=1) == np.arange(rows.shape[1])).all()

        def are_choices(rows: np.ndarray, _: list[Chain]) -> bool:
            return are_rows(rows, self.problem)

        return StateRecord(
            ArrayField("adjacency", are_graphs),
            ArrayField("order", are_orders),
            ArrayField("place", are_orders),
            ArrayField("choice", are_choices),
            ArrayField("best_adjacency", are_graphs),
            ArrayField("best_order", are_orders),
            ArrayField("best_choice", are_choices),
            ArrayField("numbers", below_infinity),
            ArrayField("counts", natural),
            ArrayField("random", are_random),
        )

    def round(self) -> bool:
        """One round of moves and exchanges; returns whether it was a whole one, not cut short by a limit."""
        is_whole = self._walk(self.chains, self.ladder.temperatures, ROUND_MOVES)
        scores = [chain.numbers[SCORE] for chain in self.chains]
        exchanged = exchange_replicas(self.chains, scores, self.ladder.temperatures, self.random, self.rounds)
        self.ladder.count_exchanges(self.rounds, exchanged)
        self.rounds += 1
        return is_whole

    def adapt(self) -> bool:
        """Adapt the ladder after a phase; returns whether no limit cut that short."""
        if self.rounds % PHASE_ROUNDS:
            return True
        self.ladder.end_phase()
        return self.fit()

    def fit(self) -> bool:
        """Measure the ends of the ladder again, if the best network has gained enough.

        Returns
        -------
        bool
            Whether the measurement was completed; if a limit cut it short, nothing is changed.
        """
        gain = float(self.best.numbers[BEST]) - self.empty
        if gain <= GROWTH * self.measured:
            return True
        ends = self._measure()
        if ends is None:
            return False
        self.measured, (coldest, hottest) = max(gain, 0.0), ends
        self.ladder.stretch(coldest, hottest)
        LOG.debug("temperatures from %.3g to %.3g, %d chains", coldest, hottest, len(self.chains))
        return True

    def _measure(self) -> tuple[float, float] | None:
        """The ends of the ladder: the coldest chain is heated from the best network; None if a limit cut that short."""
        chain, is_whole = self.chains[0], True
        current = [*(getattr(chain, name) for name in CURRENT_ARRAYS), chain.numbers[SCORE : SCORE + 1]]
        before = [array.copy() for array in current]
        self._put_at_best(chain)

        def measure(temperature: float) -> tuple[float, float, float]:
            nonlocal is_whole
            counts = chain.counts.copy()
            is_whole = self._walk([chain], np.array([temperature]), HEATING_MOVES)
            if not is_whole:
                return 1.0, -np.inf, self.best.numbers[BEST]
            more = chain.counts - counts
            return more[ACCEPTED] / max(1, more[TRIED]), chain.numbers[SCORE], self.best.numbers[BEST]

        ends = heated_range(measure, self.empty)
        for array, values in zip(current, before, strict=True):
            array[:] = values
        return ends if is_whole else None

    def _put_at_best(self, chain: Chain) -> None:
        """Put a chain at the best network of all."""
        best = self.best
        chain.adjacency[:], chain.order[:] = best.best_adjacency, best.best_order
        choose_all_families(self.problem, chain)

    def _walk(self, chains: list[Chain], temperatures: np.ndarray, moves: int) -> bool:
        """Draw this number of moves of each chain at its temperature; returns whether no limit cut that short."""
        monitor, before = self.monitor, self._drawn
        left = monitor.iterations_left
        own = moves if left is None else min(moves, -(-left // len(chains)))

        def walk_chain(i: int) -> None:
            walk(self.problem, chains[i], temperatures[i], own, monitor.stop.flag)

        list(monitor.map(walk_chain, range(len(chains))))
        monitor.advance(self._drawn - before)
        return own == moves and monitor.should_continue()

    @property
    def _drawn(self) -> int:
        """Moves drawn by all chains."""
        return sum(int(chain.counts[DRAWN]) for chain in self.chains)
