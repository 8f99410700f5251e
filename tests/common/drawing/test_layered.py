"""Layouts in layers: every edge goes down, nothing overlaps, and the order within layers has few crossings."""

import itertools

import networkx
import numpy as np
import pytest

from cliquewise.common.drawing import layered
from cliquewise.common.drawing.layered import layers, place_in_layers
from cliquewise.common.errors import LimitError
from tests.random_inputs import random_arcs


def crossings(routes):
    """Pairs of pieces between the same two layers whose ends are in opposite orders, one by one."""
    pieces = [(*a, *b) for route in routes for a, b in itertools.pairwise(map(tuple, route))]
    pieces = [piece if piece[1] > piece[3] else (*piece[2:], *piece[:2]) for piece in pieces]
    return sum(
        a[1] == b[1] and a[3] == b[3] and (a[0] - b[0]) * (a[2] - b[2]) < -1e-9
        for a, b in itertools.combinations(pieces, 2)
    )


@pytest.mark.parametrize("seed", range(8))
def test_arcs_go_down_and_boxes_are_apart(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 15))
    arcs, sizes = random_arcs(rng, n, 0.25), rng.uniform(20, 80, (n, 2))
    centres, routes = place_in_layers(n, arcs, sizes, True)
    assert all(centres[u, 1] > centres[v, 1] for u, v in arcs)
    for (u, v), route in zip(arcs, routes, strict=True):
        assert (route[0] == centres[u]).all() and (route[-1] == centres[v]).all()
        assert (np.diff(route[:, 1]) < 0).all()
    for u, v in itertools.combinations(range(n), 2):
        assert (np.abs(centres[u] - centres[v]) >= (sizes[u] + sizes[v]) / 2 - 1e-6).any(), (u, v)


@pytest.mark.parametrize("seed", range(5))
def test_layers_are_the_longest_paths(seed):
    rng = np.random.default_rng(100 + seed)
    arcs = random_arcs(rng, 9, 0.3)
    graph = networkx.DiGraph(arcs)
    found = layers(9, arcs, True)
    for v in graph:
        if graph.in_degree(v):
            assert found[v] == 1 + max(found[u] for u in graph.predecessors(v))
        else:
            assert found[v] == min(found[w] for w in graph.successors(v)) - 1


def test_cycles_and_undirected_edges():
    """There is no way down; a central variable is on top."""
    path = [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert layers(5, path, False) == [2, 1, 0, 1, 2]
    cycle = [(0, 1), (1, 2), (0, 2)]
    found = layers(3, [(0, 1), (1, 2), (2, 0)], True)
    assert sorted(found) == [0, 1, 2] and sorted(layers(3, cycle, False)) == [0, 1, 2]
    assert layers(2, [], False) == [0, 0]


def test_a_planar_drawing_is_found_for_trees():
    rng = np.random.default_rng(3)
    edges = [(int(rng.integers(0, v)), v) for v in range(1, 30)]
    _, routes = place_in_layers(30, sorted(edges), np.full((30, 2), 20.0), True)
    assert crossings(routes) == 0


def test_crossings_are_counted():
    """The sum tree against all pairs; equal ends do not cross."""
    rng = np.random.default_rng(8)
    for _ in range(30):
        above, below = (int(k) for k in rng.integers(1, 7, 2))
        near = [[int(v) for v in range(above, above + below) if rng.random() < 0.5] for _ in range(above)]
        rows = [list(rng.permutation(above)), list(range(above, above + below))]
        ends = [(i, v) for i, u in enumerate(rows[0]) for v in near[u]]
        slow = sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in itertools.combinations(ends, 2))
        assert layered._crossings(rows, near) == slow


def test_too_many_bends(monkeypatch):
    monkeypatch.setattr(layered, "MAX_BENDS", 3)
    arcs = [(u, v) for u in range(6) for v in range(u + 1, 6)]
    with pytest.raises(LimitError, match="more than 3 bends of edges in layers; use --layout organic"):
        place_in_layers(6, arcs, np.full((6, 2), 20.0), True)
