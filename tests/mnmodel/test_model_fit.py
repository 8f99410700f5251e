"""Fitted networks against enumeration: their probabilities, sums over missing cells, queries, and mixtures."""

import itertools
import math

import numpy as np
import pytest

from cliquewise.common.errors import DataError, LimitError
from cliquewise.common.files.graphfile import GraphFile
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.junction import evidence
from cliquewise.common.models import model_fit
from cliquewise.common.models.held_out import held_out_logs
from cliquewise.common.models.model_data import codes_for, with_states
from cliquewise.common.models.model_fit import JointCounts, fit, parents_of
from cliquewise.mixture.weights import em_weights, mixture_logs
from tests.oracles.fitted import chordal_distribution, directed_distribution, sequential_distribution
from tests.oracles.questions import given
from tests.random_inputs import arity_of, dataset_of, random_chordal_edges, random_dataset, rows_of


def random_case(seed):
    """Data of 2 to 6 variables; a file of a chordal graph or of an acyclic one; ess or 0; the enumeration."""
    rng = np.random.default_rng(seed)
    data = random_dataset(seed, int(rng.integers(2, 7)), 30, 3, constant=seed % 5 == 0)
    n, ess = data.n, (0.0, 1.0, 10.0)[seed % 3]
    if seed % 2:
        edges = random_chordal_edges(seed, n)
        return (
            data,
            GraphFile(Graph(n, edges), "edges"),
            ess,
            chordal_distribution(rows_of(data), arity_of(data), edges, ess),
        )
    order = rng.permutation(n).tolist()
    parents = [[u for u in order[: order.index(v)] if rng.random() < 0.5] for v in range(n)]
    dag = Dag.from_parents(parents)
    file = GraphFile(Graph.from_cliques(n, dag.arcs), "arcs", dag=dag)
    return data, file, ess, directed_distribution(rows_of(data), arity_of(data), dag.parents(), ess)


def check_distribution(fitted, states, truth):
    """The probabilities of all joint states, by the fit and by its tables."""
    for network in (fitted, fitted.tables()):
        found = np.exp(network.log_likelihood(states))
        assert math.fsum(found) == pytest.approx(1, abs=1e-12)
        assert found == pytest.approx(np.array(list(truth.values())), rel=1e-11, abs=1e-300)


@pytest.mark.fast_cases(40)
@pytest.mark.parametrize("seed", range(100))
def test_probabilities_of_all_joint_states(seed):
    data, file, ess, truth = random_case(seed)
    states = np.array(list(truth), dtype=np.int32)
    check_distribution(fit(data, parents_of(file), ess), states, truth)


@pytest.mark.fast_cases(15)
@pytest.mark.parametrize("seed", range(30))
def test_sequential_nml(seed):
    data, file, _, _ = random_case(seed)
    parents = parents_of(file)
    truth = sequential_distribution(rows_of(data), arity_of(data), parents)
    states = np.array(list(truth), dtype=np.int32)
    fitted = fit(data, parents, 1.0, sequential=True)
    check_distribution(fitted, states, truth)
    assert np.exp(held_out_logs(fitted, states)) == pytest.approx(np.array(list(truth.values())), rel=1e-11)


@pytest.mark.fast_cases(30)
@pytest.mark.parametrize("seed", range(60))
def test_missing_cells_and_queries(seed):
    data, file, ess, truth = random_case(seed)
    rng = np.random.default_rng([seed, 1])
    n = data.n
    network = fit(data, parents_of(file), ess)
    network = network.tables() if seed % 4 else network
    rows = rng.integers(0, data.arity, (12, n)).astype(np.int32)
    rows[rng.random(rows.shape) < 0.5] = -1
    targets = tuple(rng.permutation(n)[: rng.integers(1, min(n, 3) + 1)].tolist())
    sums = np.exp(network.log_likelihood(rows))
    logs, tables = network.posterior(rows, targets)
    for row, whole, log, table in zip(rows.tolist(), sums, logs, tables, strict=True):
        evidence = {v: k for v, k in enumerate(row) if k >= 0}
        assert whole == pytest.approx(given(truth, evidence, ())[0], abs=1e-12)
        known = {v: k for v, k in evidence.items() if v not in targets}
        total, expected = given(truth, known, targets)
        assert np.exp(log) == pytest.approx(total, abs=1e-12)
        listed = [expected.get(key, np.nan) for key in itertools.product(*(range(data.arity[v]) for v in targets))]
        assert table == pytest.approx(listed, rel=1e-9, abs=1e-12, nan_ok=True)


def test_hundreds_of_missing_cells_do_not_underflow():
    """A naive Bayes network of 600 variables: the class given all others, and all others summed out."""
    rng = np.random.default_rng(3)
    hidden = rng.integers(0, 2, 400)
    noisy = np.where(rng.random((400, 600)) < 0.8, hidden[:, None], 1 - hidden[:, None])
    data = dataset_of(np.column_stack([hidden, noisy]))
    network = fit(data, ((), *[(0,)] * 600), 1.0)
    logs, table = network.posterior(data.codes, (0,))
    assert np.isfinite(logs).all() and (logs < -250).all()
    assert (table.argmax(axis=1) == data.codes[:, 0]).all()
    assert network.log_likelihood(data.codes) == pytest.approx(
        logs + np.log(table[np.arange(400), data.codes[:, 0]]), rel=1e-12
    )
    assert network.log_likelihood(np.full((3, 601), -1)) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_rows_together_or_by_their_missing_cells(monkeypatch, seed):
    data, file, ess, _ = random_case(seed)
    network = fit(data, parents_of(file), ess)
    rows = np.where(np.random.default_rng(seed).random(data.codes.shape) < 0.3, -1, data.codes)
    found = []
    for cells in (0, 10**9):
        monkeypatch.setattr(evidence, "_STEP_CELLS", cells)
        groups = evidence.Evidence(network, rows)._groups(evidence.Query(()))
        assert (len(groups) == 1) == (cells > 0)
        found.append((network.log_likelihood(rows), network.posterior(rows, (0,))[1]))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-12)
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-9, abs=1e-15)


def test_rows_are_processed_in_blocks(monkeypatch):
    data, file, ess, _ = random_case(7)
    network = fit(data, parents_of(file), ess)
    rows = np.array(data.codes)
    rows[:, 0] = -1
    whole = network.posterior(rows, (1,))
    monkeypatch.setattr(evidence, "BLOCK_CELLS", 5)
    for a, b in zip(whole, network.posterior(rows, (1,)), strict=True):
        assert b == pytest.approx(a, rel=1e-12)


@pytest.mark.slow
def test_a_clique_wider_than_any_table():
    """90 columns of three states, all joined: 10^43 joint states, of which the few that occur are counted."""
    rng = np.random.default_rng(0)
    data = dataset_of(rng.integers(0, 3, (40, 90)))
    everything = Graph.from_cliques(90, [range(90)])
    network = fit(data, parents_of(GraphFile(everything, "cliques")), 10.0)
    q = 3.0**90
    assert network.log_likelihood(data.codes) == pytest.approx(math.log((1 + 10 / q) / 50), rel=1e-9)
    other = data.codes[:1].copy()
    other[0, 89] = (other[0, 89] + 1) % 3
    assert network.log_likelihood(other)[0] == pytest.approx(math.log(10 / q / 50), rel=1e-9)
    with pytest.raises(LimitError, match=r"would have about 10\^43 numbers \('x\d+' with 89 parents alone about"):
        network.tables()
    with pytest.raises(LimitError, match=r"needs a table of about 10\^42 numbers \(treewidth at least 88\)"):
        network.log_likelihood(np.where(np.arange(90) == 89, data.codes[:1], -1))


def test_a_family_whose_table_has_more_numbers_than_a_float_can_count():
    data = dataset_of(np.random.default_rng(0).integers(0, 2, (30, 1101)))
    with pytest.raises(LimitError, match=r"about 10\^331 numbers \('x1100' with 1100 parents alone about 10\^331\)"):
        fit(data, (*[()] * 1100, tuple(range(1100))), 1.0).tables()


def test_keys_in_several_steps(monkeypatch):
    data = random_dataset(4, 6, 50, 4)
    plain = JointCounts(data.codes, data.arity)
    monkeypatch.setattr(model_fit, "KEY_LIMIT", 40)
    stepwise = JointCounts(data.codes, data.arity)
    assert len(stepwise._steps) > len(plain._steps)
    rows = np.array(list(itertools.product(*map(range, data.arity))))
    for a, b in zip(plain.find(rows), stepwise.find(rows), strict=True):
        assert np.array_equal(a, b)
    assert plain.find(rows)[0].sum() == 50


def test_what_cannot_be_fitted():
    ring = Graph(4, ((0, 1), (0, 3), (1, 2), (2, 3)))
    with pytest.raises(DataError, match="not chordal, .* mntools convert --chordal"):
        parents_of(GraphFile(ring, "edges"))
    circle = Dag(3, ((0, 1), (1, 2), (2, 0)))
    with pytest.raises(DataError, match="form a cycle"):
        parents_of(GraphFile(Graph.from_cliques(3, circle.arcs), "arcs", dag=circle))


def test_states_of_other_data_count():
    few, more = dataset_of([[0, 0], [1, 0]]), dataset_of([[2, 5], [0, 4]])
    wide = with_states(few, [more])
    assert wide.states == (("0", "1", "2"), ("0", "4", "5")) and wide.codes.tolist() == [[0, 0], [1, 0]]
    network = fit(wide, ((), ()), 3.0)
    assert np.exp(network.log_likelihood(codes_for(network, more))) == pytest.approx([0.2 * 0.2, 0.4 * 0.2])


@pytest.mark.parametrize("seed", range(20))
def test_weights_by_em_never_decrease_the_likelihood(seed):
    rng = np.random.default_rng(seed)
    logs = np.log(rng.random((int(rng.integers(2, 6)), 50))) * 5
    logs[0, :10] = -np.inf
    weights = em_weights(logs)
    steps = [em_weights(logs, gap=gap) for gap in (1e9, *10.0 ** -np.arange(0, 8, 0.1))]  # those of the same way
    means = [mixture_logs(logs, step).mean() for step in steps]
    assert len({*means}) > 2 and (np.diff(means) >= -1e-12).all() and weights.sum() == pytest.approx(1)
    assert mixture_logs(logs, weights).mean() == pytest.approx(np.log(np.exp(logs).T @ weights).mean())
    for other in rng.dirichlet(np.ones(len(logs)), 50):  # the likelihood is concave: no other weights are better
        assert mixture_logs(logs, other).mean() <= means[-1] + 1e-7


def test_a_row_impossible_under_every_component():
    impossible = np.full((2, 1), -np.inf)
    assert mixture_logs(impossible, np.array([0.5, 0.5])).tolist() == [-np.inf]
    with pytest.raises(DataError, match="row 1 has probability zero under every model"):
        em_weights(impossible)
