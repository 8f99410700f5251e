"""Descents, restarts, chains and rebuilding: their graphs and scores are always right."""

import numpy as np
import pytest

from cliquewise.common.scores.spanning import pair_gains
from cliquewise.common.scores.vertex_search_kernels import vertex_search
from cliquewise.common.sets.bitset_kernels import size_of
from cliquewise.lsmarkov.descent_kernels import DescentRules, begin_descent, descend, random_disjoint_cliques
from cliquewise.lsmarkov.neighbourhood_kernels import CLIQUE, EDGES, VERTEX
from cliquewise.lsmarkov.rebuild_kernels import improve_all, rebuild, remove_edges
from cliquewise.lsmarkov.start import best_partners
from cliquewise.lsmarkov.walk_kernels import WalkRules, walk
from cliquewise.lsmarkov.walker_kernels import BEST, EVALUATED, SCORE, STARTS, STEPS
from tests.oracles import graphs, moves
from tests.search_parts import LargeCase, edges_of, random_state, walker_at
from tests.slow import slow_cases

nojit = pytest.mark.nojit

ALL = EDGES + VERTEX + CLIQUE


def check_walker(walker, scorer, score, max_clique):
    """Both graphs of a walker are chordal, within the bound, and have the stated scores."""
    n = len(walker.adjacency)
    for rows, value in [(walker.adjacency, walker.numbers[SCORE]), (walker.best, walker.numbers[BEST])]:
        edges = edges_of(rows)
        assert graphs.elimination_order(n, edges) is not None
        assert max(map(len, graphs.cliques_and_separators(n, edges)[0])) <= max_clique
        assert value == pytest.approx(graphs.graph_score(n, edges, score), abs=1e-6)
    assert walker.numbers[BEST] >= walker.numbers[SCORE] - 1e-6


def walk_rules(scorer, max_clique):
    """Draws of every kind."""
    partners = best_partners(pair_gains(scorer), 5)
    joint = np.array([[0, 1, 2, -1, -1], [3, 5, 7, 9, -1], [2, 4, 6, 8, 10]])
    kinds, ends = np.array([0.35, 0.5, 0.6, 0.7, 0.8, 0.9]), np.array([0.3, 0.3, 0.7])
    return WalkRules(np.arange(scorer.n), partners, kinds, 0.25, ends, max_clique, joint)


def started(case, seed):
    """A walker at the empty graph, whose score is known."""
    walker = walker_at(case.n, [], seed)
    begin_descent(walker, case.parts.scores, case.parts.scratch, case.parts.hood)
    return walker


def run_walk(case, max_clique, moves, seed=1, temperature=2.0, stop=0):
    """A chain from the empty graph."""
    parts, walker = case.parts, started(case, seed)
    rules = walk_rules(case.scorer, max_clique)
    walk(walker, temperature, moves, parts.scores, parts.scratch, parts.work, rules, np.array([stop]))
    return walker


def run_descent(case, max_clique, steps, seed=1, operations=ALL, patience=10, fixed=False, stop=0):
    """A descent from the empty graph."""
    parts, walker = case.parts, started(case, seed)
    rules = DescentRules(operations, patience, fixed, max_clique)
    descend(walker, *parts[:3], parts.hood, rules, steps, np.array([stop]))
    return walker


def run_rebuilding(case, max_clique, steps, seed=1, stop=0):
    """A local search from the empty graph, then rebuilding."""
    parts, walker = case.parts, started(case, seed)
    place = walker, parts.scores, parts.scratch, vertex_search(case.n, case.scorer.words), max_clique
    improve_all(*place, 10**9, np.array([stop]))
    rebuild(*place, steps, 10**9, np.array([stop]))
    return walker


@nojit
@pytest.mark.parametrize("max_clique", [2, 3, 12])
def test_short_runs(max_clique):
    case = LargeCase(12)
    walker = run_walk(case, max_clique, 400)
    check_walker(walker, case.scorer, case.score, max_clique)
    assert walker.counts[STEPS] == 400 and walker.tried.sum() <= 400 and (walker.taken <= walker.tried).all()
    walker = run_descent(case, max_clique, 40, patience=5)
    check_walker(walker, case.scorer, case.score, max_clique)
    assert walker.counts[STEPS] == 40
    walker = run_rebuilding(case, max_clique, 40)
    check_walker(walker, case.scorer, case.score, max_clique)
    assert walker.counts[STEPS] >= 40 and walker.counts[STARTS] > 0


@pytest.mark.parametrize(
    "n, max_clique",
    [(12, 12), (12, 4), (70, 5)] + slow_cases((64, 5), (140, 4)),
)
def test_long_walks(n, max_clique):
    case = LargeCase(n)
    for temperature in (0.5, 5.0):
        walker = run_walk(case, max_clique, 40_000, temperature=temperature)
        check_walker(walker, case.scorer, case.score, max_clique)
        assert walker.counts[STEPS] == 40_000 and (walker.tried > 400).all() and walker.taken.sum() > 500


@pytest.mark.parametrize("operations", [0, EDGES, VERTEX, CLIQUE, ALL])
@pytest.mark.parametrize("fixed", [False, True])
def test_long_descents(operations, fixed):
    case = LargeCase(12)
    walker = run_descent(case, 5, 1000, operations=operations, patience=25, fixed=fixed)
    check_walker(walker, case.scorer, case.score, 5)
    assert walker.counts[STEPS] == 1000 and walker.counts[STARTS] > 5
    if fixed and operations:
        assert walker.counts[STARTS] == 1000 // 25
    if operations == 0:
        assert walker.counts[EVALUATED] == 1000 * 66


@pytest.mark.slow
@pytest.mark.parametrize(
    "n, steps, patience", [(70, 40, 10), *slow_cases((64, 200, 30), (70, 200, 30), (140, 200, 30))]
)
def test_descents_in_large_graphs(n, steps, patience):
    case = LargeCase(n)
    walker = run_descent(case, 4, steps, patience=patience)
    check_walker(walker, case.scorer, case.score, 4)


@pytest.mark.parametrize(
    "n, max_clique",
    [(12, 12), (12, 4), (70, 5)] + slow_cases((64, 5), (140, 140)),
)
def test_rebuilding(n, max_clique):
    case = LargeCase(n)
    walker = run_rebuilding(case, max_clique, 0)
    first = walker.numbers[BEST]
    check_walker(walker, case.scorer, case.score, max_clique)
    walker = run_rebuilding(case, max_clique, 3000)
    check_walker(walker, case.scorer, case.score, max_clique)
    assert walker.counts[STARTS] > 10 and walker.numbers[BEST] >= first


@nojit
def test_runs_that_are_stopped_at_once_change_nothing():
    case = LargeCase(12)
    for run in (run_walk, run_descent, run_rebuilding):
        walker = run(case, 4, 1000, stop=1)
        assert walker.counts[STEPS] == 0 and not walker.adjacency.any()


@nojit
def test_the_same_seed_gives_the_same_walk_whatever_the_cache_contains():
    warm, cold = LargeCase(12), LargeCase(12)
    cold.parts = cold.parts._replace(scores=cold.scorer.scores._replace(entries=np.zeros((8, 3), np.uint64)))
    for run in (run_walk, run_descent, run_rebuilding):
        first, second = run(warm, 5, 60, seed=3), run(cold, 5, 60, seed=3)
        other = run(warm, 5, 60, seed=4)
        for a, b in zip(first, second, strict=True):
            assert np.array_equal(a, b)
        assert not np.array_equal(first.random, other.random)


@nojit
@pytest.mark.parametrize("max_clique", [2, 3, 12])
def test_restart_graphs_are_those_of_the_paper(max_clique):
    state, sizes = random_state(1), set()
    rows, order = np.ones((12, 1), np.uint64), np.zeros(12, np.int64)
    for _ in range(60):
        random_disjoint_cliques(rows, state, order, max_clique)
        edges = edges_of(rows)
        assert moves.is_restart_graph(12, edges)
        sizes |= set(map(len, graphs.components(12, edges)))
    assert sizes == ({1, 2} if max_clique == 2 else {1, 2, 3})


@nojit
def test_some_vertices_of_the_best_network_lose_their_edges():
    case, work = LargeCase(12), vertex_search(12, 1)
    for seed in range(20):
        walker = walker_at(12, graphs.all_pairs(12), seed)
        remove_edges(walker, case.scorer.scores, work)
        free = [v for v in range(12) if not walker.adjacency[v].any()]
        assert 2 <= len(free) <= 12 and walker.counts[STARTS] == 1
        assert sorted(work.queue[(work.ends[0] + np.arange(work.ends[1])) % 12]) == free
        assert all(size_of(walker.adjacency[v]) == 11 - len(free) for v in range(12) if v not in free)
        work.ends[1], work.waiting[:] = 0, 0
