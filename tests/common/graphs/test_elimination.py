"""Elimination orders: weighted min-fill against its definition, and that several tries are never worse than one."""

import itertools
import math

import numpy as np
import pytest

from cliquewise.common.graphs import elimination
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.graphs.treewidth import later_neighbours, min_fill_order


def random_graph(rng, n):
    """A graph and numbers of states."""
    pairs = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < rng.uniform(0.1, 0.6)]
    return Graph(n, tuple(pairs)), rng.integers(1, 6, n).tolist()


def by_definition(graph, arity, last, ranks):
    """The same order, from the weights of all missing edges, each time anew."""
    near, order = [set(around) for around in graph.neighbours()], []
    while len(order) < graph.n:
        left = [v for v in range(graph.n) if v not in order]
        early = [v for v in left if v not in last] or left
        weight = {v: sum(arity[a] * arity[b] for a, b in itertools.combinations(sorted(near[v]), 2) if b not in near[a])
                  for v in early}  # fmt: skip
        v = min(early, key=lambda v: (weight[v], ranks[v]))
        for a, b in itertools.permutations(near[v], 2):
            near[a].add(b)
        for a in near[v]:
            near[a].discard(v)
        order.append(v)
    return tuple(order)


@pytest.mark.parametrize("seed", range(30))
def test_weighted_min_fill_against_its_definition(seed):
    rng = np.random.default_rng(seed)
    graph, arity = random_graph(rng, int(rng.integers(1, 14)))
    last, ranks = set(rng.permutation(graph.n)[: rng.integers(0, 3)].tolist()), rng.permutation(graph.n).tolist()
    assert elimination.weighted_min_fill(graph, arity, last, ranks) == by_definition(graph, arity, last, ranks)


@pytest.mark.parametrize("seed", range(20))
def test_several_tries_are_not_worse(seed, monkeypatch):
    monkeypatch.setattr(elimination, "WORTH", 0)
    rng = np.random.default_rng(seed)
    graph, arity = random_graph(rng, 16)
    last = set(rng.permutation(16)[:2].tolist())
    order = elimination.small_order(graph, arity, last)
    assert sorted(order) == list(range(16)) and {*order[-2:]} == last
    assert order == elimination.small_order(graph, arity, last)
    cells = elimination.table_cells(later_neighbours(graph, order), arity)
    first = elimination.table_cells(later_neighbours(graph, min_fill_order(graph, list(last))), arity)
    assert cells <= first
    later = later_neighbours(graph, order)
    assert cells == sum(math.prod([arity[v], *(arity[u] for u in around)]) for v, around in enumerate(later))


def test_small_tables_are_not_worth_a_second_order(monkeypatch):
    monkeypatch.setattr(elimination, "weighted_min_fill", None)  # would fail if it were called
    assert len(elimination.small_order(Graph.from_cliques(9, [(v, v + 1) for v in range(8)]), [2] * 9)) == 9
