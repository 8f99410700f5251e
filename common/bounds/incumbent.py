"""The incumbent: the best network known while a bound is proved, and its score, with which bounds are compared.

Fractional solutions are rounded to networks; a better one is the new incumbent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..graphs.zero_gain_edges import is_equal
from .rounding_kernels import round_to_network

if TYPE_CHECKING:
    from ..graphs.graph import Graph
    from .families import FamilyPool
    from .relaxation import Relaxation

PRECISION = 1e-7  # of the solutions of linear programs
MIN_VALUE = 1e-6  # values below this count as 0 where a solution is rounded
ROUNDING = 1e-9  # relative to the score: more than rounding errors of the sums, less than any relevant difference


def equal_within(score: float) -> float:
    """How much a bound may exceed the score of a network that it proves optimal, by the precision of the solver."""
    return max(PRECISION, ROUNDING * (1.0 + abs(score)))


class KnownScore:
    """The score of the best network known, with which bounds are compared.

    Parameters
    ----------
    score, upper
        As the attributes.

    Attributes
    ----------
    score : float
    upper : float
        A bound on the scores of all networks.
    """

    def __init__(self, score: float, upper: float = np.inf) -> None:
        self.score, self.upper = score, upper

    @property
    def floor(self) -> float:
        """A network is of interest only if it scores more than this."""
        return self.score

    @property
    def tolerance(self) -> float:
        """How much a bound may exceed the score and still prove it optimal."""
        return equal_within(self.score)

    def gap(self, bound: float) -> float:
        """The excess of a bound over the floor, with a margin for rounding: the most that a family may lose."""
        return max(0.0, bound - self.floor) + ROUNDING * (1.0 + abs(bound))

    def is_proved(self, bound: float = np.inf) -> bool:
        """Whether no network that scores at most `bound` and `upper` is of interest."""
        return min(bound, self.upper) <= self.floor + self.tolerance


class Incumbent(KnownScore):
    """The best network known.

    Parameters
    ----------
    n
    graph
        The network, None before one is known.
    score
        Of the network; minus infinity before one is known.
    gap
        The proof ends when the bound exceeds the score by at most this share of the absolute score.
    required : tuple of int
        Masks of edges that every network must have.
    names : tuple of str, optional
        The variables, in every network.
    """

    def __init__(
        self,
        n: int,
        graph: Graph | None = None,
        score: float = -np.inf,
        gap: float = 0.0,
        required: tuple[int, ...] = (),
        names: tuple[str, ...] | None = None,
    ) -> None:
        super().__init__(score)
        self.n, self.graph, self.required, self.names, self._gap = n, graph, required, names, gap

    def begin(self, lowest: float) -> None:
        """Begin a proof: every network scores more than `lowest`."""
        if self.graph is None:
            self.score = lowest

    def networks(self) -> tuple[tuple[Graph, float], ...]:
        """The networks with their scores, if several are wanted."""
        return ()

    def edges_between(self, pool: FamilyPool, required: tuple[int, ...]) -> np.ndarray:
        """Edges over which to split a part whose solution is a network: none, as it contains nothing better."""
        return np.zeros(0, np.uint64)

    def covers_leaf(self, pool: FamilyPool, required: tuple[int, ...]) -> bool:
        """Whether a part that cannot be split has a single network, which is known."""
        return False

    @property
    def tolerance(self) -> float:
        """As in KnownScore, or the gap that is wanted; 0 before a network is known."""
        return max(super().tolerance, self._gap * abs(self.score)) if self.graph is not None else 0.0

    def offer(self, graph: Graph, score: float) -> bool:
        """Take a network if it is better; returns whether it is.

        A network with the same score and fewer edges is taken, too, but is not better.
        """
        if not self._has_required(graph):
            return False
        is_better = score > self.score + ROUNDING * (1.0 + abs(score))
        if is_better or (is_equal(score - self.score, score) and self._has_more_edges(graph)):
            self.graph, self.score = replace(graph, names=self.names), score
        return is_better

    def _has_more_edges(self, graph: Graph) -> bool:
        """Whether the network known has more edges than another."""
        assert self.graph is not None
        return len(self.graph.edges) > len(graph.edges)

    def _has_required(self, graph: Graph) -> bool:
        """Whether a network has the required edges."""
        return not self.required or {1 << u | 1 << v for u, v in graph.edges}.issuperset(self.required)

    def families(self, pool: FamilyPool) -> tuple[np.ndarray, np.ndarray]:
        """The network's families in a perfect order that begins with `pool.first`, up to the first not joined to all.

        Parameters
        ----------
        pool
            Names the sets of parents.

        Returns
        -------
        (int64[n], uint64[n])
            Child and parents.
        """
        assert self.graph is not None
        near, weight = self.graph.neighbours(), dict.fromkeys(range(self.n), 0)
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


def rounded(program: Relaxation) -> tuple[Graph, float]:
    """The network to which the solution of a program is rounded, and its score: (Graph, float)."""
    pool, n = program.pool, program.pool.n
    families = pool.families
    without = pool.find(np.arange(n), np.full(n, pool.number(()), np.uint64))
    numbers = np.append(program.columns, np.setdiff1d(without, program.columns))
    value = np.append(np.where(program.x > MIN_VALUE, program.x, 0.0), np.zeros(len(numbers) - len(program.columns)))
    profit, loss = pool.profit[numbers], np.full(len(numbers), np.inf)  # of families that are excluded
    alive = profit > -np.inf
    loss[alive] = pool.best[families.child[numbers[alive]]] - profit[alive]
    chosen, placed = np.zeros(n, np.int64), np.zeros(n, np.bool_)
    root = pool.first[0] if pool.first else -1
    round_to_network(families, numbers, value, loss, root, np.zeros((n, n), np.bool_), placed, chosen)
    return pool.network(chosen), float(families.gain[chosen].sum())
