"""Networks that grow greedily: by edges or by vertices, whichever is better.

*By edges* (`common.scores.greedy`), from the maximum-weight forest.

*By vertices*: one vertex after another joins, the one that gains the most first. Its neighbours are a subset S of a
clique: then the network stays chordal, and it gains s(S + v) - s(S) - s(v). Each vertex outside knows the best subset
that it has found; when a clique is new, each looks at it by forward selection (`common.scores.growth_kernels`). So a
set of variables that are strongly dependent together becomes a clique, as the indicators of the states of one variable
should, where single edges would make a tree of them that no edge joins any more. Then single edges are added and
removed. Prim's algorithm for trees is the case of at most one neighbour.

On 117 indicators of the states of 22 variables, 5000 rows, the network that grows by edges has -67070, by vertices and
then edges -48195; on plants, whose columns are not of one variable, -242676 and -244425.

Cost: by vertices n looks of up to n vertices, each some times |C|^2 scores of sets; 0.1 to 2 seconds for 100 variables,
where single edges take 0.1. With more than `MANY` variables only single edges are tried.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..graphs.chordal import bit_rows, chordal_score, graph_of
from ..sets.bitset import members_of
from ..sets.bitset_kernels import toggle
from .greedy import GreedySearch, compile_growth
from .growth_kernels import look_at_clique

if TYPE_CHECKING:
    from .scorer import SetScorer

MANY = 500  # variables


def grown(
    scorer: SetScorer,
    gains: np.ndarray,
    forest: np.ndarray,
    max_clique: int,
    parallel_map: Callable = map,
    may_go_on: Callable = lambda: True,
    on_step: Callable = lambda edges, gained: None,
) -> np.ndarray:
    """The better one of two networks that grow greedily.

    Parameters
    ----------
    gains : float64[n, n]
        The gain of every single edge.
    forest : uint64[n, words]
        From which the one grows by edges: a forest, or a network with required edges, which only grows by edges.
    max_clique
        Largest clique allowed.
    parallel_map
        Like `map`; a thread pool's `map` works in parallel, one scratch area of the scorer per thread.
    may_go_on
        Once it returns False, what has grown so far is the result.
    on_step
        Called at each step with the number of edges, and what all gained since the start.

    Returns
    -------
    uint64[n, words]
    """
    edges = graph_of(forest).edges

    def by_edges(rows: np.ndarray) -> np.ndarray:
        search, size, gained = GreedySearch(scorer, rows.copy(), edges, max_clique, may_go_on), len(edges), 0.0
        for gain in search.steps():
            size, gained = size + (-1 if search.removing else 1), gained + gain
            on_step(size, gained)
        return search.rows

    found = by_edges(forest)
    has_required = any(rows.any() for rows in scorer.scores.required)
    if scorer.n > MANY or max_clique < 3 or has_required or not may_go_on():
        return found
    other = by_edges(grown_by_vertices(scorer, gains, max_clique, parallel_map, may_go_on))
    return max(found, other, key=lambda rows: chordal_score(graph_of(rows), scorer.score))


def grown_by_vertices(
    scorer: SetScorer, gains: np.ndarray, max_clique: int, parallel_map: Callable, may_go_on: Callable
) -> np.ndarray:
    """The network that grows by vertices; arguments and result as of `grown`."""
    n, words, threads = scorer.n, scorer.words, len(scorer.scratch)
    rows, neighbours = np.zeros((n, words), np.uint64), np.zeros((n, words), np.uint64)
    outside, gained = np.zeros(words, np.uint64), np.zeros(n)
    alone, work = np.array([scorer.score((v,)) for v in range(n)]), np.zeros((threads, words), np.uint64)
    for v in range(n):
        toggle(outside, v)
    vertex = int(gains.max(axis=1).argmax())
    while True:
        toggle(outside, vertex)
        gained[vertex] = -np.inf
        clique = neighbours[vertex].copy()
        toggle(clique, vertex)
        rows[vertex] |= neighbours[vertex]
        for u in members_of(neighbours[vertex]):
            toggle(rows[u], vertex)
        if not outside.any() or not may_go_on():
            return rows

        def look(t: int, clique: np.ndarray = clique, newest: int = vertex) -> None:
            place = (work[t], alone, clique, newest, outside, max_clique, t, threads)
            look_at_clique(scorer.scores, scorer.scratch[t], *place, gained, neighbours)

        scorer.make_room()
        list(parallel_map(look, range(threads)))
        vertex = int(gained.argmax())


def compile_grown(scorer: SetScorer) -> None:
    """Compile the kernels: run them for no vertex and no edge."""
    compile_growth(scorer)
    nothing = np.zeros(scorer.words, np.uint64)
    none = np.zeros((0, scorer.words), np.uint64)
    place = (nothing, np.zeros(0), nothing, 0, nothing, 2, 0, 1)
    look_at_clique(scorer.scores, scorer.scratch[0], *place, np.zeros(0), none)
    bit_rows(graph_of(none))
