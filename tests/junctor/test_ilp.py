"""junctor's cutting planes: every small optimum, those of the dynamic program, published ones, limits and stops."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from cliquewise.common.bounds import problem
from cliquewise.common.bounds.bound import solve
from cliquewise.common.bounds.branching import Proof
from cliquewise.common.bounds.families import FamilyPool
from cliquewise.common.bounds.incumbent import Incumbent
from cliquewise.common.bounds.violated_rows import empty_rows
from cliquewise.common.certify.bound import certify_bound
from cliquewise.common.certify.cliques import certify
from cliquewise.common.errors import DataError, LimitError
from cliquewise.common.exact import concurrent_search
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.networks.network import read_network
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import GAP_REACHED, INTERRUPTED, MEMORY_LIMIT, OPTIMAL, TIME_LIMIT, gap_text
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.sets.set_orders import colex_masks, set_count
from cliquewise.junctor import ilp
from cliquewise.junctor import learn as junctor
from cliquewise.junctor.config import Config
from cliquewise.junctor.learn import uses_cutting
from cliquewise.junctor.local_search import LocalSearch
from cliquewise.junctor.size import needs_of
from tests.bench.figures import PROVED
from tests.commands import ROOT
from tests.differential.tied import Case
from tests.learning import Recorder, learned, learner
from tests.oracles.learners import best_chordal, scored_graphs
from tests.oracles.scores import set_score
from tests.random_inputs import (
    arity_of,
    clique_scores,
    dataset_of,
    random_dataset,
    random_edges,
    random_set_scores,
    rows_of,
)
from tests.reading import read_csv
from tests.slow import slow

NEAR = 1e-6
learn = learner(junctor.learn, Config(method="ilp"))


def solved(n, scores, width, required=()):
    """The optimum by `solve` alone, without a local search."""
    source, known = clique_scores(scores, n, width), Incumbent(n, required=required)
    proof = solve(n, source.masks, source.scores, known)
    assert proof.finished and proof.bound == pytest.approx(known.score, abs=NEAR)
    return known


def every_family(scores, n):
    """A FamilyPool of all sets."""
    source = clique_scores(scores, n, n)
    return FamilyPool(n, source.masks, source.scores)


def test_an_incumbent_names_the_variables_of_its_networks():
    """Rounded solutions have numbers only."""
    known = Incumbent(3, names=("a", "b", "c"))
    assert known.offer(Graph(3, ((0, 1),)), -2.0) and known.graph == Graph(3, ((0, 1),), ("a", "b", "c"))


@pytest.mark.parametrize("n", [2, 3, 4, 5, *slow(6)])
def test_every_small_problem_without_a_network_to_begin_with(n):
    for seed in range(6 if n < 6 else 2):
        scores = random_set_scores(seed, n)
        for width in range(1, n + 1):
            graphs = scored_graphs(n, scores.__getitem__, width)
            known = solved(n, scores, width)
            assert known.score == pytest.approx(max(graphs)[0], abs=NEAR)
            found = known.score, frozenset(known.graph.edges)
            assert found in [(pytest.approx(value, abs=NEAR), edges) for value, edges in graphs]


def test_required_edges_of_small_problems():
    n, empty = 5, 0
    for seed in range(12):
        scores = random_set_scores(seed, n)
        required = frozenset(random_edges(seed, n, 0.5))
        width = 2 + seed % 4
        graphs = scored_graphs(n, scores.__getitem__, width, required=required)
        masks = tuple(1 << u | 1 << v for u, v in required)
        if graphs:
            known = solved(n, scores, width, required=masks)
            assert known.score == pytest.approx(max(graphs)[0], abs=NEAR) and required <= frozenset(known.graph.edges)
        else:
            known, empty = Incumbent(n, required=masks), empty + 1
            source = clique_scores(scores, n, width)
            assert solve(n, source.masks, source.scores, known).finished and known.graph is None
    assert 0 < empty < 9


@pytest.mark.parametrize("n", [4, 5, 6])
def test_bdeu_with_allowed_and_required_edges(n):
    for seed in range(4):
        data = random_dataset(seed, n_vars=n, n_rows=150, max_arity=3)
        allowed = Graph(n, random_edges(seed, n, 0.7))
        required = Graph(n, allowed.edges[: seed % 3])
        best, _ = best_chordal(
            n, set_score(rows_of(data), arity_of(data), "bdeu", 10.0), 3, allowed.edges, required.edges
        )
        how = Config(3, method="ilp", allowed=allowed, required=required)
        result = learn(data, how, ess=10.0)
        assert result.status == OPTIMAL and result.score == pytest.approx(best, abs=NEAR)
        assert {*required.edges} <= {*result.graph.edges} <= {*allowed.edges}
        assert certify(result.graph, data, Scoring(ess=10.0), claimed=result.score, max_clique=3).ok


def test_the_order_bound_keeps_to_allowed_edges(monkeypatch):
    """Where some sets are not allowed, the order bound leaves those that are, and no others."""
    monkeypatch.setattr(problem, "ORDER_BOUND_FROM", 1)
    data = random_dataset(7, n_vars=8, n_rows=150, max_arity=3)
    allowed = Graph(8, random_edges(7, 8, 0.8))
    whole = problem.Problem(data, Scoring("bdeu", 10.0), Monitor(), allowed=allowed)
    assert whole.compute() and len(whole.sets) < 1 << 8
    known = Incumbent(8)
    whole.bound_sets(known)
    assert np.isfinite(whole.scores).all() and known.upper < np.inf
    found = learn(data, Config(method="ilp", allowed=allowed), ess=10.0)
    best = learn(data, Config(method="dp", allowed=allowed), ess=10.0)
    assert found.status == OPTIMAL and found.score == pytest.approx(best.score, abs=NEAR)
    assert {*found.graph.edges} <= {*allowed.edges} and len(allowed.edges) < 28


@pytest.mark.parametrize("name", ["Wine", "Heart", *slow(*sorted(PROVED.keys() - {"Wine", "Heart"}))])
def test_proved_optima(shared, name):
    data = read_csv(shared / "data" / "coarsen" / f"{name}.csv")
    result = learn(data, Config(4, method="ilp"))
    assert result.status == OPTIMAL and result.score == pytest.approx(PROVED[name], abs=1e-3)
    assert result.upper_bound == pytest.approx(result.score, abs=1e-4)


def test_bounds_are_true_for_any_multipliers():
    """Weak duality: the bound of random multipliers of true rows is at least the optimum."""
    rng = np.random.default_rng(5)
    n = 5
    for seed in range(20):
        scores = random_set_scores(seed, n)
        optimum = max(scored_graphs(n, scores.__getitem__, n))[0]
        choice = every_family(scores, n)
        rows = empty_rows(12)
        rows.singles[:6] = rng.integers(1, 1 << n, 6)
        rows.larger[6:, 0] = [0b11, 0b111, 0b1100, 0b10001, 0b1010, 0b110]
        rows.base[6:] = rows.larger[6:, 0] | rng.integers(1, 1 << n, 6).astype(np.uint64)
        rows.larger[:3, 0] = [0b11, 0b101, 0b11100]
        assert choice.bound(rows, rng.exponential(5.0, 12)) >= optimum - NEAR


def test_no_family_of_an_optimum_is_ruled_out():
    n, struck = 5, 0
    for seed in range(20):
        scores = random_set_scores(seed, n)
        best, edges = max(scored_graphs(n, scores.__getitem__, n))
        graph = Graph(n, tuple(sorted(edges)))
        choice = every_family(scores, n)
        bound = choice.bound(empty_rows(0), np.zeros(0))
        left = choice.fix_families(Incumbent(n, graph, best).gap(bound))
        struck += len(choice.alive) - left
        for first in permutations(range(n), 1 + seed % n):
            part = choice.copy()
            part.begin_with(first)
            assert part.alive[part.find(*Incumbent(n, graph, best).families(part))].all()
    assert struck > 100


# ---- stops and limits --------------------------------------------------------------------------------


def hard(seed=3, n=16):
    """Data that take more than a few rounds."""
    return random_dataset(seed, n_vars=n, n_rows=60, max_arity=2)


def test_stopped_with_the_best_network_and_a_bound():
    recorder = Recorder(at_row=lambda monitor, _row: monitor.interrupt())
    data = hard()
    result = learn(data, Config(4, method="ilp"), recorder=recorder)
    seen = recorder.rows
    assert result.status == INTERRUPTED and result.score <= result.upper_bound < np.inf
    assert certify(result.graph, data, claimed=result.score, max_clique=4).ok
    assert seen[0].families > 0 and seen[0].columns > 0 and seen[0].bound >= result.score - NEAR


def test_a_bound_below_the_network_found_is_an_error_of_the_program(run, tmp_path, monkeypatch):
    """It is neither written nor raised to the score in silence."""
    monkeypatch.setattr(ilp, "solve", lambda *_, **how: Proof(-1400.0, True, 1, -1400.0, (0,)))
    done = run("junctor", ROOT / "data/zoo.csv", "--max-clique", 3, "--method", "ilp", "-q", "-o", tmp_path / "net")
    assert done.code == 1 and not (tmp_path / "net").exists()
    message = "the upper bound -1400.000000 is below the known score"
    assert done.stderr.startswith(f"junctor: internal error: RuntimeError: {message}")


def test_stopped_before_the_first_round_with_the_order_bound(monkeypatch):
    """The best Bayesian network bounds all networks, before the first linear program is solved."""
    data = hard(n=12)
    best = learn(data, Config(method="dp"))
    monkeypatch.setattr(problem, "ORDER_BOUND_FROM", 1)

    def stopped(n, sets, scores, incumbent, callbacks, **how):
        return solve(n, sets, scores, incumbent, callbacks=replace(callbacks, should_continue=lambda: False), **how)

    monkeypatch.setattr(ilp, "solve", stopped)
    result = learn(data, Config(method="ilp"))
    assert best.score - NEAR <= result.upper_bound < best.score + 0.1 * abs(best.score)


def test_the_first_search_is_as_long_as_the_sets_need(monkeypatch):
    """25,000 steps per variable, or two for each set of the program; then none beside the solver."""
    steps, learn_locally = [], LocalSearch.learn

    def learn_and_count(self, source, start, monitor):
        steps.append(monitor.limits.iterations)
        return learn_locally(self, source, start, monitor)

    monkeypatch.setattr(LocalSearch, "learn", learn_and_count)
    monkeypatch.setattr(concurrent_search, "PACE", 0)
    monkeypatch.setattr(problem.Problem, "bound_sets", lambda *_: None)
    learn(hard(n=9), Config(3, method="ilp"))
    monkeypatch.setattr(ilp, "FIRST_STEPS", 10)
    learn(hard(n=9), Config(3, method="ilp"))
    assert steps == [9 * 25_000, 90, 2 * set_count(9, 3) - 90]


def test_a_bound_from_elsewhere_proves_a_network():
    """The proof ends when a network has the score of the order bound, whatever the bound of the linear programs."""
    data = hard()
    whole = problem.Problem(data, Scoring(), Monitor(), 3)
    assert whole.compute()
    best = learn(data, Config(3, method="dp"))
    known = whole.incumbent(best.graph)
    known.upper = known.score
    proof = solve(whole.n, whole.sets, whole.scores, known)
    assert (proof.bound, proof.finished, proof.nodes) == (known.score, True, 0) and proof.root_bound > known.score + 1.0


def test_stopped_before_the_proof_the_score_has_no_bonus_for_required_edges(monkeypatch):
    """The search that finds the first network adds one."""
    data = hard()

    def stop(self, _known):
        monkeypatch.setattr(self, "should_continue", lambda: False)

    monkeypatch.setattr(problem.Problem, "bound_sets", stop)
    required = Graph(data.n, ((0, 1), (2, 5)))
    result = learn(data, Config(3, method="ilp", required=required))
    assert {*required.edges} <= {*result.graph.edges} and result.upper_bound >= result.score
    assert certify(result.graph, data, claimed=result.score, max_clique=3).ok


@pytest.mark.parametrize("method", ["ilp", "dp"])
def test_tables_without_a_limit_of_cliques_are_those_for_the_largest(method):
    data, limits = random_dataset(1, n_vars=9), Limits()
    needs = [needs_of(data, Config(k, method=method), limits)[1] for k in (3, 9, None)]
    assert needs[0].tables < needs[1].tables == needs[2].tables


def test_memory_limit(monkeypatch):
    """When the memory limit is exceeded, the best network so far is returned with its bound."""
    data, taken = hard(), iter(range(10**9))
    monkeypatch.setattr(problem, "resident_memory", lambda: (300_000_000 * next(taken), 0))
    result = learn(data, Config(4, method="ilp", memory=1e9))
    assert result.status == MEMORY_LIMIT and result.score <= result.upper_bound < np.inf
    assert certify(result.graph, data, claimed=result.score, max_clique=4).ok


def test_time_limit():
    data = hard()
    result = learn(data, Config(4, method="ilp"), seconds=1e-3)
    assert result.status == TIME_LIMIT and result.upper_bound >= result.score
    best = learn(data, Config(4, method="ilp"))
    assert best.status == OPTIMAL and result.upper_bound >= best.score - NEAR


def test_a_bound_within_the_precision_of_the_linear_program_proves(tmp_path):
    """Its multipliers leave a few 1e-8, which no split of the problem removes; with a certificate as without."""
    data = dataset_of([(1, 1, 1, 2, 1), (0, 2, 0, 0, 2), (1, 1, 1, 2, 1)])
    for certificate in (None, str(tmp_path / "proof")):
        config = Config(4, method="ilp", certificate=certificate)
        assert learned(junctor.learn, data, config, Scoring(ess=0.0010696631604699284)).status == OPTIMAL


@pytest.mark.parametrize("seed", [33, *slow(5, 1085, 8024, 9008, 9059)])
def test_proofs_with_tied_networks_end(seed):
    """Data of few rows, cliques of any size: the dynamic program ends what hundreds of rounds would not."""
    case = Case(seed, None)
    result = learned(junctor.learn, case.data, Config(case.bound, method="ilp"), Scoring(ess=case.ess), seconds=120.0)
    assert result.status == OPTIMAL and result.upper_bound <= result.score + NEAR and result.iterations <= 20
    best = learned(junctor.learn, case.data, Config(case.bound, method="dp"), Scoring(ess=case.ess))
    assert result.score == pytest.approx(best.score, abs=NEAR)


@pytest.mark.slow
def test_gap():
    data = hard()
    result = learn(data, Config(4, method="ilp", gap=0.5))
    assert result.status in (OPTIMAL, GAP_REACHED)
    assert result.upper_bound <= result.score + 0.5 * abs(result.score)
    assert result.iterations <= learn(data, Config(4, method="ilp")).iterations


@pytest.mark.parametrize("score, allowed", [(-3.0, 0.3), (2.0, 0.2), (1e-3, 1e-4), (0.0, 1e-7)])
def test_a_gap_is_a_share_of_the_absolute_score(score, allowed):
    """Also near 0, where nothing is added to it but the precision of the linear program."""
    known = Incumbent(2, Graph(2, ()), score, gap=0.1)
    assert known.tolerance <= allowed * (1.0 + 1e-12) and (score == 0.0 or known.tolerance >= 0.99 * allowed)


@pytest.mark.parametrize(
    "upper, score, text",
    [
        (-9.0, -10.0, "1.000000 (10% of the score)"),
        (0.5, 0.0, "0.500000 (absolute: the score is near 0)"),
        (-1.0, -1.0 + 1e-12, "0.000000 (0% of the score)"),
        (-900.0 + 1e-9, -900.0, "0.000000 (0% of the score)"),
    ],
)
def test_a_gap_is_printed_as_it_is_defined(upper, score, text):
    assert gap_text(upper, score) == text


def test_no_minus_before_a_zero(run, tmp_path):
    """Constants alone: their score is a rounding error."""
    (tmp_path / "t.csv").write_text("a,b,c\n" + "x,y,1\n" * 30)
    out = tmp_path / "net"
    done = run("junctor", tmp_path / "t.csv", "--time-limit", 9, "-o", out)
    assert "upper-bound 0.000000\n" in out.read_text() and "junctor: score 0.000000, 0 edges" in done.stderr
    assert "score 0.000000" in str(read_network(out))


def test_the_bound_at_the_root_is_a_number_even_if_nothing_is_solved():
    known = Incumbent(2, Graph(2, ()), 0.0)
    proof = solve(2, colex_masks(2, 2), np.array([0.0, 0.0, 0.0, -1.0]), known)
    assert proof.finished and proof.root_bound == 0.0


TIED = dataset_of([[0, 1, 1, 0], [0, 0, 0, 1], [1, 0, 1, 1]])


def rounds_of(data, config, score_type="bdeu", ess=1.0, most=400):
    """The result of a run that is ended after so many rounds."""
    recorder = Recorder()
    recorder.at_row = lambda monitor, _: len(recorder.rows) < most or monitor.interrupt()
    return learn(data, config, score_type, ess, recorder=recorder)


@pytest.mark.slow
def test_tied_solutions_do_not_cycle():
    """Few rows make many networks equal: rows must not leave until the bound has moved."""
    result = rounds_of(TIED, Config(method="ilp", certificate=True))
    assert result.status == OPTIMAL and result.score == pytest.approx(-9.5987, abs=1e-4)
    assert certify_bound(result.proof, TIED) == ()
    for seed in range(12):
        n, rows, bound = 4 + seed % 6, 2 + seed % 7, (3, 4, None)[seed % 3]
        data, ess = random_dataset(seed, n, rows, 2 + seed % 3), 10.0 ** (seed % 6 - 3)
        found = rounds_of(data, Config(bound, method="ilp"), ess=ess)
        best = learn(data, Config(bound, method="dp"), ess=ess)
        assert found.status == OPTIMAL and found.score == pytest.approx(best.score, abs=NEAR), seed


def test_refusals():
    with pytest.raises(DataError, match="65 variables; junctor takes at most 64: .* mntools bound --graph bounds"):
        learn(random_dataset(1, n_vars=65), Config(2, method="ilp"))
    with pytest.raises(LimitError, match=r"41449 sets of up to 4 variables need .* GB, 0.001 GB may be used"):
        learn(random_dataset(1, n_vars=32), Config(4, method="ilp", memory=1e6))
    path = Graph(4, ((0, 1), (0, 3), (1, 2), (2, 3)))
    with pytest.raises(DataError, match="no network has a finite score and all required edges"):
        learn(random_dataset(1, n_vars=4), Config(2, method="ilp", required=path))


def test_results_are_reproducible():
    data = hard(4, 13)
    results = [learn(data, Config(4, method="ilp"), threads=threads) for threads in (1, 2)]
    assert results[0].graph == results[1].graph and results[0].upper_bound == results[1].upper_bound


def test_the_method_is_chosen_by_size():
    assert not uses_cutting(8, Config(method="auto"), Limits()) and uses_cutting(30, Config(method="auto"), Limits())
    assert uses_cutting(8, Config(method="ilp"), Limits()) and not uses_cutting(30, Config(method="dp"), Limits())
    assert uses_cutting(8, Config(method="auto", required=Graph(8, ((0, 1),))), Limits())
