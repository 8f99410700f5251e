"""Fits to rows with missing cells: against enumeration of all completions, and against pyagrum's and pgmpy's EM."""

import json
import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cliquewise
from cliquewise.common.data.incomplete import IncompleteData, without_missing_state
from cliquewise.common.data.merging import merged
from cliquewise.common.errors import DataError
from cliquewise.common.inference import em
from cliquewise.common.inference.em import available_fit, expected_counts, fit_em
from cliquewise.common.inference.em_limits import EmLimits
from cliquewise.common.junction import evidence as evidence_file
from cliquewise.common.junction.evidence import Evidence, Query
from cliquewise.common.models.bayesnet import BayesianNetwork
from cliquewise.common.models.model_fit import fit
from tests.as_oracles import same_tables, tables_of
from tests.oracles import incomplete as oracle
from tests.random_inputs import random_dataset
from tests.slow import slow

CLOSE = {"rel": 1e-9, "abs": 1e-9}


def with_missing_cells(seed, n=4, rows=25, share=0.3):
    """Random data with missing cells, their equal rows merged every other time; and parents of a random network."""
    rng = np.random.default_rng([seed, 29])
    data = random_dataset(seed, n, rows, 3, constant=seed % 7 == 0)
    codes = data.codes.copy()
    codes[1:][rng.random((rows - 1, n)) < share] = -1
    if seed % 2:
        codes, counts = np.unique(codes, axis=0, return_counts=True)
    else:
        counts = None
    order = rng.permutation(n).tolist()
    parents = tuple(tuple(u for u in order[: order.index(v)] if rng.random() < 0.6) for v in range(n))
    return IncompleteData(data.names, data.states, codes, "-", counts), parents


def rows_of(data):
    """As the oracle takes them."""
    rows = np.repeat(data.codes, data.row_counts, axis=0).tolist()
    return [tuple(None if cell < 0 else cell for cell in row) for row in rows]


@pytest.mark.parametrize("seed", range(6))
def test_trees_of_connected_missing_cells_are_those_of_whole_rows(seed, monkeypatch):
    """Log probabilities, marginals and expected counts, from fewer trees."""
    monkeypatch.setattr(evidence_file, "_STEP_CELLS", 0)  # no tree of all rows
    data, _ = with_missing_cells(seed, 9, 60, 0.4)
    parents = ((), (0,), (0,), (1, 2), (), (4,), (4, 5), (), (7,))
    network = available_fit(data, parents, 1.0).tables()
    evidence = Evidence(network, data.codes)
    (logs, apart), (whole_logs, whole) = (evidence.ask(Query(apart=apart)) for apart in (True, False))
    apart, whole = list(apart), list(whole)
    assert len(apart) < len(whole) < 60
    for found, trees in ((logs, apart), (whole_logs, whole)):
        for rows, _, done in trees:
            found[rows] += done.total
    assert logs == pytest.approx(whole_logs, **CLOSE)
    assert network.log_likelihood(data.codes) == pytest.approx(whole_logs, **CLOSE)
    likelihood, counts = expected_counts(evidence, data.weights)
    assert likelihood == pytest.approx(data.weights @ whole_logs, **CLOSE)
    for v, (table, marginal) in enumerate(zip(counts, network.marginals(data.codes)[1], strict=True)):
        assert table.reshape(-1, len(data.states[v])).sum(axis=0) == pytest.approx(data.weights @ marginal, **CLOSE)


@pytest.mark.parametrize("ess", [0.0, 2.0])
def test_families_of_more_variables_than_an_array_has_axes(ess):
    """70 columns of one state among the parents: the same as without them."""
    data, parents = with_missing_cells(4)
    constants = np.zeros((data.n_stored, 70), np.int32)
    names = (*data.names, *(f"c{i}" for i in range(70)))
    many = IncompleteData(names, (*data.states, *(("x",),) * 70), np.hstack([data.codes, constants]), "-", None)
    more = tuple(range(data.n, data.n + 70))
    few = fit_em(data, parents, ess, EmLimits())
    found = fit_em(many, (*((*own, *more) for own in parents), *((),) * 70), ess, EmLimits())
    assert found.log_likelihood == pytest.approx(few.log_likelihood, **CLOSE)
    for v, table in enumerate(few.network.tables().tables):
        assert found.network.tables().tables[v] == pytest.approx(table, **CLOSE)


@pytest.mark.fast_cases(3)
@pytest.mark.parametrize("seed", range(9))
def test_rounds_are_those_of_enumeration(seed):
    """Each round from the start, and the fixed point."""
    data, parents = with_missing_cells(seed)
    ess, arity, rows = (0.0, 1.0, 10.0)[seed % 3], [len(labels) for labels in data.states], rows_of(data)
    first = fit_em(data, parents, ess, EmLimits(0.0, 1))
    truth = tables_of(first.network.tables())
    assert first.log_likelihood == pytest.approx(oracle.log_likelihood(rows, arity, parents, truth), **CLOSE)
    assert first.objectives[-1] == pytest.approx(oracle.objective(rows, arity, parents, truth, ess), **CLOSE)
    for _ in range(3):
        truth = oracle.em_round(rows, arity, parents, truth, ess)
    fourth = fit_em(data, parents, ess, EmLimits(0.0, 3), first.network.tables())
    if len(fourth.objectives) == 4:  # it may be at a fixed point before
        same_tables(tables_of(fourth.network.tables()), truth)
    found = fit_em(data, parents, ess, EmLimits(1e-12, 150))
    last = tables_of(found.network.tables())
    again = oracle.em_round(rows, arity, parents, last, ess)
    before, after = (oracle.objective(rows, arity, parents, tables, ess) for tables in (last, again))
    assert -1e-9 <= after - before <= found.objectives[-1] - found.objectives[-2] + 1e-9  # gains shrink


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("ess", [0.0, 1.0, 10.0, 0.01])
def test_no_round_lowers_the_objective(ess):
    """With relative frequencies it is the log-likelihood of the observed cells."""
    for seed in range(0, 50, 5):
        data, parents = with_missing_cells(seed, 5, 30, 0.1 + 0.012 * seed)
        done = fit_em(data, parents, ess, EmLimits(0.0, 12))
        assert (np.diff(done.objectives) >= -1e-9).all()
        if not ess:
            assert done.objectives[-1] == pytest.approx(done.log_likelihood, abs=1e-12)


def test_expected_counts_of_complete_rows_are_counts():
    data = merged(random_dataset(3, 5, 40, 3))
    parents = ((), (0,), (0, 1), (2,), ())
    network = fit(data, parents, 1.0).tables()
    whole = IncompleteData(data.names, data.states, data.codes, "-", data.counts)
    _, counts = expected_counts(Evidence(network, whole.codes), whole.row_counts)
    assert fit_em(whole, parents, 1.0, EmLimits()).network.tables().tables[2] == pytest.approx(network.tables[2])
    assert [table.sum() for table in counts] == [40] * 5


def test_rows_known_together_and_one_by_one(monkeypatch):
    """Whether rows share one junction tree must not matter."""
    data, parents = with_missing_cells(5, 6, 60)
    expected = fit_em(data, parents, 2.0, EmLimits(0.0, 3))
    monkeypatch.setattr("cliquewise.common.junction.evidence._STEP_CELLS", 0)
    found = fit_em(data, parents, 2.0, EmLimits(0.0, 3))
    assert found.objectives == pytest.approx(expected.objectives, **CLOSE)


def test_the_number_of_rounds_is_limited(caplog):
    data, parents = with_missing_cells(1)
    with caplog.at_level(logging.INFO, "cliquewise"):
        done = fit_em(data, parents, 1.0, EmLimits(0.0, 2))
    assert len(done.objectives) == 3
    assert "round 2: log-likelihood of the observed cells" in caplog.text and "--rounds allows more" in caplog.text


def test_a_column_without_a_known_cell():
    data = random_dataset(1, 3, 10, 2)
    states = (("?",), *data.states[1:])
    codes = data.codes.copy()
    codes[:, 0] = 0
    rest = type(data)(data.names, (*data.states[:2], (*data.states[2], "?")), data.codes.copy())
    rest.codes[3, 2] = len(data.states[2])
    known = without_missing_state(rest)
    assert known.n_missing == 1 and known.n_rows == 10 and len(known.codes) == len(np.unique(rest.codes, axis=0))
    with pytest.raises(DataError, match="column 'x0' has no cell that is not missing; leave it out: --drop x0"):
        without_missing_state(type(data)(data.names, states, codes))
    assert without_missing_state(data) is data


@pytest.fixture
def votes(workplace):
    """A folder with a table with missing cells, the same without them, and a network."""
    rows = "".join(f"{a},{b},{c}\n" for a, b, c in [*["yyn", "nny", "yyy", "nnn"] * 5, "?yn", "n?y", "y??", "???"])
    whole = "".join(line + "\n" for line in rows.splitlines() if "?" not in line)
    bare = "".join(f"?,{line[2:]}\n" for line in rows.splitlines())
    head = "a,b,c\n"
    return workplace(
        {
            "blank.csv": head + rows,
            "whole.csv": head + whole,
            "bare.csv": head + bare,
            "net": "# format edges\n# variables 3\n0,1\n1,2\n",
        }
    )


def test_command(run, votes):
    """Its result is that from Python; the log has the rounds."""
    done = run("mnmodel", "fit", "blank.csv", "net", "--missing", "em", "--ess", "2", "--format", "json")
    assert done.code == 0 and "round 1: log-likelihood of the observed cells -" in done.stderr
    data = cliquewise.read_csv("blank.csv", missing="em")
    network = cliquewise.read_network("net")
    cliquewise.fit(data, network, ess=2).write("python.json")
    assert Path("python.json").read_text() == done.stdout
    header = json.loads(done.stdout)["header"]
    assert header["missing"] == "em" and int(header["rounds"]) > 1 and float(header["log-likelihood"]) < 0
    one = run("mnmodel", "fit", "blank.csv", "net", "--missing", "em", "--ess", "2", "--rounds", "1", "-q")
    assert one.code == 0 and "// rounds 1\n" in one.stdout
    likely = run("mnmodel", "loglik", "blank.csv", "net", "blank.csv", "--missing", "em", "--ess", "2", "-q")
    # of 24 rows, to the tolerance of the rounds
    assert float(likely.stdout.split()[1]) * 24 == pytest.approx(float(header["log-likelihood"]), abs=1e-4)


def test_without_missing_cells_the_bytes_are_the_same(run, votes):
    usual, em = (run("mnmodel", "fit", "whole.csv", "net", "-q", *more) for more in ((), ("--missing", "em")))
    assert usual.code == em.code == 0 and usual.stdout == em.stdout


@pytest.mark.parametrize(
    "words, code, message",
    [
        ("bare.csv net --missing em", 1, "bare.csv: column 'a' has no cell that is not missing"),
        ("blank.csv net --missing drop --rounds 3", 2, "--rounds has no effect with --missing drop"),
        ("whole.csv net --tolerance 1", 2, "--tolerance has no effect with --missing refuse; leave it out, or use"),
        ("blank.csv net --missing em --rounds 0", 2, "--rounds"),
        ("blank.csv net --missing em --tolerance -1", 2, "--tolerance"),
    ],
)
def test_refused_in_one_line(run, votes, words, code, message):
    done = run("mnmodel", "fit", *words.split(), "-q")
    assert done.code == code and message in done.stderr and done.stderr.count("\n") == 1 and not done.stdout


def start_of(data, parents, seed):
    """Random tables."""
    rng = np.random.default_rng(seed)
    arity = [len(labels) for labels in data.states]
    sizes = [int(np.prod([arity[u] for u in parent_set], dtype=int)) for parent_set in parents]
    tables = tuple(rng.dirichlet(np.ones(r), q) for q, r in zip(sizes, arity, strict=True))
    return BayesianNetwork(data.names, data.states, parents, tables)


NETWORKS = (((), (0,), (1,), (2,)), ((), (), (0, 1), (2,), (2, 3)), ((), (0,), (0, 1), (0, 2), (1, 3), (4,)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("number", [2, *slow(0, 1)])
def test_same_fixed_point_as_pgmpy(number):
    """Variable 0 is hidden in all rows, as pgmpy has it; the same start, relative frequencies, many rounds."""
    estimators = pytest.importorskip("pgmpy.estimators")
    pandas = pytest.importorskip("pandas")
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    parents = NETWORKS[number]
    data = random_dataset(50 + number, len(parents), 60, 2)
    codes = data.codes.copy()
    codes[:, 0] = -1
    hidden = IncompleteData(data.names, data.states, codes)
    start = start_of(hidden, parents, number)
    rounds = 30
    found = fit_em(hidden, parents, 0.0, EmLimits(0.0, rounds), start).network.tables()
    model = DiscreteBayesianNetwork([(f"x{u}", f"x{v}") for v, parent_set in enumerate(parents) for u in parent_set])
    names = {f"x{v}": list(range(len(labels))) for v, labels in enumerate(data.states)}
    cpds = {}
    for v, parent_set in enumerate(parents):
        arity = [len(data.states[u]) for u in parent_set]
        evidence = [f"x{u}" for u in parent_set]
        kept = {key: names[key] for key in (f"x{v}", *evidence)}
        values = start.tables[v].T
        cpds[f"x{v}"] = TabularCPD(f"x{v}", len(data.states[v]), values, evidence or None, arity or None, kept)
    model.latents = {"x0"}
    table = pandas.DataFrame({f"x{v}": data.codes[:, v] for v in range(1, data.n)})
    learned = estimators.ExpectationMaximization(model, table).get_parameters(
        latent_card={"x0": len(data.states[0])},
        max_iter=rounds,
        atol=0.0,
        n_jobs=1,
        show_progress=False,
        init_cpds=cpds,
    )
    for cpd in learned:
        v = int(cpd.variable[1:])
        order = [f"x{u}" for u in parents[v]]
        cpd = cpd.reorder_parents(order, inplace=False) if len(order) > 1 else cpd.get_values()
        assert np.asarray(cpd).T == pytest.approx(found.tables[v], abs=1e-6)


def test_rounds_that_gain_nothing_are_the_last(run, workplace):
    """Without edges the first fit is the last: every further round gains exactly nothing."""
    workplace({"d.csv": "a,b\n" + "x,u\n?,v\ny,?\nx,v\n" * 3, "g.edges": "# names a,b\n"})
    fit = ("mnmodel", "fit", "d.csv", "g.edges", "--missing", "em", "--ml", "--tolerance", "0", "--format", "json")
    done = run(*fit)
    assert "ended after" not in done.stderr and int(json.loads(done.stdout)["header"]["rounds"]) < 20


@pytest.mark.parametrize("others, is_told", [((-30.0, -40.0), True), ((-10.5, -40.0), False)])
def test_a_best_start_that_no_other_confirms_is_reported(monkeypatch, caplog, others, is_told):
    data, parents = with_missing_cells(3)
    found = fit_em(data, parents, 1.0, EmLimits(0.0, 1))
    fits = [replace(found, objectives=(end,)) for end in (-10.0, *others)]
    monkeypatch.setattr(em, "_rounds", lambda *_: fits.pop())
    with caplog.at_level(logging.WARNING, logger="cliquewise"):
        best = fit_em(data, parents, 1.0, EmLimits(0.0, 1, starts=3))
    assert best.objectives == (-10.0,) and best.starts == 3
    assert ("only one of 3 starts ends at the best tables found" in caplog.text) == is_told
