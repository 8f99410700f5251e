"""Packing sets into words: one, many at once, graphs of more vertices than they name, and back."""

import numpy as np
import pytest

from cliquewise.common.graphs.chordal import bit_rows, graph_of
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.sets.bitset import bit_set, bit_sets, members_of
from cliquewise.common.sets.bitset_kernels import words_for


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
def test_sets_are_packed_and_read_back(n):
    rng = np.random.default_rng(n)
    sets = [tuple(np.flatnonzero(rng.random(n) < share).tolist()) for share in (0.0, 0.1, 0.5, 1.0)]
    words = words_for(n)
    single = [bit_set(members, words) for members in sets]
    assert [members_of(row) for row in single] == sets
    assert sum(int(word) << 64 * k for k, word in enumerate(single[2])) == sum(1 << v for v in sets[2])
    pairs = [(i, v) for i, members in enumerate(sets) for v in members]
    rng.shuffle(pairs)
    rows, members = np.array(pairs, np.int64).reshape(-1, 2).T
    many = bit_sets(rows, members.astype(np.int32), len(sets), words)
    assert many.dtype == np.uint64 and np.array_equal(many, single)


def test_no_sets_and_no_members():
    none = np.zeros(0, np.int64)
    assert bit_sets(none, [], 0, 2).shape == (0, 2) and not bit_sets(none, [], 3, 1).any()


@pytest.mark.parametrize("n", [5, 64, 130])
def test_bit_rows_of_a_graph_with_vertices_added(n):
    graph = Graph(5, ((0, 1), (1, 4), (2, 3)))
    rows = bit_rows(graph, n)
    assert rows.shape == (n, words_for(n)) and graph_of(rows) == Graph(n, graph.edges)
    assert np.array_equal(bit_rows(graph), bit_rows(graph, 5))
