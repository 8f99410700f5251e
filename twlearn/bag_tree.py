"""A tree decomposition with replaceable parts: a tree of bags of variables; adjacent bags share a separator.

The bags that contain a variable are connected (running intersection), so a connected set of bags is joined to the rest
of the network only through separators, one per edge of the tree that leads out of it; and it can be replaced by other
bags on the same variables if each of these separators is inside one bag.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..common.graphs.treewidth import later_neighbours

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from ..common.graphs.graph import Graph


class BagTree:
    """Bags on a tree.

    Parameters
    ----------
    cliques : list of frozenset of int
    clique_parent
        The parent of each clique, -1 for the root; a clique may be a subset of another.

    Attributes
    ----------
    bags : dict of int to frozenset of int
    near : dict of int to set of int
        The neighbours of each bag.
    """

    def __init__(self, cliques: list[frozenset[int]], clique_parent: Sequence[int] | np.ndarray) -> None:
        self.bags = dict(enumerate(cliques))
        self.near: dict[int, set[int]] = {b: set() for b in self.bags}
        self._next = len(self.bags)
        self.where: dict[int, set[int]] = {}  # for each variable, the bags that contain it
        for b, bag in self.bags.items():
            for v in bag:
                self.where.setdefault(v, set()).add(b)
        for b, other in enumerate(clique_parent):
            if other >= 0:
                self._join(b, int(other))
        self._contract(self.bags)

    def _join(self, a: int, b: int) -> None:
        self.near[a].add(b)
        self.near[b].add(a)

    def _contract(self, among: dict[int, frozenset[int]] | list[int]) -> None:
        """Merge bags of `among` that are subsets of a neighbour into it."""
        waiting = list(among)
        while waiting:
            b = waiting.pop()
            into = next((o for o in sorted(self.near.get(b, ())) if self.bags[b] <= self.bags[o]), None)
            if into is not None:
                others = self.near[b] - {into}
                self._remove(b)
                for o in others:
                    self._join(o, into)
                waiting.append(into)
                waiting += sorted(others)

    def _remove(self, b: int) -> None:
        for o in self.near.pop(b):
            self.near[o].discard(b)
        for v in self.bags.pop(b):
            self.where[v].discard(b)

    def around(self, v: int, size: int, random: Any) -> tuple[set[int], set[int]]:
        """A connected set of bags around a variable.

        Parameters
        ----------
        size
            Bags are added until they contain this many variables.
        random : numpy Generator

        Returns
        -------
        (set of int, set of int)
            The bags, and their variables.
        """
        first = min(self.where[v])
        chosen = {first}
        members = set(self.bags[first])
        frontier = sorted(self.near[first])
        while frontier and len(members) < size:
            b = frontier.pop(int(random.integers(len(frontier))))
            chosen.add(b)
            members |= self.bags[b]
            frontier += sorted(self.near[b] - chosen)
        return chosen, members

    def separators(self, chosen: set[int]) -> list:
        """The separators that join a connected set of bags to the rest, with the bag on the other side.

        Parameters
        ----------
        chosen : set of int

        Returns
        -------
        list of (frozenset of int, int)
        """
        return [(self.bags[b] & self.bags[o], o) for b in sorted(chosen) for o in sorted(self.near[b] - chosen)]

    def replace(
        self, chosen: set[int], cliques: list[frozenset[int]], clique_parent: Sequence[int] | np.ndarray
    ) -> None:
        """Replace a connected set by other bags on the same variables.

        Parameters
        ----------
        chosen : set of int
        cliques : list of frozenset of int
            Each separator to the rest is a subset of one of them.
        clique_parent
            As for the class.
        """
        outside = self.separators(chosen)
        for b in chosen:
            self._remove(b)
        first = self._next
        self._next += len(cliques)
        for i, bag in enumerate(cliques):
            self.bags[first + i] = bag
            self.near[first + i] = set()
            for v in bag:
                self.where[v].add(first + i)
        for i, other in enumerate(clique_parent):
            if other >= 0:
                self._join(first + i, first + int(other))
        for separator, o in outside:
            self._join(o, next(first + i for i, bag in enumerate(cliques) if separator <= bag))
        self._contract([*range(first, self._next), *(o for _, o in outside)])

    def _rooted(self) -> tuple[list[int], dict[int, int | None]]:
        """The bags in topological order from the root, and the parent of each (None for the root): (list, dict)."""
        stack, visits = [min(self.bags)], []
        clique_parent: dict[int, int | None] = {stack[0]: None}
        while stack:
            b = stack.pop()
            visits.append(b)
            for o in sorted(self.near[b]):
                if o not in clique_parent:
                    clique_parent[o] = b
                    stack.append(o)
        return visits, clique_parent

    def elimination_order(self) -> tuple[int, ...]:
        """An elimination order of the variables whose width is that of the bags: tuple of int."""
        visits, clique_parent = self._rooted()
        order = []
        for b in reversed(visits):
            parent = clique_parent[b]
            order += sorted(self.bags[b] if parent is None else self.bags[b] - self.bags[parent])
        return tuple(order)


def cliques_of(graph: Graph, order: Sequence[int]) -> tuple[list[frozenset[int]], list[int]]:
    """The bags and tree that an elimination order of a graph defines.

    Parameters
    ----------
    order
        All vertices, each once.

    Returns
    -------
    (list of frozenset of int, list of int)
        One bag per vertex, in this order, and the index of the parent of each, -1 for the last.
    """
    later = later_neighbours(graph, order)
    place = {v: i for i, v in enumerate(order)}
    cliques = [frozenset({v} | later[v]) for v in order]
    clique_parent = [min((place[u] for u in later[v]), default=i + 1) for i, v in enumerate(order)]
    clique_parent[-1] = -1
    return cliques, clique_parent
