"""A start network: the required arcs and edges, and few others.

Edges that may have either direction get one by backtracking: each is first directed as in a perfect order of a chordal
graph around what is required, whose moral graph is no larger. Then each variable gets its smallest parent set with the
parents required. A direction or set is taken back if there is a cycle, too many parents, or too large a treewidth.

Cost: one treewidth of the variables concerned for each direction or set; at most `MAX_TRIES`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..common.errors import UsageError
from ..common.graphs.dag import Dag
from ..common.graphs.graph import Graph
from ..common.graphs.greedy_elimination import min_fill_order
from ..common.graphs.knowledge import Knowledge
from ..common.graphs.treewidth import Treewidth, later_neighbours, treewidth
from .template import Template

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .families import ScoredFamilies

MAX_TRIES = 2000  # directions and sets; 100 to 100000
TREEWIDTH_WORK = 20_000  # of the search for a treewidth


def start_of(known: Knowledge, w: int, max_parents: int, families: ScoredFamilies | None = None) -> Template | None:
    """A network with the required arcs and edges.

    Parameters
    ----------
    w
        Bound on the treewidth, >= 1.
    max_parents
        Largest number of parents.
    families
        All sets that are possible; None: any.

    Returns
    -------
    Template or None
        None if none was found.

    Raises
    ------
    UsageError
        There is none for any data.
    """
    search = _Backtracking(known, w, max_parents, families)
    if not search.directions():
        if search.tries > 0 and not search.is_undecided:
            named = ", ".join(known.shown(edge) for edge in known.edges[:3])
            message = f"no directions of the edges required ({named}{', ...' * (len(known.edges) > 3)}) make a network"
            raise UsageError(f"--required-edges: {message} within the bounds and without a cycle; require fewer")
        return None
    search.tries = MAX_TRIES
    if not search.sets():
        return None
    return search.template()


class _Backtracking:
    """The arcs so far."""

    def __init__(self, known: Knowledge, w: int, max_parents: int, families: ScoredFamilies | None) -> None:
        self.known, self.w, self.max_parents, self.families = known, w, max_parents, families
        self.arcs, self.edges, self.tries, self.is_undecided = [*known.arcs], [*known.edges], MAX_TRIES, False
        order = min_fill_order(Graph(known.n, tuple(sorted({*Dag(known.n, known.arcs).moral().edges, *known.edges}))))
        self.place = {v: i for i, v in enumerate(order)}

    def directions(self) -> bool:
        """Direct the remaining edges; returns whether that was possible."""
        if not self.edges:
            return self._width() is not None
        edge = self.edges.pop()
        late_first = sorted(edge, key=lambda v: -self.place[v])
        for u, v in (late_first, late_first[::-1]):
            if self.tries == 0:
                break
            self.tries -= 1
            self.arcs.append((u, v))
            if self._width() is not None and self.directions():
                return True
            self.arcs.pop()
        self.edges.append(edge)
        return False

    def sets(self) -> bool:
        """Choose a listed set for each variable with required parents; returns whether that was possible."""
        if self.families is None:
            return True
        needed = list(Dag(self.known.n, tuple(sorted(self.arcs))).parents())
        self.arcs = []
        return self._choose([v for v, own in enumerate(needed) if own], needed)

    def _choose(self, variables: list[int], needed: list[tuple[int, ...]]) -> bool:
        """Choose the sets of these variables."""
        if not variables:
            return True
        v, *others = variables
        for own in self._listed(v, needed[v]):
            if self.tries == 0:
                return False
            self.tries -= 1
            self.arcs += [(u, v) for u in own]
            if self._width() is not None and self._choose(others, needed):
                return True
            self.arcs = self.arcs[: len(self.arcs) - len(own)]
        return False

    def _listed(self, v: int, needed: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
        """The sets of a variable with some members, the smallest first."""
        families = self.families
        assert families is not None
        block = families.parents[families.start[v] : families.start[v + 1]]
        holds = np.ones(len(block), bool)
        for u in needed:
            holds &= (block == u).any(axis=1)
        found = [tuple(p for p in own if p >= 0) for own in block[holds].tolist()]
        return sorted(found, key=len)

    def _width(self) -> Treewidth | None:
        """Bounds on the treewidth of the moral graph, on the variables with arcs or edges; None if it is no network."""
        members = sorted({v for pair in (*self.arcs, *self.edges) for v in pair})
        place = {v: i for i, v in enumerate(members)}
        if not members:
            return Treewidth(0, 0, ())
        dag = Dag(len(members), tuple(sorted((place[u], place[v]) for u, v in self.arcs)))
        if dag.order() is None or max(map(len, dag.parents())) > self.max_parents:
            return None
        left = {(min(place[u], place[v]), max(place[u], place[v])) for u, v in self.edges}
        found = treewidth(Graph(dag.n, tuple(sorted({*dag.moral().edges, *left}))), self.w, TREEWIDTH_WORK)
        if found.lower > self.w or (not self.edges and found.upper > self.w):
            self.is_undecided |= found.lower <= self.w
            return None
        return Treewidth(found.lower, found.upper, tuple(members[i] for i in found.order))

    def template(self) -> Template:
        """The network as a start."""
        n, found = self.known.n, self._width()
        assert found is not None
        order = (*found.order, *sorted({*range(n)} - {*found.order}))
        dag = Dag(n, tuple(sorted(self.arcs)))
        cliques = [(v, *later) for v, later in enumerate(later_neighbours(dag.moral(), order))]
        directed = Knowledge(self.known.may, dag.arcs, (), self.known.names)  # for its order
        parents: Sequence[tuple[int, ...]] = dag.parents()
        return Template(Graph.from_cliques(n, cliques), tuple(directed.order.tolist()), "knowledge", tuple(parents))
