"""How much an edge matters to the score; used to draw it.

If the graph is chordal and stays so without edge uv, that is if uv lies in one maximal clique C only, the
strength is the score lost by removing it, s(C) + s(C-u-v) - s(C-u) - s(C-v). The other edges cannot be
removed alone; for them, and in graphs that are not chordal, it is the gain of uv as the only edge, s(uv) -
s(u) - s(v). A negative strength means the score would be better without the edge.
"""

from itertools import combinations

from common.certify import decompose, set_score


def edge_strengths(graph, source, score_type, ess):
    """Strength of every edge.

    Parameters
    ----------
    graph : Graph
    source : Dataset or CliqueScores
    score_type, ess
        As for `common.certify.set_score`.

    Returns
    -------
    list of float
        In the order of `graph.edges`; differences of natural logarithms.
    """
    cliques, _, _ = decompose(graph)
    holders = {}
    for clique in cliques:
        for edge in combinations(clique, 2):
            holders.setdefault(edge, []).append(clique)
    known = {}

    def s(members):
        key = tuple(sorted(members))
        if key not in known:
            known[key] = set_score(source, key, score_type, ess)
        return known[key]

    def strength(edge):
        around = holders.get(edge, ())
        rest = set(around[0]).difference(edge) if len(around) == 1 else set()
        u, v = edge
        return s(rest | {u, v}) + s(rest) - s(rest | {u}) - s(rest | {v})

    return [strength(edge) for edge in graph.edges]
