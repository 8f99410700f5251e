"""Alignment: transpositions of two vertices, beside all relabelled graphs."""

from itertools import combinations

import numpy as np
import pytest

from cliquewise.lsmarkov import alignment
from cliquewise.lsmarkov.alignment import aligned, transposed, transpositions
from tests.oracles.graphs import graph_score
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, random_chordal_edges, random_dataset, random_edges, rows_of

N = 7


def matrix(edges):
    """The adjacency, bool[n, n]."""
    adjacency = np.zeros((N, N), bool)
    for v, w in edges:
        adjacency[v, w] = adjacency[w, v] = True
    return adjacency


def edges_in(adjacency):
    """Its edges."""
    return {(v, w) for v, w in combinations(range(N), 2) if adjacency[v, w]}


def swapped(edges, v, w):
    """The edges after v and w have exchanged their names."""
    name = {v: w, w: v}
    return {tuple(sorted((name.get(a, a), name.get(b, b)))) for a, b in edges}


@pytest.mark.parametrize("seed", range(20))
def test_transpositions_that_bring_edges_of_another_network(seed):
    own, other = (set(random_edges(2 * seed + i, N, 0.5)) for i in range(2))
    gains = {(v, w): len(swapped(own, v, w) & other) - len(own & other) for v, w in combinations(range(N), 2)}
    found = [tuple(pair) for pair in transpositions(matrix(own), matrix(other)).tolist()]
    assert sorted(found) == sorted(pair for pair, gain in gains.items() if gain > 0)
    assert [gains[pair] for pair in found] == sorted((gains[pair] for pair in found), reverse=True)
    for v, w in gains:
        assert edges_in(transposed(matrix(own), v, w)) == swapped(own, v, w)


@pytest.mark.parametrize("lost", [0.0, 1.0, 30.0])
@pytest.mark.parametrize("seed", range(6))
def test_all_transpositions_that_lose_little_are_made(monkeypatch, seed, lost):
    """A network of data with an equal pair of columns, and another one: nearer, and worse by no more than allowed."""
    monkeypatch.setattr(alignment, "MAX_LOST", lost + 1e-9)
    data = random_dataset(seed, n_vars=N, n_rows=60)
    rows = [(*row[:-1], row[0]) for row in rows_of(data)]
    arity = (*arity_of(data)[:-1], arity_of(data)[0])
    of_set = set_score(rows, arity, "bdeu")

    def score(adjacency):
        return graph_score(N, frozenset(edges_in(adjacency)), of_set)

    own, other = (set(random_chordal_edges(2 * seed + i, N, 4)) for i in range(2))
    found = aligned(matrix(own), matrix(other), score)
    assert len(edges_in(found) & other) >= len(own & other)
    assert score(found) >= score(matrix(own)) - lost - 1e-8
    for v, w in transpositions(found, matrix(other)):
        assert score(transposed(found, v, w)) < score(matrix(own)) - lost
    assert edges_in(aligned(matrix(swapped(other, 0, N - 1)), matrix(other), score)) == other
