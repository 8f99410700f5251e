"""Chordal graphs as records: perfect elimination orders, maximal cliques, separators, junction trees.

Thin, checked wrappers around `common.graphs.chordal_kernels` (maximum cardinality search, Tarjan and Yannakakis 1984).
Cost O(n^2 + m n / 64).
"""

from collections.abc import Callable

import numpy as np

from ..errors import DataError
from ..sets.bitset import bit_sets, members_of
from ..sets.bitset_kernels import words_for
from .chordal_kernels import cardinality_search, cliques_and_separators
from .graph import Graph


def bit_rows(graph: Graph, n: int | None = None) -> np.ndarray:
    """The adjacency of a Graph as uint64[n, words], see `common.sets.bitset_kernels`.

    Parameters
    ----------
    n
        Number of vertices, at least that of the graph (the default); added vertices have no edges.
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


def _search(graph: Graph) -> tuple[bool, np.ndarray, np.ndarray]:
    """Cardinality search: (is chordal, order int64[n], earlier uint64[n, words])."""
    rows = bit_rows(graph)
    order, weight = np.zeros(graph.n, np.int64), np.zeros(graph.n, np.int64)
    earlier, done = np.zeros_like(rows), np.zeros(rows.shape[1], np.uint64)
    return cardinality_search(rows, order, earlier, weight, done), order, earlier


def is_chordal(graph: Graph) -> bool:
    """Does every cycle of four or more vertices have a chord?"""
    return graph.n == 0 or _search(graph)[0]


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
    chordal, order, _ = _search(graph)
    if not chordal:
        raise DataError("graph is not chordal")
    return tuple(int(v) for v in order[::-1])


def junction_tree(graph: Graph) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, int, tuple[int, ...]], ...]]:
    """Maximal cliques and the links of a junction tree.

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
    if graph.n == 0:
        return (), ()
    chordal, order, earlier = _search(graph)
    if not chordal:
        raise DataError("graph is not chordal")
    rows = [np.zeros_like(earlier), np.zeros_like(earlier)]
    count = cliques_and_separators(order, earlier, *rows)
    cliques, between = ([members_of(row) for row in part[:count]] for part in rows)
    first = np.zeros(graph.n, np.int64)  # for each vertex, the clique that introduced it
    for i in range(count - 1, -1, -1):
        first[list(cliques[i])] = i
    tree = [(i, int(first[list(separator)].max()), separator) for i, separator in enumerate(between) if separator]
    return tuple(cliques), tuple(tree)


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


def compile_chordal_score() -> None:
    """Compile the kernels of `chordal_score` and `graph_of`."""
    chordal_score(graph_of(bit_rows(Graph(1, ()))), len)


def are_chordal_within(graphs: np.ndarray, max_clique: int) -> bool:
    """Whether graphs as bit rows, uint64[..., n, words], are chordal and within the bound on cliques."""
    return all(_is_chordal_within(rows, max_clique) for rows in graphs.reshape(-1, *graphs.shape[-2:]))


def _is_chordal_within(rows: np.ndarray, max_clique: int) -> bool:
    """Whether bit rows are a chordal graph within the bound."""
    graph = graph_of(rows)
    same = np.array_equal(bit_rows(graph, len(rows)), rows)
    return same and is_chordal(graph) and max(map(len, maximal_cliques(graph))) <= max_clique
