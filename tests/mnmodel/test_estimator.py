"""The estimator of scikit-learn: its own checks, what is learned, and what GridSearchCV chooses."""

import itertools
import sys

import numpy as np
import pytest

import cliquewise
from cliquewise.common.errors import DataError, UsageError
from tests.commands import ROOT, run_process

pytest.importorskip("sklearn", minversion="1.6")
pandas = pytest.importorskip("pandas")

from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV, KFold  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from cliquewise import ChordalNetwork  # noqa: E402

ZOO = ROOT / "data/zoo.csv"
# the checks of scikit-learn that do not apply, with the reason
DO_NOT_APPLY = {"check_array_api_input": "tables of states are numpy arrays or DataFrames, which are read cell by cell"}


@pytest.mark.fast_cases(40)
@parametrize_with_checks(
    [ChordalNetwork(), ChordalNetwork(missing="em"), ChordalNetwork(learner="coarsen", max_clique=2)],
    expected_failed_checks=lambda _: DO_NOT_APPLY,
)
def test_the_checks_of_scikit_learn_pass(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def zoo():
    return pandas.read_csv(ZOO)


def binary(rows=200, seed=2):
    """Column 1 follows 0, 2 follows 1, 3 is alone."""
    rng = np.random.default_rng(seed)
    found = rng.integers(0, 2, (rows, 4))
    for v in (1, 2):
        found[:, v] = np.where(rng.random(rows) < 0.9, found[:, v - 1], found[:, v])
    return found


def test_probabilities_of_all_rows_sum_to_one():
    X = binary()
    estimator = ChordalNetwork(ess=2).fit(X)
    assert [tuple(edge) for edge in estimator.network_.edges] == [("x0", "x1"), ("x1", "x2")]
    every = np.array(list(itertools.product((0, 1), repeat=4)))
    logs = estimator.score_samples(every)
    assert np.exp(logs).sum() == pytest.approx(1) and estimator.score(every) == pytest.approx(logs.mean())
    some = estimator.score_samples(X)
    place = {tuple(row): log for row, log in zip(every.tolist(), logs, strict=True)}
    assert some == pytest.approx([place[tuple(row)] for row in X.tolist()])
    drawn = estimator.sample(4000, random_state=5)
    assert drawn.dtype == X.dtype and drawn.shape == (4000, 4)
    shares = np.array([(drawn == row).all(1).mean() for row in every])
    assert np.abs(shares - np.exp(logs)).max() < 0.03


def test_the_model_is_that_of_the_functions(zoo):
    estimator = ChordalNetwork(ess=3, max_clique=3, iterations=500, time_limit=None).fit(zoo)
    network = cliquewise.lsmarkov(zoo, ess=3, max_clique=3, iterations=500)
    assert estimator.network_.graph == network.graph
    model = cliquewise.fit(zoo, network)
    assert estimator.score_samples(zoo) == pytest.approx(model.loglik(zoo, per_row=True))
    assert estimator.feature_names_in_.tolist() == list(zoo.columns)
    drawn = estimator.sample(6)
    assert isinstance(drawn, pandas.DataFrame) and drawn.dtypes.tolist() == zoo.dtypes.tolist()
    assert drawn.equals(estimator.sample(6)) and not drawn.equals(estimator.sample(6, random_state=9))


@pytest.mark.parametrize("grid", [{"ess": [0.1, 1.0, 20.0]}, {"max_clique": [2, 3], "ess": [1.0]}])
def test_grid_search_chooses_what_predicts_best(grid):
    """The same folds, one by one."""
    X, folds = binary(60), KFold(4, shuffle=True, random_state=1)
    found = GridSearchCV(ChordalNetwork(), grid, cv=folds).fit(X)
    settings = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    means = [
        np.mean([ChordalNetwork(**one).fit(X[learned]).score(X[test]) for learned, test in folds.split(X)])
        for one in settings
    ]
    by_setting = {tuple(sorted(p.items())): m for p, m in zip(
        found.cv_results_["params"], found.cv_results_["mean_test_score"], strict=True)}  # fmt: skip
    assert [by_setting[tuple(sorted(one.items()))] for one in settings] == pytest.approx(means)
    assert found.best_params_ == settings[int(np.argmax(means))]
    assert found.best_estimator_.score(X) == found.score(X)


def test_states_that_the_rows_do_not_have():
    X = np.array([["a", "x"], ["b", "y"], ["a", "x"], ["b", "y"]])
    other = np.array([["c", "x"]])
    with pytest.raises(DataError, match=r"'c'.*; give all states that can occur: ChordalNetwork\(states=X\)"):
        ChordalNetwork().fit(X).score_samples(other)
    for states in (np.vstack([X, other]), {"x0": ["a", "b", "c"]}, pandas.DataFrame(np.vstack([X, other]))):
        estimator = clone(ChordalNetwork(states=states)).fit(X)
        every = np.array([[a, b] for a in "abc" for b in "xy"])
        assert np.exp(estimator.score_samples(every)).sum() == pytest.approx(1)
        assert set(estimator.sample(500)[:, 0]) <= set("abc")
    with pytest.raises(DataError, match="expected a table with the 2 columns of X"):
        ChordalNetwork(states=[["a"]]).fit(X)


def test_categories_are_states():
    frame = pandas.DataFrame({"a": pandas.Categorical(list("pqpq"), list("pqr")), "b": list("xyxy")})
    estimator = ChordalNetwork().fit(frame)
    assert estimator.model_.states["a"] == ("p", "q", "r")
    assert np.isfinite(estimator.score_samples(pandas.DataFrame({"a": ["r"], "b": ["x"]}))).all()
    chosen = GridSearchCV(ChordalNetwork(), {"ess": [1, 5]}, cv=2, error_score="raise").fit(frame)
    assert chosen.best_params_["ess"] in (1, 5)


def test_categories_of_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": list("pqpq"), "b": list("xyxy")}, schema_overrides={"a": polars.Enum(list("pqr"))})
    estimator = ChordalNetwork().fit(frame)
    assert estimator.model_.states["a"] == ("p", "q", "r")
    drawn = estimator.sample(3)
    assert isinstance(drawn, polars.DataFrame) and estimator.score(drawn) < 0
    plain = ChordalNetwork().fit(frame.with_columns(polars.col("a").cast(polars.Categorical)))
    assert plain.model_.states["a"] == ("p", "q")


def test_missing_cells():
    X = binary().astype(object)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    for cells in (X, X.astype(float)):
        with pytest.raises(
            ValueError, match="^Input X contains NaN; missing='em' treats such cells as missing values$"
        ):
            ChordalNetwork().fit(cells)
    estimator = ChordalNetwork(missing="em").fit(X)
    assert [tuple(edge) for edge in estimator.network_.edges] == [("x0", "x1"), ("x1", "x2")]
    model = estimator.model_
    half = np.array([[0, np.nan, 1, np.nan]], dtype=object)
    wanted = model.query(["x0", "x2"])["0", "1"]
    assert estimator.score_samples(half) == pytest.approx(np.log([wanted]))
    assert not (estimator.sample(50) != estimator.sample(50)).any()


def test_refusals():
    X = binary(30)
    for given, message in (
        ({"ess": -1.0}, "ess"),
        ({"score_type": "chi"}, "chi"),
        ({"max_clique": 0}, "max_clique"),
        ({"missing": "guess"}, "missing"),
        ({"learner": "bnlearn"}, "learner='bnlearn'; expected lsmarkov, junctor or coarsen"),
    ):
        with pytest.raises((UsageError, DataError), match=message):
            ChordalNetwork(**given).fit(X)


def test_without_scikit_learn():
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import cliquewise\nfrom cliquewise import *\nassert 'ChordalNetwork' in dir(cliquewise)\n"
        "try: cliquewise.ChordalNetwork\nexcept ImportError as error: print(error)\n"
    )
    done = run_process([sys.executable, "-c", code])
    assert done.stdout == "ChordalNetwork needs scikit-learn: pip install 'cliquewise[sklearn]'\n", done.stderr


@pytest.mark.parametrize("names", [["a", "b", "c"], ["a\nb", "b", "c"]])
def test_columns_of_several_types(names):
    cells = [["x", 0.5, True], ["y", 1.5, False], ["y", 1.5, True], ["x", 0.5, False]] * 5
    table = pandas.DataFrame(cells, columns=names).astype({names[0]: pandas.CategoricalDtype(["x", "y", "z"])})
    model = ChordalNetwork(iterations=500, time_limit=None).fit(table)
    drawn = model.sample(5)
    assert drawn.columns.tolist() == names and {*drawn["b"]} <= {0.5, 1.5}
    assert np.isfinite(model.score_samples(drawn)).all()
    assert model.fit(table.convert_dtypes(dtype_backend="pyarrow")).score(table) == pytest.approx(model.score(table))
    table = table.astype({"c": "boolean"})
    table.loc[0, "c"] = pandas.NA
    with pytest.raises(ValueError, match="contains NaN"):
        model.fit(table)
