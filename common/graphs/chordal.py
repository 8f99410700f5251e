"""Chordal graphs as records: perfect elimination orders, maximal cliques, separators, junction trees.

By maximum cardinality search (Tarjan and Yannakakis 1984) in Python, for graphs that are looked at once; for those of
every move there is `common.graphs.chordal_kernels`. Cost O(n + m), and n / 64 words per edge.
"""

from collections.abc import Callable

import numpy as np

from ..errors import DataError
from ..sets.bitset import bit_sets, members_of
from ..sets.bitset_kernels import words_for
from .graph import Graph


def bit_rows(graph: Graph, n: int | None = None) -> np.ndarray:
    """The adjacency of a Graph as uint64[n, words], see `common.sets.bitset_kernels`.

    Parameters
    ----------
    n
        Number of vertices, at least that of the graph, which is the default; further vertices have no edges.
    """
    n = graph.n if n is None else n
    ends = np.array(graph.edges, np.int64).reshape(-1, 2)
    return bit_sets(ends.ravel(), ends[:, ::-1].ravel(), n, words_for(n))


def graph_of(rows: np.ndarray, names: tuple[str, ...] | None = None) -> Graph:
    """The Graph of an adjacency uint64[n, words]; the inverse of `bit_rows`."""
    n = rows.shape[0]
    edges = []
    for u in range(n):
        edges += [(u, v) for v in members_of(rows[u]) if v > u]
    return Graph(n, tuple(edges), names)


def _search(graph: Graph) -> tuple[list[int], list[set[int]]] | None:
    """Maximum cardinality search: the next vertex is one with most neighbours before it, the smallest if several are.

    Returns
    -------
    (list of int, list of set of int) or None
        The order, and for each vertex its neighbours before it; None if the graph is not chordal.
    """
    neighbours = graph.neighbours()
    earlier: list[set[int]] = [set() for _ in neighbours]
    place: dict[int, int] = {}  # of the vertices that had their turn
    waiting = [(1 << graph.n) - 1]  # bit v of number k: vertex v, with k neighbours before it, waits
    order: list[int] = []
    while len(order) < graph.n:
        while not waiting[-1]:
            waiting.pop()
        v = (waiting[-1] & -waiting[-1]).bit_length() - 1
        waiting[-1] ^= 1 << v
        waiting.append(0)
        if earlier[v]:
            last = max(earlier[v], key=place.__getitem__)
            if not earlier[v] <= earlier[last] | {last}:  # complete, if those before v are
                return None
        place[v] = len(order)
        order.append(v)
        for w in neighbours[v]:
            if w not in place:
                waiting[len(earlier[w])] ^= 1 << w
                earlier[w].add(v)
                waiting[len(earlier[w])] ^= 1 << w
    return order, earlier


def is_chordal(graph: Graph) -> bool:
    """Does every cycle of four or more vertices have a chord?"""
    return _search(graph) is not None


def perfect_elimination_order(graph: Graph) -> tuple[int, ...]:
    """An order in which each vertex's later neighbours are complete.

    Returns
    -------
    tuple of int

    Raises
    ------
    DataError
        The graph is not chordal.
    """
    return tuple(reversed(_checked(graph)[0]))


def _checked(graph: Graph) -> tuple[list[int], list[set[int]]]:
    """As `_search`; DataError if the graph is not chordal."""
    found = _search(graph)
    if found is None:
        raise DataError("graph is not chordal")
    return found


def junction_tree(graph: Graph) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, int, tuple[int, ...]], ...]]:
    """Maximal cliques and the links of a junction tree.

    Junction trees are the maximum-weight spanning trees of the cliques, weighted by the sizes of intersections; maximum
    cardinality search finds cliques and one of these trees together (Blair and Peyton 1993).

    Parameters
    ----------
    graph : Graph, chordal

    Returns
    -------
    (tuple of tuple of int, tuple of (int, int, tuple of int))
        The maximal cliques, each ascending, in the order they were found; and for each clique i except the first of its
        component, (i, j, separator) where clique j < i contains the separator.

    Raises
    ------
    DataError
        The graph is not chordal.
    """
    cliques: list[list[int]] = []
    tree: list[tuple[int, int, tuple[int, ...]]] = []
    first: dict[int, int] = {}  # for each vertex, the clique that introduced it
    order, earlier = _checked(graph)
    for v in order:
        if not cliques or len(earlier[v]) < len(cliques[-1]):  # v does not extend the current clique
            if earlier[v]:
                tree.append((len(cliques), max(first[w] for w in earlier[v]), tuple(sorted(earlier[v]))))
            cliques.append(sorted(earlier[v]))
        cliques[-1].append(v)
        first[v] = len(cliques) - 1
    return tuple(tuple(sorted(clique)) for clique in cliques), tuple(tree)


def maximal_cliques(graph: Graph) -> tuple[tuple[int, ...], ...]:
    """The maximal cliques of a chordal Graph: ascending tuples, sorted. DataError if it is not chordal."""
    return tuple(sorted(junction_tree(graph)[0]))


def separators(graph: Graph) -> tuple[tuple[int, ...], ...]:
    """The separators of a junction tree of a chordal Graph with their multiplicity, sorted; none is empty."""
    return tuple(sorted(separator for _, _, separator in junction_tree(graph)[1]))


def chordal_score(graph: Graph, score_of: Callable) -> float:
    """The score of a chordal graph: the scores of its maximal cliques minus those of its separators.

    Parameters
    ----------
    graph : Graph, chordal
    score_of : callable taking a tuple of int
        The score of a set of variables.
    """
    cliques, tree = junction_tree(graph)
    return sum(map(score_of, cliques)) - sum(score_of(separator) for _, _, separator in tree)


def are_chordal_within(graphs: np.ndarray, max_clique: int) -> bool:
    """Whether graphs as bit rows, uint64[..., n, words], are chordal and within the bound on cliques."""
    return all(_is_chordal_within(rows, max_clique) for rows in graphs.reshape(-1, *graphs.shape[-2:]))


def _is_chordal_within(rows: np.ndarray, max_clique: int) -> bool:
    """Whether bit rows are a chordal graph within the bound."""
    graph = graph_of(rows)
    same = np.array_equal(bit_rows(graph, len(rows)), rows)
    found = _search(graph) if same else None
    return found is not None and max(map(len, found[1])) < max_clique
