"""Elimination orders for junction trees with small tables: weighted min-fill, the best of several with random ties.

An elimination takes a variable that adds the least weight of edges, which is their number (min-fill), or the sum of the
products of their ends' numbers of states (weighted min-fill). Which is better differs, and which of several equal
variables comes first can change the size of the tables by a factor of ten. So where tables are large, both are tried
with ties broken at random, and the order with the smallest tables is taken. The first order tried is min-fill with ties
by number. Seeds and numbers of orders depend only on the problem: the same problem has the same order.

Cost: some 30 microseconds per variable and order.
"""

from __future__ import annotations

import heapq
import math
import random
from typing import TYPE_CHECKING

from .treewidth import later_neighbours, min_fill_order

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .graph import Graph

TRIES = 24  # orders at most
WORTH = 8000  # numbers of tables that take as long as one variable of an order


def small_order(graph: Graph, arity: Sequence[int], last: Collection[int] = ()) -> tuple[int, ...]:
    """An elimination order with small tables.

    Parameters
    ----------
    graph
    arity
        Number of states of each vertex.
    last
        Vertices that are eliminated after all others.

    Returns
    -------
    tuple of int
    """
    best, alike = min_fill_order(graph, list(last)), [1] * graph.n
    size = table_cells(later_neighbours(graph, best), arity)
    rng, ranks = random.Random(1), list(range(graph.n))
    for number in range(1, TRIES):
        if number * WORTH * graph.n >= size:
            break
        rng.shuffle(ranks)
        order = weighted_min_fill(graph, arity if number % 2 else alike, last, ranks)
        found = table_cells(later_neighbours(graph, order), arity)
        if found < size:
            best, size = order, found
    return best


def table_cells(later: Sequence[set[int]], arity: Sequence[int]) -> int:
    """The numbers of all tables of an elimination: of each vertex with its later neighbours."""
    return sum(arity[v] * math.prod(arity[u] for u in around) for v, around in enumerate(later))


def weighted_min_fill(
    graph: Graph, arity: Sequence[int], last: Collection[int], ranks: Sequence[int]
) -> tuple[int, ...]:
    """An elimination order that always adds the least weight of edges.

    Parameters
    ----------
    graph, last
        As for `small_order`.
    arity
        An edge weighs the product of those of its ends.
    ranks
        Of equal vertices the one with the least rank comes first.

    Returns
    -------
    tuple of int
    """
    left = [set(around) for around in graph.neighbours()]
    cost = [_missing_weight(left, arity, v) for v in range(graph.n)]
    late, order, gone = set(last), [], [False] * graph.n
    for part in (set(range(graph.n)) - late, late):
        waiting = [(cost[v], ranks[v], v) for v in part]
        heapq.heapify(waiting)
        while waiting:
            known, _, v = heapq.heappop(waiting)
            if gone[v] or cost[v] != known:
                continue
            gone[v] = True
            order.append(v)
            for u in _eliminate(left, arity, cost, v) & part:
                heapq.heappush(waiting, (cost[u], ranks[u], u))
    return tuple(order)


def _missing_weight(left: list[set[int]], arity: Sequence[int], v: int) -> int:
    """The weight of the edges that eliminating v would add."""
    around = left[v]
    return sum(arity[u] * sum(arity[w] for w in around - left[u] - {u}) for u in around) // 2


def _eliminate(left: list[set[int]], arity: Sequence[int], cost: list[int], v: int) -> set[int]:
    """Eliminate v and update the costs: whose may have changed."""
    around = left[v]
    for u in around:
        left[u].remove(v)
        cost[u] -= arity[v] * sum(arity[w] for w in left[u] - around)
    changed = set(around)
    for a in around:
        for b in around - left[a] - {a}:
            both = left[a] & left[b]
            for u in both:
                cost[u] -= arity[a] * arity[b]
            cost[a] += arity[b] * sum(arity[w] for w in left[a] - both)
            cost[b] += arity[a] * sum(arity[w] for w in left[b] - both)
            left[a].add(b)
            left[b].add(a)
            changed |= both
    return changed
