"""Standard errors of chains that also draw missing cells; a unit is the time between two draws of a chain's cells.

In a unit, thousands of networks are drawn given one completed table. Their mean is known well, but it is the mean given
this table. So the variance is computed from the means of units, and their autocorrelations give the number of
independent ones. When the capacity is reached, neighbouring units are merged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..common.chains.diagnostics import FEWEST, effective_samples, halves, plain_effective_samples
from .draws_kernels import COUNT, ROUNDS_PER_DRAW, ROUNDS_SINCE_DRAW

if TYPE_CHECKING:
    from .draws_kernels import Draws

CAPACITY, LEAST_CAPACITY = 256, 16  # units of a chain, both even
CAPACITY_BYTES = 1 << 26


def unit_capacity(pairs: int) -> int:
    """The number of units for which a chain has memory, given the number of pairs of variables."""
    capacity = CAPACITY
    while capacity > LEAST_CAPACITY and capacity * pairs * 4 > CAPACITY_BYTES:
        capacity //= 2
    return capacity


class CellDraws:
    """The units of one chain.

    Parameters
    ----------
    draws
        Of the chain.
    rounds
        Of a unit, before any are merged.

    Attributes
    ----------
    count : int
        Of full units.
    rounds_per_unit : int
        `rounds`, doubled whenever units are merged.
    """

    def __init__(self, draws: Draws, rounds: int) -> None:
        self._draws, self._rounds = draws, rounds
        self._sums = np.zeros((unit_capacity(draws.sums.shape[1]), draws.sums.shape[1]), np.float32)
        self._scores = np.zeros(len(self._sums))
        self.reset()

    def reset(self) -> None:
        """Discard all units, as the draws were discarded."""
        self._sums[:] = 0.0
        self.count, self.rounds_per_unit, self._filled = 0, self._rounds, 0
        self._total_before = np.zeros(self._sums.shape[1], np.int64)
        self._rounds_before = 0

    def add(self, score: float) -> None:
        """End a unit, before the chain draws its cells; a unit that was interrupted does not count.

        Parameters
        ----------
        score
            Of the chain's present network.
        """
        numbers, total = self._draws.numbers, self._draws.sums.sum(0, dtype=np.int64)
        rounds = int(numbers[COUNT] * numbers[ROUNDS_PER_DRAW] + numbers[ROUNDS_SINCE_DRAW])
        done, self._rounds_before = rounds - self._rounds_before, rounds
        seen, self._total_before = total - self._total_before, total
        if done != self._rounds:
            return
        if self.count == len(self._sums):
            self.count //= 2
            self.rounds_per_unit *= 2
            self._sums[: self.count] = self._sums[::2] + self._sums[1::2]
            self._sums[self.count :] = 0.0
            self._scores[: self.count] = self._scores[1::2]
        self._sums[self.count] += seen
        self._scores[self.count] = score
        self._filled += done
        if self._filled == self.rounds_per_unit:
            self.count, self._filled = self.count + 1, 0

    def means(self, first: int, pairs: np.ndarray) -> np.ndarray:
        """The share of rounds with each of some edges, by unit: float64[units, edges].

        Parameters
        ----------
        first
            Rounds that are left out, at least.
        pairs
            Numbers of the edges.
        """
        return self._sums[self._from(first) : self.count][:, pairs] / float(self.rounds_per_unit)

    def scores(self, first: int) -> np.ndarray:
        """The scores at the end of each unit: float64[units]."""
        return self._scores[self._from(first) : self.count]

    def _from(self, rounds: int) -> int:
        return -(-rounds // self.rounds_per_unit)


def effective_edges(chains: list[CellDraws], first: int, pairs: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Number of independent networks whose mean would have the standard error of each edge.

    Parameters
    ----------
    chains
    first
        Rounds of each that are left out, at least.
    pairs, shares : int64[edges], float64[edges]
        Numbers of the edges, and their probabilities.

    Returns
    -------
    float64[edges]
        NaN for a probability of 1; the number of units where there are too few for an estimate.
    """
    count = min((len(chain.scores(first)) for chain in chains), default=0)
    sizes = np.full(len(pairs), float(max(1, count * len(chains))))
    sizes[shares == 1.0] = np.nan
    if count // 2 < FEWEST:
        return sizes
    means = np.array([chain.means(first, pairs)[-count:] for chain in chains]).transpose(2, 0, 1)
    independent, variance = plain_effective_samples(halves(means)), means.var(axis=(1, 2), ddof=1)
    varies = (variance > 0) & (independent > 0) & (shares < 1.0)
    sizes[varies] = (shares * (1 - shares) * independent)[varies] / variance[varies]
    return sizes


def effective_scores(chains: list[CellDraws], first: int) -> float:
    """The effective sample size of the score at the ends of the units, NaN if there are too few."""
    count = min(len(chain.scores(first)) for chain in chains)
    return effective_samples(np.array([chain.scores(first)[len(chain.scores(first)) - count :] for chain in chains]))
