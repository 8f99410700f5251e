"""Batch means: standard errors of chains that also draw missing cells.

A batch is the part of a chain between two draws of its cells. In a batch, thousands of networks are drawn given one
completed table. Their mean is known well, but it is the mean given this table. So the variance is computed from the
means of batches, and their autocorrelations give the number of independent ones. When the capacity is reached,
neighbouring batches are merged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..common.chains.diagnostics import MIN_DRAWS, effective_samples, halves, plain_effective_samples
from .draws_kernels import COUNT, ROUNDS_PER_DRAW, ROUNDS_SINCE_DRAW

if TYPE_CHECKING:
    from .draws_kernels import Draws

MAX_BATCHES, MIN_BATCHES = 256, 16  # capacity of a chain with few and with many pairs of variables, both even
MAX_BYTES = 1 << 26  # of a chain, unless MIN_BATCHES need more


def batch_capacity(pairs: int) -> int:
    """The number of batches for which a chain has memory, given the number of pairs of variables."""
    capacity = MAX_BATCHES
    while capacity > MIN_BATCHES and capacity * pairs * 4 > MAX_BYTES:
        capacity //= 2
    return capacity


class BatchMeans:
    """The batches of one chain.

    Parameters
    ----------
    draws
        Of the chain.
    rounds
        Of a batch, before any are merged.

    Attributes
    ----------
    count : int
        Of full batches.
    rounds_per_batch : int
        `rounds`, doubled whenever batches are merged.
    """

    def __init__(self, draws: Draws, rounds: int) -> None:
        self._draws, self._rounds = draws, rounds
        self._sums = np.zeros((batch_capacity(draws.sums.shape[1]), draws.sums.shape[1]), np.float32)
        self._scores = np.zeros(len(self._sums))
        self.reset()

    def reset(self) -> None:
        """Discard all batches, as the draws were discarded."""
        self._sums[:] = 0.0
        self.count, self.rounds_per_batch, self._filled = 0, self._rounds, 0
        self._total_before = np.zeros(self._sums.shape[1], np.int64)
        self._rounds_before = 0

    def add(self, score: float) -> None:
        """End a batch, before the chain draws its cells; an interrupted batch does not count.

        Parameters
        ----------
        score
            Of the chain's present network.
        """
        numbers = self._draws.numbers
        total = self._draws.sums.sum(0, dtype=np.int64)
        rounds = int(numbers[COUNT] * numbers[ROUNDS_PER_DRAW] + numbers[ROUNDS_SINCE_DRAW])
        done, self._rounds_before = rounds - self._rounds_before, rounds
        seen, self._total_before = total - self._total_before, total
        if done != self._rounds:
            return
        if self.count == len(self._sums):
            self.count //= 2
            self.rounds_per_batch *= 2
            self._sums[: self.count] = self._sums[::2] + self._sums[1::2]
            self._sums[self.count :] = 0.0
            self._scores[: self.count] = self._scores[1::2]
        self._sums[self.count] += seen
        self._scores[self.count] = score
        self._filled += done
        if self._filled == self.rounds_per_batch:
            self.count, self._filled = self.count + 1, 0

    def means(self, first: int, pairs: np.ndarray) -> np.ndarray:
        """The share of rounds with each of some edges, by batch: float64[batches, edges].

        Parameters
        ----------
        first
            Rounds that are left out, at least.
        pairs
            Numbers of the edges.
        """
        return self._sums[self._from(first) : self.count][:, pairs] / float(self.rounds_per_batch)

    def scores(self, first: int) -> np.ndarray:
        """The scores at the end of each batch: float64[batches]."""
        return self._scores[self._from(first) : self.count]

    def _from(self, rounds: int) -> int:
        return -(-rounds // self.rounds_per_batch)


def effective_edges(chains: list[BatchMeans], first: int, pairs: np.ndarray, shares: np.ndarray) -> np.ndarray:
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
        NaN for a probability of 1; the number of batches where there are too few for an estimate.
    """
    count = min((len(chain.scores(first)) for chain in chains), default=0)
    sizes = np.full(len(pairs), float(max(1, count * len(chains))))
    sizes[shares == 1.0] = np.nan
    if count // 2 < MIN_DRAWS:
        return sizes
    means = np.array([chain.means(first, pairs)[-count:] for chain in chains]).transpose(2, 0, 1)
    independent, variance = plain_effective_samples(halves(means)), means.var(axis=(1, 2), ddof=1)
    varies = (variance > 0) & (independent > 0) & (shares < 1.0)
    sizes[varies] = (shares * (1 - shares) * independent)[varies] / variance[varies]
    return sizes


def effective_scores(chains: list[BatchMeans], first: int) -> float:
    """The effective sample size of the score at the ends of the batches, NaN if there are too few."""
    count = min(len(chain.scores(first)) for chain in chains)
    return effective_samples(np.array([chain.scores(first)[len(chain.scores(first)) - count :] for chain in chains]))
