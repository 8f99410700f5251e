"""The smallest of networks with equal scores: edges whose removal does not change the score are removed.

Such edges are those of a constant, which gain exactly 0 under every score without a penalty for edges, and under the
log-likelihood those between columns that determine each other. An edge of a chordal graph can be removed iff the common
neighbours S of its ends are complete, and then the score falls by d(u,v|S), see `common.scores.edge_gain_kernels`.
All edges of a constant are removed: the graph of its neighbours is chordal and has a simplicial vertex, whose edge to
the constant can be removed first.

Cost: four scores an edge, and four for each edge at the common neighbours of one that was removed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from .graph import Graph

ROUNDING = 1e-12  # relative to the scores: above rounding errors of their sums, below any other difference


def is_equal(difference: float, size: float) -> bool:
    """Whether a difference of scores is 0 up to the rounding of scores of this size."""
    return abs(difference) <= ROUNDING * (1.0 + abs(size))


def without_zero_gain_edges(graph: Graph, score_of: Callable, required: Graph | None = None) -> Graph:
    """The graph without the edges that can be removed, one after the other, without a change of the score.

    Parameters
    ----------
    graph : Graph, chordal
    score_of : callable taking a tuple of int
        The score of a set of variables, ascending; may be minus infinity.
    required
        Edges that are kept.

    Returns
    -------
    Graph
        Chordal.
    """
    kept = set() if required is None else {*required.edges}
    near, queue = graph.neighbours(), deque(graph.edges)
    while queue:
        u, v = queue.popleft()
        common = near[u] & near[v]
        if v not in near[u] or (u, v) in kept or not all(common - {w} <= near[w] for w in common):
            continue
        sets = [tuple(sorted(common | ends)) for ends in ({u, v}, set(), {u}, {v})]
        whole, base, with_u, with_v = map(score_of, sets)
        if is_equal(whole + base - with_u - with_v, whole):
            near[u].remove(v)
            near[v].remove(u)
            queue.extend((min(end, w), max(end, w)) for w in sorted(common) for end in (u, v))
    return replace(graph, edges=tuple((u, v) for u, v in graph.edges if v in near[u]))
