"""Arguments of functions and methods that no command line parses: a wrong one is one clear UsageError."""

from functools import partial

import networkx
import numpy as np
import pytest

import cliquewise
from cliquewise.common.errors import DataError, UsageError

TABLE = {"a": ["0", "1", "0", "0"] * 5, "b": ["x", "y", "x", "x"] * 5, "c": ["p", "q", "r", "p"] * 5}


@pytest.fixture(scope="module")
def network():
    return cliquewise.lsmarkov(TABLE)


@pytest.fixture(scope="module")
def model(network):
    return cliquewise.fit(TABLE, network)


NO_NUMBERS = (0, -1, "x", float("nan"), float("inf"), 1e9, True, [1])
NO_SEEDS = (-1, 1.5, "x", None, True)


@pytest.mark.parametrize("ess", NO_NUMBERS)
def test_sample_sizes(network, ess):
    for call in (lambda: cliquewise.fit(TABLE, network, ess), lambda: network.score(TABLE, ess=ess)):
        with pytest.raises(UsageError, match="ess=.*expected a number, above 0 and at most 1,000,000"):
            call()


def test_values_of_fit(network):
    for options in (
        {"starts": 0},
        {"starts": 1.5},
        {"starts": 10_001},
        {"missing": "maybe"},
        {"ml": True, "ess": 1},
        {"states": ["a"]},
    ):
        with pytest.raises(UsageError, match="|".join(options)):
            cliquewise.fit(TABLE, network, **options)
    for other in (None, network.graph, [("a", "b")]):
        with pytest.raises(UsageError, match="^a network of the type"):
            cliquewise.fit(TABLE, other)


def test_fit_takes_graphs_of_networkx_and_files(network, tmp_path):
    network.write(tmp_path / "net.cliques")
    expected = cliquewise.fit(TABLE, network)
    for other in (network.to_networkx(), str(tmp_path / "net.cliques"), tmp_path / "net.cliques"):
        found = cliquewise.fit(TABLE, other)
        assert (
            found.loglik(TABLE) == expected.loglik(TABLE) and found.to_networkx().edges == expected.to_networkx().edges
        )
    arcs = networkx.DiGraph([("b", "a")])
    arcs.add_nodes_from("abc")
    fitted = cliquewise.fit(TABLE, arcs)
    assert set(fitted.to_networkx()) == {"a", "b", "c"} and list(fitted.to_networkx().edges) == [("b", "a")]


def test_graph_that_is_not_chordal_is_fitted_through_a_chordal_one():
    ring = networkx.cycle_graph([f"x{k}" for k in range(4)])
    table = {name: [0, 1, 1, 0, k % 2] for k, name in enumerate(ring)}
    with pytest.raises(DataError, match="make a chordal cover of it with networkx.complete_to_chordal_graph"):
        cliquewise.fit(table, ring)
    model = cliquewise.fit(table, networkx.complete_to_chordal_graph(ring)[0])
    assert len(model.to_networkx().edges) == 5 and networkx.is_directed_acyclic_graph(model.to_networkx())


def test_scores_without_effect(network):
    assert network.score(TABLE, ess=np.float64(2)) == network.score(TABLE, ess=2) != network.score(TABLE)
    bic = cliquewise.lsmarkov(TABLE, score="bic")
    for call in (lambda: network.score(TABLE, score="bic", ess=2), lambda: bic.score(TABLE, ess=2)):
        with pytest.raises(UsageError, match="ess has no effect with score='bic'"):
            call()
    with pytest.raises(UsageError, match="score='BIC': expected one of"):
        network.score(TABLE, score="BIC")


@pytest.mark.parametrize("seed", NO_SEEDS)
def test_seeds(network, model, seed):
    calls = [
        lambda: model.sample(2, seed=seed),
        lambda: model.impute({"a": ["0", None]}, draws=2, seed=seed),
        lambda: cliquewise.fit(TABLE, network, seed=seed),
        lambda: cliquewise.cross_validate(TABLE, "coarsen", seed=seed),
    ]
    for call in calls:
        with pytest.raises(UsageError, match="seed=.*: expected a whole number, at least 0"):
            call()


def test_numbers_of_rows(model):
    assert len(model.sample(np.int64(3))["a"]) == len(model.sample(3.0)["a"]) == 3
    for rows in (0, -1, 1.5, "2", None, True):
        with pytest.raises(UsageError, match="rows="):
            model.sample(rows)
        with pytest.raises(UsageError, match="folds="):
            cliquewise.cross_validate(TABLE, "coarsen", folds=rows)
        if rows is not None:
            with pytest.raises(UsageError, match="draws="):
                model.impute({"a": ["0", None]}, draws=rows)


def test_tables_of_another_type(model):
    for table in (None, 3, {1, 2}, model):
        for method in (model.loglik, model.impute, lambda table: model.predict(table, "a")):
            with pytest.raises(UsageError, match="data: of the type"):
                method(table)


def test_evidence(model):
    pandas = pytest.importorskip("pandas")
    row = pandas.Series({"b": "x", "c": None})
    assert model.query("a", row) == model.query("a", {"b": "x"}) != model.query("a")
    for given in ("b=x", [("b", "x")], 3):
        with pytest.raises(UsageError, match="given=.*: expected a dict"):
            model.query("a", given)
    with pytest.raises(UsageError, match="of: no variable"):
        model.query([])


def test_numbers_by_state(model):
    """Numbers of states in a dict, as `query` returns them, or a Series do not depend on their order."""
    pandas = pytest.importorskip("pandas")
    expected = model.query("b", likelihood={"a": [0.2, 0.8]}), model.query("b", soft={"a": [0.2, 0.8]})
    assert expected[0] != expected[1]
    by_state = {1: 0.8, "0": 0.2}
    for numbers in (by_state, pandas.Series(by_state)):
        found = model.query("b", likelihood={"a": numbers}), model.query("b", soft={"a": numbers})
        assert found == expected
    assert model.query("b", soft={"a": model.query("a")}) == pytest.approx(model.query("b"))
    for numbers in ({"0": 1}, {"0": 1, "2": 1}, pandas.Series([1.0, 2.0], ["x", "y"]), {"0": "x", "1": 1}, "xy"):
        with pytest.raises(DataError, match="one for each state"):
            model.query("b", likelihood={"a": numbers})


def test_graphs_and_pictures(network):
    for other in (None, 3, [("a", "b")], TABLE):
        for call in (network.compare, partial(cliquewise.fit, TABLE), cliquewise.check):
            with pytest.raises(UsageError, match="^a network of the type .*; give a graph of networkx, or a Network$"):
                call(other)
    for probability in (2, -0.1, "x", float("nan")):
        with pytest.raises(DataError, match="probability .* expected a number from 0 to 1"):
            cliquewise.from_networkx(networkx.Graph([("a", "b", {"probability": probability})]))
    for look in ({"size": 5}, {"size": "big"}, {"size": (1, 2, 3)}, {"size": (1, -1)}, {"title": None}):
        with pytest.raises(UsageError, match="size|title"):
            network.draw(**look)
    for probability in (2, "x"):
        with pytest.raises(UsageError, match="min_probability=.*at least 0 and at most 1"):
            network.draw(min_probability=probability)


NUMBERS = {"x": [0.5, 1.5, 2.5, 3.5] * 5, "kind": ["p", "q"] * 10}


def test_classes():
    for options in (
        {"bins": "3"},
        {"bins": True},
        {"bins": 1},
        {"bins": 1001},
        {"initial_bins": None},
        {"method": "best"},
    ):
        with pytest.raises(UsageError, match="=.*expected"):
            cliquewise.discretize(NUMBERS, **options)
    for options in ({"target": "kind"}, {"target": "kind", "method": "kmeans"}, {"initial_bins": 5}):
        with pytest.raises(UsageError, match="has no effect with method"):
            cliquewise.discretize(NUMBERS, **{"bins": 2, **options})


def test_stored_cut_points(tmp_path):
    cuts = tmp_path / "cuts.csv"
    made = cliquewise.discretize(NUMBERS, bins=2, cuts=cuts)
    assert cliquewise.discretize(NUMBERS, apply=cuts) == made
    for options in ({"bins": 3}, {"columns": "x"}, {"method": "uniform"}):
        with pytest.raises(UsageError, match="has no effect with apply"):
            cliquewise.discretize(NUMBERS, apply=cuts, **options)


@pytest.mark.parametrize("function", [cliquewise.read_csv, cliquewise.describe, cliquewise.learn])
def test_how_a_table_is_read(function):
    refused = {"header": "maybe", "same_states": "all", "decimal": ",", "states": 3, "sheet": 1}
    for name, value in refused.items():
        with pytest.raises(UsageError, match=name):
            function(TABLE, **{name: value})
    for data in (None, 3, cliquewise.read_csv(TABLE)):
        with pytest.raises(UsageError, match="data: "):
            function(data)
    with pytest.raises((DataError, UsageError), match="no column '3'"):
        function(TABLE, counts=3)
    with pytest.raises((DataError, UsageError), match="no column '3'"):
        function(TABLE, columns=3)


def test_columns_with_numbers_for_names():
    table = {0: ["x", "y"] * 10, 1: ["p", "q"] * 10, 2: [1, 2] * 10}
    assert cliquewise.read_csv(table, counts=2).n_rows == 30
    assert cliquewise.read_csv(table, drop=2).names == cliquewise.read_csv(table, columns=[0, 1]).names == ("0", "1")
    with pytest.raises(DataError, match="missing value '2'"):
        cliquewise.read_csv(table, na=2)


@pytest.mark.parametrize(
    "options",
    [{"time_limit": None}, {"ess": "1"}, {"max_clique": 2.5}, {"bins": 2.5}, {"seed": None}, {"threads": "2"},
     {"edge_priors": 3}],
)  # fmt: skip
def test_bad_options_of_learn_are_refused(options):
    ((name, _),) = options.items()
    with pytest.raises(UsageError, match=name):
        cliquewise.learn(TABLE, **options)
