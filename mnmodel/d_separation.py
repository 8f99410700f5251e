"""Separation of sets of variables in a network, and Markov blankets.

In a directed graph a path is open, given a set Z, if each vertex on it at which two arcs meet head to head is in Z or
has a descendant in it, and no other vertex of it is in Z (Pearl 1988, d-separation). In an undirected graph a path is
open if no vertex of it is in Z. Sets without an open path between them are independent given Z in every distribution
of the network.

An open path is found by a search over pairs of a vertex and the direction in which it was entered (Shachter 1998,
Bayes ball). Cost: linear in the number of edges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.graphs.dag import Dag

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..common.graphs.graph import Graph

Step = tuple[int, bool]  # a vertex, and whether it was entered along an arc, from a parent


def open_path(
    graph: Graph | Dag, first: Collection[int], second: Collection[int], given: Collection[int]
) -> list[int] | None:
    """A shortest open path between two sets of vertices, given a third.

    Parameters
    ----------
    graph
        Acyclic if it is directed.
    first, second, given
        Disjoint.

    Returns
    -------
    list of int or None
        Its vertices in order; None if the sets are separated. In a directed graph it may go to a descendant in `given`
        and back, since that opens the vertex above.

    Examples
    --------
    >>> collider = Dag(3, ((0, 2), (1, 2)))
    >>> open_path(collider, [0], [1], []), open_path(collider, [0], [1], [2])
    (None, [0, 2, 1])
    """
    known, wanted = set(given), set(second)
    parents, children = _relatives(graph)
    start: list[Step] = [(v, False) for v in first]
    previous: dict[Step, Step | None] = dict.fromkeys(start)
    waiting = start
    while waiting:
        reached: list[Step] = []
        for step in waiting:
            v, from_parent = step
            if v in wanted:
                return _path_to(previous, step)
            onward: list[Step] = []
            if v not in known:
                onward += [(u, True) for u in children[v]]
            if (v not in known) != from_parent:  # up: not past a known vertex, and from a parent only through it
                onward += [(u, False) for u in parents[v]]
            for new in onward:
                if new not in previous:
                    previous[new] = step
                    reached.append(new)
        waiting = reached
    return None


def blanket(graph: Graph | Dag, v: int) -> list[int]:
    """The Markov blanket of a vertex, ascending: its neighbours; or its parents, children, and their other parents."""
    parents, children = _relatives(graph)
    members = {*parents[v], *children[v]}
    for child in children[v] if isinstance(graph, Dag) else ():
        members.update(parents[child])
    return sorted(members - {v})


def _relatives(graph: Graph | Dag) -> tuple[list[list[int]], list[list[int]]]:
    """Parents and children of each vertex; in an undirected graph all neighbours count as children."""
    parents: list[list[int]] = [[] for _ in range(graph.n)]
    children: list[list[int]] = [[] for _ in range(graph.n)]
    for u, v in graph.edges:
        children[u].append(v)
        (parents if isinstance(graph, Dag) else children)[v].append(u)
    return parents, children


def _path_to(previous: dict[Step, Step | None], last: Step) -> list[int]:
    """The vertices of the path to the last step."""
    path: list[int] = []
    step: Step | None = last
    while step is not None:
        path.append(step[0])
        step = previous[step]
    return path[::-1]
