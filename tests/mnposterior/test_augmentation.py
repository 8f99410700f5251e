"""mnposterior from data with missing cells: edges against the sum over networks and cells, and the command."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from cliquewise.common.data.incomplete import IncompleteData
from cliquewise.common.models.model_fit import fit
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scoring import Scoring
from cliquewise.mnposterior.augmentation import CompletingChains, drawn_parameters, sample_incomplete
from cliquewise.mnposterior.batch_means import BatchMeans, effective_edges, effective_scores
from cliquewise.mnposterior.config import PosteriorConfig
from cliquewise.mnposterior.draws_kernels import Draws, record
from tests.commands import ROOT
from tests.learning import run as run_learner
from tests.oracles.graphs import graph_score
from tests.oracles.posteriors import edge_probabilities_with_missing_cells
from tests.oracles.scores import set_score
from tests.random_inputs import random_dataset, rows_of
from tests.search_parts import edges_of
from tests.slow import slow, slow_cases

VOTES = ROOT / "data/votes.csv"


def with_missing_cells(seed, n=4, rows=14, missing=6):
    """Few rows of few variables, some cells not known."""
    rng = np.random.default_rng(seed)
    data = random_dataset(seed, n_vars=n, n_rows=rows, max_arity=3)
    codes = np.array(
        data.codes[np.repeat(np.arange(data.n_stored), data.counts)] if data.counts is not None else data.codes,
        np.int32,
    )
    codes.flat[rng.choice(codes.size, missing, replace=False)] = -1  # `ravel` would be a copy
    assert (codes < 0).sum() == missing
    return IncompleteData(data.names, data.states, np.asfortranarray(codes), "-", None)


@pytest.mark.slow
@pytest.mark.parametrize("seed, bound", [(1, None), *slow_cases((2, 2), (3, 3))])
def test_probabilities_are_sums_over_all_networks_and_cells(monkeypatch, seed, bound):
    """Networks are drawn from the posterior given the observed cells alone."""
    monkeypatch.setattr("cliquewise.mnposterior.augmentation.MOVES_PER_IMPUTATION", 600)
    data = with_missing_cells(seed)
    config, moves = PosteriorConfig("chains", max_clique=bound, seed=seed), 4 * 350 * 600
    result = run_learner(
        lambda monitor: sample_incomplete(data, Scoring("bdeu", 2.0), config, monitor), iterations=moves
    )
    rows = [[None if cell < 0 else cell for cell in row] for row in data.codes.tolist()]
    arity = data.arity.tolist()
    expected = edge_probabilities_with_missing_cells(
        rows, arity, lambda full: set_score(full, arity, "bdeu", 2.0), bound
    )
    found = dict(zip(result.graph.edges, result.graph.probabilities, strict=True))
    assert max(abs(found.get(edge, 0.0) - share) for edge, share in expected.items()) < 0.04


@pytest.mark.parametrize("seed", range(4))
def test_a_step_draws_missing_cells_alone_and_scores_the_new_rows(seed):
    """Beside the score of each chain's network by definition, after every step."""
    data, config = with_missing_cells(seed, n=5), PosteriorConfig("chains", seed=seed, max_clique=3)
    known = [tuple(row) for row in data.codes.tolist()]
    with Monitor(Limits(iterations=10**6), threads=1) as monitor:
        chains = CompletingChains(data, Scoring("bdeu", 2.0), config, monitor)
        chains.compile_all(monitor)
        chains.start(None)
        drawn = set()
        for _ in range(3):
            chains.run_slice()
            for rows, (score, _), network in zip(
                chains.completed, chains.current(), chains.current_graphs(), strict=True
            ):
                full = [row for row, count in zip(rows_of(rows), rows.row_counts, strict=True) for _ in range(count)]
                assert agree(known, full)
                drawn.add(tuple(sorted(map(tuple, full))))
                by = set_score(full, data.arity.tolist(), "bdeu", 2.0)
                assert score == pytest.approx(graph_score(5, edges_of(network), by), abs=1e-9)
    assert len(drawn) > 3


def agree(known, full):
    """Whether complete rows, in any order, can be rows with missing cells (below 0) filled."""
    fits = np.array([[all(a < 0 or a == b for a, b in zip(row, one, strict=True)) for one in full] for row in known])
    return fits[linear_sum_assignment(fits, maximize=True)].sum() == len(known) == len(full)


@pytest.mark.slow
def test_drawn_parameters_have_their_means_and_variances():
    """Of a Dirichlet distribution with weights w: w / W, and w (W - w) / (W^2 (W + 1))."""
    data = random_dataset(5, n_vars=2, n_rows=9, max_arity=3)
    fitted, rng = fit(data, ((), (0,)), 1.0), np.random.default_rng(1)
    drawn = [drawn_parameters(fitted, rng).tables[1] for _ in range(4000)]
    weights = fitted.count_table(1) + 1.0 / fitted.count_table(1).size
    total = weights.sum(axis=1, keepdims=True)
    assert np.mean(drawn, axis=0) == pytest.approx(weights / total, abs=0.02)
    assert np.var(drawn, axis=0) == pytest.approx(weights * (total - weights) / (total**2 * (total + 1)), abs=0.01)


@pytest.mark.slow
def test_standard_errors_are_those_of_the_exact_probabilities(monkeypatch):
    """Of a hundred tables, the edge that is least certain: errors in standard errors have a deviation of about 1."""
    monkeypatch.setattr("cliquewise.mnposterior.augmentation.MOVES_PER_IMPUTATION", 2000)
    assert 0.8 < np.sqrt(np.mean([standard_error_of(seed) ** 2 for seed in range(100)])) < 1.2


def standard_error_of(seed):
    """The error of the probability of the least certain edge of a random table, in standard errors."""
    data, config = with_missing_cells(seed, n=3, rows=10, missing=4), PosteriorConfig("chains", seed=seed)
    rows, arity = [[None if c < 0 else c for c in row] for row in data.codes.tolist()], data.arity.tolist()
    result = run_learner(
        lambda monitor: sample_incomplete(data, Scoring("bdeu", 2.0), config, monitor), iterations=4 * 200 * 2000
    )
    expected = edge_probabilities_with_missing_cells(rows, arity, lambda full: set_score(full, arity, "bdeu", 2.0))
    edge = max(expected, key=lambda one: expected[one] * (1 - expected[one]))
    at = result.graph.edges.index(edge)
    return (result.graph.probabilities[at] - expected[edge]) / result.graph.errors[at]


def no_draws():
    """Room for those of two variables."""
    return Draws(
        graphs=np.zeros((256, 2, 1), np.uint64),
        scores=np.zeros(256),
        edges=np.zeros(256, np.int64),
        sums=np.zeros((64, 1), np.int32),
        numbers=np.array([0, 1, 0]),
    )


@pytest.mark.slow
@pytest.mark.parametrize("batches", [100, *slow(700)])
@pytest.mark.parametrize("within", [0.9, *slow(0.0)])
def test_a_draw_of_cells_ends_a_batch(batches, within):
    """Batches whose means have the autocorrelation `within`: the standard error of their mean, as by theory."""
    rng, rounds, found = np.random.default_rng(1), 50, []
    for _ in range(25):
        chains, sums = [], []
        for _ in range(4):
            draws = no_draws()
            chain, level = BatchMeans(draws, rounds), rng.normal()
            for _ in range(batches):
                level = within * level + np.sqrt(1 - within**2) * rng.normal()
                for joined in rng.random(rounds) < 0.5 + 0.1 * level:
                    record(draws, np.array([[2 * joined], [joined]], np.uint64), 0.0, int(joined))
                chain.add(level)
            chains.append(chain)
            sums.append(draws.sums.sum())
        share = np.array([np.sum(sums) / (4 * batches * rounds)])
        size = effective_edges(chains, 0, np.array([0]), share)[0]
        found.append(((share[0] - 0.5) / np.sqrt(share[0] * (1 - share[0]) / size), size))
        assert effective_scores(chains, 0) < 4 * batches * 2
    assert 0.75 < np.sqrt(np.mean([z**2 for z, _ in found])) < 1.3
    theory = 0.25 / (0.01 * (1 + within) / (1 - within) + 0.24 / rounds) * 4 * batches
    assert np.median([size for _, size in found]) == pytest.approx(theory, rel=0.25)


def test_few_batches_and_interrupted_ones():
    """Their number where it is all that is known; batches that ended early, and first ones on request, do not count."""
    draws = no_draws()
    chain = BatchMeans(draws, 3)
    for rounds in (3, 3, 2, 3):
        for _ in range(rounds):
            record(draws, np.array([[2], [1]], np.uint64), 0.0, 1)
        chain.add(7.0)
    assert chain.count == 3 and chain.means(0, np.array([0])).tolist() == [[1.0]] * 3
    assert len(chain.scores(4)) == 1 and len(chain.scores(0)) == 3
    assert effective_edges([chain], 0, np.array([0]), np.array([0.5])).tolist() == [3.0]
    chain.reset()
    assert chain.count == 0 and effective_edges([chain], 0, np.array([0]), np.array([0.5])).tolist() == [1.0]


def test_a_probability_of_one_has_no_effective_sample_size():
    """The round in which a run ends can make it 1 although a network did not have the edge: not 0 samples."""
    draws = no_draws()
    chain = BatchMeans(draws, 3)
    for round_ in range(24):
        joined = round_ != 7
        record(draws, np.array([[2 * joined], [joined]], np.uint64), 0.0, int(joined))
        if round_ % 3 == 2:
            chain.add(7.0)
    assert chain.count == 8
    sizes = [effective_edges([chain], 0, np.array([0]), np.array([share]))[0] for share in (23 / 24, 1.0)]
    assert 0.0 < sizes[0] and np.isnan(sizes[1])


@pytest.mark.slow
def test_the_command(run, refuse, here):
    """Same seed, same bytes; witnesses and the file are checked; complete data, same bytes as without it."""
    line = f"mnposterior {VOTES} --missing em --ess 10 --max-clique 3 --iterations 300000 -q --names"
    assert run(*f"{line} -o one".split()).code == run(*f"{line} -o two".split()).code == 0
    assert (here / "one").read_bytes() == (here / "two").read_bytes()
    assert "# missing em\n" in (here / "one").read_text()
    checked = run("mntools", "check", "one", "--data", VOTES, "-q")
    assert checked.code == 0 and checked.stdout.startswith("ok: probabilities of")
    (here / "d.csv").write_text("a,b\nx,y\nz,y\nx,w\n")
    whole = "mnposterior d.csv --header yes --iterations 2000 -q"
    assert run(*whole.split()).stdout == run(*whole.split(), "--missing", "em").stdout
    for words in ("--method exact", "--draws 10", "--checkpoint c", "--score bic"):
        named = "--missing em" if words.startswith(("--method", "--score")) else words.split()[0]
        refuse(f"{line.replace('--ess 10 ', '').replace('--iterations 300000 ', '')} {words}", 2, named)
