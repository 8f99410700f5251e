"""The certificate: chordality, cliques and scores against the oracles, and every lie found out."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from cliquewise.common.certify import all_set_scores as at_once
from cliquewise.common.certify.all_set_scores import all_set_scores, colex_sets
from cliquewise.common.certify.cliques import certify, decompose
from cliquewise.common.certify.set_scores import set_score
from cliquewise.common.data.dataset import Dataset
from cliquewise.common.errors import DataError
from cliquewise.common.files.scorefile import CliqueScores, colex_masks
from cliquewise.common.graphs.edge_prior import EdgePrior
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.scores.scoring import Scoring
from tests.random_inputs import dataset_of, random_chordal_edges, random_dataset, random_edges
from tests.reading import read_csv

VOTING_16 = "0,3,4 3,4,5 4,5,6 1,4,6 4,6,13,14 2,4,13 4,14,15 4,6,12 3,5,8 5,7,8 7,10 5,8,9 0,4,11"


def chordless(cycle, graph):
    """Whether the vertices form a cycle of four or more in which only neighbours are joined."""
    k = len(cycle)
    return k >= 4 and all(
        ((min(cycle[i], cycle[j]), max(cycle[i], cycle[j])) in graph.edges) == (j - i in (1, k - 1))
        for i, j in combinations(range(k), 2)
    )


def largest_cliques(graph):
    """Maximal cliques by looking at every set of vertices."""
    complete = [
        set(members)
        for size in range(1, graph.n + 1)
        for members in combinations(range(graph.n), size)
        if all(pair in graph.edges for pair in combinations(members, 2))
    ]
    return sorted(tuple(sorted(c)) for c in complete if not any(c < other for other in complete))


@pytest.mark.parametrize("n, chordal", [(1, 1), (2, 2), (3, 8), (4, 61), (5, 822)])
def test_all_graphs(n, chordal):
    pairs = list(combinations(range(n), 2))
    count = 0
    for mask in range(1 << len(pairs)):
        graph = Graph(n, tuple(pair for i, pair in enumerate(pairs) if mask >> i & 1))
        cliques, separators, cycle = decompose(graph)
        if cycle:
            assert chordless(cycle, graph)
            assert (cliques, separators) == ((), ())
            continue
        count += 1
        assert list(cliques) == largest_cliques(graph)
        # A complete set lies in one clique more than in separators; any other lies in neither.
        for size in range(3):
            for members in combinations(range(n), size):
                held, between = (sum(set(members) <= set(s) for s in sets) for sets in (cliques, separators))
                assert held - between == all(pair in graph.edges for pair in combinations(members, 2))
    assert count == chordal


def test_how_many_graphs_on_six_vertices_are_chordal():
    pairs = list(combinations(range(6), 2))
    graphs = (Graph(6, tuple(pair for i, pair in enumerate(pairs) if mask >> i & 1)) for mask in range(1 << 15))
    assert sum(not decompose(graph)[2] for graph in graphs) == 18_154


@pytest.mark.parametrize("seed", range(20))
def test_larger_graphs(seed):
    graph = Graph(40, random_edges(seed, 40, density=0.1))
    assert chordless(decompose(graph)[2], graph)
    cliques, separators, cycle = decompose(Graph(40, random_chordal_edges(seed, 40)))
    assert not cycle and len(separators) == len(cliques) - 1


def slow_score(dataset, members, kind, ess):
    """A set's score from a dictionary of counts and math.lgamma."""
    counts = {}
    for row in dataset.codes[:, list(members)].tolist():
        counts[tuple(row)] = counts.get(tuple(row), 0) + 1
    n, q = dataset.n_rows, math.prod(len(dataset.states[v]) for v in members)
    if kind == "bdeu":
        cell = ess / q
        inner = sum(math.lgamma(c + cell) - math.lgamma(cell) for c in counts.values())
        return math.lgamma(ess) - math.lgamma(ess + n) + inner
    likelihood = sum(c * math.log(c / n) for c in counts.values())
    return likelihood - (math.log(n) / 2 * (q - 1) if kind == "bic" else 0)


@pytest.mark.parametrize("kind", ["bdeu", "bic", "ll"])
@pytest.mark.parametrize("ess", [0.01, 1, 10])
def test_set_scores(kind, ess):
    data = random_dataset(4, n_vars=5, constant=True)
    for size in range(6):
        for members in combinations(range(5), size):
            expected = slow_score(data, members, kind, ess) if members else 0.0
            assert set_score(data, members, Scoring(kind, ess)) == pytest.approx(expected, rel=1e-11, abs=1e-11)


def weighted(data, denominator):
    """The data with rows that stand for 1 to 9 parts of a row; the first completes their number to whole rows."""
    counts = np.random.default_rng(1).integers(1, 10, data.n_stored)
    counts[0] += -counts.sum() % denominator
    return replace(data, counts=counts, denominator=denominator)


@pytest.mark.parametrize("kind", ["bdeu", "bic", "ll", "aic", "ebic", "qnml"])
@pytest.mark.parametrize("many", [1 << 22, 7])
def test_scores_of_all_sets_at_once(kind, many, monkeypatch):
    monkeypatch.setattr(at_once, "MAX_NUMBERS", many)
    prior = EdgePrior(0.3, {(0, 2): 0.9, (1, 4): 0.01})
    by = Scoring(kind, 3.0, gamma=0.5, prior=prior) if kind == "ebic" else Scoring(kind, 3.0, prior=prior)
    data = random_dataset(4, n_vars=6, n_rows=40, constant=True)
    for source in (data, weighted(data, 1), weighted(data, 3)):
        for largest in (1, 4, 6):
            found = all_set_scores(source, largest, by)
            assert list(map(len, found)) == [math.comb(6, size) for size in range(largest + 1)]
            for size in range(largest + 1):
                sets = sorted(combinations(range(6), size), key=lambda members: members[::-1])
                assert colex_sets(6, size).tolist() == list(map(list, sets))
                expected = [set_score(source, members, by) for members in sets]
                assert found[size] == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_scores_of_all_sets_of_a_file():
    masks = colex_masks(5, 3)
    scores = CliqueScores(5, 3, masks, np.random.default_rng(1).normal(size=len(masks)) * (masks > 0))
    by = Scoring(prior=EdgePrior(0.5, {(1, 2): 0.8}))
    found = all_set_scores(scores, 2, by)
    for size in range(3):
        assert found[size] == pytest.approx([set_score(scores, sets, by) for sets in colex_sets(5, size).tolist()])


def test_unknown_score_type():
    with pytest.raises(ValueError, match="unknown score 'mdl'"):
        set_score(random_dataset(1), [0], Scoring("mdl"))


@pytest.mark.parametrize("score_type", ["bic", "aic", "ebic"])
def test_more_states_than_a_float_can_count(score_type):
    data = dataset_of(np.repeat([[0], [1]], 1100, axis=1))
    assert set_score(data, range(1100), Scoring(score_type)) == -math.inf


@pytest.mark.slow
def test_scores_of_sets_with_huge_state_spaces():
    rng = np.random.default_rng(7)
    data = dataset_of(rng.integers(0, 2, (50, 1400)))
    scores = [set_score(data, range(k), Scoring("bdeu", 2.0)) for k in range(900, 1400, 100)]
    steps = np.diff(scores)  # all rows differ: each variable costs 50 ln 2, across the change of formula too
    assert steps == pytest.approx(-100 * 50 * math.log(2), rel=1e-9)
    assert set_score(data, range(1400), Scoring("ll")) == pytest.approx(-50 * math.log(50))
    wide = dataset_of(rng.integers(0, 100, (3000, 60)))
    assert set_score(wide, range(60), Scoring("ll")) == pytest.approx(-3000 * math.log(3000))
    assert set_score(wide, [0, 1], Scoring("ll")) == pytest.approx(slow_score(wide, [0, 1], "ll", 1))


@pytest.mark.slow
def test_speed_and_size_of_large_data():
    rng = np.random.default_rng(0)
    tall = dataset_of(rng.integers(0, 3, (67_557, 43)))
    path = Graph.from_cliques(43, [(i, i + 1, i + 2, i + 3) for i in range(40)])
    assert certify(path, tall).ok
    broad = dataset_of(rng.integers(0, 2, (100, 1024)))
    assert certify(Graph(1024, random_chordal_edges(1, 1024, 4)), broad, Scoring(ess=10)).largest_clique == 4
    assert certify(Graph(100_000, ()), None).ok


@pytest.fixture
def case():
    """A dataset, a chordal graph on it and its score."""
    data = random_dataset(2, n_vars=6)
    graph = Graph.from_cliques(6, [(0, 1, 2), (1, 2, 3), (4, 5)])
    sets = [set_score(data, s, Scoring("bdeu", 2.0)) for s in [(0, 1, 2), (1, 2, 3), (4, 5), (1, 2)]]
    return data, graph, sets[0] + sets[1] + sets[2] - sets[3]


def test_a_true_claim(case):
    data, graph, score = case
    found = certify(graph, data, Scoring("bdeu", 2.0), round(score, 6), 3, [(4, 5), (3, 2, 1), (0, 1, 2)])
    assert found.ok and found.problems == ()
    assert found.score == pytest.approx(score, abs=1e-9) and found.largest_clique == 3


def test_false_claims(case):
    data, graph, score = case

    def problems(**claims):
        return certify(graph, data, Scoring("bdeu", 2.0), **claims).problems

    assert problems(claimed=score + 1e-4) == (f"score claimed {score + 1e-4:.6f}, recomputed {score:.6f}",)
    assert problems(claimed=score + 1e-6) == problems(claimed=score - 1e-6) == ()
    assert len(problems(claimed=math.nan)) == len(problems(claimed=math.inf)) == 1
    named = graph, data.names
    assert problems(max_clique=2) == ("clique 0,1,2 has 3 vertices, at most 2 claimed",)
    assert problems(cliques=[(0, 1, 2), (1, 2, 3), (4, 5), (1, 2)]) == ("clique 1,2 is inside 0,1,2",)
    assert problems(cliques=[(0, 1, 2), (1, 2, 3), (4, 5), (5, 4)]) == ("clique 4,5 is listed twice",)
    assert problems(cliques=[(0, 1, 2), (1, 2, 3)]) == ("clique 4,5 is not listed",)
    assert problems(cliques=[(0, 1, 2), (1, 2, 3), (4, 5), (3, 4)]) == ("3,4 is not a clique of the graph",)
    assert len(problems(claimed=0.0, max_clique=2, cliques=[(4, 5)])) == 4
    assert certify(Graph(6, graph.edges, named[1]), data, max_clique=2).problems == (
        "clique 0,1,2 (x0,x1,x2) has 3 vertices, at most 2 claimed",
    )


def test_a_graph_that_is_not_chordal(case):
    found = certify(Graph.from_cliques(6, [(0, 3), (3, 5), (5, 2), (2, 0), (1, 2), (1, 0)]), case[0], claimed=1.0)
    assert found.problems == ("not chordal: chordless cycle 0-2-5-3",)
    assert (found.score, found.largest_clique) == (None, None)


def test_score_files(case):
    data, graph, score = case
    masks = colex_masks(6, 3)
    sets = [[v for v in range(6) if int(mask) >> v & 1] for mask in masks]
    scores = CliqueScores(6, 3, masks, np.array([set_score(data, s, Scoring("bdeu", 2.0)) for s in sets]))
    found = certify(graph, scores, claimed=score)
    assert found.ok and found.score == pytest.approx(score, abs=1e-9)
    large = certify(Graph.from_cliques(6, [(0, 1, 2, 3)]), scores, max_clique=3)
    assert large.problems[1] == "no score for 0,1,2,3 in the score file (6 variables, sets of at most 3)"
    with pytest.raises(DataError, match=r"no score for 6 in the score file"):
        set_score(scores, [6])
    forbidden = scores.scores.copy()
    forbidden[masks == 0b111] = -np.inf
    assert certify(graph, CliqueScores(6, 3, masks, forbidden)).score == -math.inf


def forest(data):
    """The maximum spanning forest by BDeu with ess 1."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    single = [set_score(data, [v]) for v in range(data.n)]
    gain = np.zeros((data.n, data.n))
    for u, v in combinations(range(data.n), 2):
        gain[u, v] = max(0.0, set_score(data, [u, v]) - single[u] - single[v])
    tree = minimum_spanning_tree(-gain)
    return Graph(data.n, tuple(sorted((min(u, v), max(u, v)) for u, v in np.argwhere(tree.toarray()).tolist())))


def test_published_scores(shared):
    data = read_csv(shared / "data/coarsen/Voting.csv")
    found = certify(forest(data), data, Scoring("bdeu", 1.0), -4653.915077797653, max_clique=2)
    assert found.ok and found.score == pytest.approx(-4653.915077797653, abs=1e-9)
    first = Dataset(data.names[:16], data.states[:16], data.codes[:, :16])
    cliques = [tuple(map(int, clique.split(","))) for clique in VOTING_16.split()]
    # the published total adds up scores of six decimals: the sum is off in the sixth.
    found = certify(Graph.from_cliques(16, cliques), first, Scoring("bdeu", 10.0), -4138.240386, 4, cliques)
    assert found.ok and found.score == pytest.approx(-4138.240386, abs=5e-6)
