"""The strength of an edge, that is, its effect on the score; used in drawings.

If the graph is chordal with and without edge uv, that is, if uv lies in only one maximal clique C, the strength is the
score lost by removing it, s(C) + s(C-u-v) - s(C-u) - s(C-v). Other edges cannot be removed alone; for these, and in
graphs that are not chordal, it is the gain of uv as the only edge, s(uv) - s(u) - s(v). For a score of Markov blankets
it is the loss when u and v are removed from each other's blanket. A negative strength means that the score would be
better without the edge.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from ..common.certify.blankets import blanket_terms, local_score
from ..common.certify.cliques import decompose
from ..common.certify.set_scores import set_score
from ..common.scores.scoring import scoring_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..common.files.result_header import Claims
    from ..common.graphs.graph import Graph


def edge_strengths(graph: Graph, source: Any, by: Claims) -> list[float]:
    """Strength of every edge.

    Parameters
    ----------
    graph
    source
    by
        How to score.

    Returns
    -------
    list of float
        In the order of `graph.edges`; differences of natural logarithms.
    """
    if by.by_blankets:
        whole, around = [score for score, _ in blanket_terms(graph, source, by)], graph.neighbours()

        def loss(v: int, u: int) -> float:
            return whole[v] - local_score(source, v, around[v] - {u}, by)

        return [loss(u, v) + loss(v, u) for u, v in graph.edges]
    cliques, _, _ = decompose(graph)
    holders: dict = {}
    for clique in cliques:
        for edge in combinations(clique, 2):
            holders.setdefault(edge, []).append(clique)
    known, scoring = {}, scoring_of(by)

    def s(members: Iterable[int]) -> float:
        key = tuple(sorted(members))
        if key not in known:
            known[key] = set_score(source, key, scoring)
        return known[key]

    def strength(edge: tuple[int, int]) -> float:
        around = holders.get(edge, ())
        rest = set(around[0]).difference(edge) if len(around) == 1 else set()
        u, v = edge
        return s(rest | {u, v}) + s(rest) - s(rest | {u}) - s(rest | {v})

    return [strength(edge) for edge in graph.edges]
