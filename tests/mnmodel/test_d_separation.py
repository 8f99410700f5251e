"""d-separation and Markov blankets, against the moral graph of the ancestors."""

from itertools import pairwise

import numpy as np

from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph
from cliquewise.mnmodel.d_separation import blanket, open_path
from tests.oracles import separation
from tests.random_inputs import random_arcs


def random_case(rng):
    """Arcs along a random order, and three disjoint sets."""
    n = int(rng.integers(3, 9))
    arcs = random_arcs(rng, n, 0.35)
    members = rng.permutation(n).tolist()
    first, second = int(rng.integers(1, n - 1)), int(rng.integers(1, 3))
    ends = [min(first, 2), min(min(first, 2) + second, n), int(rng.integers(n + 1))]
    return n, arcs, members[: ends[0]], members[ends[0] : ends[1]], members[ends[1] : max(ends)]


def test_separation_is_that_of_the_moral_ancestral_graph():
    rng, seen = np.random.default_rng(1), set()
    for _ in range(1500):
        n, arcs, first, second, given = random_case(rng)
        path = open_path(Dag(n, arcs), first, second, given)
        wanted = separation.d_separated(n, arcs, first, second, given)
        assert (path is None) == wanted, (arcs, first, second, given)
        seen.add(wanted)
        if path is not None:
            assert path[0] in first and path[-1] in second
            assert all({(u, v), (v, u)} & set(arcs) for u, v in pairwise(path))
        edges = tuple(sorted({tuple(sorted(arc)) for arc in arcs}))
        path = open_path(Graph(n, edges), first, second, given)
        assert (path is None) == separation.separated(n, edges, first, second, given)
        assert path is None or not set(path) & set(given)
    assert seen == {True, False}


def test_the_blanket_separates_and_no_smaller_set_does():
    rng = np.random.default_rng(2)
    for _ in range(200):
        n, arcs, *_ = random_case(rng)
        edges = {tuple(sorted(arc)) for arc in arcs}
        for graph, apart in (
            (Dag(n, arcs), separation.d_separated),
            (Graph(n, tuple(sorted(edges))), separation.separated),
        ):
            for v in range(n):
                found = blanket(graph, v)
                for u in range(n):
                    if u not in (v, *found):
                        assert apart(n, graph.edges, [v], [u], found)
                for u in found:
                    assert not apart(n, graph.edges, [v], [u], [w for w in range(n) if w not in (u, v)])
