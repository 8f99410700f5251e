"""Proved bounds on the treewidth of a graph, which coincide if the graph is small or easy.

A graph has treewidth at most k if its vertices can be eliminated one by one, each with at most k remaining neighbours,
which are then joined with each other. So any order proves an upper bound. Two orders are tried: the next vertex needs
the fewest new edges (min-fill), or has the fewest neighbours (min-degree). Lower bound: a graph whose vertices all have
at least k neighbours has treewidth at least k, and so has a graph that can be contracted to it (the contraction
degeneracy; a vertex with fewest neighbours is always contracted with the neighbour with which it shares fewest).

If the bounds differ, `common.graphs.treewidth_search` searches for an order between them. The search ends after a fixed
number of sets, not seconds: the same file always gives the same verdict.

Cost: O(n^3) for the orders and contractions; the search takes at most `MAX_WORK` / n sets of O(n^2) each, about ten
seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .graph import Graph
from .greedy_elimination import min_degree_order, min_fill_order
from .treewidth_search import order_within

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_WORK = 3_000_000  # sets times vertices


@dataclass(frozen=True)
class Treewidth:
    """Bounds on a graph's treewidth.

    Attributes
    ----------
    lower, upper : int
        The treewidth lies between them, inclusive.
    order : tuple of int
        An elimination order in which no vertex has more than `upper` neighbours.
    """

    lower: int
    upper: int
    order: tuple


def treewidth(graph: Graph, target: int | None = None, work: int | None = None) -> Treewidth:
    """Bounds on the treewidth of a graph.

    Parameters
    ----------
    target
        Stop when the treewidth is proved to be at most this, or more.
    work
        Number of sets that the search may visit, times the number of vertices; by default `MAX_WORK`.

    Returns
    -------
    Treewidth
    """
    orders = min_fill_order(graph), min_degree_order(graph)
    upper, order = min((max(map(len, later_neighbours(graph, order))), order) for order in orders)
    lower = _contraction_degeneracy(graph)
    sets = (MAX_WORK if work is None else work) // graph.n
    near = [sum(1 << u for u in around) for around in graph.neighbours()]
    while lower < upper and (target is None or lower <= target < upper):
        bound = lower if target is None else target
        better, sets = order_within(near, bound, sets)
        if better:
            upper, order = bound, better
        elif sets > 0:
            lower = bound + 1
        else:
            break
    return Treewidth(min(lower, upper), upper, order)


def min_fill_cover(graph: Graph) -> Graph:
    """A chordal graph with all edges of a graph and those that min-fill elimination adds."""
    cliques = [(v, *around) for v, around in enumerate(later_neighbours(graph, min_fill_order(graph)))]
    return Graph.from_cliques(graph.n, cliques, graph.names)


def clique_tree(graph: Graph, order: Sequence[int]) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """A junction tree of a graph that an elimination makes chordal.

    Parameters
    ----------
    order
        All vertices, each once; if the last ones are complete, the first clique contains them.

    Returns
    -------
    (tuple of tuple of int, tuple of int)
        The maximal cliques, each ascending; and for each its parent, an earlier one that contains all it shares with
        earlier ones, or -1 for the first of a component.

    Notes
    -----
    Vertices enter against the elimination order. The later neighbours of a vertex are complete: if they are all of a
    clique, that clique grows, otherwise a new one begins.

    `common.graphs.chordal.junction_tree` does the same for a chordal graph, in a module that imports compiled code,
    which learners have loaded anyway. Commands that query a model have not: for barley, this function takes 0.7 ms of a
    processor, while loading that code takes 0.5 s.
    """
    later, place = later_neighbours(graph, order), {v: i for i, v in enumerate(order)}
    cliques: list[set[int]] = []
    parent: list[int] = []
    home: dict[int, int] = {}
    for v in reversed(order):
        around = later[v]
        k = home[min(around, key=place.__getitem__)] if around else -1
        if around and cliques[k] == around:
            home[v] = k
            cliques[k] = around | {v}
        else:
            home[v] = len(cliques)
            cliques.append(around | {v})
            parent.append(k)
    return tuple(tuple(sorted(clique)) for clique in cliques), tuple(parent)


def later_neighbours(graph: Graph, order: Sequence[int]) -> list[set[int]]:
    """The neighbours that the elimination joins to each vertex: with these edges the graph is chordal.

    Parameters
    ----------
    order
        All vertices, each once.

    Returns
    -------
    list of set of int
        The neighbours of each vertex when it is eliminated, which come after it.
    """
    left = _adjacency(graph)
    later: list[set[int]] = [set()] * graph.n
    for v in order:
        later[v] = left[v]
        _eliminate(left, v)
    return later


def _adjacency(graph: Graph) -> dict[int, set[int]]:
    """Neighbour sets of the remaining vertices, by vertex."""
    return dict(enumerate(graph.neighbours()))


def _eliminate(left: dict[int, set[int]], v: int) -> None:
    """Eliminate v: remove it and join its neighbours."""
    around = left.pop(v)
    for u in around:
        left[u] |= around
        left[u] -= {u, v}


def _contraction_degeneracy(graph: Graph) -> int:
    """A lower bound on the treewidth: the largest minimum degree while the graph is contracted edge by edge."""
    left, bound = _adjacency(graph), 0
    while left:
        v = min(left, key=lambda u: (len(left[u]), u))
        around = left.pop(v)
        bound = max(bound, len(around))
        for u in around:
            left[u].discard(v)
        if around:
            u = min(around, key=lambda u: (len(left[u] & around), u))
            for other in around - {u}:
                left[u].add(other)
                left[other].add(u)
    return bound
