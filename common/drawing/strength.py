"""The strength of an edge, that is, its effect on the score; used in drawings.

If the graph is chordal with and without edge uv, that is, if uv lies in only one maximal clique C, the strength is the
score lost by removing it, s(C) + s(C-u-v) - s(C-u) - s(C-v). Other edges cannot be removed alone; for these, and in
graphs that are not chordal, it is the gain of uv as the only edge, s(uv) - s(u) - s(v). Of an arc from u to v it is the
same with the family of v as C: the score lost without u as a parent of v. For a score of Markov blankets it is the loss
when u and v are removed from each other's blanket. A negative strength means that the score would be better without the
edge.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from ..certify.blankets import blanket_terms, local_score
from ..certify.cliques import decompose
from ..certify.set_scores import set_score
from ..graphs.dag import Dag
from ..scores.scoring import scoring_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..files.result_header import Claims
    from ..graphs.graph import Graph


def edge_strengths(graph: Graph | Dag, source: Any, by: Claims) -> list[float]:
    """Strength of every edge.

    Parameters
    ----------
    graph
        A Dag only with a score of sets.
    source
    by
        How to score.

    Returns
    -------
    list of float
        In the order of `graph.edges`; differences of natural logarithms.
    """
    if by.by_blankets and not isinstance(graph, Dag):
        whole, around = [score for score, _ in blanket_terms(graph, source, by)], graph.neighbours()

        def loss(v: int, u: int) -> float:
            return whole[v] - local_score(source, v, around[v] - {u}, by)

        return [loss(u, v) + loss(v, u) for u, v in graph.edges]
    rests = conditioning_sets(graph)
    known: dict[tuple[int, ...], float] = {}
    scoring = scoring_of(by)

    def s(given: tuple[int, ...], *ends: int) -> float:
        key = tuple(sorted((*given, *ends))) if ends else given
        if key not in known:
            known[key] = set_score(source, key, scoring)
        return known[key]

    def strength(edge: tuple[int, int]) -> float:
        rest, (u, v) = rests[edge], edge
        return s(rest, u, v) + s(rest) - s(rest, u) - s(rest, v)

    return [strength(edge) for edge in graph.edges]


def conditioning_sets(graph: Graph | Dag, by_blankets: bool = False) -> dict[tuple[int, int], tuple[int, ...]]:
    """Given which variables the ends of each edge are compared.

    Parameters
    ----------
    graph
    by_blankets
        Whether it is a network of Markov blankets.

    Returns
    -------
    dict of (int, int) to tuple of int
        Ascending, in the order of `graph.edges`: of an arc the other parents of its head; of blankets the smaller one
        of both ends; of an edge in one maximal clique the rest of it, of any other none.
    """
    if isinstance(graph, Dag):
        parents = graph.parents()
        return {(u, v): _without(parents[v], u) for u, v in graph.arcs}
    if by_blankets:
        around = graph.neighbours()
        both = {(u, v): (_without(around[u], v), _without(around[v], u)) for u, v in graph.edges}
        return {edge: min(pair, key=len) for edge, pair in both.items()}
    holders: dict = {}
    for clique in decompose(graph)[0]:
        for edge in combinations(clique, 2):
            holders.setdefault(edge, []).append(clique)
    return {edge: _without(holders[edge][0], *edge) if len(holders.get(edge, ())) == 1 else () for edge in graph.edges}


def _without(variables: Iterable[int], *ends: int) -> tuple[int, ...]:
    return tuple(v for v in sorted(variables) if v not in ends)
