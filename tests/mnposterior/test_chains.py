"""mnposterior by chains: probabilities of edges against the sum over all chordal graphs, and the command."""

import csv

import numpy as np
import pytest

from cliquewise.common.graphs.graph import Graph
from cliquewise.common.models.any_graph import parse_graph, read_graph
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import INTERRUPTED, ITERATION_LIMIT, TIME_LIMIT
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import learn as lsmarkov
from cliquewise.lsmarkov.config import Config as Search
from cliquewise.mnposterior import proposals, summary
from cliquewise.mnposterior.alias_kernels import fill_alias
from cliquewise.mnposterior.config import PosteriorConfig
from cliquewise.mnposterior.ladders import Ladders
from cliquewise.mnposterior.learn import learn
from cliquewise.mnposterior.starts import Starts
from cliquewise.mnposterior.summary import _edge_diagnostics, _formatted
from cliquewise.mnposterior.temperatures import (
    MIN_TEMPERATURES,
    MOBILE_ACCEPTANCE,
    adapted_temperatures,
    max_temperatures,
    measured_temperatures,
)
from tests.commands import ROOT
from tests.learning import learner
from tests.oracles.posteriors import edge_probabilities
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, dataset_of, first_columns, random_dataset, rows_of
from tests.reading import read_csv
from tests.slow import slow, slow_cases

pytestmark = pytest.mark.usefixtures("here")

ZOO = ROOT / "data/zoo.csv"
ENOUGH = 16_000_000  # moves for some 30,000 effective samples of an edge, a standard error of 0.003
sampled = learner(learn, PosteriorConfig("chains"))
search = learner(lsmarkov.learn, Search(max_clique=3))


def worst(result, data, ess=1.0, **prior):
    """The largest error of an edge's probability."""
    exact, _ = edge_probabilities(data.n, set_score(rows_of(data), arity_of(data), "bdeu", ess), **prior)
    found = dict(zip(result.graph.edges, result.graph.probabilities, strict=True))
    assert {*found} <= {*exact}
    return max(abs(found.get(edge, 0.0) - share) for edge, share in exact.items())


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *slow(*range(1, 20))])
def test_all_graphs_of_five_variables(seed):
    data = random_dataset(seed, 5)
    assert worst(sampled(data, iterations=ENOUGH), data) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("bound", [*slow(2), 3, *slow(4)])
def test_a_bound_and_an_edge_prior(bound):
    data, config = random_dataset(bound, 5), PosteriorConfig("chains", max_clique=bound)
    result = sampled(data, config, edge_prior=0.3, iterations=ENOUGH)
    assert worst(result, data, max_clique=bound, edge_prior=0.3) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("ess", [1.0, 10.0])
@pytest.mark.parametrize("name", ["Voting", "autos", "Flag", "alarm"])
def test_all_graphs_of_six_variables(shared, name, ess):
    data = first_columns(read_csv(shared / f"data/coarsen/{name}.csv"), 6)
    result = sampled(data, ess=ess, iterations=20_000_000)
    assert worst(result, data, ess) < 0.01
    assert float(result.details["r-hat-edges"]) < 1.02


@pytest.mark.slow
@pytest.mark.parametrize("n, bound", [(5, 3), *slow_cases((5, None), (6, 3), (6, 4))])
def test_branches_on_all_graphs(monkeypatch, n, bound):
    """Half of the moves; as many variables have none otherwise."""
    monkeypatch.setattr(proposals, "BRANCH_SHARE", 0.5)
    monkeypatch.setattr(proposals, "MIN_BRANCH_VARIABLES", 2)
    data, config = random_dataset(n, n), PosteriorConfig("chains", max_clique=bound)
    result = sampled(data, config, edge_prior=0.3, iterations=ENOUGH)
    assert worst(result, data, max_clique=bound, edge_prior=0.3) < 0.01


def test_errors_are_the_spread_of_short_runs():
    """Also of edges in all draws, or in none."""
    spreads = []
    for seed in range(3):
        data = random_dataset(seed, 5)
        exact, _ = edge_probabilities(data.n, set_score(rows_of(data), arity_of(data), "bdeu", 1.0), edge_prior=0.3)
        for repeat in range(4):
            config = PosteriorConfig("chains", seed=10 * seed + repeat, ladders=2)
            result = sampled(data, config, edge_prior=0.3, iterations=20_000)
            of = zip(result.graph.edges, zip(result.graph.probabilities, result.graph.errors, strict=True), strict=True)
            found = {**dict.fromkeys(exact, (0.0, float(result.details["error-of-other-edges"]))), **dict(of)}
            spreads += [(share - exact[edge]) / error for edge, (share, error) in found.items()]
    z = np.abs(spreads)
    assert 0.3 < np.sqrt((z**2).mean()) < 1.2 and (z > 4).mean() < 0.01


@pytest.mark.parametrize("how", [("chains", 60), ("exact", None)])
def test_no_error_of_a_share_is_above_a_half(how):
    """Of a run that was stopped at once, and of a single draw."""
    method, moves = how
    data = random_dataset(3, 5)
    result = sampled(data, PosteriorConfig(method, ladders=2, draws=1), iterations=moves)
    assert max(result.graph.errors) == 0.5 == float(result.details["error-of-other-edges"])


def test_edges_that_are_not_allowed_never_occur():
    data, allowed = random_dataset(1, 5), Graph(5, ((0, 1), (0, 2), (1, 2), (3, 4)))
    result = sampled(data, PosteriorConfig("chains", allowed=allowed), iterations=200_000)
    assert {*result.graph.edges} <= {*allowed.edges}


def test_the_same_seed_gives_the_same_whatever_the_threads():
    data = random_dataset(3, 7)
    one, two = (sampled(data, iterations=300_000, threads=threads) for threads in (1, 2))
    assert one == two and one.status == ITERATION_LIMIT
    assert one != sampled(data, PosteriorConfig("chains", seed=2), iterations=300_000)


def test_the_result_so_far_is_returned_after_a_stop():
    result = sampled(random_dataset(3, 7), iterations=300_000, stopped=True)
    assert result.status == INTERRUPTED and len(result.witnesses) == 4 and result.samples
    assert result.details["r-hat-edges"] == "unknown"


def test_the_time_limit_ends_the_run():
    result = sampled(random_dataset(3, 7), seconds=0.2)
    assert result.status == TIME_LIMIT and result.samples


def test_ladders_that_never_agree():
    """An edge that all networks of one ladder have, and none of another: R-hat is infinite, and the header says so."""
    graphs = [np.zeros((40, 2, 1), np.uint64) for _ in range(4)]
    graphs[0][:] = [[2], [1]]
    sizes, r_hats = _edge_diagnostics(graphs, np.array([[0, 1]], np.int32))
    assert r_hats == [np.inf] and sizes[0] < 10
    assert [_formatted(number, ".2f") for number in (np.inf, 1.5, np.nan)] == ["inf", "1.50", "unknown"]


@pytest.mark.parametrize("iterations, is_short", [(100, True), (20_000, False)])
def test_draws_of_one_network_have_converged(monkeypatch, caplog, iterations, is_short):
    """Also if it had another edge in a round between two draws; a few draws say nothing."""
    after_burn_in = summary._after_burn_in

    def with_another_edge(ladders):
        kept = after_burn_in(ladders)
        return kept._replace(frequencies=kept.frequencies + 1e-4)

    monkeypatch.setattr(summary, "_after_burn_in", with_another_edge)
    result = sampled(dataset_of(np.array([[0, 0], [0, 1], [1, 0], [1, 1]])), iterations=iterations, edge_prior=1e-9)
    assert result.graph.probabilities == (1e-4,) and result.details["r-hat-edges"] == "unknown"
    assert ("have not converged" in caplog.text) == is_short


def test_one_variable():
    data = random_dataset(1, 1)
    result = sampled(data, iterations=10)
    assert result.graph.edges == () and result.graph.probabilities == ()


def test_alias_tables():
    weights = np.array([0.0, 5.0, 1.0, 0.0, 2.5, 1.5])
    keep, other = np.zeros(6, np.float32), np.zeros(6, np.int32)
    fill_alias(weights.copy(), keep, other, np.zeros(6, np.int64))
    shares = keep / 6
    np.add.at(shares, other, (1 - keep) / 6)
    assert shares == pytest.approx(weights / weights.sum(), abs=1e-6) and shares[0] == shares[3] == 0


def test_temperatures_are_spaced_by_rejection_rates():
    beta = np.array([1.0, 0.5, 0.25, 0.125])
    assert adapted_temperatures(beta, np.array([0.3, 0.3, 0.3]), 4) == pytest.approx(beta)
    closer = adapted_temperatures(beta, np.array([0.9, 0.9, 0.9]), 4)
    assert closer[0] == 1.0 and closer[-1] == pytest.approx(0.25, abs=1e-3)
    assert np.all(np.diff(adapted_temperatures(beta, np.array([0.8, 0.0, 0.1]), 4)) < 0)
    far = adapted_temperatures(beta, np.array([0.9, 0.9, 0.9]), 4, 0.125)
    assert far == pytest.approx(beta, abs=1e-3)  # as far as the chains need
    shorter = adapted_temperatures(beta, np.array([0.9, 0.9, 0.9]), 4, rate=0.3)
    assert shorter == pytest.approx([1.0, 5 / 6, 2 / 3, 0.5], abs=1e-3)


@pytest.mark.parametrize("beta_min", [1.0, 0.1])
def test_the_last_adaptation_makes_ladders_shorter(beta_min):
    """Only its draws count; a ladder that must be as long stays so."""
    with Monitor(Limits(iterations=400_000), threads=1) as monitor:
        scorer = SetScorer(random_dataset(3, 7), Scoring("bdeu", 1.0))
        ladders = Ladders(scorer, PosteriorConfig("chains"), 7, monitor)
        ladders.start_at([np.zeros((7, 1), np.uint64)])
        ladders.beta_min = beta_min
        ends = []
        for is_last in (False, False, True):
            for ladder in ladders._ladders:
                ladder.rounds[:], ladder.rejected[:] = 10, 9.0
            ladders.adapt(is_last)
            ends.append(ladders.beta[-1])
    assert ends[0] < ends[1] < ends[2] if beta_min == 1.0 else ends == pytest.approx([0.1] * 3)


def test_a_mobile_chain_has_the_fewest_temperatures():
    found = measured_temperatures(lambda _: (MOBILE_ACCEPTANCE, 1.0), 64)
    assert len(found.beta) == MIN_TEMPERATURES and found.beta[0] == found.beta_min == 1.0


@pytest.mark.parametrize("dimensions", [20, 200, 2000])
def test_a_frozen_chain_is_heated_until_it_moves(dimensions):
    """Scores as from a normal density of this dimension: the barrier is sqrt(d / 2 pi) ln T, twice as many pairs."""

    def measure(temperature):
        spread = temperature * np.sqrt(dimensions / 2.0)
        return MOBILE_ACCEPTANCE * temperature / 20.0, spread / 2.0  # of correlated draws: half

    beta, beta_min = measured_temperatures(measure, 1000)
    assert beta[0] == 1.0 and 1 / 27 < beta[-1] == beta_min <= 1 / 20
    expected = 2.0 * np.sqrt(dimensions / 2.0 / np.pi) * np.log(1 / beta_min)
    assert len(beta) == pytest.approx(max(MIN_TEMPERATURES, expected), abs=1.0, rel=0.05)
    ratios = beta[:-1] / beta[1:]
    assert ratios == pytest.approx(np.full(len(ratios), ratios.mean()), rel=0.1)  # equal parts: geometric
    capped, _ = measured_temperatures(measure, 9)
    assert len(capped) <= 9


def test_more_variables_have_fewer_temperatures():
    counts = [max_temperatures(n) for n in (1, 2, 37, 100, 400, 1000)]
    assert counts == sorted(counts, reverse=True) and counts[0] == 64 and counts[-1] == MIN_TEMPERATURES


def test_kernels_are_compiled_before_the_clock(monkeypatch):
    begun = []
    monkeypatch.setattr(Ladders, "compile_kernels", lambda *_: begun.append(monitor.clock.has_started))
    monkeypatch.setattr(Starts, "warm_up", lambda *_: begun.append(monitor.clock.has_started))
    with Monitor(Limits(iterations=1000), threads=1) as monitor:
        learn(random_dataset(1, n_vars=4), Scoring(), PosteriorConfig("chains"), monitor)
    assert begun == [False, False]


@pytest.mark.parametrize("seconds, merges", [(60.0, False), (600.0, True)])
def test_the_search_for_starts_compiles_what_it_has_time_for(monkeypatch, seconds, merges):
    """The integer program that merges networks was compiled for a search of three seconds."""
    compiled = []
    monkeypatch.setattr("cliquewise.lsmarkov.merging.compile_merging", lambda: compiled.append(True))
    config = PosteriorConfig("chains")
    with Monitor(Limits(seconds), threads=1) as monitor:
        data = random_dataset(5, n_vars=14, n_rows=50)
        Starts(data, Scoring("bdeu", 1.0), config, 3, monitor).warm_up()
    assert compiled == [True] * merges


@pytest.mark.slow
def test_the_command(run, here):
    done = run(
        *("mnposterior", ZOO, "--ess", 10, "--iterations", 2_000_000, "--max-clique", 4),
        *("--samples", "zoo.samples", "--trace", "zoo.trace", "-o", "zoo.edges", "--edge-prior", 0.4),
    )
    assert done.code == 0, done.stderr
    file = read_graph("zoo.edges")
    assert len(file.graph.errors) == len(file.graph.probabilities) == len(file.graph.edges)
    assert file.header["edge-prior"] == "0.4" and float(file.header["effective-samples-edges"]) > 0
    lines = (here / "zoo.samples").read_text().splitlines()
    assert lines[:2] == [f"# networks {len(lines) - 2}", "# format samples"] and 500 <= len(lines) <= 1002
    one = parse_graph(lines[9], "line", n=17).graph
    assert len(one.edges) > 5 and max(len(line.split()) for line in lines) <= 17
    rows = list(csv.DictReader((here / "zoo.trace").read_text().splitlines()))
    assert {row["ladder"] for row in rows} == set("0123") and rows[-1]["adapting"] == "0"
    refused = run("mntools", "score", ZOO, "zoo.samples")
    assert refused.code == 1 and "a list of networks, for mntools average and check" in refused.stderr


def test_too_many_variables(run, here):
    (here / "wide.csv").write_text(",".join("01" * 501) + "\n" + ",".join("10" * 501) + "\n")
    done = run("mnposterior", "wide.csv", "--header", "no", "--iterations", 10)
    assert done.code == 1 and "1002 variables; mnposterior takes at most 1000" in done.stderr
