"""Replica exchange over chordal graphs and orders, at temperatures that adapt to the data.

The chains draw moves (`twlearn.chordal_walk_kernels`); after every round those at adjacent temperatures may exchange
their states (`twlearn.replica_exchange`). The ladder begins at fixed ends, which is right for a thousand rows.
After the first phase, and again when the best network's gain over the one without arcs has grown by a tenth, its ends
are measured. Its rungs are adapted after 1, 2, 4, ... phases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..common.graphs.chordal import are_chordal_within
from ..common.run.state_record import ArrayField, StateRecord, are_random, below_infinity, natural
from .chordal_choice_kernels import ACCEPTED, BEST, DRAWN, SCORE, TRIED, choose_all_families
from .chordal_walk_kernels import walk
from .ladder import Ladder
from .replica_exchange import ReplicaExchange
from .result import are_rows

if TYPE_CHECKING:
    from ..common.run.monitor import Monitor
    from ..common.run.saved import Saved
    from .chordal_choice_kernels import Chain, ChordalProblem

COLDEST, HOTTEST = 0.3, 16.0  # of the first phase
PHASE_ROUNDS = 50  # per phase
CURRENT_ARRAYS = ("adjacency", "order", "place", "choice")  # the arrays of a chain's present network


def score_without_arcs(problem: ChordalProblem) -> float:
    """The score of the network without arcs.

    Parameters
    ----------
    problem : ChordalProblem or Families
    """
    return float(problem.scores[problem.start[1:] - 1].sum())


class FamilyWalks:
    """The chains, for `ReplicaExchange`.

    Parameters
    ----------
    monitor
        An iteration is a move.
    """

    def __init__(self, problem: ChordalProblem, chains: list[Chain], monitor: Monitor) -> None:
        self.problem, self.chains, self.monitor = problem, chains, monitor

    def run(self, chains: list[Chain], temperatures: list[float] | np.ndarray, moves: int) -> bool:
        """Draw this number of moves of each chain at its temperature; returns whether no limit cut that short."""
        monitor, before = self.monitor, self.drawn
        left = monitor.iterations_left
        own = moves if left is None else min(moves, -(-left // len(chains)))

        def walk_chain(i: int) -> None:
            walk(self.problem, chains[i], temperatures[i], own, monitor.stop.flag)

        list(monitor.map(walk_chain, range(len(chains))))
        monitor.advance(self.drawn - before)
        return own == moves and monitor.should_continue()

    @property
    def drawn(self) -> int:
        """Moves drawn by all chains."""
        return sum(int(chain.counts[DRAWN]) for chain in self.chains)

    @property
    def best(self) -> Chain:
        """The chain with the best network."""
        return max(self.chains, key=lambda chain: chain.numbers[BEST])

    def counts(self, chain: Chain) -> tuple[int, int]:
        """The numbers of moves of a chain that were tried and accepted so far."""
        return chain.counts[TRIED], chain.counts[ACCEPTED]

    def score(self, chain: Chain) -> float:
        """Score of a chain's current network."""
        return chain.numbers[SCORE]

    def best_score(self) -> float:
        """Score of the best network of all."""
        return self.best.numbers[BEST]

    def current_arrays(self, chain: Chain) -> list[np.ndarray]:
        """The arrays that contain a chain's current network and its score, not copies."""
        return [*(getattr(chain, name) for name in CURRENT_ARRAYS), chain.numbers[SCORE : SCORE + 1]]

    def put_at_best(self, chain: Chain) -> None:
        """Put a chain at the best network of all."""
        best = self.best
        chain.adjacency[:], chain.order[:] = best.best_adjacency, best.best_order
        choose_all_families(self.problem, chain)


class Replicas:
    """The chains and their temperatures.

    Parameters
    ----------
    chains
        The first is the coldest; reordered by exchanges.
    random : uint64[4]
        Of the exchanges, advanced.
    """

    def __init__(self, problem: ChordalProblem, chains: list[Chain], random: np.ndarray, monitor: Monitor) -> None:
        self.chains = chains
        self.walks = FamilyWalks(problem, chains, monitor)
        ladder = Ladder(COLDEST, HOTTEST, len(chains))
        self.exchange = ReplicaExchange(self.walks, chains, random, score_without_arcs(problem), ladder)

    @property
    def best(self) -> Chain:
        """The chain with the best network."""
        return self.walks.best

    def state(self) -> dict[str, np.ndarray]:
        """The state to continue from: for each array of the chains, one row per chain."""
        return self._chain_record.save(self.chains) | self.exchange.state()

    def restore(self, saved: Saved) -> None:
        """Continue where an earlier part of the run ended."""
        self._chain_record.load(saved, self.chains)
        self.exchange.restore(saved)

    @property
    def _chain_record(self) -> StateRecord:
        """The arrays of a chain that its next moves depend on, and its best network."""
        problem = self.walks.problem

        def are_graphs(graphs: np.ndarray, _: list[Chain]) -> bool:
            return are_chordal_within(graphs, problem.width + 1)

        def are_orders(rows: np.ndarray, _: list[Chain]) -> bool:
            return (np.sort(rows, axis=1) == np.arange(rows.shape[1])).all()

        def are_choices(rows: np.ndarray, _: list[Chain]) -> bool:
            return are_rows(rows, problem)

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
        return self.exchange.round()

    def adapt(self) -> bool:
        """Adapt the ladder, if it is time; returns whether no limit cut that short."""
        if self.exchange.rounds % PHASE_ROUNDS:
            return True
        self.exchange.ladder.end_phase()
        return self.exchange.fit()
