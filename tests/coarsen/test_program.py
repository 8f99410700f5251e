"""The integer program of coarsen against its definition: candidates, optima, and what solutions are."""

import numpy as np
import pytest

from cliquewise.coarsen.candidates import candidate_gains, candidates
from cliquewise.coarsen.coarsening_needs import needs, possible, useful
from cliquewise.coarsen.coarsening_program import ChoiceProblem, greedy_choice, problem_of, shorter
from cliquewise.coarsen.coarsening_scip import solve
from cliquewise.coarsen.coarsening_solutions import is_solution, violated_forests
from cliquewise.common.exact.scip import ProgramLimits, quiet_model
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.spanning import pair_gains
from tests.as_oracles import candidates_of
from tests.oracles import coarsening as oracle
from tests.oracles import graphs
from tests.random_inputs import clique_scores, random_chordal_edges, random_set_scores
from tests.slow import slow

MANY_ASSIGNMENTS = 5000


@pytest.mark.fast_cases(1)
@pytest.mark.nojit
@pytest.mark.parametrize("first", range(0, 2400, 200))
def test_candidates_are_those_of_the_definition(first):
    for seed in range(first, first + 200):
        n = 2 + seed % 6
        edges = random_chordal_edges(seed, n)
        max_clique, max_length = [(None, None), (4, None), (3, 2), (None, 1)][seed // 6 % 4]
        found = candidates_of(candidates(Graph(n, edges), max_clique, max_length))
        assert len(found) == len(set(found))
        assert set(found) == oracle.candidates(n, edges, max_clique, max_length)


@pytest.mark.nojit
def test_between_components_only_pairs_that_gain_matter():
    """With the pairs that gain alone the program is the same as with all pairs."""
    fewer = 0
    for seed in range(200):
        n = 4 + seed % 5
        graph = Graph(n, random_chordal_edges(seed, n))
        scorer = SetScorer(clique_scores(random_set_scores(seed, n), n, n))
        joins = np.nonzero(np.triu(pair_gains(scorer) > 0.0, 1))
        max_length = (None, 1, 2)[seed % 3]
        all_pairs, found = (candidates(graph, 4, max_length, joins=pairs) for pairs in (None, joins))
        left_out = {*candidates_of(all_pairs)} - {*candidates_of(found)}
        assert {*candidates_of(found)} <= {*candidates_of(all_pairs)}
        assert all(not separator and (u, v) not in {*zip(*joins, strict=True)} for u, v, separator in left_out)
        tasks = [problem_of(one, candidate_gains(one, scorer)) for one in (all_pairs, found)]
        assert candidates_of(tasks[0].found) == candidates_of(tasks[1].found)
        assert np.array_equal(tasks[0].gains, tasks[1].gains)
        fewer += len(all_pairs) - len(found)
    assert fewer > 100


def small_case(seed, tied):
    """A graph with few enough assignments to try them all: (n, edges, score function, candidates, gains)."""
    n = 3 + seed % 5
    while True:
        edges = random_chordal_edges(seed, n)
        if oracle.assignment_count(oracle.candidates(n, edges)) <= MANY_ASSIGNMENTS:
            break
        seed += 1_000_003
    scores = random_set_scores(seed, n)
    if tied:
        scores = {members: float(round(score)) for members, score in scores.items()}
    found = candidates(Graph(n, edges))
    gains = candidate_gains(found, SetScorer(clique_scores(scores, n, n)))
    return n, edges, scores.__getitem__, found, gains


def check_optimum(seed, forced, tied=False):
    """SCIP's optimum is the best assignment; the graph is chordal and has this gain."""
    n, edges, score, found, gains = small_case(seed, tied)
    assert np.allclose(gains, [oracle.gain(candidate, score) for candidate in candidates_of(found)])
    task = problem_of(found, gains, forced)
    best = oracle.best_gain(n, edges, set(candidates_of(found)), score, forced)
    if not len(task.found):
        assert best == 0.0
        return
    assert is_solution(task, greedy_choice(task))
    solution = solve(task, greedy_choice(task), ProgramLimits())
    assert solution.status == "optimal" and solution.gap <= 1e-9
    assert solution.gain == pytest.approx(best, abs=1e-6)
    assert solution.bound == pytest.approx(best, abs=1e-6)
    assert is_solution(task, solution.chosen)
    added = {
        candidate[:2] for candidate, taken in zip(candidates_of(task.found), solution.chosen, strict=True) if taken
    }
    after = {*edges, *added}
    assert graphs.is_chordal(n, after)
    change = graphs.graph_score(n, after, score) - graphs.graph_score(n, edges, score)
    assert change == pytest.approx(solution.gain, abs=1e-6)


@pytest.mark.parametrize("seeds", [range(2), *slow(range(2, 12))])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("forced", [False, True], ids=["ic", "fic"])
def test_optimum_is_the_best_assignment(forced, tied, seeds):
    """Equal scores make the program symmetric, and constraints that are added later are not."""
    for seed in seeds:
        check_optimum(seed, forced, tied)


@pytest.mark.slow
@pytest.mark.parametrize("forced", [False, True], ids=["ic", "fic"])
@pytest.mark.parametrize("first", range(1000, 3000, 500))
def test_optimum_is_the_best_assignment_of_many(first, forced):
    for seed in range(first, first + 500):
        check_optimum(seed, forced)


@pytest.mark.slow
def test_candidates_that_cannot_gain_are_left_out():
    """The optimum is the same with all possible candidates."""
    fewer = 0
    for seed in range(60):
        n = 4 + seed % 4
        found = candidates(Graph(n, random_chordal_edges(seed, n)))
        gains = np.random.default_rng(seed).normal(-0.3, size=len(found))
        found = found.only(possible(found, needs(found)))
        gains = gains[: len(found)]
        kept = useful(found, needs(found), gains)
        fewer += (~kept & (gains <= 0)).sum()
        assert kept[gains > 0].all()
        if not kept.any():
            assert not (gains > 0).any()
            continue
        whole = ChoiceProblem(found, gains, needs(found))
        best = solve(whole, np.zeros(len(found), bool), ProgramLimits()).gain
        task = problem_of(found, gains)
        assert solve(task, greedy_choice(task), ProgramLimits()).gain == pytest.approx(best, abs=1e-9)
    assert fewer > 100


@pytest.mark.parametrize("forced", [False, True])
def test_solutions_are_those_of_the_definition(forced):
    """Of all choices, also of several candidates for one pair."""
    count = {True: 0, False: 0}
    for seed in (*range(5), 28, 69):  # of 4, 28 and 69 a pair has two candidates, and some need an edge
        n = 4 + seed % 3
        edges = random_chordal_edges(seed, n)
        found = candidates(Graph(n, edges))
        task = problem_of(found, np.ones(len(found)), forced)
        listed = candidates_of(task.found)
        if not 0 < len(listed) <= 8:
            continue
        separators = {s for _, _, s in listed} if forced else None
        for bits in range(1 << len(listed)):
            chosen = np.array([bits >> i & 1 for i in range(len(listed))], bool)
            taken = [listed[i] for i in np.flatnonzero(chosen)]
            alone = len({pair[:2] for pair in taken}) == len(taken)
            expected = alone and oracle.is_feasible(n, edges, taken, separators)
            assert is_solution(task, chosen) == expected
            count[expected] += 1
    assert min(count.values()) > 10


def test_a_violated_forest_constraint_is_found():
    """Among the three leaves of a star, all edges due to its centre: one too many."""
    found = candidates(Graph(4, ((0, 3), (1, 3), (2, 3))))
    task = problem_of(found, np.ones(len(found)))
    assert candidates_of(task.found) == [(u, v, frozenset({3})) for u, v in [(0, 1), (0, 2), (1, 2)]]
    ((inside, most),) = violated_forests(task, np.ones(3), [0.5])
    assert inside.tolist() == [0, 1, 2] and most == 2
    assert violated_forests(task, np.array([1.0, 1.0, 0.0]), [0.5]) == []
    assert not is_solution(task, np.ones(3, bool))


@pytest.mark.slow
def test_forced_length_one_needs_no_program():
    """The spanning trees over the components are what the forced program of length 1 finds."""
    for seed in range(80):
        n = 3 + seed % 5
        graph = Graph(n, random_chordal_edges(seed, n))
        found = candidates(graph, max_length=1)
        if not len(found):
            continue
        gains = candidate_gains(found, SetScorer(clique_scores(random_set_scores(seed, n), n, n)))
        task = problem_of(found, gains, forced=True)
        chosen = greedy_choice(task)
        assert is_solution(task, chosen)
        assert gains[chosen].sum() == pytest.approx(solve(task, greedy_choice(task), ProgramLimits()).gain, abs=1e-6)


def test_a_stopped_program_keeps_a_solution():
    n = 30
    graph = Graph(n, random_chordal_edges(5, n, 3))
    found = candidates(graph)
    gains = np.random.default_rng(0).normal(size=len(found))
    task = problem_of(found, gains)
    solution = solve(task, greedy_choice(task), ProgramLimits(seconds=0.02))
    assert is_solution(task, solution.chosen) and solution.bound >= solution.gain
    assert solution.gain >= gains_of(task, greedy_choice(task)) - 1e-9
    asked = solve(task, greedy_choice(task), ProgramLimits(should_continue=lambda: False))
    assert is_solution(task, asked.chosen)


def test_the_search_ends_within_the_gap_allowed():
    found = candidates(Graph(12, random_chordal_edges(0, 12, 3)))
    task = problem_of(found, np.random.default_rng(0).normal(size=len(found)))
    start = greedy_choice(task)
    optimum, first = (solve(task, start, ProgramLimits(gap=gap)) for gap in (0.0, 1e9))
    assert (optimum.status, first.status) == ("optimal", "gaplimit")
    assert first.gap > 0.1 and first.bound > optimum.bound + 0.1 and optimum.gain >= first.gain - 1e-9
    assert solve(task, start, ProgramLimits()).status == "optimal"


def test_signals_are_left_to_python():
    assert quiet_model("any").getParam("misc/catchctrlc") is False


def gains_of(task, chosen):
    """The gain of a choice."""
    return float(task.gains[chosen].sum())


def test_solutions_of_short_edges_are_solutions(monkeypatch):
    monkeypatch.setattr("cliquewise.coarsen.coarsening_program.LARGE_PROGRAM", 10)
    for seed in range(20):
        graph = Graph(14, random_chordal_edges(seed, 14, 3))
        found = candidates(graph)
        for forced in (False, True):
            task = problem_of(found, np.random.default_rng(seed).normal(size=len(found)), forced)
            sizes = []
            for part in shorter(task):
                sizes.append(len(part.found))
                assert set(part.found.key.tolist()) <= set(task.found.key.tolist())
                chosen = np.isin(task.found.key, part.found.key[greedy_choice(part)])
                assert is_solution(task, chosen)
            assert all(2 * a <= b for a, b in zip(sizes, [*sizes[1:], len(task.found)], strict=bool(sizes)))
