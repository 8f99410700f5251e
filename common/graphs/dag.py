"""A directed graph as a plain record: the result of learners of Bayesian networks and the content of arc lists.

A file may contain cycles, so the record may too; `order` is then None.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .graph import Graph


@dataclass(frozen=True)
class Dag:
    """A directed graph on the vertices 0 .. n-1, meant to be acyclic.

    Attributes
    ----------
    n
        Number of vertices.
    arcs : tuple of (int, int)
        Parent and child, ascending, no duplicates.
    names : tuple of str or None
        Vertex names, or None when only indices are known.
    """

    n: int
    arcs: tuple
    names: tuple | None = None
    directed: ClassVar[bool] = True

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the vertices, or else their numbers."""
        return self.names or tuple(map(str, range(self.n)))

    @classmethod
    def from_parents(cls, parents: Sequence[Any], names: tuple[str, ...] | None = None) -> Dag:
        """The graph in which vertex v has the parents `parents[v]`, an iterable of int."""
        arcs = ((int(u), v) for v, members in enumerate(parents) for u in members)
        return cls(len(parents), tuple(sorted(arcs)), names)

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """The arcs; the same name as in Graph, for writers of files."""
        return self.arcs

    def parents(self) -> list[tuple[int, ...]]:
        """Parent sets: a list of n ascending tuples of int."""
        parents: list[list] = [[] for _ in range(self.n)]
        for u, v in self.arcs:
            parents[v].append(u)
        return [tuple(sorted(members)) for members in parents]

    def order(self) -> tuple[int, ...] | None:
        """A topological order, always the smallest possible vertex first: tuple of int, or None if there is a cycle."""
        waiting = [len(parents) for parents in self.parents()]
        below: list[list] = [[] for _ in range(self.n)]
        for u, v in self.arcs:
            below[u].append(v)
        free = [v for v in range(self.n) if not waiting[v]]
        order = []
        while free:
            order.append(heapq.heappop(free))
            for v in below[order[-1]]:
                waiting[v] -= 1
                if not waiting[v]:
                    heapq.heappush(free, v)
        return tuple(order) if len(order) == self.n else None

    def moral(self) -> Graph:
        """The moral graph: every vertex and its parents form a clique."""
        return Graph.from_cliques(self.n, [(v, *parents) for v, parents in enumerate(self.parents())], self.names)
