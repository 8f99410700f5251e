"""Partially directed graphs, and the CPDAG of a directed acyclic graph.

Two directed acyclic graphs are equivalent if they describe the same independences: they have the same edges without
directions, and the same colliders u -> w <- v with u and v not joined. The CPDAG of such a class has an arc where all
its members agree on the direction, and an undirected edge elsewhere (Chickering, A Transformational Characterization
of Equivalent Bayesian Network Structures, UAI 1995).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from .graph import Graph

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .dag import Dag


@dataclass(frozen=True)
class Pdag:
    """A graph in which some edges have a direction.

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
        """All edges, ascending; those with a direction as parent and child."""
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


def with_directions(graph: Pdag, arcs: Iterable[tuple[int, int]]) -> Pdag:
    """A CPDAG with further known directions, and those that follow from them.

    Parameters
    ----------
    arcs
        In the directions of a member of the class.

    Returns
    -------
    Pdag
        With a direction where all members of the class with these arcs agree.

    Notes
    -----
    The four rules of Meek (Causal Inference and Causal Explanation with Background Knowledge, UAI 1995), until none
    applies. Cost: O(edges^2 degree^2) at most.
    """
    directed, open_ends = {*graph.arcs}, {*graph.undirected}
    joined = Graph(graph.n, graph.edges).neighbours()
    waiting = [arc for arc in arcs if arc not in directed]
    while waiting:
        for u, v in waiting:
            open_ends.discard((min(u, v), max(u, v)))
            directed.add((u, v))
        both_ways = [arc for u, v in sorted(open_ends) for arc in ((u, v), (v, u))]
        waiting = [(u, v) for u, v in both_ways if _follows(u, v, directed, joined)]
    return Pdag(graph.n, tuple(sorted(directed)), tuple(sorted(open_ends)), graph.names)


def _follows(a: int, b: int, directed: set[tuple[int, int]], joined: list[set[int]]) -> bool:
    """Whether one of Meek's rules directs the edge a - b as a -> b."""
    both = joined[a] & joined[b]
    if any((c, a) in directed for c in joined[a] - joined[b] - {b}):
        return True  # else a new collider at a
    if any((a, c) in directed and (c, b) in directed for c in both):
        return True  # else a cycle
    into = {c for c in both if (c, b) in directed and not {(a, c), (c, a)} & directed}
    if any(d not in joined[c] for c in into for d in into - {c}):
        return True  # else one of a - c, a - d closes a cycle, or they collide at a
    return any(
        (c, b) in directed and any((d, c) in directed and d not in joined[b] for d in joined[a] & joined[c] - {b})
        for c in both
    )


def structural_distance(one: Pdag | Dag, other: Pdag | Dag) -> dict[str, int]:
    """The differences of two graphs on the same vertices, pair by pair.

    Returns
    -------
    dict of str to int
        `missing` and `extra`: pairs joined in the second graph only, or in the first only; `reversed`: pairs joined in
        both, with another direction; `shd`, their sum, the structural Hamming distance (Tsamardinos, Brown and
        Aliferis, Machine Learning 65, 2006).
    """
    first, second = ({(min(edge), max(edge)): edge in arcs and edge for edge in graph.edges}
                     for graph, arcs in ((one, {*one.arcs}), (other, {*other.arcs})))  # fmt: skip
    missing, extra = len(second.keys() - first.keys()), len(first.keys() - second.keys())
    turned = sum(first[pair] != second[pair] for pair in first.keys() & second.keys())
    return {"missing": missing, "extra": extra, "reversed": turned, "shd": missing + extra + turned}
