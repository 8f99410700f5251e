"""Elimination orders: greedy ones against their definitions, and that several tries are never worse than one."""

import itertools
import math

import numpy as np
import pytest

from cliquewise.common.graphs import elimination
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.graphs.greedy_elimination import min_degree_order, min_fill_order
from cliquewise.common.graphs.treewidth import later_neighbours


def random_graph(rng, n):
    """A graph and numbers of states."""
    pairs = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < rng.uniform(0.1, 0.6)]
    return Graph(n, tuple(pairs)), rng.integers(1, 6, n).tolist()


def by_definition(graph, cost, last, ranks):
    """Always a vertex of least `cost(near, v)`, computed again each time."""
    near, order = [set(around) for around in graph.neighbours()], []
    while len(order) < graph.n:
        left = [v for v in range(graph.n) if v not in order]
        early = [v for v in left if v not in last] or left
        v = min(early, key=lambda v: (cost(near, v), ranks[v]))
        for a, b in itertools.permutations(near[v], 2):
            near[a].add(b)
        for a in near[v]:
            near[a].discard(v)
        order.append(v)
    return tuple(order)


@pytest.mark.parametrize("seed", range(30))
def test_greedy_orders_against_their_definitions(seed):
    rng = np.random.default_rng(seed)
    graph, arity = random_graph(rng, int(rng.integers(1, 14)))
    last, ranks = set(rng.permutation(graph.n)[: rng.integers(0, 3)].tolist()), rng.permutation(graph.n).tolist()

    def fill(near, v, weights):
        pairs = itertools.combinations(sorted(near[v]), 2)
        return sum(weights[a] * weights[b] for a, b in pairs if b not in near[a])

    weighted = by_definition(graph, lambda near, v: fill(near, v, arity), last, ranks)
    assert min_fill_order(graph, last, arity, ranks) == weighted
    assert min_fill_order(graph, last) == by_definition(
        graph, lambda near, v: fill(near, v, [1] * graph.n), last, range(graph.n)
    )
    assert min_degree_order(graph) == by_definition(graph, lambda near, v: len(near[v]), (), range(graph.n))


@pytest.mark.parametrize("seed", range(20))
def test_the_best_of_several_orders_is_never_worse(seed, monkeypatch):
    monkeypatch.setattr(elimination, "VARIABLE_COST", 0)
    rng = np.random.default_rng(seed)
    graph, arity = random_graph(rng, 16)
    last = set(rng.permutation(16)[:2].tolist())
    order = elimination.small_order(graph, arity, last)
    assert sorted(order) == list(range(16)) and {*order[-2:]} == last
    assert order == elimination.small_order(graph, arity, last)
    cells = elimination.table_cells(later_neighbours(graph, order), arity)
    first = elimination.table_cells(later_neighbours(graph, min_fill_order(graph, last)), arity)
    assert cells <= first
    later = later_neighbours(graph, order)
    assert cells == sum(math.prod([arity[v], *(arity[u] for u in around)]) for v, around in enumerate(later))


def test_one_order_is_tried_where_tables_are_small(monkeypatch):
    made = []
    monkeypatch.setattr(elimination, "min_fill_order", lambda *given: made.append(given) or min_fill_order(*given))
    assert len(elimination.small_order(Graph.from_cliques(9, [(v, v + 1) for v in range(8)]), [2] * 9)) == 9
    assert len(made) == 1
