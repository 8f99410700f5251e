"""The incumbent: the best network known while a bound is proved.

Fractional solutions are rounded to networks; each improvement starts a local search, whose result is the new incumbent.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from ..graphs.chordal import graph_of
from ..graphs.zero_gain_edges import is_equal
from .rounding_kernels import round_off

if TYPE_CHECKING:
    from collections.abc import Callable

    from .families import FamilyPool

LOG = logging.getLogger("cliquewise")
PRECISION = 1e-7  # of the solutions of linear programs
ROUNDING = 1e-9  # relative to the score: more than rounding errors of the sums, less than any relevant difference


def equal_within(score: float) -> float:
    """How much a bound may exceed the score of a network that it proves optimal, by the precision of the solver."""
    return max(PRECISION, ROUNDING * (1.0 + abs(score)))


class Incumbent:
    """The best network known.

    Parameters
    ----------
    n
    near : uint64[n] or None
        Neighbours in the network, None before one is known.
    score
        Of the network; minus infinity before one is known.
    improve : callable taking (near, score), or None
        A local search: returns a network at least as good, in the same form.
    gap
        The proof ends when the bound exceeds the score by at most this share of the absolute score.
    required : tuple of int
        Masks of edges that every network must have.
    """

    def __init__(
        self,
        n: int,
        near: np.ndarray | None = None,
        score: float = -np.inf,
        improve: Callable | None = None,
        gap: float = 0.0,
        required: tuple[int, ...] = (),
    ) -> None:
        self.n, self.near, self.score, self.required = n, near, score, required
        self._improve, self._gap = improve, gap

    @property
    def tolerance(self) -> float:
        """How much a bound may exceed the score and still prove it optimal."""
        return max(equal_within(self.score), self._gap * abs(self.score)) if self.near is not None else 0.0

    def gap(self, bound: float) -> float:
        """How much a bound exceeds the score, and rounding: what a family of a better or equal network can lose."""
        return max(0.0, bound - self.score) + ROUNDING * (1.0 + abs(bound))

    def offer(self, near: np.ndarray, score: float) -> bool:
        """Accept a network if it is better, and start a local search from it.

        Parameters
        ----------
        near : uint64[n]
        score

        Returns
        -------
        bool
            Whether it was better.
        """
        if not self.take(near, score):
            return False
        if self._improve is not None:
            found, better = self._improve(near, score)
            if better > score and self._has_all(found):
                self.near, self.score = found, better
        return True

    def take(self, near: np.ndarray, score: float) -> bool:
        """Take a network if it is better, with no search from it; arguments and result are those of `offer`.

        One with fewer edges and the same score is taken too, though it is not better.
        """
        if not self._has_all(near):
            return False
        is_better = score > self.score + ROUNDING * (1.0 + abs(score))
        if is_better or (is_equal(score - self.score, score) and self._has_more_edges(near)):
            self.near, self.score = near, score
        return is_better

    def _has_more_edges(self, near: np.ndarray) -> bool:
        """Whether the network known has more edges than another."""
        assert self.near is not None
        return int(np.bitwise_count(self.near).sum()) > int(np.bitwise_count(near).sum())

    def _has_all(self, near: np.ndarray) -> bool:
        """Whether the required edges are present."""
        rows = near.tolist()
        return all(rows[edge.bit_length() - 1] & edge for edge in self.required)

    def families(self, pool: FamilyPool) -> tuple[np.ndarray, np.ndarray]:
        """The network's families in a perfect order that begins with `pool.first`, as far as they are joined.

        Parameters
        ----------
        pool
            Names the sets of parents.

        Returns
        -------
        (int64[n], uint64[n])
            Child and parents.
        """
        assert self.near is not None
        near, weight = graph_of(self.near.reshape(self.n, -1)).neighbours(), dict.fromkeys(range(self.n), 0)
        for i, v in enumerate(pool.first):
            if not near[v].issuperset(pool.first[:i]):
                break
            weight[v] = 2 * self.n - i  # before all others, whose number of neighbours decides
        placed: set[int] = set()
        child, parents = [], []
        while weight:
            v = max(weight, key=lambda u: (weight[u], -u))
            del weight[v]
            child.append(v)
            parents.append(pool.number(near[v] & placed))
            placed.add(v)
            for u in near[v] & weight.keys():
                weight[u] += 1
        return np.array(child, np.int64), np.array(parents, np.uint64)


def rounded(pool: FamilyPool, numbers: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, float]:
    """The network to which a fractional solution of a FamilyPool is rounded.

    Parameters
    ----------
    pool
    numbers : int64[k]
        Families with a value.
    x : float64[k]

    Returns
    -------
    (uint64[n] or uint64[n, words], float)
        Neighbours as `pool.near_of` has them, and the score.
    """
    families, chosen = pool.families, np.zeros(pool.n, np.int64)
    value = np.zeros(len(pool.profit))
    value[numbers] = x
    root = pool.first[0] if pool.first else -1
    complete, placed = np.zeros(len(families.sets), np.bool_), np.zeros(pool.n, np.bool_)
    score = round_off(families, value, pool.profit, pool.best, root, complete, placed, chosen)
    return pool.near_of(chosen), float(score)
