"""Exact inference: every answer against enumeration and against pyAgrum; sizes, blocks and numbers far from 1."""

import gzip
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.data.states import NO_MARKERS, ordered_dataset
from cliquewise.common.errors import LimitError
from cliquewise.common.graphs.chordal import junction_tree
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.graphs.greedy_elimination import min_fill_order
from cliquewise.common.graphs.treewidth import clique_tree, later_neighbours
from cliquewise.common.junction import evidence
from cliquewise.common.models.bayesnet import BayesianNetwork
from cliquewise.common.models.model_data import codes_for
from cliquewise.common.run.resources import memory_bound
from cliquewise.mnmodel.evidence import EvidenceOptions, ModelEvidence
from cliquewise.mnmodel.information import divergence, edge_information, entropy, pair_information
from tests.oracles import questions
from tests.oracles.distributions import bayesian_distribution, chi_square, marginal
from tests.random_inputs import random_edges
from tests.random_models import random_model

CLOSE = {"rel": 1e-9, "abs": 1e-13}


def enumerated(network):
    """The oracle's joint distribution of a network."""
    arity = [len(labels) for labels in network.states]
    return bayesian_distribution(arity, network.parents, [table.tolist() for table in network.tables])


def random_case(seed):
    """A network, its joint distribution, rows with missing cells, some of them impossible, and likelihoods."""
    rng = np.random.default_rng(seed)
    arity = rng.choice([1, 2, 2, 2, 3], rng.integers(1, 9)).tolist()
    network = random_model(rng, arity)
    joint = enumerated(network)
    states, shares = list(joint), np.array(list(joint.values()))
    codes = np.array([states[i] for i in rng.choice(len(states), 4, p=shares / shares.sum())], np.int32)
    codes[3] = rng.integers(0, arity)
    codes[rng.random(codes.shape) < 0.6] = -1
    codes[0] = -1
    likelihoods = {}
    for v in range(len(arity)):
        if rng.random() < 0.25:
            likelihoods[v] = 3 * rng.random(arity[v]) * (rng.random(arity[v]) < 0.8)
            likelihoods[v][-1] += 0.1
    return rng, network, joint, codes, likelihoods


@pytest.mark.parametrize("seed", range(5))
def test_more_rows_than_cells_of_a_table(seed):
    """Then logarithms of tables are looked up; also by codes of one byte, which do not hold the number of a cell."""
    rng = np.random.default_rng(seed)
    network = random_model(rng, [6, 7, 5, 1, 6])
    joint = enumerated(network)
    codes = np.array([*joint], np.int32)[rng.integers(0, len(joint), 3000)]
    codes[rng.random(codes.shape) < 0.02] = -1
    logs = network.log_likelihood(codes)
    assert network.log_likelihood(codes.astype(np.int8)).tolist() == logs.tolist()
    given = [{v: k for v, k in enumerate(row) if k >= 0} for row in codes[:50].tolist()]
    with np.errstate(divide="ignore"):
        truth = np.log([questions.conditional(joint, evidence)[0] for evidence in given])
    assert logs[:50] == pytest.approx(truth, **CLOSE)


@pytest.mark.parametrize(("r", "dtype"), [(2, np.int8), (127, np.int8), (128, np.int32), (300, np.int32)])
def test_codes_of_one_byte_where_that_is_enough(r, dtype):
    states = tuple(f"s{k}" for k in range(r))
    network = BayesianNetwork(("x", "y"), (states, states), ((), ()), (np.full((1, r), 1 / r),) * 2)
    rows = ordered_dataset(("x", "y"), (states, states), np.array([[0, r - 1], [r - 1, 1]]), declared=NO_MARKERS)
    codes = codes_for(network, rows, narrow=True)
    assert codes.dtype == dtype and codes.tolist() == [[0, r - 1], [r - 1, 1]]
    assert codes_for(network, rows).dtype == np.int32
    assert network.log_likelihood(codes) == pytest.approx(-2 * np.log([r, r]))


def check_answers(model, soft, codes, likelihoods, rng):
    """Log-likelihoods, marginals and draws for rows, against enumeration; the total and the distribution for each."""
    given = [{v: k for v, k in enumerate(row) if k >= 0} for row in codes.tolist()]
    truths = [questions.conditional(soft, evidence) for evidence in given]
    with np.errstate(divide="ignore"):
        logs = np.log([total for total, _ in truths])
    assert model.log_likelihood(codes, likelihoods) == pytest.approx(logs, **CLOSE)
    found, tables = model.marginals(codes, likelihoods)
    assert found == pytest.approx(logs, **CLOSE)
    drawn_logs, drawn = model.draw_missing(codes, rng, 3, likelihoods)
    assert drawn_logs == pytest.approx(logs, **CLOSE)
    for i, (total, truth) in enumerate(truths):
        if total == 0:
            assert all(np.isnan(table[i]).all() for table in tables)
            continue
        for v, table in enumerate(tables):
            expected = marginal(truth, (v,))
            assert table[i] == pytest.approx([expected.get((k,), 0.0) for k in range(table.shape[1])], **CLOSE)
        assert all(truth[tuple(row)] > 0 for row in drawn[i].tolist())
    return truths


def check_case(seed):
    """All answers of a random case against enumeration."""
    rng, network, joint, codes, likelihoods = random_case(seed)
    n, soft, asked = network.n, questions.weighted(joint, likelihoods), codes.copy()
    truths = check_answers(network, soft, codes, likelihoods, rng)
    totals, best, full = network.most_probable(codes, None, likelihoods)
    assert np.exp(totals) == pytest.approx([total for total, _ in truths], **CLOSE)
    for i, (total, truth) in enumerate(truths):
        if total == 0:
            assert np.isnan(best[i]) and (full[i][codes[i] >= 0] == codes[i][codes[i] >= 0]).all()
            continue
        assert np.exp(best[i]) == pytest.approx(max(truth.values()), **CLOSE)
        assert truth[tuple(full[i].tolist())] == pytest.approx(max(truth.values()), **CLOSE)
    assert (codes == asked).all()  # no answer changes the caller's rows
    targets = tuple(rng.permutation(n)[: rng.integers(1, 4)].tolist())
    check_targets(network, soft, codes, targets, likelihoods)
    check_information(network, joint, soft, codes[1:2], likelihoods, rng)


def check_targets(network, soft, codes, targets, likelihoods):
    """The joint distribution of some variables, and their most probable states, against enumeration.

    What the rows say about these variables is ignored.
    """
    _, table = network.posterior(codes, targets, likelihoods)
    _, logs, full = network.most_probable(codes, targets, likelihoods)
    shape = [len(network.states[v]) for v in targets]
    for i, row in enumerate(codes.tolist()):
        total, truth = questions.conditional(soft, {v: k for v, k in enumerate(row) if k >= 0 and v not in targets})
        if total == 0:
            assert np.isnan(table[i]).all() and np.isnan(logs[i])
            continue
        expected = marginal(truth, targets)
        assert table[i] == pytest.approx([expected.get(states, 0.0) for states in np.ndindex(*shape)], **CLOSE)
        assert np.exp(logs[i]) == pytest.approx(max(expected.values()), **CLOSE)
        assert expected[tuple(full[i][list(targets)].tolist())] == pytest.approx(max(expected.values()), **CLOSE)


def check_information(network, joint, soft, codes, likelihoods, rng):
    """Entropies, mutual information and divergences against enumeration."""
    known = ModelEvidence(network, "net", codes, likelihoods, EvidenceOptions())
    total, truth = questions.conditional(soft, {v: k for v, k in enumerate(codes[0].tolist()) if k >= 0})
    if total > 0:
        assert entropy(known) == pytest.approx(questions.entropy(truth), **CLOSE)
        free = [v for v in range(network.n) if codes[0, v] < 0][:2]
        if free:
            alone = questions.entropy(marginal(truth, free))
            assert entropy(known, [network.names[v] for v in free]) == pytest.approx(alone, **CLOSE)
        pairs = pair_information(known, range(network.n))
        assert pairs == {
            (u, v): pytest.approx(questions.mutual_information(truth, u, v), rel=1e-9, abs=1e-12) for u, v in pairs
        }
        edges = edge_information(known)
        assert set(edges) == set(network.moral_graph().edges)
        assert edges == {edge: pytest.approx(pairs[edge], rel=1e-9, abs=1e-12) for edge in edges}
    other = random_model(rng, [len(labels) for labels in network.states], zeros=rng.choice([0.0, 0.05]))
    mixed = renamed(other, rng)
    expected = questions.divergence(joint, enumerated(other))
    assert divergence(network, mixed, ("a", "b")) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert divergence(network, network, ("a", "a")) == pytest.approx(0, abs=1e-12)


def renamed(network, rng):
    """The same distribution with variables and states in another order."""
    order = rng.permutation(network.n).tolist()
    swaps = [rng.permutation(len(labels)) for labels in network.states]
    tables = []
    for v in order:
        family = (*network.parents[v], v)
        table = network.tables[v].reshape([len(network.states[u]) for u in family])
        tables.append(table[np.ix_(*(swaps[u] for u in family))].reshape(network.tables[v].shape))
    return BayesianNetwork(
        tuple(network.names[v] for v in order),
        tuple(tuple(network.states[v][k] for k in swaps[v]) for v in order),
        tuple(tuple(order.index(u) for u in network.parents[v]) for v in order),
        tuple(tables),
    )


@pytest.mark.fast_cases(24)
@pytest.mark.parametrize("cells", [0, 10**9], ids=["by missing cells", "together"])
@pytest.mark.parametrize("seed", range(20))
def test_answers_are_those_of_enumeration(seed, cells, monkeypatch):
    monkeypatch.setattr(evidence, "_STEP_CELLS", cells)
    check_case(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 520))
def test_answers_are_those_of_enumeration_in_many_cases(seed):
    check_case(seed)


def test_the_random_cases_cover_every_kind_of_row():
    """Impossible rows, likelihoods, single states and hidden cells occur among the first cases."""
    cases = [random_case(seed)[1:] for seed in range(20)]
    impossible = [np.isneginf(network.log_likelihood(codes)).any() for network, _, codes, _ in cases]
    assert 3 < sum(impossible) < 20
    assert 3 < sum(bool(likelihoods) for *_, likelihoods in cases) < 20
    assert sum(any(len(labels) == 1 for labels in network.states) for network, *_ in cases) > 3


def test_draws_have_the_distribution_given_the_evidence():
    rng = np.random.default_rng(3)
    network = random_model(rng, [2, 3, 2, 2, 3], zeros=0)
    codes = np.array([[-1, 1, -1, -1, -1], [0, -1, -1, 1, -1]], np.int32)
    likelihoods = {4: np.array([0.2, 1.0, 0.5])}
    soft = questions.weighted(enumerated(network), likelihoods)
    _, drawn = network.draw_missing(codes, rng, 20000, likelihoods)
    for row, draws in zip(codes.tolist(), drawn, strict=True):
        _, truth = questions.conditional(soft, {v: k for v, k in enumerate(row) if k >= 0})
        states, counts = np.unique(draws, axis=0, return_counts=True)
        found = dict(zip(map(tuple, states.tolist()), counts.tolist(), strict=True))
        statistic, freedom = chi_square(truth, found)
        assert sum(found.get(state, 0) for state in truth) == 20000
        assert statistic < freedom + 5 * np.sqrt(2 * freedom)


def test_blocks_of_rows_and_draws(monkeypatch):
    _, network, _, codes, likelihoods = random_case(11)
    whole = network.marginals(codes, likelihoods)
    monkeypatch.setattr(evidence, "BLOCK_CELLS", 3)
    monkeypatch.setattr(evidence, "_KNOWN_ROWS", 3)
    parts = network.marginals(codes, likelihoods)
    assert parts[0] == pytest.approx(whole[0], **CLOSE)
    for a, b in zip(whole[1], parts[1], strict=True):
        assert b == pytest.approx(a, nan_ok=True, **CLOSE)
    _, drawn = network.draw_missing(codes, np.random.default_rng(1), 50, likelihoods)
    assert drawn.shape == (4, 50, network.n)
    possible = network.log_likelihood(drawn.reshape(-1, network.n)).reshape(4, 50)
    assert np.isfinite(possible[np.isfinite(whole[0])]).all()


@pytest.mark.parametrize(("times", "rows"), [(100, 100), (8, 8), (7, 8), (4, 8), (3, 1), (0, 1)])
def test_rows_are_asked_one_by_one_or_many_at_once(monkeypatch, times, rows):
    """Numpy takes longer for each of two to seven rows than for one by itself."""
    _, network, _, codes, likelihoods = random_case(11)
    asked = evidence.Evidence(network, codes[:1], likelihoods)
    ((plan, _),) = asked._groups(evidence.Query())
    monkeypatch.setattr(evidence, "BLOCK_CELLS", times * plan.cells)
    assert plan.rows_at_once == rows


def test_nothing_underflows():
    """Two causes, each excluded ever more by a thousand findings, and then the likelier one for good."""
    n = 1000
    leaf = np.array([[1 - 1e-3, 1e-3], [1e-3, 1 - 1e-3]])
    parents, tables = ((), *[(0,)] * n), (np.array([[0.5, 0.5]]), *[leaf] * n)
    network = BayesianNetwork(tuple(f"x{v}" for v in range(n + 1)), (("a", "b"),) * (n + 1), parents, tables)
    codes = np.zeros((2, n + 1), np.int32)
    codes[:, 0] = -1
    codes[1, n // 2 + 1 :] = 1  # as many findings for each
    logs, found = network.marginals(codes)
    assert logs[0] == pytest.approx(np.log(0.5) + n * np.log(1 - 1e-3))
    assert found[0] == pytest.approx(np.array([[1, 0], [0.5, 0.5]]), abs=1e-10)
    # x0 = a is 10^-3000 as probable as b, but the only state that is left
    codes[0, 1:] = 1
    likelihoods = {0: np.array([1.0, 0.0])}
    logs, found = network.marginals(codes[:1], likelihoods)
    assert logs == pytest.approx([np.log(0.5) + n * np.log(1e-3)]) and found[0].tolist() == [[1.0, 0.0]]
    assert network.most_probable(codes[:1], None, likelihoods)[2][0, 0] == 0
    assert network.draw_missing(codes[:1], np.random.default_rng(0), 5, likelihoods)[1][0, :, 0].tolist() == [0] * 5


def random_k_tree(rng, n, k):
    """A binary network whose moral graph is a random k-tree."""
    parents, cliques = [()], [(0,)]
    for v in range(1, n):
        clique = cliques[rng.integers(len(cliques))]
        parents.append(tuple(sorted(rng.permutation(clique)[:k].tolist())))
        cliques.append((*parents[-1], v))
    tables = tuple(rng.dirichlet([1, 1], 2 ** len(parent_set)) for parent_set in parents)
    return BayesianNetwork(tuple(f"x{v}" for v in range(n)), (("a", "b"),) * n, tuple(parents), tables)


@pytest.mark.slow
def test_a_thousand_variables():
    """Treewidth 5: the cells of the tree are few, and its answers agree with elimination to one variable at a time."""
    network = random_k_tree(np.random.default_rng(1), 1000, 5)
    codes = np.full((1, 1000), -1, np.int32)
    codes[0, ::50] = 1
    _, found = network.marginals(codes)
    ((_, plan, _),) = evidence.Evidence(network, codes).ask(evidence.Query())[1]
    assert plan.largest == 2**6 and plan.cells < 1000 * 2**6
    for v in (1, 499, 998):
        assert network.posterior(codes, (v,))[1][0] == pytest.approx(found[v][0], rel=1e-9)
    logs, best, full = network.most_probable(codes)
    assert network.log_likelihood(full) == pytest.approx(logs + best, rel=1e-9)
    for v in range(0, 1000, 97):  # no change of a single state is better
        if codes[0, v] < 0:
            other = full.copy()
            other[0, v] = 1 - other[0, v]
            assert network.log_likelihood(other)[0] <= network.log_likelihood(full)[0]


def test_some_are_harder_to_maximise_than_to_sum():
    """A chain of sums below many maximised leaves: their sum comes first and joins them all."""
    n = 26
    parents = [(), *((0,) for _ in range(n))]
    tables = [np.array([[0.4, 0.6]]), *(np.array([[0.9, 0.1], [0.2, 0.8]]) for _ in range(n))]
    names = tuple(f"x{v}" for v in range(n + 1))
    network = BayesianNetwork(names, (("a", "b"),) * (n + 1), tuple(parents), tuple(tables))
    codes = np.full((1, n + 1), -1, np.int32)
    assert np.isfinite(network.most_probable(codes)[1]).all()
    with memory_bound(1e9), pytest.raises(LimitError, match="needs a table of 134217728 numbers"):
        network.most_probable(codes, range(1, n + 1))


@pytest.mark.parametrize("seed", range(30))
def test_the_tree_of_an_elimination_order_is_that_of_the_filled_graph(seed):
    rng = np.random.default_rng(seed)
    graph = Graph(9, tuple(sorted(random_edges(seed, 9, 0.1 + 0.02 * seed))))
    last = tuple(rng.permutation(9)[: seed % 4].tolist())
    graph = Graph.from_cliques(9, [*graph.edges, last])
    order = min_fill_order(graph, last)
    cliques, upper = clique_tree(graph, order)
    later = later_neighbours(graph, order)
    filled = Graph.from_cliques(9, [(v, *around) for v, around in enumerate(later)])
    assert set(cliques) == set(junction_tree(filled)[0]) and len(set(cliques)) == len(cliques)
    assert set(last) <= set(cliques[0])
    for i, (clique, up) in enumerate(zip(cliques, upper, strict=True)):
        before = set().union(*cliques[:i]) & set(clique)
        assert -1 <= up < i and (before <= set(cliques[up]) if up >= 0 else not before)


MODELS = Path(find_spec("pgmpy").origin).parent / "utils/example_models" if find_spec("pgmpy") else Path("none")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rows"), [("alarm", 50), ("hailfinder", 50), ("andes", 50), ("diabetes", 3), ("munin1", 1)]
)
def test_pyagrum_answers_the_same(name, rows, tmp_path):
    pyagrum = pytest.importorskip("pyagrum")
    from cliquewise.common.models.model_file import read_model, write_model

    packed = MODELS / f"{name}.bif.gz"
    if not packed.is_file():
        pytest.skip(f"no network {packed}")
    (tmp_path / "net.bif").write_bytes(gzip.decompress(packed.read_bytes()))
    network = read_model(tmp_path / "net.bif")
    write_model(tmp_path / "net.bifxml", network, "xmlbif", {})
    model = pyagrum.loadBN(str(tmp_path / "net.bifxml"))
    number = [model.idFromName(name) for name in network.names]
    rng = np.random.default_rng(5)
    codes = np.array(network.draw_missing(np.full((1, network.n), -1), rng, rows)[1][0])
    codes[rng.random(codes.shape) < rng.uniform(0.5, 1, rows)[:, None]] = -1
    weights = rng.random(len(network.states[0])) + 0.1
    soft = 0
    for i, row in enumerate(codes.tolist()):
        likelihoods = {0: weights} if row[0] < 0 and i % 2 else {}
        soft += len(likelihoods)
        engine = pyagrum.LazyPropagation(model)
        for v, k in enumerate(row):
            if k >= 0:
                engine.addEvidence(number[v], k)
        for v, values in likelihoods.items():
            engine.addEvidence(number[v], values.tolist())
        engine.makeInference()
        logs, tables = network.marginals(codes[i : i + 1], likelihoods)
        assert np.log(engine.evidenceProbability()) == pytest.approx(logs[0], rel=1e-9)
        for v, table in enumerate(tables):
            if row[v] < 0:
                assert table[0] == pytest.approx(engine.posterior(number[v]).toarray(), rel=1e-9, abs=1e-12)
    assert rows < 50 or 5 < soft < 45
