"""The N best networks known, for `junctor --best` and `--within`.

The branch and bound of `common.bounds.branching` closes a part if none of its networks can score above the `floor`.
For a single network the floor is its score; here it is the score of the N-th best, or a given difference below the
best. A part whose relaxation is solved by a network is split further, over the edges that its other networks may have,
until nothing above the floor is left or all edges are decided. So one search finds and proves all networks, and each
graph once.

The lower the floor, the longer the search. But networks with high scores differ in few edges: from each network above
the floor, the best first, all chordal networks with one edge more or less are listed. An edge can be removed if the
common neighbours of its ends are complete, and added if they separate the ends.

Cost: for each network listed, some lookups for each pair of variables; for the proof some linear programs, which are
small after the first.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..graphs.chordal import chordal_score, is_chordal
from ..graphs.graph import Graph
from ..graphs.treewidth_search import is_complete
from ..sets.masks import members
from .incumbent import Incumbent
from .solution_pool import SolutionPool, ranked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .families import FamilyPool

Masks = tuple[int, ...]  # the neighbours of each variable


class BestNetworks(Incumbent):
    """The best networks known.

    Parameters
    ----------
    n
        Variables.
    score_of : callable taking an iterable of int
        The score of a set of variables; minus infinity if it may not be complete.
    most, within
        As for SolutionPool.
    required, names
        As for Incumbent.
    should_continue
        Called for each network.
    """

    def __init__(
        self,
        n: int,
        score_of: Callable,
        most: int,
        within: float | None = None,
        required: tuple[int, ...] = (),
        names: tuple[str, ...] | None = None,
        should_continue: Callable = lambda: True,
    ) -> None:
        super().__init__(n, required=required, names=names)
        self._score_of, self._should_continue, self._pool = score_of, should_continue, SolutionPool(most, within)
        self._of = cache(lambda mask: score_of(members(mask)))

    @property
    def floor(self) -> float:
        """The score of the N-th best network, or that of the best less the difference allowed."""
        return self._pool.floor

    @property
    def tied(self) -> int:
        """The number of further networks that are known and tied with the last of N."""
        return self._pool.tied

    def begin(self, lowest: float) -> None:
        """As in Incumbent."""
        super().begin(lowest)
        self._pool.lowest = lowest

    def offer(self, graph: Graph, score: float) -> bool:
        """Take a network, and its neighbours above the floor; returns whether there is a new best network."""
        if not self._has_required(graph) or not math.isfinite(score):
            return False
        before = self.score
        self._add(_masks(graph), score)
        while self._should_continue() and (taken := self._pool.next()) is not None:
            for other, gained in self._neighbours(*taken):
                self._add(other, gained)
        return self.score > before

    def _add(self, network: Masks, score: float) -> None:
        """Record a network, unless it is known."""
        self._pool.add(network, network, score)
        if self.graph is None or score > self.score:
            self.graph, self.score = _graph(network, self.names), score

    def _neighbours(self, score: float, network: Masks) -> Iterator[tuple[Masks, float]]:
        """The networks of interest with an edge more or less, and their scores."""
        for u in range(self.n):
            for v in range(u):
                common, is_edge = network[u] & network[v], network[u] >> v & 1
                more = self._gain(common, 1 << u, 1 << v)
                gain = -more if is_edge else more
                if not math.isfinite(gain) or not self._pool.is_of_interest(score + gain):
                    continue
                if is_edge and (1 << u | 1 << v) in self.required:
                    continue
                if is_complete(network, common) if is_edge else _are_separated(network, common, u, v):
                    changed = list(network)
                    changed[u] ^= 1 << v
                    changed[v] ^= 1 << u
                    yield tuple(changed), score + gain

    def _gain(self, common: int, u: int, v: int) -> float:
        """The gain of an edge between two variables with these common neighbours, all masks."""
        return self._of(common | u | v) - self._of(common | u) - self._of(common | v) + self._of(common)

    def edges_between(self, pool: FamilyPool, required: tuple[int, ...]) -> np.ndarray:
        """The edges in which networks of the part can differ."""
        return pool.open_edges(required)

    def covers_leaf(self, pool: FamilyPool, required: tuple[int, ...]) -> bool:
        """Whether the network of a part that cannot be split, which has its required edges only, is listed."""
        ends = pool.ends(np.array(required, np.uint64)).tolist()
        graph = Graph(self.n, tuple(sorted((u, v) for u, v in ends)))
        if is_chordal(graph):
            self.offer(graph, chordal_score(graph, self._score_of))
        return _masks(graph) in self._pool

    def networks(self) -> tuple[tuple[Graph, float], ...]:
        """The networks wanted, by score; of tied ones, first those with fewer edges, then by their edges."""
        graphs = [_graph(network, self.names) for network in self._pool.wanted()]
        return ranked([(graph, chordal_score(graph, self._score_of)) for graph in graphs])[: self._pool.most]


def _masks(graph: Graph) -> Masks:
    """The neighbours of each variable of a Graph."""
    return tuple(sum(1 << v for v in near) for near in graph.neighbours())


def _graph(network: Masks, names: tuple[str, ...] | None) -> Graph:
    n = len(network)
    return Graph(n, tuple((u, v) for u in range(n) for v in range(u + 1, n) if network[u] >> v & 1), names)


def _are_separated(network: Masks, between: int, u: int, v: int) -> bool:
    """Whether there is no path from u to v that avoids `between`."""
    seen, left = between | 1 << u, [u]
    while left:
        fresh = network[left.pop()] & ~seen
        if fresh >> v & 1:
            return False
        seen |= fresh
        left += members(fresh)
    return True
