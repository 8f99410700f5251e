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
    if isinstance(graph, Dag):
        parents = graph.parents()
        rests = {(u, v): set(parents[v]) - {u} for u, v in graph.arcs}
    elif by.by_blankets:
        whole, around = [score for score, _ in blanket_terms(graph, source, by)], graph.neighbours()

        def loss(v: int, u: int) -> float:
            return whole[v] - local_score(source, v, around[v] - {u}, by)

        return [loss(u, v) + loss(v, u) for u, v in graph.edges]
    else:
        rests = _inside_one_clique(graph)
    known, scoring = {}, scoring_of(by)

    def s(members: Iterable[int]) -> float:
        key = tuple(sorted(members))
        if key not in known:
            known[key] = set_score(source, key, scoring)
        return known[key]

    def strength(edge: tuple[int, int]) -> float:
        rest, (u, v) = rests.get(edge, set()), edge
        return s(rest | {u, v}) + s(rest) - s(rest | {u}) - s(rest | {v})

    return [strength(edge) for edge in graph.edges]


def _inside_one_clique(graph: Graph) -> dict[tuple[int, int], set[int]]:
    """For each edge that lies in only one maximal clique, the rest of that clique."""
    holders: dict = {}
    for clique in decompose(graph)[0]:
        for edge in combinations(clique, 2):
            holders.setdefault(edge, []).append(clique)
    return {edge: set(around[0]).difference(edge) for edge, around in holders.items() if len(around) == 1}
