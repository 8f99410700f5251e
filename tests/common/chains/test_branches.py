"""Moved branches against the oracle: all at edges of every small graph, drawn ones of large graphs."""

from collections import defaultdict
from itertools import permutations
from math import log

import numpy as np
import pytest

from cliquewise.common.chains.branch_kernels import (
    branch_gain,
    branch_log_ratio,
    draw_branch,
    fill_branch,
    move_branch,
)
from cliquewise.common.chains.moves_kernels import move_scratch
from cliquewise.common.scores.scorer import SetScorer
from tests.oracles import graphs
from tests.oracles.moves import branches
from tests.random_inputs import random_set_scores, scores_of
from tests.search_parts import LargeCase, edges_of, numbered, parts_of, random_state, rows_of_edges
from tests.slow import slow

nojit = pytest.mark.nojit


def case_of(n):
    """SetScorer, and values of all networks, of a file in which sets with the first and the last vertex have none."""
    values = random_set_scores(n, n)
    score = {s: -np.inf if {0, n - 1} <= s else value for s, value in values.items()}.__getitem__
    numbers = numbered(n)
    return SetScorer(scores_of(n, score)), numbers, numbers.values(lambda members: score(frozenset(members)))


@nojit
@pytest.mark.parametrize("n", [4, *slow(5)])
def test_every_branch_of_every_small_graph(n):
    """What hangs at one end of an edge can be moved to the other; the gain is what re-scoring says."""
    scorer, numbers, values = case_of(n)
    parts, moved = parts_of(scorer), 0
    scores, scratch, work, _ = parts
    for number, (edges, _, _) in numbers.chordal.items():
        if values[number] == -np.inf:
            continue
        for v, w, x, after in branches_at_edges(n, edges):
            assert graphs.elimination_order(n, after) is not None
            rows = rows_of_edges(n, edges)
            fill_branch(rows, v, w, x, work)
            gain = branch_gain(scores, scratch, work, rows, v, w, n)
            best = values[numbers.number(after)] - values[number]
            assert gain == best or gain == pytest.approx(best, abs=1e-8), (edges, v, w, x)
            move_branch(rows, v, w, work)
            assert edges_of(rows) == after
            moved += 1
    assert moved > 50


@nojit
@pytest.mark.parametrize("n", [4, *slow(5)])
def test_the_ratio_of_every_pair_of_small_graphs(n):
    """The probabilities of all draws, added up for each pair of graphs, have the ratio that chains use."""
    work, shares, ratios = move_scratch(n, 1), defaultdict(float), {}
    for edges, _, _ in numbered(n).chordal.values():
        adjacent = graphs.neighbours(n, edges)
        for v, w, x, after in branches_at_edges(n, edges):
            own = adjacent[v] - adjacent[w] - {w}
            shares[edges, after] += 1 / (n * len(adjacent[v]) * len(own))
            rows = rows_of_edges(n, edges)
            fill_branch(rows, v, w, x, work)
            ratios[edges, after] = branch_log_ratio(rows, v, w, work)
    assert len(ratios) > 50
    for (before, after), ratio in ratios.items():
        assert ratio == pytest.approx(log(shares[after, before] / shares[before, after]))


@nojit
def test_required_edges_stay():
    """1-2 is required, on the path 0-1-2-3 and on two triangles."""
    scorer = SetScorer(scores_of(4, lambda members: -float(len(members))))
    (scores, scratch, work, _), edges = parts_of(scorer), [(0, 1), (1, 2), (2, 3)]
    scores = scores._replace(required=rows_of_edges(4, [(1, 2)]))
    for v, w, x, is_allowed in ((1, 0, 2, False), (1, 2, 0, True), (2, 3, 1, False), (2, 1, 3, True)):
        rows = rows_of_edges(4, edges)
        fill_branch(rows, v, w, x, work)
        assert (branch_gain(scores, scratch, work, rows, v, w, 4) > -np.inf) == is_allowed, (v, w)
    rows = rows_of_edges(4, [(0, 1), (1, 2), (0, 2), (1, 3), (2, 3)])
    fill_branch(rows, 1, 0, 3, work)
    assert branch_gain(scores, scratch, work, rows, 1, 0, 4) > -np.inf  # 3 moves from 1 to 0, and 1-2 is not touched


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("n", [70, *slow(12, 64, 140)])
def test_drawn_branches_of_large_graphs(n):
    """A chain in which all are moved: chordal, cliques as large as before, and the gains add up to the score."""
    case = LargeCase(n)
    rows, state = rows_of_edges(n, tree_of_triangles(case.rng, n)), random_state(n)
    scores, scratch, work, _ = case.parts
    total, moved = graphs.graph_score(n, edges_of(rows), case.score), 0
    while moved < 20:
        v = case.rng.integers(n)
        w = draw_branch(rows, v, state, work)
        if w < 0:
            continue
        total += branch_gain(scores, scratch, work, rows, v, w, 3)
        move_branch(rows, v, w, work)
        moved += 1
        cliques, _ = graphs.cliques_and_separators(n, edges_of(rows))
        assert max(map(len, cliques)) == 3
        assert graphs.graph_score(n, edges_of(rows), case.score) == pytest.approx(total, abs=1e-6)


def branches_at_edges(n, edges):
    """For both ends v, w of each edge, and each vertex x by which a branch hangs at v: v, w, x, and the edges after."""
    adjacent = graphs.neighbours(n, edges)
    for v, w in permutations(range(n), 2):
        if w in adjacent[v]:
            expected = branches(n, edges, v, w)
            for x in adjacent[v] - adjacent[w] - {w}:
                (after,) = (edges for part, edges in expected.items() if x in part)
                yield v, w, x, after


def tree_of_triangles(rng, n):
    """Edges of a random graph in which each vertex is joined to both ends of an edge, or to one end."""
    edges = [(0, 1)]
    for v in range(2, n):
        ends = edges[rng.integers(len(edges))]
        edges += [(u, v) for u in ends[: rng.integers(1, 3)]]
    return edges
