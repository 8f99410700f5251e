"""Mixtures from rows with missing cells: rounds against enumeration, its objective, groups, and the commands."""

import json

import numpy as np
import pytest

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.data.incomplete import IncompleteData
from cliquewise.common.data.merging import merged
from cliquewise.common.models.model_file import read_model
from cliquewise.common.run.monitor import Monitor
from cliquewise.mixture import search, structural_em
from cliquewise.mixture.em import MixtureEM, fit_on_all_rows
from cliquewise.mixture.latent_classes import latent_classes
from cliquewise.mixture.rows import IncompleteRows, rows_of
from cliquewise.mnmodel.cluster import cluster
from tests.as_oracles import same_tables, tables_of
from tests.mixture.test_em import ESS, objective
from tests.mnmodel.test_cluster import agreement, two_kinds
from tests.oracles import mixtures
from tests.random_inputs import dataset_of, random_parents

WEIGHT = 3.0


def random_case(seed):
    """Rows with missing cells, their arity, structures of some parts, and responsibilities."""
    rng = np.random.default_rng([seed, 5])
    n, parts = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    arity = rng.integers(1, 4, n)
    codes = (rng.random((30, n)) * arity).astype(np.int32)
    codes[0] = arity - 1
    codes[1:][rng.random((29, n)) < 0.3] = -1
    states = tuple(tuple(map(str, range(r))) for r in arity)
    distinct, counts = np.unique(codes[:20], axis=0, return_counts=True)
    data = IncompleteData(tuple(map(str, range(n))), states, np.asfortranarray(distinct), "-", counts)
    structures = [tuple(tuple(sorted(own)) for own in random_parents(rng, n, 2)) for _ in range(parts)]
    rows = rows_of(data, codes[20:], 1)
    assert isinstance(rows, IncompleteRows)
    return rows, arity.tolist(), structures, rng.dirichlet(np.ones(parts), len(distinct)).T


def as_parts(parts):
    """A mixture as the oracle has it."""
    return [(share, one.parents, tables_of(one)) for share, one in zip(parts.shares, parts.networks, strict=True)]


def check_tables(parts, expected):
    """The tables of a mixture are those of the oracle."""
    for (_, _, tables), (_, _, truths) in zip(as_parts(parts), expected, strict=True):
        same_tables(tables, truths)


def rows_with_none(codes):
    return [tuple(None if cell < 0 else cell for cell in row) for row in codes.tolist()]


@pytest.mark.parametrize("seed", range(10))
def test_rounds_are_those_of_enumeration(seed):
    rows, arity, structures, responsibilities = random_case(seed)
    fitted = MixtureEM(rows, structures, WEIGHT, ESS)
    priors = [tables_of(fit_on_all_rows(rows, parents, ESS)) for parents in structures]
    parts = fitted.fit(responsibilities)
    every, train = rows_with_none(rows.codes), rows_with_none(rows.codes[rows.train])
    for _ in range(2):
        slow = as_parts(parts)
        assert parts.logs == pytest.approx([mixtures.observed_log(row, slow, arity) for row in every])
        slow = mixtures.expected_parts(train, rows.row_counts.tolist(), slow, arity, priors, WEIGHT)
        parts = fitted.fit(parts.responsibilities(rows), parts)
        assert parts.shares == pytest.approx([share for share, *_ in slow])
        check_tables(parts, slow)


@pytest.mark.slow
def test_every_round_raises_the_objective():
    """That of complete rows, with the log probabilities of observed cells."""
    for seed in range(20):
        rows, _, structures, responsibilities = random_case(seed)
        fitted = MixtureEM(rows, structures, WEIGHT, ESS)
        parts = fitted.fit(responsibilities)
        for _ in range(6):
            value = objective(fitted, parts)
            parts = fitted.fit(parts.responsibilities(rows), parts)
            assert objective(fitted, parts) >= value - 1e-9 * abs(value)


def test_without_missing_cells_the_rows_are_complete():
    data = merged(dataset_of(two_kinds(50)[0]))
    assert not isinstance(rows_of(data, data.codes[:5], 1), IncompleteRows)
    valid_codes = data.codes[:5].astype(np.int32)
    valid_codes[0, 0] = -1
    rows = rows_of(data, valid_codes, 1)
    parents = tuple((v - 1,) if v else () for v in range(data.n))
    first, last = (fit_on_all_rows(rows, parents, 1.0, rounds) for rounds in (0, 2))
    expected = fit_on_all_rows(rows_of(data, data.codes[:5], 1), parents, 1.0)
    assert first.logs[rows.train] == pytest.approx(expected.logs[rows.train])  # no cell to be expected
    assert last.logs == pytest.approx(first.logs) and (first.logs[rows.valid][0] > expected.logs[rows.valid][0])
    assert (rows.sample(data.counts).codes == data.codes).all()


def test_latent_classes_leave_missing_cells_out():
    """A column that is missing everywhere changes nothing."""
    data = merged(dataset_of(two_kinds(80)[0]))
    codes = np.asfortranarray(np.column_stack([data.codes, np.full(data.n_stored, -1, np.int32)]).astype(np.int32))
    wider = Dataset((*data.names, "z"), (*data.states, ("0", "1")), codes, "-", data.counts)
    found = [latent_classes(one, 2, np.random.default_rng(1)).argmax(axis=0) for one in (data, wider)]
    assert agreement(*found) > 0.97  # the first responsibilities lean less


def with_empty_cells(codes, share, seed=1):
    """A table as text, some of whose cells are empty."""
    rng = np.random.default_rng(seed)
    cells = np.where(rng.random(codes.shape) < share, "", codes.astype(str))
    return "".join(",".join(row) + "\n" for row in [[f"x{v}" for v in range(codes.shape[1])], *cells.tolist()])


def test_groups_of_rows_with_missing_cells(run, workplace):
    codes, kind = two_kinds(400)
    table = with_empty_cells(codes, 0.1)
    workplace({"d.csv": table})
    done = run("mnmodel", "cluster", "d.csv", "--missing", "em", "-o", "part-{}.csv", "-q")
    assert done.code == 0, done.stderr
    written = [open(f"part-{k}.csv").read().splitlines()[1:] for k in (1, 2)]
    lines = [",".join(cell or "?" for cell in line.split(",")) for line in table.splitlines()[1:]]
    assert sorted([*written[0], *written[1]]) == sorted(lines)
    in_second = set(written[1])
    assert agreement(np.array([line in in_second for line in lines]), kind) > 0.9
    dropped = run("mnmodel", "cluster", "d.csv", "-o", "part-{}.csv", "-q")
    assert dropped.code == 1 and "--missing" in dropped.stderr


def test_groups_are_the_same_without_missing_cells():
    data = dataset_of(two_kinds(200)[0])
    with Monitor(threads=1) as monitor:
        assert (cluster(data, 2, 1.0, 1, monitor) == cluster(data, 2, 1.0, 1, monitor, "em")).all()


@pytest.fixture
def tables(workplace):
    return workplace({f"{name}.csv": with_empty_cells(two_kinds(80, k)[0], 0.05, k) for k, name in enumerate("abc")})


@pytest.mark.slow
def test_the_mixture_is_evaluated_on_observed_cells(run, tables, monkeypatch):
    """The log's claim about the mixture is confirmed by loglik; it beats one network that is fitted by em."""
    monkeypatch.setattr(search, "TURN_SHARE", 0.25)
    monkeypatch.setattr(search, "SIZES", (1.0, 10.0, 100.0))
    monkeypatch.setattr(structural_em, "STRUCTURES", 2)
    words = ("mixture", "a.csv", "b.csv", "--missing", "em", "--iterations", 200)
    done = run("mnmodel", *words, "-o", "m.json")
    assert done.code == 0, done.stderr
    header = json.load(open("m.json"))["header"]
    assert header["missing"] == "em" and float(header["gain"]) > 0 and len(read_model("m.json").networks) > 1
    values = [float(run("mnmodel", "loglik", "m.json", name).stdout.split()[1]) for name in ("b.csv", "c.csv")]
    assert float(done.stderr.rsplit("mixture of all: ", 1)[1].split()[0]) == pytest.approx(values[0], abs=0.01)
    assert run("lsmarkov", "a.csv", "--missing", "em", "--iterations", 500, "-q", "-o", "net").code == 0
    alone = run("mnmodel", "loglik", "a.csv", "net", "c.csv", "--missing", "em").stdout
    assert values[1] > float(alone.split()[1])


@pytest.mark.slow
def test_results_are_reproducible(run, tables):
    words = ("mnmodel", "mixture", "a.csv", "b.csv", "--missing", "em", "--iterations", 100, "-q")
    assert run(*words).stdout == run(*words).stdout != ""


def test_options_that_exclude_em_are_refused(run, tables):
    done = run("mnmodel", "mixture", "a.csv", "b.csv", "--missing", "em", "--empirical")
    assert done.code == 2 and "--empirical is not supported yet with --missing em" in done.stderr
    done = run("mnmodel", "mixture", "a.csv", "b.csv")
    assert done.code == 1 and "--missing" in done.stderr
