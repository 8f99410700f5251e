"""Hidden variables, which a network has and no row: against rounds by enumeration from many starts of their own."""

import random

import networkx
import numpy as np
import pytest

import cliquewise
from cliquewise.common.errors import DataError
from cliquewise.common.models.model_file import read_bayesnet
from tests.mnmodel.test_em import tables_of
from tests.oracles import incomplete as oracle

NAMES = "abcd"
STAR = "".join(f"h -> {name}\n" for name in NAMES)
STATES = "column,state\nh,lo\nh,hi\n"


@pytest.fixture
def star(workplace):
    """Rows of four variables that follow one that is not there."""
    rng = np.random.default_rng(3)
    hidden = rng.integers(2, size=300)
    rows = np.column_stack([hidden ^ (rng.random(300) < 0.2) for _ in NAMES]).astype(int)
    table = "".join(",".join(map(str, row)) + "\n" for row in rows.tolist())
    workplace({
        "t.csv": "a,b,c,d\n" + table,
        "empty.csv": "a,h,b,c,d\n" + "".join(line[:2] + "," + line[2:] for line in table.splitlines(keepends=True)),
        "star.arcs": STAR,
        "states.csv": STATES,
    })  # fmt: skip
    return rows


def objective_by_enumeration(rows, parents, ess, starts):
    """The best end of rounds from random tables, of binary variables; -1 is a missing cell."""
    draw, best = random.Random(1), -1e300
    full = [tuple(None if cell < 0 else cell for cell in row) for row in rows]
    for _ in range(starts):
        tables = []
        for parent_set in parents:
            shares = [draw.uniform(0.05, 0.95) for _ in range(2 ** len(parent_set))]
            keys = [()] if not parent_set else [(0,), (1,)]
            tables.append({key: [p, 1 - p] for key, p in zip(keys, shares, strict=True)})
        for _ in range(40):
            tables = oracle.em_round(full, [2] * len(parents), parents, tables, ess)
        best = max(best, oracle.objective(full, [2] * len(parents), parents, tables, ess))
    return best


@pytest.mark.slow
def test_no_other_start_ends_better(run, star):
    done = run("mnmodel", "fit", "t.csv", "star.arcs", "--missing", "em", "--states", "states.csv", "-o", "m.bif")
    assert done.code == 0, done.stderr
    assert "em: hidden: h" in done.stderr and "of 10 is the best" in done.stderr
    network = read_bayesnet("m.bif")
    assert network.names == (*NAMES, "h") and network.states[4] == ("lo", "hi")
    rows, counts = np.unique(star, axis=0, return_counts=True)
    rows = np.repeat(np.column_stack([rows, np.full(len(rows), -1)]), counts, axis=0).tolist()
    full = [tuple(None if cell < 0 else cell for cell in row) for row in rows]
    found = oracle.objective(full, [2] * 5, network.parents, tables_of(network), 1.0)
    assert found >= objective_by_enumeration(rows, network.parents, 1.0, 6) - 0.05
    claimed = next(line for line in open("m.bif") if "log-likelihood" in line).split()[-1]
    assert float(claimed) == pytest.approx(oracle.log_likelihood(full, [2] * 5, network.parents, tables_of(network)))
    independent = [{(): (1 - p, p)} for p in star.mean(axis=0)]  # what a symmetric start would end with
    assert float(claimed) > oracle.log_likelihood([tuple(row) for row in star], [2] * 4, [()] * 4, independent) + 50


@pytest.mark.slow
def test_states_of_a_hidden_variable_can_be_declared_anywhere(run, star):
    """By a file of states, a model as GRAPH, --states-of and --start-from; with an empty column and without one."""
    words = ("--missing", "em", "-q")
    first = run("mnmodel", "fit", "t.csv", "star.arcs", *words, "--states", "states.csv", "-o", "m.bif")
    assert first.code == 0, first.stderr
    text = open("m.bif").read()
    for more in (("star.arcs", "--states-of", "m.bif"), ("m.bif",)):
        assert run("mnmodel", "fit", "t.csv", *more, *words).stdout == text
    empty = run("mnmodel", "fit", "empty.csv", "star.arcs", *words, "--states", "states.csv")
    assert "// log-likelihood" in empty.stdout
    again = run("mnmodel", "fit", "t.csv", "star.arcs", *words, "--start-from", "m.bif", "-o", "n.bif")
    assert again.code == 0, again.stderr
    assert "starts" not in open("n.bif").read()
    scored = [run("mnmodel", "loglik", *files).stdout for files in (("m.bif", "t.csv"), ("n.bif", "t.csv"))]
    assert scored[0][:14] == scored[1][:14]


def test_the_result_depends_on_the_seed_alone(run, star):
    words = "t.csv star.arcs --missing em --states states.csv -q --starts 2".split()
    texts = [run("mnmodel", "fit", *words, "--seed", seed).stdout for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("t.csv star.arcs --missing em", "'h' is not a column of t.csv; a hidden variable needs its states: --states"),
        ("t.csv model.bif", "'h' is not a column of t.csv; a hidden variable needs --missing em"),
        ("empty.csv star.arcs --missing em", "column 'h' has no cell that is not missing"),
        ("t.csv star.arcs --missing em --starts 3 --start-from model.bif", "--starts has no effect with --start-from"),
        ("t.csv star.arcs --starts 3", "--starts has no effect with --missing refuse"),
    ],
)
def test_what_is_refused(run, star, words, message):
    run("mnmodel", "fit", *"t.csv star.arcs --missing em --states states.csv --starts 1 -q -o model.bif".split())
    done = run("mnmodel", "fit", *words.split())
    assert done.code in (1, 2) and message in done.stderr.splitlines()[-1]


@pytest.mark.slow
def test_from_python(star):
    table = {name: list(map(str, star[:, v])) for v, name in enumerate(NAMES)}
    graph = networkx.DiGraph()
    graph.add_edges_from(("h", name) for name in NAMES)
    network = cliquewise.from_networkx(graph)
    model = cliquewise.fit(table, network, states={"h": ["lo", "hi"]}, seed=2)
    assert model.states["h"] == ("lo", "hi") and model.header["starts"] == "10"
    read = cliquewise.fit(cliquewise.read_csv(table), network, states={"h": ["lo", "hi"]}, seed=2)
    assert read.loglik(table) == model.loglik(table) > -2.7
    with pytest.raises(DataError, match="vertices"):
        cliquewise.fit(table, network)


def test_columns_in_another_order_than_in_the_network(star):
    table = {name: list(map(str, star[:, v])) for v, name in enumerate(NAMES)}
    network = cliquewise.coarsen({**table, "b": table["b"][::-1]}, ess=1)
    turned = {name: table[name] for name in reversed(NAMES)}
    assert cliquewise.fit(turned, network).loglik(table) == pytest.approx(cliquewise.fit(table, network).loglik(table))
