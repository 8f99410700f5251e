"""Replica exchange: chains at the temperatures of a ladder that exchange their states; the ladder adapts to the data.

Chain i draws Metropolis moves at temperature T_i: for networks of score s, its distribution p_i(G) is proportional to
exp(s(G) / T_i). Exchanging the states G, H of the chains i and j is a Metropolis move of the joint chain, accepted
with probability

    min(1, p_i(H) p_j(G) / (p_i(G) p_j(H))) = min(1, exp((1/T_i - 1/T_j) (s(H) - s(G))))

(Swendsen and Wang 1986; Geyer 1991). So good networks move to the cold end while the hot end keeps finding new ones.
Only adjacent temperatures are tried, the pairs (0, 1), (2, 3), ... and (1, 2), (3, 4), ... in turn, which are
independent of each other.

The exchange is done between the rounds of moves, by one thread and with separate random numbers: the same seed gives
the same exchanges with any number of threads. (The rounds of `mnposterior` are too short for that, see
`mnposterior.chains_kernels`.)

The ends of the ladder (`twlearn.ladder`) are measured at the first `fit`, and again whenever the best network's
gain over the empty one has grown by a tenth: a chain is heated from the best network, with a few thousand moves at each
temperature, a tenth of a second in all. On data where no single edge gains anything, the right hot end is unknown until
the first strong set is found.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..common.chains.metropolis_kernels import exchange_probability
from ..common.compiled.random_kernels import uniform
from ..common.run.saved import Saved
from ..common.run.state_record import ArrayField, StateRecord, ValueField, are_random, natural
from .ladder import Ladder, heated_range

LOG = logging.getLogger("cliquewise")

ROUND_MOVES = 1000  # per chain, between exchanges
HEATING_MOVES = 4000  # moves at each temperature tried
GROWTH = 1.1  # growth of the best network's gain over the empty one, for new ends


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


class ChainWalks(Protocol):
    """The operations on chains that replica exchange needs."""

    def run(self, chains: list[Any], temperatures: np.ndarray, moves: int) -> bool:
        """Draw this number of moves of each chain at its temperature; returns whether no limit cut that short."""

    def counts(self, chain: Any) -> tuple[int, int]:
        """The numbers of moves of a chain that were drawn and accepted so far."""

    def score(self, chain: Any) -> float:
        """Score of a chain's current network."""

    def best_score(self) -> float:
        """Score of the best network of all."""

    def current_arrays(self, chain: Any) -> list[np.ndarray]:
        """The arrays that contain a chain's current network and its score, not copies."""

    def put_at_best(self, chain: Any) -> None:
        """Put a chain at the best network of all."""


class ReplicaExchange:
    """Chains with replica exchange.

    Parameters
    ----------
    chains : list
        chains[i] is the chain on rung i; reordered by exchanges.
    random : uint64[4]
        Of the exchanges, advanced.
    empty
        Score of the empty network.
    ladder
        The first one, with a rung for each chain.

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

    def __init__(self, walks: ChainWalks, chains: list[Any], random: np.ndarray, empty: float, ladder: Ladder) -> None:
        self.walks, self.chains, self.random, self.empty, self.ladder = walks, chains, random, empty, ladder
        self.rounds = 0
        self.measured = 0.0  # gain over the empty network when the ends were last measured

    def state(self) -> dict[str, Any]:
        """The state to continue from, without the chains."""
        return self.record.save(self) | self.ladder.state()

    def restore(self, saved: Saved) -> None:
        """Continue where an earlier part of the run ended."""
        self.record.load(saved, self)
        self.ladder = Ladder.from_saved(saved, len(self.chains))

    def round(self) -> bool:
        """One round of moves and exchanges; returns whether it was a whole one, not cut short by a limit."""
        walks, chains, ladder = self.walks, self.chains, self.ladder
        is_whole = walks.run(chains, ladder.temperatures, ROUND_MOVES)
        scores = list(map(walks.score, chains))
        exchanged = exchange_replicas(chains, scores, ladder.temperatures, self.random, self.rounds)
        ladder.count_exchanges(self.rounds, exchanged)
        self.rounds += 1
        return is_whole

    def fit(self) -> bool:
        """Measure the ends of the ladder again, if the best network has gained enough.

        Returns
        -------
        bool
            Whether the measurement was completed; if a limit cut it short, nothing is changed.
        """
        gain = float(self.walks.best_score()) - self.empty
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
        walks, chain, is_whole = self.walks, self.chains[0], True
        before = [array.copy() for array in walks.current_arrays(chain)]
        walks.put_at_best(chain)

        def measure(temperature: float) -> tuple[float, float, float]:
            nonlocal is_whole
            drawn, taken = walks.counts(chain)
            is_whole = walks.run([chain], np.array([temperature]), HEATING_MOVES)
            if not is_whole:
                return 1.0, -np.inf, walks.best_score()
            now = walks.counts(chain)
            return (now[1] - taken) / max(1, now[0] - drawn), walks.score(chain), walks.best_score()

        ends = heated_range(measure, self.empty)
        for array, values in zip(walks.current_arrays(chain), before, strict=True):
            array[:] = values
        return ends if is_whole else None
