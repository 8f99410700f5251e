"""Best subtrees of a vertex against all of them, and local searches and growth that are never worse."""

from itertools import combinations

import numpy as np
import pytest

from cliquewise.common.graphs.chordal import bit_rows, chordal_score, graph_of
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.scores import growth
from cliquewise.common.scores.growth import grown
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.scores.spanning import maximum_spanning_forest, pair_gains
from cliquewise.common.scores.subtree_kernels import best_subtree
from cliquewise.common.scores.vertex_search_kernels import enqueue, improve, vertex_search
from cliquewise.common.sets.bitset import members_of
from tests.oracles import graphs, moves
from tests.oracles.learners import best_chordal
from tests.oracles.scores import set_score
from tests.random_inputs import (
    arity_of,
    dataset_of,
    random_chordal_edges,
    random_dataset,
    random_set_scores,
    rows_of,
    scores_of,
)
from tests.search_parts import edges_of, rows_of_edges
from tests.slow import slow, slow_cases

nojit = pytest.mark.nojit
GO_ON, ENDLESS = np.zeros(1, np.int64), 10**9


class Problem:
    """Scores of random data on n variables, or random scores of sets from a file, some of them without a score."""

    def __init__(self, n, seed, kind="data"):
        self.n = n
        if kind == "data":
            data = random_dataset(seed, n_vars=n, n_rows=40, max_arity=3)
            self.score = set_score(rows_of(data), arity_of(data), "bdeu", 5.0)
            self.scorer = SetScorer(data, Scoring(ess=5.0))
            return
        values = random_set_scores(seed, n)
        forbidden = [{0, n - 1}, {1, 2, 3}] if kind == "forbidden sets" else []
        self.score = {s: -np.inf if any(h <= s for h in forbidden) else x for s, x in values.items()}.__getitem__
        self.scorer = SetScorer(scores_of(n, self.score))

    def total(self, edges):
        """The score of a chordal graph; minus infinity if a clique has none."""
        cliques = graphs.cliques_and_separators(self.n, edges)[0]
        whole = all(self.score(frozenset(clique)) > -np.inf for clique in cliques)
        return graphs.graph_score(self.n, edges, self.score) if whole else -np.inf

    def best_subtree(self, edges, v, max_clique):
        """The kernel's result: the score, v's neighbours, and the junction tree as (cliques, parents)."""
        work = vertex_search(self.n, self.scorer.words).tree
        rows = rows_of_edges(self.n, edges)
        found = best_subtree(self.scorer.scores, self.scorer.scratch[0], work, rows, v, max_clique)
        assert np.array_equal(rows, rows_of_edges(self.n, edges))
        alone = [uv for uv in edges if v not in uv]
        count = len(graphs.cliques_and_separators(self.n, alone)[0])
        parents = [None if p < 0 else int(p) for p in work.parent[:count]]
        cliques = [frozenset(members_of(clique)) for clique in work.cliques[:count]]
        return found, frozenset(members_of(work.wanted)), cliques, parents

    def improved(self, edges, max_clique):
        """The edges after a local search from all vertices, and their score as it says."""
        rows, work = rows_of_edges(self.n, edges), vertex_search(self.n, self.scorer.words)
        work.score[0] = self.total(edges)
        for v in range(self.n):
            enqueue(work, v)
        improve(self.scorer.scores, self.scorer.scratch[0], work, rows, max_clique, ENDLESS, GO_ON)
        assert work.ends[1] == 0 and not work.waiting.any()
        return edges_of(rows), work.score[0]


def largest_of(n, edges):
    """Size of the largest clique."""
    return max(map(len, graphs.cliques_and_separators(n, edges)[0]))


@pytest.mark.slow
@nojit
@pytest.mark.parametrize("kind", ["data", "file", "forbidden sets"])
@pytest.mark.parametrize("n, largest", [(4, 4), (5, 2), (5, 3), (6, 3), *slow_cases((6, 6))])
def test_the_best_subtree_of_all(n, largest, kind):
    problem, checked = Problem(n, n, kind), 0
    for seed in range(12):
        edges = random_chordal_edges(seed, n, max_clique=largest)
        if problem.total(edges) == -np.inf:
            continue
        for v in range(n):
            found, wanted, cliques, parents = problem.best_subtree(edges, v, largest)
            alone = [uv for uv in edges if v not in uv]
            assert sorted(map(sorted, cliques)) == sorted(map(sorted, graphs.cliques_and_separators(n, alone)[0]))
            every = {
                members: problem.total(graphs.with_neighbours(edges, v, members))
                for members in moves.subtrees(n, edges, v, cliques, parents, largest)
            }
            assert all(largest_of(n, graphs.with_neighbours(edges, v, members)) <= largest for members in every)
            assert found == pytest.approx(max(every.values()), abs=1e-9)
            assert every[wanted] == pytest.approx(found, abs=1e-9)
            checked += 1
    assert checked > 20


@pytest.mark.fast_cases(3)
@pytest.mark.parametrize("kind, max_clique", [("data", 70), ("data", 4), ("data", 2), *slow_cases(("data", 3))])
@pytest.mark.parametrize("n", [12, 70, *slow(130)])
def test_a_local_search_ends_where_no_vertex_gains(n, kind, max_clique):
    problem = Problem(n, n, kind)
    start = random_chordal_edges(n, n, max_clique=min(max_clique, 4))
    edges, score = problem.improved(start, max_clique)
    assert largest_of(n, edges) <= max_clique
    assert score == pytest.approx(problem.total(edges), abs=1e-6) and score > problem.total(start) + 1.0
    for v in range(0, n, 1 + n // 12):
        assert problem.best_subtree(edges, v, max_clique)[0] <= score + 1e-5
        for other in moves.edge_moves(n, edges, v).values() if n < 20 else ():
            assert largest_of(n, other) > max_clique or problem.total(other) <= score + 1e-5


@nojit
@pytest.mark.parametrize("kind", ["data", "forbidden sets"])
def test_local_searches_of_five_variables_are_mostly_optimal(kind):
    reached = 0
    for seed in range(1 if kind == "forbidden sets" else 4):
        problem = Problem(5, seed, kind)
        best = best_chordal(5, problem.score, 3)[0]
        edges, score = problem.improved((), 3)
        assert score == pytest.approx(problem.total(edges)) and score <= best + 1e-9
        reached += score > best - 1e-9
    assert reached >= (0 if kind == "forbidden sets" else 2)


@nojit
def test_required_and_allowed_edges_are_respected():
    data = random_dataset(3, n_vars=8, n_rows=60, max_arity=3)
    required, allowed = Graph(8, ((0, 1), (1, 2))), Graph(8, tuple(combinations(range(7), 2)))
    scorer = SetScorer(data, Scoring(ess=5.0), 64, 1, required=required, allowed=allowed)
    rows = grown(scorer, rows_of_edges(8, required.edges), 4, lambda: True)
    edges = edges_of(rows)
    assert set(required.edges) <= edges <= set(allowed.edges) and graphs.elimination_order(8, edges) is not None


def indicators(seed=1, rows=600):
    """Six variables that depend on each other, as four indicators each, and what they are in truth: not a tree."""
    rng = np.random.default_rng(seed)
    states = rng.integers(0, 4, (rows, 6))
    for v in range(1, 6):
        first = rng.integers(0, v)
        states[:, v] = np.where(rng.random(rows) < 0.7, (states[:, first] + states[:, 0]) % 4, states[:, v])
    return dataset_of((states[:, :, None] == np.arange(4)).reshape(rows, 24).astype(int))


def test_growth_goes_on_where_single_edges_end(monkeypatch):
    scorer = SetScorer(indicators(), Scoring(ess=10.0))
    forest = bit_rows(maximum_spanning_forest(pair_gains(scorer)))

    def score(rows):
        assert graphs.elimination_order(24, edges_of(rows)) is not None
        return chordal_score(graph_of(rows), scorer.score)

    shares = []
    whole = grown(scorer, forest, 24, lambda: True, lambda *step: shares.append(step))
    assert shares[-1] == (len(edges_of(whole)), pytest.approx(score(whole) - score(forest), abs=1e-6))
    with monkeypatch.context() as stopped:
        stopped.setattr(SetScorer, "score", None)  # no score is computed when the time is up
        assert np.array_equal(grown(scorer, forest, 24, lambda: False), forest)
    bounded = grown(scorer, forest, 3, lambda: True)
    assert largest_of(24, edges_of(bounded)) == 3 and score(forest) < score(bounded)
    monkeypatch.setattr(growth, "MANY_VARIABLES", 23)
    by_edges = score(grown(scorer, forest, 24, lambda: True))
    assert score(forest) < by_edges < score(whole) - 10.0
