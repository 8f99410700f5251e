"""Gains of pairs on bit planes against scores set by set, in pieces that can be stopped; partners, junction trees."""

import tracemalloc

import numpy as np
import pytest

from cliquewise.common.graphs.chordal import bit_rows, junction_tree, separators
from cliquewise.common.graphs.edge_prior import NO_PRIOR, EdgePrior
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.scores import spanning
from cliquewise.common.scores.greedy import GreedySearch, grow_by_edges
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.scores.spanning import maximum_spanning_forest, pair_gains
from cliquewise.common.sets.set_orders import set_count, set_tasks
from cliquewise.lsmarkov.start import best_partners
from tests.oracles import scores as oracle
from tests.random_inputs import arity_of, dataset_of, random_chordal_edges, random_dataset, rows_of

KINDS = [("bdeu", 1e-3), ("bdeu", 10.0), ("bic", 1.0), ("ll", 1.0)]


@pytest.fixture
def on_planes(monkeypatch):
    """Bit planes also for few variables."""
    monkeypatch.setattr(spanning, "MANY_VARIABLES", 2)


@pytest.mark.nojit
@pytest.mark.parametrize("kind, ess", KINDS)
def test_pairs_on_bit_planes(on_planes, monkeypatch, kind, ess):
    """Columns of one to eight states, repeated rows, and columns of more states, which have no planes."""
    monkeypatch.setattr(spanning, "TILE", 3 * 3 * 60)  # many tiles
    for seed in range(3):
        data = random_dataset(seed, n_vars=8, n_rows=150, max_arity=4 + 4 * seed, constant=seed == 1)
        score = oracle.set_score(rows_of(data), arity_of(data), kind, ess)
        gains = pair_gains(SetScorer(data, Scoring(kind, ess)))
        assert np.array_equal(gains, gains.T) and not gains.diagonal().any()
        for u in range(8):
            for v in range(u):
                assert gains[u, v] == pytest.approx(score({u, v}) - score({u}) - score({v}), abs=1e-9)


def test_planes_and_sets_agree_and_threads_change_nothing(on_planes, monkeypatch):
    codes = np.random.default_rng(5).integers(0, [2, 3, 9, 2, 200, 1] * 50, (130, 300))
    data = dataset_of(codes)
    allowed = Graph(300, tuple((u, v) for u in range(300) for v in range(u + 1, 300) if (u + v) % 3))
    gains = pair_gains(SetScorer(data, allowed=allowed, threads=2))
    assert np.array_equal(gains, pair_gains(SetScorer(data, allowed=allowed)))
    monkeypatch.setattr(spanning, "MANY_VARIABLES", 10**9)
    expected = pair_gains(SetScorer(data, allowed=allowed))
    assert np.array_equal(gains == -np.inf, expected == -np.inf) and (expected == -np.inf).any()
    finite = expected > -np.inf
    assert np.abs(gains[finite] - expected[finite]).max() < 1e-9


@pytest.mark.parametrize("prior", [NO_PRIOR, EdgePrior(0.3), EdgePrior(0.5, {(0, 1): 0.9})])
def test_the_gains_of_pairs_are_the_only_matrix_made(prior):
    """Four more were made for the prior, in two seconds for 4000 variables, in which nothing could stop a search."""
    codes = np.random.default_rng(4).integers(0, 2, (8, 1000))
    scorer = SetScorer(dataset_of(codes), Scoring(prior=prior))
    tracemalloc.start()
    try:
        gains = pair_gains(scorer)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert gains.nbytes <= peak < 1.25 * gains.nbytes


def test_a_stop_between_tiles_leaves_a_forest(on_planes, monkeypatch):
    """Counted pairs keep their gains, the others gain nothing, and progress was reported."""
    monkeypatch.setattr(spanning, "TILE", 10 * 10 * 100)
    codes = np.random.default_rng(1).integers(0, 2, (100, 1)) ^ (np.random.default_rng(2).random((100, 70)) < 0.1)
    scorer, shares, asked = SetScorer(dataset_of(codes)), [], []

    def should_continue():
        asked.append(1)
        return len(asked) < 5

    gains = pair_gains(scorer, should_continue=should_continue, on_progress=shares.append)
    whole = pair_gains(scorer)
    done = gains != 0.0
    assert 0 < done.sum() < (whole != 0.0).sum() and np.array_equal(gains[done], whole[done])
    assert shares == sorted(shares) and 0.0 < shares[-1] < 1.0
    edges = maximum_spanning_forest(gains).edges
    assert edges and all(done[edge] for edge in edges)


@pytest.mark.nojit
def test_best_partners_are_the_best_in_order():
    rng = np.random.default_rng(3)
    for n, count in ((2, 24), (9, 3), (40, 24)):
        gains = rng.integers(-3, 4, (n, n)).astype(float)  # many equal
        gains[rng.random((n, n)) < 0.2] = -np.inf
        found = best_partners(gains, count)
        assert found.dtype == np.int64 and found.shape == (n, min(n - 1, count))
        for u in range(n):
            others = sorted((v for v in range(n) if v != u), key=lambda v: (-gains[u, v], v))
            assert found[u].tolist() == others[:count]


@pytest.mark.nojit
@pytest.mark.parametrize("n, largest, bound", [(1, 1, 5), (6, 3, 1), (14, 4, 20), (9, 9, 10**9)])
def test_tasks_contain_every_set_once(n, largest, bound):
    found = []
    for prefix, alone, count in set_tasks(n, largest, bound):
        before = len(found)
        waiting = [prefix]
        while waiting:
            found.append(waiting.pop())
            if not alone and len(found[-1]) < largest:
                waiting += [(*found[-1], v) for v in range(found[-1][-1] + 1, n)]
        assert len(found) - before == count <= max(n, bound)
    assert len(found) == len(set(found)) == set_count(n, largest) - 1


@pytest.mark.nojit
def test_parents_in_junction_trees_are_the_first_that_hold_the_separator():
    for seed in range(60):
        graph = Graph(9, tuple(random_chordal_edges(seed, 9)))
        cliques, tree = junction_tree(graph)
        for i, j, separator in tree:
            assert j == next(k for k in range(i) if {*separator} <= {*cliques[k]})
            assert {*separator} == {*cliques[i]} & {*cliques[j]}
        assert sorted(separator for _, _, separator in tree) == list(separators(graph))


def test_precomputing_checks_often_whether_to_stop():
    """Also within the sets that share their smallest variable, which are most."""
    data = random_dataset(1, n_vars=16, n_rows=2000)
    asked = []

    def should_continue():
        asked.append(1)
        return len(asked) <= 3

    scorer, shares = SetScorer(data), []
    scorer.precompute(6, should_continue=should_continue, on_progress=shares.append)
    assert 0 < scorer.computed < 0.05 * set_count(16, 6) and 0.0 < shares[-1] < 0.05


def test_growth_ends_where_gains_are_only_rounding():
    """Found by `make differential`: an edge whose addition and removal both seemed to gain 2e-15 came and went."""
    scorer = SetScorer(dataset_of(np.array([[0, 0, 1, 1], [1, 1, 0, 0]])), Scoring(ess=0.01), threads=1)
    forest = maximum_spanning_forest(pair_gains(scorer))
    assert grow_by_edges(scorer, bit_rows(forest), forest.edges, 4, lambda: True, most=100).is_done


def test_a_search_that_is_stopped_takes_no_further_edge():
    """Many edges in the queue may have become impossible; they are not tried one after the other."""
    scorer = SetScorer(random_dataset(3, n_vars=6, n_rows=400), Scoring(), threads=1)
    forest = maximum_spanning_forest(np.abs(pair_gains(scorer)))
    asked = iter([True] * 6)
    search = GreedySearch(scorer, bit_rows(forest), forest.edges, 4, lambda: next(asked, False))
    search.queue = [(-1.0, u, v) for u, v in forest.edges]  # they are there already, so none can be added
    assert search.take_next() is None and search.queue == []
    search.queue, asked = [(-1.0, u, v) for u, v in forest.edges], iter([True])
    assert search.take_next() is None and len(search.queue) == len(forest.edges) - 1
