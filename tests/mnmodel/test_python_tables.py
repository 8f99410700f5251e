"""From Python: cross-validation, drawings of models, and answers that fit beside the table that was asked about."""

import csv
import io
import shlex
import signal
import threading

import numpy as np
import pytest

import cliquewise
from cliquewise.common.errors import DataError, UsageError
from cliquewise.common.run.monitor import Monitor
from cliquewise.mnmodel import cross_validation
from cliquewise.mnmodel.cv_cli import settings_of, settings_of_values
from tests.commands import ROOT

ZOO = ROOT / "data/zoo.csv"
pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def zoo():
    return pandas.read_csv(ZOO)


def test_a_cross_validation_is_that_of_the_command(run, zoo):
    words = "--folds 3 --target type -- coarsen --method greedy --ess 1,10".split()
    done = run("mnmodel", "cv", ZOO, *words, "-q")
    assert done.code == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO("".join(line for line in done.stdout.splitlines(True) if line[0] != "#"))))
    settings = {"method": "greedy", "ess": [1, 10]}
    for learner in ("coarsen", cliquewise.coarsen):
        found = cliquewise.cross_validate(zoo, learner, settings, folds=3, target="type")
        assert isinstance(found, pandas.DataFrame) and list(found.columns) == list(rows[0])
        assert found["setting"].tolist() == [row["setting"] for row in rows]
        assert found["fold"].tolist() == [row["fold"] for row in rows]
        for name in found.columns[2:]:
            assert found[name].tolist() == pytest.approx([float(row[name]) for row in rows])
    listed = cliquewise.cross_validate(ZOO, "coarsen", {"method": "greedy", "ess": [1, 10]}, folds=3, target="type")
    assert listed == found.to_dict("records")


def test_none_among_the_values_leaves_an_option_out():
    settings = {"method": "forest", "ess": [1, None], "score": "bdeu"}
    found = cliquewise.cross_validate(ZOO, "coarsen", settings, folds=2)
    default, other = ("coarsen --method forest --score bdeu", "coarsen --method forest --ess 1 --score bdeu")
    assert [row["setting"] for row in found if row["fold"] == "all"] == [other, default]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"learner": "bnlearn"}, "learner='bnlearn': expected one of lsmarkov, "),
        ({"learner": print}, "learner='print': expected one of"),
        ({"settings": {"esss": 1}}, "esss"),
        ({"settings": {"ess": -1}}, "coarsen: Invalid value for 'ess': .* not in the range"),
        ({"settings": {"data": "x.csv"}}, "coarsen: No such option 'data'"),
        ({"settings": {"method": True}}, "coarsen: method=True: give a value"),
        ({"settings": {"checkpoint": "x"}}, "checkpoint has no effect in a cross-validation"),
        ({"stop": 1}, "stop=1: give a threading.Event"),
        ({"folds": 1}, "folds=1: expected a whole number, at least 2"),
        ({"folds": 102}, "folds=102"),
        ({"target": "kind"}, "kind"),
        ({"settings": {"missing": "em"}}, "settings: missing says how data are read; give it to read_csv"),
    ],
)
def test_refusals_of_cross_validation(given, message):
    with pytest.raises((UsageError, DataError), match=message):
        cliquewise.cross_validate(ZOO, **{"learner": "coarsen", "settings": {"method": "forest"}, **given})


OF_A_RUN = "data", "fmt", "use_names"  # the input, and how a network is written


@pytest.mark.parametrize(
    ("learner", "given", "lines"),
    [
        ("lsmarkov", {"ess": [1, 10], "chow_liu": False}, [f"--ess {ess} --no-chow-liu" for ess in (1, 10)]),
        ("lsmarkov", {"ess": "0.5,2", "max_clique": None}, ["--ess 0.5", "--ess 2"]),
        ("lsmarkov", {"ess": (1, 10), "choose": {"a": [1]}}, ["--ess 1,10 --choose '<dict>'"]),
        ("lsmarkov", {"max_clique": np.array([3, 4]), "seed": 2.0}, [f"--max-clique {k} --seed 2" for k in (3, 4)]),
        ("coarsen", {"required_edges": [("a", "b")], "quiet": True}, ["--required-edges '<required_edges>'"]),
        ("mplearn", {"lambda_": 2, "score": ["pic", "mpl"]}, [f"--lambda 2 --score {name}" for name in ("pic", "mpl")]),
        ("twlearn", {"roots": ["a", "b"], "treewidth": 2}, ["--roots a,b --treewidth 2"]),
    ],
)  # fmt: skip
def test_settings_are_the_options_of_a_command(learner, given, lines):
    """And each has the values that the command parses from its line."""
    found = settings_of_values(learner, given)
    assert [setting.line for setting in found] == [f"{learner} {line}" for line in lines]
    for setting in found:
        if "<" not in setting.line:
            (typed,) = settings_of(shlex.split(setting.line))
            parsed = {name: value for name, value in typed.options.params.items() if name not in OF_A_RUN}
            assert {name: setting.options.params[name] for name in parsed} == parsed
            assert typed.options.typed - {"data"} == setting.options.typed


def test_an_event_ends_a_cross_validation(zoo, monkeypatch):
    event, start = threading.Event(), Monitor.start

    def set_event(self):
        start(self)
        event.set()

    monkeypatch.setattr(Monitor, "start", set_event)
    with pytest.raises(KeyboardInterrupt):
        cliquewise.cross_validate(zoo, "lsmarkov", {"time_limit": 60}, folds=2, stop=event)


def test_an_interrupted_cross_validation_has_the_folds_that_are_done(zoo, monkeypatch, caplog):
    settings = {"ess": [1, 10], "method": "forest"}
    whole = cliquewise.cross_validate(zoo, "coarsen", settings, folds=5)
    calls, learned_with = [], cross_validation.learned_with

    def interrupted(*given):
        calls.append(given)
        if len(calls) == 6:  # the second setting of the third fold
            raise KeyboardInterrupt
        return learned_with(*given)

    monkeypatch.setattr(cross_validation, "learned_with", interrupted)
    found = cliquewise.cross_validate(zoo, "coarsen", settings, folds=5)
    assert found["fold"].tolist() == ["1", "1", "2", "2"] and found.equals(whole.head(4))
    assert "interrupted after 2 of 5 folds" in caplog.text


def test_an_event_ends_a_cross_validation_between_two_folds(zoo, monkeypatch):
    event, learned_with = threading.Event(), cross_validation.learned_with

    def set_event(*given):
        file = learned_with(*given)
        event.set()
        return file

    monkeypatch.setattr(cross_validation, "learned_with", set_event)
    found = cliquewise.cross_validate(zoo, "coarsen", {"method": "forest"}, folds=2, stop=event)
    assert found["fold"].tolist() == ["1"]


def test_the_size_is_chosen_by_a_table_within_folds(zoo):
    settings = {"ess": [1, 10], "choose": zoo, "method": "forest"}
    found = cliquewise.cross_validate(zoo, "coarsen", settings, folds=2)
    assert {*found["setting"]} == {"coarsen --ess 1,10 --choose '<DataFrame>' --method forest"}


def test_an_interrupted_cross_validation_raises_keyboard_interrupt(zoo):
    """The learner stops and gives its network so far, which is none of a whole fold."""
    cliquewise.lsmarkov(zoo, iterations=100)  # kernels are compiled
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            cliquewise.cross_validate(zoo, "lsmarkov", {"time_limit": 60}, folds=2)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def test_answers_have_the_index_of_the_table(zoo):
    """Rows that were shuffled or chosen can be joined with their answers."""
    model = cliquewise.fit(zoo, cliquewise.coarsen(zoo, method="forest"))
    some = zoo.sample(9, random_state=3)
    found = model.predict(some, "type")
    assert found.index.tolist() == some.index.tolist()
    assert some.join(found[["probability"]]).notna().all().all()
    shares = model.predict(some, "type", proba=True)
    assert shares.index.tolist() == some.index.tolist() and shares.to_numpy().sum(axis=1) == pytest.approx(1)
    incomplete = some.astype(object).where(np.random.default_rng(1).random(some.shape) > 0.2)
    assert model.impute(incomplete).index.tolist() == some.index.tolist()
    twice = model.impute(incomplete, draws=2)
    assert twice.index.tolist() == np.repeat(some.index, 2).tolist()
    known = incomplete.notna().to_numpy().repeat(2, axis=0)
    given = some.to_numpy().repeat(2, axis=0)
    assert (twice.to_numpy() == given)[known].all()


@pytest.mark.parametrize("values", [(0, 1), (1.5, 2.0), (False, True), ("x", "y"), ("0", "1")])
@pytest.mark.parametrize("library", ["pandas", "polars", None])
def test_predictions_can_be_compared_with_the_column(library, values):
    first, second = values
    columns = {"a": [first, second, second] * 20, "b": [*"pqq"] * 19 + [*"qpq"]}
    as_table = dict if library is None else pytest.importorskip(library).DataFrame
    table = as_table(columns)
    model = cliquewise.fit(table, cliquewise.lsmarkov(table))
    found = model.predict(table, "a")
    assert [one == true for one, true in zip(found["a"], columns["a"], strict=True)] == [True] * 57 + [False] * 2 + [
        True
    ]
    assert isinstance(found["probability"][0], float)
    one_row = as_table({"a": [first], "b": ["q"]})
    assert list(model.predict(one_row, "a")["a"]) == [second]
    assert list(model.predict(as_table({"b": ["q"]}), "a")["a"]) == [second]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_imputed_columns_have_the_types_of_the_table(library):
    made = pytest.importorskip(library)
    columns = {"a": [0.5, 1.5, None, 0.5] * 9, "b": ["x", "y", "y", None] * 9, "c": [1, 2, 2, 1] * 9}
    whole = {name: [cells[k] for k in range(36) if k % 4 < 2] for name, cells in columns.items()}
    model = cliquewise.fit(whole, cliquewise.coarsen(whole, method="forest"))
    frame = made.table(columns) if library == "pyarrow" else made.DataFrame(columns)
    filled = model.impute(frame)
    found = filled.to_pydict() if library == "pyarrow" else {name: list(filled[name]) for name in columns}
    assert found == {"a": [0.5, 1.5, 1.5, 0.5] * 9, "b": ["x", "y", "y", "x"] * 9, "c": columns["c"]}
    assert model.impute(columns) == found and all(type(cell) is float for cell in model.impute(columns)["a"])
    few = made.table({"a": [None]}) if library == "pyarrow" else made.DataFrame({"a": [None]})
    assert type(few).__name__ == type(model.impute(few)).__name__
    assert model.impute({"a": [2.5, None], "b": ["x", "x"]}, skip_bad_rows=True)["a"] == [2.5, 0.5]


def test_samples_are_of_the_kind_that_came_in(zoo):
    network = cliquewise.coarsen(zoo, method="forest")
    drawn = cliquewise.fit(zoo, network).sample(5)
    assert isinstance(drawn, pandas.DataFrame) and drawn.shape == (5, 17)
    assert cliquewise.fit(ZOO, network).sample(5) == drawn.astype(str).to_dict("list")


@pytest.mark.slow
def test_a_model_is_drawn(zoo, tmp_path):
    model = cliquewise.fit(zoo, cliquewise.coarsen(zoo, method="forest"))
    model.draw(tmp_path / "model.png", title="Zoo", layout="layered", size=(4, 3), grey=True, legend=False)
    assert (tmp_path / "model.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in model.draw().content and model._repr_html_() == model.draw()._repr_html_()


def test_reprs_are_one_line(zoo):
    network = cliquewise.coarsen(zoo, method="forest")
    votes = cliquewise.read_csv(ROOT / "data/votes.csv", missing="em")
    for one in (network, cliquewise.fit(zoo, network), cliquewise.read_csv(zoo), votes, network.draw()):
        assert "\n" not in repr(one) and len(repr(one)) < 120, repr(one)
    assert repr(cliquewise.read_csv(ZOO)) == f"<Dataset of 101 rows and 17 columns, {ZOO}>"
    assert repr(votes).startswith("<IncompleteData of 435 rows")


@pytest.mark.parametrize("missing", ["refuse", "em"])
def test_what_read_csv_returns_is_asked_about_as_the_table_itself(missing):
    last = None if missing == "em" else "0"
    table = pandas.DataFrame({"a": list("0101010101"), "b": [*"010101011", last]}, index=range(5, 15))
    data = cliquewise.read_csv(table, missing=missing)
    model = cliquewise.fit(data, cliquewise.lsmarkov(data, iterations=100))
    for asked in (lambda rows: model.predict(rows, "a"), model.impute):
        pandas.testing.assert_frame_equal(asked(data), asked(table))
    columns = {"a": ["0", "1", "1"], "b": ["0", "1", "0"]}
    assert model.predict(cliquewise.read_csv(columns), "a") == model.predict(columns, "a")


def test_a_network_is_written_with_the_names_it_knows(tmp_path):
    rows = [[0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1]] * 5
    for table, line in ((pandas.DataFrame(rows, columns=["x", "y", "z"]), "x,y"), (np.array(rows), "0,1")):
        network = cliquewise.lsmarkov(table, iterations=100)
        for name in ("net.cliques", "net.edges"):
            network.write(tmp_path / name)
            text = (tmp_path / name).read_text()
            assert f"\n{line}\n" in text and cliquewise.read_network(tmp_path / name).graph.edges == ((0, 1),)


def test_columns_whose_names_are_no_text():
    table = pandas.DataFrame([[0, 1.5, "a"], [1, 2.5, "b"], [1, 2.5, "b"], [0, 1.5, "b"]] * 5)
    model = cliquewise.fit(table, cliquewise.lsmarkov(table, iterations=500))
    assert model.query(0, {1: 1.5}) == model.query("0", {"1": "1.5"}) == model.query([0], {1: 1.5})
    assert model.mpe({0: 1})["1"] == 2.5
    assert model.predict(table, 2).columns.tolist() == ["2", "probability"]
    cut = cliquewise.discretize(table, bins=2, columns=[1])
    assert cut.columns.tolist() == [0, 1, 2] and cut[1].tolist()[:2] == ["(-inf,2)", "[2,inf)"]
    assert len(cliquewise.cross_validate(table, "coarsen", {"method": "greedy"}, folds=2, target=0)) == 3  # and all


def test_findings_have_the_text_of_their_cells():
    table = pandas.DataFrame({"day\nof": pandas.to_datetime(["2024-01-02", "2024-01-03"] * 5), "b": [0, 1] * 5})
    model = cliquewise.fit(table, cliquewise.lsmarkov(table, iterations=500))
    (day,) = table["day\nof"][:1]
    assert model.query("b", {"day\nof": day}) == model.query("b", {"day of": "2024-01-02"})
    assert cliquewise.discretize(table.assign(c=range(10)), bins=2).columns.tolist() == ["day\nof", "b", "c"]


@pytest.mark.parametrize("values", [(0, 1), (1.5, 2.0), (False, True), ("x", "y"), ("0", "1")])
@pytest.mark.parametrize("library", ["pandas", "polars", None])
@pytest.mark.parametrize("read", [False, True])
def test_answers_without_a_column_have_the_types_that_the_model_was_fitted_to(values, library, read):
    """Samples, the most probable states, and predictions for a table without the target."""
    kind = pytest.importorskip(library).DataFrame if library else dict
    table = kind({"a": [*values] * 10, "b": ["u", "v"] * 10})
    data = cliquewise.read_csv(table) if read else table
    model = cliquewise.fit(data, cliquewise.lsmarkov(data, iterations=50))
    drawn, best = model.sample(20), model.mpe({"b": "v"})
    assert type(drawn) is type(table) and {*drawn["a"]} == {*values} and {*drawn["b"]} == {"u", "v"}
    assert type(best["a"]) is type(values[0]) and {type(cell) for cell in drawn["a"]} == {
        type(cell) for cell in table["a"]
    }
    assert (best["a"], best["b"]) == (values[1], "v")
    found = model.predict(kind({"b": ["u", "v"]}), "a")["a"]
    assert [*found] == [*values] and type(model.predict({"b": ["u"]}, "a")["a"][0]) is type(values[0])


def test_a_model_keeps_the_values_of_its_own_states():
    """Not all that a table has: row numbers, say."""
    table = {"id": [*range(20)], "a": [1, 2] * 10, "b": ["u", "v"] * 10}
    data = cliquewise.read_csv(table, drop="id")
    model = cliquewise.fit(data, cliquewise.lsmarkov(data, iterations=50))
    assert model.values == {"a": {"": None, "1": 1, "2": 2}, "b": {"": None, "u": "u", "v": "v"}}


def test_a_column_without_any_cell_is_imputed_in_the_types_that_the_model_was_fitted_to():
    table = {"a": [1, 2] * 10, "b": ["u", "v"] * 10}
    model = cliquewise.fit(table, cliquewise.lsmarkov(table, iterations=50))
    assert model.impute({"a": [None, None], "b": ["u", "v"]}) == {"a": [1, 2], "b": ["u", "v"]}


def test_a_model_of_a_file_answers_in_texts(zoo, tmp_path):
    cliquewise.fit(zoo, cliquewise.coarsen(zoo, method="forest")).write(tmp_path / "zoo.bif")
    found = cliquewise.read_model(tmp_path / "zoo.bif")
    assert {*found.sample(20)["legs"]} <= {*found.states["legs"]} and found.mpe()["legs"] in found.states["legs"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_categories_come_back_as_the_type_of_the_table(library):
    """A column with a state that is none of the categories is text."""
    table = {"a": [*"xyxyxyx"] * 4, "b": [1, 2, 1, 2, 1, 2, 2] * 4}
    module = pytest.importorskip(library)
    if library == "pandas":
        kind = module.CategoricalDtype(["y", "x", "never"], ordered=True)
        frame = module.DataFrame(table, index=[3] * 28).astype({"a": kind})
        text, gap = frame.astype({"a": str}), frame.assign(a=frame["a"].where(np.arange(28) > 1))
    else:
        kind = module.Enum(["y", "x", "never"])
        frame = module.DataFrame(table, schema_overrides={"a": kind})
        text = frame.cast({"a": module.String})
        gap = frame.with_columns(module.Series("a", [None, None, *table["a"][2:]], dtype=kind))
    model = cliquewise.fit(frame, cliquewise.lsmarkov(frame, iterations=100))
    found = model.impute(gap), model.predict(frame, "a"), model.sample(9)
    assert [one["a"].dtype for one in found] == [kind] * 3
    assert list(found[0]["a"]) == list(frame["a"])
    assert model.impute(text)["a"].dtype == text["a"].dtype
    few = frame.assign(a=frame["a"].cat.set_categories(["y"])) if library == "pandas" else None
    assert few is None or {*model.impute(few)["a"]} == {"x", "y"}
