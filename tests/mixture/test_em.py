"""EM for mixtures of networks: against the oracle, round by round; its objective; partitions and their parts."""

import numpy as np
import pytest

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.data.merging import merged
from cliquewise.common.graphs.chordal import junction_tree
from cliquewise.common.models.model_fit import fit
from cliquewise.common.run.monitor import Monitor
from cliquewise.mixture.em import MixtureEM, fit_on_all_rows, with_tables
from cliquewise.mixture.latent_classes import latent_classes
from cliquewise.mixture.rows import TrainValidRows, rows_of
from cliquewise.mixture.structural_em import MixtureLearner, MixturePlan, StructureLearner
from tests.mnmodel.test_cluster import agreement, two_kinds
from tests.oracles import mixtures
from tests.random_inputs import dataset_of, random_parents

ESS = 2.0  # of the network of all rows


def random_case(seed):
    """Training and validation rows, their weights, structures of some parts, and responsibilities."""
    rng = np.random.default_rng(seed)
    n, parts = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    arity = rng.integers(1, 4, n)
    codes = (rng.random((30, n)) * arity).astype(np.int32)
    times = rng.integers(1, 4, 20)
    structures = [tuple(tuple(sorted(own)) for own in random_parents(rng, n, 3)) for _ in range(parts)]
    responsibilities = rng.dirichlet(np.ones(parts), 20).T
    data = Dataset(tuple(map(str, range(n))), tuple(tuple(map(str, range(r))) for r in arity), codes[:20], "-", times)
    return TrainValidRows(data, codes[20:]), arity.tolist(), structures, responsibilities


def objective(fitted, parts):
    """What rounds raise: see the module. The prior has the tables of all rows."""
    priors = np.log(parts.shares).sum()
    for network in parts.networks:
        whole = fit_on_all_rows(fitted.rows, network.parents, ESS)
        pairs = zip(network.tables, whole.tables, strict=True)
        priors += sum(fitted.weight * (prior * np.log(table)).sum() for table, prior in pairs)
    return parts.logs[fitted.rows.train] @ fitted.rows.row_counts + priors


@pytest.mark.parametrize("seed", range(12))
def test_two_rounds_are_those_of_the_oracle(seed):
    rows, arity, structures, responsibilities = random_case(seed)
    codes, times, ess, weight = rows.codes.tolist(), rows.row_counts.tolist(), ESS, 3.0
    fitted = MixtureEM(rows, structures, weight, ess)
    parts = fitted.fit(responsibilities)
    slow = mixtures.fitted_parts(codes[:20], times, responsibilities.tolist(), structures, arity, ess, weight)
    for _ in range(2):
        assert parts.shares == pytest.approx([share for share, *_ in slow])
        assert parts.logs == pytest.approx([mixtures.mixture_log(row, slow, arity) for row in codes])
        expected = mixtures.objective(codes[:20], times, slow, arity, ess, weight)
        constant = objective(fitted, parts) - expected  # of the states that only validation rows have
        again = mixtures.responsibilities(codes[:20], slow, arity)
        assert parts.responsibilities(rows) == pytest.approx(np.array(again))
        parts, before = fitted.fit(parts.responsibilities(rows)), constant
        slow = mixtures.fitted_parts(codes[:20], times, again, structures, arity, ess, weight)
        after = objective(fitted, parts) - mixtures.objective(codes[:20], times, slow, arity, ess, weight)
        assert after == pytest.approx(before)


def test_every_round_raises_the_objective():
    for seed in range(60):
        rows, _, structures, responsibilities = random_case(seed)
        fitted = MixtureEM(rows, structures, float(np.random.default_rng(seed).choice([0.1, 1.0, 30.0])), ESS)
        parts = fitted.fit(responsibilities)
        for _ in range(15):
            value = objective(fitted, parts)
            parts = fitted.fit(parts.responsibilities(rows))
            assert objective(fitted, parts) >= value - 1e-9 * abs(value)


def test_a_network_of_all_rows_is_that_of_fit():
    data = merged(dataset_of(two_kinds(200)[0]))
    parents = (*(() for _ in range(5)), *((v,) for v in range(5)), (), (10,), (10, 11), (0, 12))
    rows = TrainValidRows(data, data.codes[:7])
    found, expected = fit_on_all_rows(rows, parents, 5.0), fit(data, parents, 5.0)
    assert found.logs[:-7] == pytest.approx(expected.log_likelihood(data.codes)) and found.logs[-7:].all()
    again = with_tables(rows, parents, found.tables)
    assert (again.logs == found.logs).all()
    network = found.network(rows)
    assert network.log_likelihood(data.codes) == pytest.approx(found.logs[:-7])
    for table, full in zip(network.full().tables, expected.tables().tables, strict=True):
        assert table == pytest.approx(full)


def learner_of(data, monitor, valid=None):
    """A MixtureLearner, with its own rows or others for validation."""
    valid = data if valid is None else valid
    rows = rows_of(data, valid.codes, 1)
    value = lambda logs: float(np.average(logs[rows.valid], weights=valid.counts))  # noqa: E731
    return MixtureLearner(rows, value, StructureLearner(monitor, (1,))), rows


def test_parts_are_the_kinds_of_rows():
    codes, kind = two_kinds(400)
    data = dataset_of(codes)
    data = type(data)(data.names, data.states, data.codes, counts=np.ones(len(codes), np.int64))
    with Monitor(threads=1) as monitor:
        learner, rows = learner_of(data, monitor)
        parts, weight = learner.learn(
            MixturePlan(2, 1.0, 1.0, weight=10.0), data.counts, np.random.default_rng(1), monitor
        )
    assert weight == 10.0 and len(parts.networks) == 2
    first = latent_classes(data, 2, np.random.default_rng(1)).argmax(axis=0)
    assert agreement(first, kind) < agreement(parts.responsibilities(rows).argmax(axis=0), kind)


def test_parts_that_agree_are_joined():
    """Rows of two kinds, and eight parts."""
    train, valid = (merged(dataset_of(two_kinds(400, seed)[0])) for seed in (1, 2))
    with Monitor(threads=1) as monitor:
        learner, rows = learner_of(train, monitor, valid)
        kept, _ = learner.learn(MixturePlan(8, 1.0, 1.0, weight=10.0), train.counts, np.random.default_rng(1), monitor)
        joined, weight = learner.learn(MixturePlan(8, 1.0, 1.0), train.counts, np.random.default_rng(1), monitor)
    assert len(kept.networks) == 8 and len(joined.networks) < 8 and joined.shares.sum() == pytest.approx(1)
    assert learner.validation_score(joined.logs) >= learner.validation_score(kept.logs)


def test_more_parts_than_rows():
    data = merged(dataset_of(np.array([[0, 0], [1, 1]] * 10)))
    with Monitor(threads=1) as monitor:
        learner, _ = learner_of(data, monitor)
        parts, _ = learner.learn(MixturePlan(5, 1.0, 1.0), data.counts, np.random.default_rng(1), monitor)
    assert np.isfinite(parts.logs).all() and (parts.shares > 0).all()


def test_extended_networks_keep_the_edges_of_the_base():
    data = merged(dataset_of(two_kinds(200)[0]))
    with Monitor(threads=1) as monitor:
        structures = StructureLearner(monitor, (1,))
        base = structures.grow(structures.scorer(data, 1.0), 3)
        times = data.counts * (data.codes[:, 10] == 1)
        extended = structures.grow(structures.scorer(merged(data, times), 1.0), 3, base)
    assert set(base.edges) < set(extended.edges)
    assert max(map(len, junction_tree(extended)[0])) <= 3


def test_a_missing_cell_is_no_state():
    data = dataset_of(np.array([[0, 1], [1, 0]]))
    with pytest.raises(ValueError, match="a cell is missing"):
        TrainValidRows(data, np.array([[1, -1]]))
