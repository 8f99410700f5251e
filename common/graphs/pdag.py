"""Partially directed graphs, and the CPDAG of a directed acyclic graph.

Two directed acyclic graphs are equivalent if they describe the same independences: they have the same edges without
directions, and the same colliders u -> w <- v with u and v not joined. The CPDAG of such a class has an arc where all
its members agree on the direction, and an undirected edge elsewhere (Chickering, A Transformational Characterization
of Equivalent Bayesian Network Structures, UAI 1995).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from .dag import Dag


@dataclass(frozen=True)
class Pdag:
    """A graph of which some edges have a direction.

    Attributes
    ----------
    n
        Number of vertices.
    arcs : tuple of (int, int)
        Parent and child, ascending.
    undirected : tuple of (int, int)
        Each with u < v, ascending; none is an arc too.
    names : tuple of str or None
        Vertex names, or None when only indices are known.
    """

    n: int
    arcs: tuple
    undirected: tuple
    names: tuple[str, ...] | None = None
    directed: ClassVar[bool] = True

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """All of them, ascending; those with a direction as parent and child."""
        return tuple(sorted((*self.arcs, *self.undirected)))


def cpdag(dag: Dag) -> Pdag:
    """The CPDAG of a directed acyclic graph.

    Parameters
    ----------
    dag
        Without a directed cycle.

    Notes
    -----
    Chickering's labelling, vertex by vertex in topological order, with x the last parent of y: all arcs to y are
    compelled if a compelled arc w -> x has no w -> y, or if some z -> y has no z -> x; otherwise those from the w
    alone. Cost: O(arcs).
    """
    order = dag.order()
    assert order is not None
    place = {v: i for i, v in enumerate(order)}
    parents = [set(one) for one in dag.parents()]
    compelled: list[set[int]] = [set() for _ in range(dag.n)]  # parents of each vertex whose arcs are compelled
    for y in order:
        if parents[y]:
            x = max(parents[y], key=place.__getitem__)
            is_bound = not compelled[x] <= parents[y] or not parents[y] - {x} <= parents[x]
            compelled[y] = set(parents[y] if is_bound else compelled[x])
    arcs = tuple(sorted((u, v) for v, own_parents in enumerate(compelled) for u in own_parents))
    rest = {(u, v) for v, own_parents in enumerate(parents) for u in own_parents - compelled[v]}
    return Pdag(dag.n, arcs, tuple(sorted((min(edge), max(edge)) for edge in rest)), dag.names)


def structural_distance(one: Pdag | Dag, other: Pdag | Dag) -> dict[str, int]:
    """How two graphs on the same vertices differ, pair by pair.

    Returns
    -------
    dict of str to int
        `missing` and `extra`: pairs joined in the second graph only, or in the first only; `reversed`: pairs joined in
        both, with another direction; `shd`, their sum (Tsamardinos, Brown and Aliferis, Machine Learning 65, 2006).
    """
    first, second = ({(min(edge), max(edge)): edge in arcs and edge for edge in graph.edges}
                     for graph, arcs in ((one, {*one.arcs}), (other, {*other.arcs})))  # fmt: skip
    missing, extra = len(second.keys() - first.keys()), len(first.keys() - second.keys())
    turned = sum(first[pair] != second[pair] for pair in first.keys() & second.keys())
    return {"missing": missing, "extra": extra, "reversed": turned, "shd": missing + extra + turned}
