"""An undirected graph as a plain record, used by learners, files and certificates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

PROBABILITIES = "probabilities of edges, not a network; mntools convert --min-probability 0.5 --chordal makes one"


def shown(vertices: Iterable[int], names: Sequence[str] | None, between: str = ",") -> str:
    """Vertices in a message: by name, or by number if there are no names."""
    return between.join(str(v) if names is None else names[v] for v in vertices)


@dataclass(frozen=True)
class Graph:
    """An undirected graph on the vertices 0 .. n-1.

    Attributes
    ----------
    n
        Number of vertices.
    edges : tuple of (int, int)
        Each with u < v, ascending, no duplicates.
    names : tuple of str or None
        Vertex names, or None when only indices are known.
    probabilities : tuple of float or None
        Of each edge, in [0, 1], if known.
    errors : tuple of float or None
        Standard errors of the probabilities, if known.
    """

    n: int
    edges: tuple
    names: tuple[str, ...] | None = None
    probabilities: tuple | None = None
    errors: tuple | None = None
    directed: ClassVar[bool] = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the vertices, or else their numbers."""
        return self.names or tuple(map(str, range(self.n)))

    @classmethod
    def from_cliques(cls, n: int, cliques: Sequence[Sequence[int]], names: tuple[str, ...] | None = None) -> Graph:
        """The graph in which every given vertex set is complete."""
        edges = {(min(u, v), max(u, v)) for clique in cliques for u in clique for v in clique if u != v}
        return cls(n, tuple(sorted(edges)), names)

    def probable(self, least: float) -> Graph:
        """The graph of the edges with at least this probability, with these; `self` must have probabilities."""
        assert self.probabilities is not None
        kept = [i for i, probability in enumerate(self.probabilities) if probability >= least]
        edges = tuple(self.edges[i] for i in kept)
        probabilities, errors = (part and tuple(part[i] for i in kept) for part in (self.probabilities, self.errors))
        return replace(self, edges=edges, probabilities=probabilities, errors=errors)

    def neighbours(self) -> list[set[int]]:
        """Neighbour sets: a list of n Python sets."""
        adjacent: list[set] = [set() for _ in range(self.n)]
        for u, v in self.edges:
            adjacent[u].add(v)
            adjacent[v].add(u)
        return adjacent
