"""Questions to a model from Python: as the commands answer them, and as the sum over all joint states."""

import csv
import io

import numpy as np
import pytest

import cliquewise
from cliquewise.common.errors import DataError, UsageError
from tests.commands import ROOT
from tests.mnmodel.test_inference import enumerated
from tests.oracles import questions

TABLE = {
    "a": ["x", "y", "x", "y", "x", "y", "x", "x"],
    "b": ["0", "1", "0", "1", "0", "0", "0", "1"],
    "c": ["p", "q", "r", "q", "p", "q", "r", "p"],
}


@pytest.fixture(scope="module")
def model():
    data = cliquewise.read_csv(TABLE)
    network = cliquewise.lsmarkov(data, iterations=500)
    return cliquewise.fit(data, network)


def joint(model):
    """Every joint state with its probability, by enumeration."""
    states = model.network.states
    return {tuple(states[v][k] for v, k in enumerate(codes)): p for codes, p in enumerated(model.network).items()}


def share(model, evidence, variables):
    """{states of some variables: probability} given {variable: state}, by enumeration; all by name."""
    place = {name: v for v, name in enumerate(model.names)}
    known = {place[name]: str(state) for name, state in evidence.items()}
    return questions.given(joint(model), known, [place[name] for name in variables])[1]


def test_query_and_marginals(model):
    for given in ({}, {"b": 1}, {"a": "x", "c": "q"}):
        marginals = model.marginals(given)
        for name in set(model.names) - set(given):
            answer = model.query(name, given)
            assert list(answer) == list(model.states[name]) and answer == pytest.approx(marginals[name])
            assert {(label,): p for label, p in answer.items()} == pytest.approx(share(model, given, [name]))
    together = model.query(["a", "c"])
    assert together == pytest.approx(share(model, {}, ["a", "c"]))


def test_likelihood(model):
    weights = {model.names.index("b"): {"0": 0.2, "1": 0.9}}
    wanted = questions.weighted(joint(model), weights)
    x = sum(p for states, p in wanted.items() if states[model.names.index("a")] == "x") / sum(wanted.values())
    assert model.query("a", likelihood={"b": [0.2, 0.9]})["x"] == pytest.approx(x)


def test_soft_evidence_fixes_distributions(model):
    fixed = {"b": [0.3, 0.7], "c": [0.2, 0.5, 0.3]}
    found = model.marginals(soft=fixed)
    for name, wanted in fixed.items():
        assert list(found[name].values()) == pytest.approx(wanted, abs=1e-9)
    assert model.query("a", soft=fixed) == pytest.approx(found["a"])
    one = model.query(["a", "b"], soft={"b": [0.3, 0.7]})  # Jeffrey's rule
    for (first, second), chance in one.items():
        wanted = {"0": 0.3, "1": 0.7}[second] * model.query("a", {"b": second})[first]
        assert chance == pytest.approx(wanted, abs=1e-9)
    weights = {labels: chance * [0.9, 0.1][int(labels[1])] for labels, chance in joint(model).items()}
    assert weights[tuple(model.mpe(likelihood={"b": [0.9, 0.1]}).values())] == pytest.approx(max(weights.values()))


def test_bad_rows_are_skipped(model):
    table = {"a": ["x", "y", None], "b": ["0", "7", "1"], "c": ["p", "q", None]}
    with pytest.raises(DataError, match="state '7' is not in the model"):
        model.predict(table, "a")
    found = model.predict(table, "a", skip_bad_rows=True)
    assert found["a"][1] is None and np.isnan(found["probability"][1])
    good = {name: [cells[0], cells[2]] for name, cells in table.items()}
    assert [found["a"][0], found["a"][2]] == model.predict(good, "a")["a"]
    assert np.isnan(model.predict(table, "a", proba=True, skip_bad_rows=True)["x"][1])
    filled = model.impute(table, skip_bad_rows=True)
    assert [cells[1] for cells in filled.values()] == ["y", "7", "q"] and None not in filled["c"]


def test_mpe_and_loglik(model):
    every = joint(model)
    best = max(every, key=every.get)
    assert every[tuple(model.mpe().values())] == pytest.approx(every[best])
    given = {labels: chance for labels, chance in every.items() if labels[1] == "1"}
    assert every[tuple(model.mpe({"b": 1}).values())] == pytest.approx(max(given.values()))
    rows = list(zip(*TABLE.values(), strict=True))
    wanted = [np.log(every[row]) for row in rows]
    assert model.loglik(TABLE, per_row=True) == pytest.approx(wanted)
    assert model.loglik(TABLE) == pytest.approx(np.mean(wanted))


def test_tables_are_returned_in_the_type_that_was_given(model):
    answer = model.predict(TABLE, "a")
    assert set(answer) == {"a", "probability"} and len(answer["a"]) == 8
    assert set(model.predict(TABLE, "a", proba=True)) == {"x", "y"}
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(TABLE)
    assert isinstance(model.predict(frame, "a"), pandas.DataFrame)
    assert model.predict(frame, "a")["a"].tolist() == answer["a"]
    incomplete = frame.astype(object).copy()
    incomplete.loc[0, "b"] = None
    filled = model.impute(incomplete)
    assert isinstance(filled, pandas.DataFrame) and filled["b"].notna().all()
    assert filled.loc[0, "b"] == model.mpe({"a": "x", "c": "p"})["b"]
    assert len(model.impute(incomplete, draws=3)) == 24


def test_samples(model):
    drawn = model.sample(4000, {"b": "1"}, seed=3)
    assert set(drawn["b"]) == {"1"} and drawn == model.sample(4000, {"b": "1"}, seed=3)
    shares = model.query("a", {"b": "1"})
    assert drawn["a"].count("x") / 4000 == pytest.approx(shares["x"], abs=0.04)


def test_a_state_that_is_a_word_for_missing_cells_stays_one(tmp_path):
    path = tmp_path / "m.bif"
    path.write_text(
        "network n {\n}\nvariable a {\n type discrete [ 2 ] { NA, x };\n}\n"
        "variable b {\n type discrete [ 2 ] { 0, 1 };\n}\n"
        "probability ( a ) {\n table 0.9, 0.1;\n}\nprobability ( b | a ) {\n (NA) 0.8, 0.2;\n (x) 0.1, 0.9;\n}\n"
    )
    model = cliquewise.read_model(path)
    assert set(model.sample(50)["a"]) == {"NA", "x"} and set(model.sample(50, {"a": "NA"})["a"]) == {"NA"}
    filled = model.impute({"a": ["NA", "x"], "b": ["0", None], "other": ["?", "y"]})
    assert filled == {"a": ["NA", "x"], "b": ["0", "1"], "other": [None, "y"]}


def test_answers_are_those_of_the_commands(run, here):
    data = cliquewise.read_csv(ROOT / "data" / "zoo.csv")
    model = cliquewise.fit(data, cliquewise.coarsen(data, method="forest"))
    model.write("zoo.bif")
    model = cliquewise.read_model("zoo.bif")
    done = run("mnmodel", "query", "zoo.bif", "--of", "type", "--given", "milk=False", "-q")
    printed = {row["type"]: float(row["probability"]) for row in csv.DictReader(io.StringIO(done.stdout))}
    assert model.query("type", {"milk": False}) == pytest.approx(printed, rel=1e-6)
    done = run("mnmodel", "predict", "zoo.bif", ROOT / "data" / "zoo.csv", "--target", "type", "-q")
    printed = [row["type"] for row in csv.DictReader(io.StringIO(done.stdout))]
    assert model.predict(ROOT / "data" / "zoo.csv", "type")["type"] == printed


def test_pictures_and_pages(model, tmp_path):
    pytest.importorskip("matplotlib")
    assert "data:image/svg+xml;base64," in model._repr_html_() and repr(model).startswith("<Model of 3 variables")
    model.page(tmp_path / "page.html")
    assert '"names":["a","b","c"]' in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda model: model.query("d"), "no variable 'd'"),
        (lambda model: model.query("a", {"a": "x"}), "variable 'a' is both queried and given"),
        (lambda model: model.marginals({"c": "s"}), "variable 'c' has no state 's'"),
        (lambda model: model.query("a", likelihood={"b": [1]}), "likelihood of 'b': expected 2 numbers"),
        (lambda model: model.query("a", soft={"b": [1, -1]}), "soft evidence of 'b': expected 2 numbers"),
        (lambda model: model.query("a", soft={"b": [0.5, 0.6]}), "soft evidence: the numbers of 'b' sum to 1.1"),
        (lambda model: model.query("a", {"b": 1}, soft={"b": [0.5, 0.5]}), "'b' is given and has soft evidence"),
        (lambda model: model.mpe({"b": 1}, likelihood={"b": [1, 2]}), "'b' is given and has a likelihood"),
        (lambda model: model.query("a", likelihood={"b": [1, 2]}, soft={"b": [1, 0]}), "by a likelihood and by soft"),
    ],
)
def test_refusals(model, ask, message):
    with pytest.raises(DataError, match=message):
        ask(model)


def test_a_uai_file_of_pgmpy(tmp_path):
    """Its tables have the first variable changing fastest."""
    path = tmp_path / "model.uai"
    path.write_text("BAYES\n2\n2 3\n2\n1 0\n2 0 1\n2\n0.25 0.75\n6\n0.1 0.3 0.2 0.3 0.7 0.4\n")
    with pytest.raises(DataError, match="give uai_order='first'"):
        cliquewise.read_model(path)
    found = cliquewise.read_model(path, uai_order="first")
    assert [*found.query("V1", {"V0": "0"}).values()] == pytest.approx([0.1, 0.2, 0.7])
    with pytest.raises(UsageError, match="uai_order='best': expected one of"):
        cliquewise.read_model(path, "best")
