"""Greedy elimination orders: the next vertex adds the least weight of edges (min-fill), or has the fewest neighbours.

Cost: some 30 microseconds per vertex and order in sparse graphs, O(n^3) at most; costs of vertices are updated, not
recomputed.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from .graph import Graph


def min_fill_order(
    graph: Graph, last: Collection[int] = (), weights: Sequence[int] | None = None, ranks: Sequence[int] | None = None
) -> tuple[int, ...]:
    """A min-fill elimination order: the next vertex always needs the least weight of new edges.

    For a chordal graph, that weight is 0.

    Parameters
    ----------
    last
        Vertices that are eliminated after all others, by the same rule.
    weights
        The weight of an edge is the product of those of its ends. [default: 1]
    ranks
        Ties are broken by the least rank. [default: the numbers of the vertices]

    Returns
    -------
    tuple of int
    """
    left = graph.neighbours()
    weight = [1] * graph.n if weights is None else weights
    total: Callable[[set[int]], int] = len if weights is None else lambda some: sum(map(weight.__getitem__, some))
    cost = [sum(weight[u] * (total(around - left[u]) - weight[u]) for u in around) // 2 for around in left]

    def eliminate(v: int) -> set[int]:
        """A neighbour of v no longer lacks the edges from v to its other neighbours.

        An edge from a to b that is added is no longer lacking for those adjacent to both; a now lacks those from b to
        its neighbours, and so does b. So no degree is squared.
        """
        around = left[v]
        for u in around:
            left[u].remove(v)
            cost[u] -= weight[v] * total(left[u] - around)
        changed = set(around)
        for a in around:
            for b in around - left[a] - {a}:
                both = left[a] & left[b]
                for u in both:
                    cost[u] -= weight[a] * weight[b]
                cost[a] += weight[b] * total(left[a] - both)
                cost[b] += weight[a] * total(left[b] - both)
                left[a].add(b)
                left[b].add(a)
                changed |= both
        return changed

    return _greedy_order(cost, eliminate, last, range(graph.n) if ranks is None else ranks)


def min_degree_order(graph: Graph) -> tuple[int, ...]:
    """A min-degree elimination order: the next vertex always has the fewest neighbours."""
    left = graph.neighbours()
    cost = list(map(len, left))

    def eliminate(v: int) -> set[int]:
        """The neighbours of v are joined."""
        for u in left[v]:
            left[u] |= left[v]
            left[u] -= {u, v}
            cost[u] = len(left[u])
        return left[v]

    return _greedy_order(cost, eliminate, (), range(graph.n))


def _greedy_order(
    cost: list[int], eliminate: Callable[[int], set[int]], last: Collection[int], ranks: Sequence[int]
) -> tuple[int, ...]:
    """Always a vertex of least cost; `eliminate` updates the costs, and returns the vertices whose may have changed."""
    late, order = set(last), []
    for part in (set(range(len(cost))) - late, late):
        waiting = [(cost[v], ranks[v], v) for v in part]  # with those of former costs, which are passed over
        heapq.heapify(waiting)
        while waiting:
            known, _, v = heapq.heappop(waiting)
            if cost[v] == known:
                cost[v] = -1  # eliminated
                order.append(v)
                for u in eliminate(v) & part:
                    heapq.heappush(waiting, (cost[u], ranks[u], u))
    return tuple(order)
