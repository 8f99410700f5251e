"""Elimination orders for junction trees with small tables: weighted min-fill, the best of several with random ties.

An elimination takes a variable that adds the least weight of edges, which is their number (min-fill), or the sum of the
products of their ends' numbers of states (weighted min-fill). Neither is always better, and the choice among tied
variables can change the size of the tables by a factor of ten. So where tables are large, both are tried with ties
broken at random, and the order with the smallest tables is taken. The first order tried is min-fill with ties broken by
number. The random seed and the number of orders depend only on the problem, and so does the order.

Cost: that of the orders.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

from .greedy_elimination import min_fill_order
from .treewidth import later_neighbours

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .graph import Graph

MAX_ORDERS = 24  # largest number of orders
VARIABLE_COST = 8000  # table entries that take as long as one variable of an order


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
    best = min_fill_order(graph, last)
    size = table_cells(later_neighbours(graph, best), arity)
    rng, ranks = random.Random(1), list(range(graph.n))
    for number in range(1, MAX_ORDERS):
        if number * VARIABLE_COST * graph.n >= size:
            break
        rng.shuffle(ranks)
        order = min_fill_order(graph, last, arity if number % 2 else None, ranks)
        found = table_cells(later_neighbours(graph, order), arity)
        if found < size:
            best, size = order, found
    return best


def table_cells(later: Sequence[set[int]], arity: Sequence[int]) -> int:
    """The total number of entries of the tables of an elimination: of each vertex with its later neighbours."""
    return sum(arity[v] * math.prod(arity[u] for u in around) for v, around in enumerate(later))
