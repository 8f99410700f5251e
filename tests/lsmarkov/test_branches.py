"""Moved branches against the oracle: all of every small graph, drawn ones of large graphs."""

from itertools import permutations

import numpy as np
import pytest

from cliquewise.common.scores.scorer import SetScorer
from cliquewise.lsmarkov.branch_kernels import branch_gain, draw_branch, fill_branch, move_branch
from tests.oracles import graphs
from tests.oracles.moves import branches
from tests.random_inputs import random_set_scores
from tests.search_parts import LargeCase, edges_of, numbered, parts_of, random_state, rows_of_edges, scores_of
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
    """Every part that hangs at v alone can be moved to w, no other can; the gain is what re-scoring says."""
    scorer, numbers, values = case_of(n)
    parts, moved = parts_of(scorer), 0
    scores, scratch, work, _ = parts
    for number, (edges, _, _) in numbers.chordal.items():
        if values[number] == -np.inf:
            continue
        adjacent = graphs.neighbours(n, edges)
        for v, w in permutations(range(n), 2):
            expected = branches(n, edges, v, w)
            for x in adjacent[v] - adjacent[w] - {w}:
                rows = rows_of_edges(n, edges)
                after = next((edges for part, edges in expected.items() if x in part), None)
                assert fill_branch(rows, v, w, x, work) == (after is not None), (edges, v, w, x)
                if after is None:
                    continue
                assert graphs.elimination_order(n, after) is not None
                gain = branch_gain(scores, scratch, work, rows, v, w, n)
                best = values[numbers.number(after)] - values[number]
                assert gain == best or gain == pytest.approx(best, abs=1e-8), (edges, v, w, x)
                move_branch(rows, v, w, work)
                assert edges_of(rows) == after
                moved += 1
    assert moved > 50


@nojit
def test_required_edges_stay():
    """1-2 is required, on the path 0-1-2-3 and on two triangles."""
    scorer = SetScorer(scores_of(4, lambda members: -float(len(members))))
    (scores, scratch, work, _), edges = parts_of(scorer), [(0, 1), (1, 2), (2, 3)]
    scores = scores._replace(required=rows_of_edges(4, [(1, 2)]))
    for v, w, x, is_allowed in ((1, 0, 2, False), (1, 2, 0, True), (2, 3, 1, False), (2, 1, 3, True)):
        rows = rows_of_edges(4, edges)
        assert fill_branch(rows, v, w, x, work)
        assert (branch_gain(scores, scratch, work, rows, v, w, 4) > -np.inf) == is_allowed, (v, w)
    rows = rows_of_edges(4, [(0, 1), (1, 2), (0, 2), (1, 3), (2, 3)])  # 3 moves from 1 to 0, and 1-2 is not touched
    assert fill_branch(rows, 1, 0, 3, work) and branch_gain(scores, scratch, work, rows, 1, 0, 4) > -np.inf


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("n", [70, *slow(12, 64, 140)])
def test_drawn_branches_of_large_graphs(n):
    """A chain in which all are moved: chordal, cliques as large as before, and the gains add up to the score."""
    case = LargeCase(n)
    rows, state = rows_of_edges(n, tree_of_triangles(case.rng, n)), random_state(n)
    scores, scratch, work, _ = case.parts
    total, moved = graphs.graph_score(n, edges_of(rows), case.score), 0
    while moved < 20:
        v, w = case.rng.choice(n, 2, replace=False)
        if not draw_branch(rows, v, w, state, work):
            continue
        total += branch_gain(scores, scratch, work, rows, v, w, 3)
        move_branch(rows, v, w, work)
        moved += 1
        cliques, _ = graphs.cliques_and_separators(n, edges_of(rows))
        assert max(map(len, cliques)) == 3
        assert graphs.graph_score(n, edges_of(rows), case.score) == pytest.approx(total, abs=1e-6)


def tree_of_triangles(rng, n):
    """Edges of a random graph in which each vertex is joined to both ends of an edge, or to one end."""
    edges = [(0, 1)]
    for v in range(2, n):
        ends = edges[rng.integers(len(edges))]
        edges += [(u, v) for u in ends[: rng.integers(1, 3)]]
    return edges
