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

import heapq
import math
from bisect import bisect_left, insort
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..graphs.chordal import chordal_score, is_chordal
from ..graphs.graph import Graph
from ..graphs.treewidth_search import is_complete
from ..sets.masks import members
from .incumbent import Incumbent, equal_within

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .families import FamilyPool

Masks = tuple[int, ...]  # the neighbours of each variable


class ScoredSets(Protocol):
    """The part of a `common.bounds.problem.Problem` that BestNetworks needs."""

    @property
    def n(self) -> int:
        """The number of variables."""

    @property
    def largest(self) -> int:
        """The bound on cliques."""

    @property
    def required(self) -> tuple[int, ...]:
        """The edges that every network must have, as masks."""

    def score_of(self, members: Iterable[int]) -> float:
        """The score of a set; minus infinity if it may not be complete."""

    def should_continue(self) -> bool:
        """Whether the run continues."""


class BestNetworks(Incumbent):
    """The best networks known.

    Parameters
    ----------
    problem
        With its sets and scores.
    most
        N, the number of networks that are wanted, >= 1.
    within
        The largest difference from the best score, >= 0.
    """

    def __init__(self, problem: ScoredSets, most: int, within: float = math.inf) -> None:
        super().__init__(problem.n, required=problem.required)
        self._problem, self._most, self._within = problem, most, within
        self._found: dict[Masks, float] = {}
        self._scores: list[float] = []  # ascending
        self._waiting: list[tuple[float, Masks]] = []  # whose neighbours are not yet listed
        self._lowest = -math.inf
        self._of = cache(lambda mask: problem.score_of(v for v in range(problem.n) if mask >> v & 1))

    @property
    def floor(self) -> float:
        """The score of the N-th best network, or that of the best less the difference allowed."""
        last = self._scores[-self._most] if len(self._scores) >= self._most else self._lowest
        return max(last, self.score - self._within - 2.0 * equal_within(self.score))

    def begin(self, lowest: float) -> None:
        """As in Incumbent."""
        super().begin(lowest)
        self._lowest = lowest

    def offer(self, graph: Graph, score: float) -> bool:
        """Take a network, and its neighbours above the floor; returns whether there is a new best network."""
        if not self._has_required(graph) or not math.isfinite(score):
            return False
        before = self.score
        self._add(_masks(graph), score)
        while self._waiting and (len(self._scores) < self._most or -self._waiting[0][0] >= self.floor):
            if not self._problem.should_continue():
                break
            less, network = heapq.heappop(self._waiting)
            for other, gain in self._neighbours(network):
                self._add(other, gain - less)
        return self.score > before

    def _add(self, network: Masks, score: float) -> None:
        """Note a network, unless it is known."""
        if network in self._found:
            return
        self._found[network] = score
        insort(self._scores, score)
        heapq.heappush(self._waiting, (-score, network))
        if self.graph is None or score > self.score:
            self.graph, self.score = _graph(network), score

    def _neighbours(self, network: Masks) -> Iterator[tuple[Masks, float]]:
        """The networks above the floor with an edge more or less, and how much more they score."""
        score = self._found[network]
        for u in range(self.n):
            for v in range(u):
                common, is_edge = network[u] & network[v], network[u] >> v & 1
                more = self._gain(common, 1 << u, 1 << v)
                gain = -more if is_edge else more
                if not math.isfinite(gain) or (len(self._scores) >= self._most and score + gain < self.floor):
                    continue
                if is_edge and (1 << u | 1 << v) in self.required:
                    continue
                if is_complete(network, common) if is_edge else _are_separated(network, common, u, v):
                    changed = list(network)
                    changed[u] ^= 1 << v
                    changed[v] ^= 1 << u
                    yield tuple(changed), gain

    def _gain(self, common: int, u: int, v: int) -> float:
        """The gain of an edge between two variables with these common neighbours, all masks."""
        if common.bit_count() + 2 > self._problem.largest:
            return -math.inf
        return self._of(common | u | v) - self._of(common | u) - self._of(common | v) + self._of(common)

    def edges_between(self, pool: FamilyPool, required: tuple[int, ...]) -> np.ndarray:
        """The edges in which networks of the part can differ."""
        return pool.open_edges(required)

    def covers_leaf(self, pool: FamilyPool, required: tuple[int, ...]) -> bool:
        """Whether the network of a part that cannot be split, which has its required edges only, is listed."""
        ends = pool.ends(np.array(required, np.uint64)).tolist()
        graph = Graph(self.n, tuple(sorted((u, v) for u, v in ends)))
        if is_chordal(graph):
            self.offer(graph, chordal_score(graph, self._problem.score_of))
        return _masks(graph) in self._found

    def networks(self, names: tuple[str, ...] | None) -> tuple[tuple[Graph, float], ...]:
        """The networks wanted, by score; of tied ones, first those with fewer edges, then by their edges."""
        least = max(self.floor, self.score - self._within) - equal_within(self.score)
        graphs = [replace(_graph(network), names=names) for network, score in self._found.items() if score >= least]
        return ranked([(graph, chordal_score(graph, self._problem.score_of)) for graph in graphs])[: self._most]

    @property
    def tied(self) -> int:
        """The number of further networks that are known and tied with the N-th."""
        if len(self._scores) < self._most:
            return 0
        last = self._scores[-self._most]
        return len(self._scores) - bisect_left(self._scores, last - equal_within(last)) - self._most


def ranked(scored: Iterable[tuple[Any, float]]) -> tuple[tuple[Any, float], ...]:
    """Networks with their scores, the best first; of tied ones, those with fewer edges first, then by their edges."""
    left = sorted(scored, key=lambda each: -each[1])
    found: list[tuple[Any, float]] = []
    while left:
        count = sum(score >= left[0][1] - equal_within(left[0][1]) for _, score in left)
        found += sorted(left[:count], key=lambda each: (len(each[0].edges), each[0].edges))
        left = left[count:]
    return tuple(found)


def _masks(graph: Graph) -> Masks:
    """The neighbours of each variable of a Graph."""
    return tuple(sum(1 << v for v in near) for near in graph.neighbours())


def _graph(network: Masks) -> Graph:
    """The Graph, of vertices without names."""
    n = len(network)
    return Graph(n, tuple((u, v) for u in range(n) for v in range(u + 1, n) if network[u] >> v & 1))


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
