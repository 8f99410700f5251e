"""Conditional probabilities for joint states of the parents that were seen; in all others states are equally likely.

A network that a search finds may have cliques of more than twenty variables, whose full tables fit into no memory. But
it was fitted to some thousand rows, which have at most as many joint states. In a state of the parents that no row has,
BDeu's posterior mean is uniform, so nothing is lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..sets.joint_states import joint_state_numbers, numbered_states


@dataclass(frozen=True)
class SparseCPT:
    """p(v | parents), a row for each joint state of the parents that was seen.

    Attributes
    ----------
    arity : tuple of int
        Of the parents.
    seen : int32[m, parents]
        Joint states of the parents, all different.
    probabilities : float64[m, r]
        Rows sum to 1.
    """

    arity: tuple[int, ...]
    seen: np.ndarray
    probabilities: np.ndarray

    def rows(self, codes: np.ndarray) -> np.ndarray:
        """The distributions of v for states of the parents, int[rows, parents]: float64[rows, r]."""
        numbers, first = numbered_states(np.concatenate([self.seen, codes]).astype(np.int32), self.arity)
        m, r = self.probabilities.shape
        with_others = np.concatenate([self.probabilities, np.full((1, r), 1 / r)])
        return with_others[np.minimum(first, m)[numbers[m:]]]

    @property
    def cells(self) -> int:
        """Size of the full table."""
        return math.prod(self.arity) * self.probabilities.shape[1]

    def full(self) -> np.ndarray:
        """The full table, the last parent changing fastest: float64[q, r]."""
        r = self.probabilities.shape[1]
        table = np.full((self.cells // r, r), 1 / r)
        table[joint_state_numbers(self.seen.T, self.arity, len(self.seen))] = self.probabilities
        return table
