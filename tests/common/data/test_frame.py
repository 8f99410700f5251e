"""Tables in memory give the data that their CSV gives: names, states, rows, missing cells, messages with lines."""

import datetime
import math
from importlib import import_module

import numpy as np
import pytest

import cliquewise
from cliquewise.common.data.frame import Frame, cell_as_text, is_frame
from cliquewise.common.errors import DataError, UsageError
from tests.commands import ROOT

CELLS = {
    "whole": [1, 2, None, 1, 2, 1],
    "number": [1.0, 2.5, None, 1.0, 2.5, 1.0],
    "word": ["x", "", "y", None, "a,b", 'a"b'],
    "flag": [True, False, None, True, True, False],
    "every": [3, 4, 3, 4, 3, 4],
}


def frames():
    """The same table in every library that is installed, and as plain Python."""
    yield "dict", CELLS
    yield "rows", [dict(zip(CELLS, row, strict=True)) for row in zip(*CELLS.values(), strict=True)]
    for name in ("pandas", "polars", "pyarrow"):
        try:
            library = import_module(name)
        except ImportError:
            continue
        if name == "pandas":
            yield "pandas", library.DataFrame(CELLS)
            yield "pandas nullable", library.DataFrame(CELLS).convert_dtypes()
            yield "pandas category", library.DataFrame(CELLS).astype({"word": "category"})
            yield "pandas with an index", library.DataFrame(CELLS, index=list("pqrstu"))
        else:
            yield name, library.table(CELLS) if name == "pyarrow" else library.DataFrame(CELLS, strict=False)


def data_of(frame):
    return cliquewise.read_csv(frame, missing="em")


@pytest.mark.parametrize(("name", "frame"), list(frames()), ids=lambda one: one if isinstance(one, str) else "")
def test_states_and_rows(name, frame):
    data = data_of(frame)
    words = dict(zip(data.names, data.states, strict=True))
    assert words["every"] == ("3", "4") and words["word"] == ('a"b', "a,b", "x", "y")
    assert words["flag"] == ("False", "True") and words["number"] == ("1.0", "2.5")
    assert words["whole"] in (("1", "2"), ("1.0", "2.0"))  # pandas has no whole numbers beside missing ones
    assert int((data.codes < 0).sum()) == 5 and data.n_rows == 6


def test_a_table_in_memory_is_that_of_its_csv(tmp_path):
    pandas = pytest.importorskip("pandas")
    for name in ("zoo", "votes"):
        table = pandas.read_csv(ROOT / "data" / f"{name}.csv", na_values=["?"])
        table.to_csv(tmp_path / "t.csv", index=False)
        expected, data = data_of(tmp_path / "t.csv"), data_of(table)
        assert (data.names, data.states) == (expected.names, expected.states)
        assert (data.codes == expected.codes).all()


def test_a_learner_takes_it():
    pandas = pytest.importorskip("pandas")
    path = ROOT / "data" / "zoo.csv"
    ours, theirs = (cliquewise.lsmarkov(data, iterations=500) for data in (pandas.read_csv(path), path))
    assert ours.graph == theirs.graph and ours.header == theirs.header
    model = cliquewise.fit(pandas.read_csv(path), ours)
    assert model.names == ours.names


def test_arrays_and_rows_have_numbered_columns():
    table = np.array([[0, 1], [1, 0], [1, 1]])
    for frame in (table, table.tolist()):
        data = cliquewise.read_csv(frame)
        assert data.names == ("V0", "V1") and data.n_rows == 3
    assert cliquewise.read_csv([{"a": 1, "b": 2}, {"a": 2, "b": 1}]).names == ("a", "b")


def test_cells_of_arrays_are_those_of_a_dataframe():
    pandas = pytest.importorskip("pandas")
    numbers = np.array([[0.1, 2], [np.nan, 0.7]])
    days = np.array([["2024-01-02", "2024-01-02T03:04:05"], ["NaT", "2024-01-03"]])
    for array in (numbers.astype(np.float32), numbers, days.astype("M8[ns]"), days.astype("M8[s]")):
        expected = Frame(pandas.DataFrame(array, columns=["V0", "V1"])).columns
        assert Frame(array).columns == expected
    half = np.ma.array([[0.1, 2], [3, 0.7]], np.float16, mask=[[0, 0], [1, 0]])
    assert Frame(half).columns == {"V0": ["0.1", ""], "V1": ["2.0", "0.7"]}
    with pytest.warns(PendingDeprecationWarning):
        assert Frame(np.matrix([[0, 1], [2, 3]])).columns == {"V0": ["0", "2"], "V1": ["1", "3"]}


@pytest.mark.parametrize("kind", ["m8[ns]", "M8[ns]"])
def test_times_that_differ_by_nanoseconds_are_different_states(kind):
    array = np.ma.array([[1, 2000], [2, 3000], [3, 2000], [4, 2000]], mask=[[0, 0], [0, 0], [0, 0], [1, 0]])
    array = array.astype(kind)
    array[2, 0] = "NaT"
    first, second = Frame(array).columns.values()
    assert len({*first}) == 3 and first[2:] == ["", ""]
    assert len({*second}) == 2
    assert first[0].endswith(".000000001" if kind[0] == "M" else "1 nanoseconds") and "000002" in second[0]


def test_a_midnight_with_nanoseconds_is_no_date():
    pandas = pytest.importorskip("pandas")
    times = pandas.Series(np.array([0, 1, 2000], "M8[ns]"))
    midnight = "1970-01-01"
    expected = [midnight, f"{midnight} 00:00:00.000000001", f"{midnight} 00:00:00.000002"]
    assert Frame({"t": times}).columns["t"] == Frame(np.array([times]).T).columns["V0"] == expected


def test_rows_are_any_sequences():
    pandas = pytest.importorskip("pandas")
    rows = [row for _, row in pandas.DataFrame({"a": [0, 1], "b": ["x", "y"]}).iterrows()]
    assert Frame(rows).columns == {"V0": ["0", "1"], "V1": ["x", "y"]}


def test_names_of_a_dataframe_are_any_values():
    pandas = pytest.importorskip("pandas")
    rows = [[0, 1], [1, 0], [1, 1]]
    names = ([0, 1], ["a\r\nb", "a\n\rb"], pandas.MultiIndex.from_tuples([("x", 1), ("x", 2)]))
    for columns, expected in zip(names, [("0", "1"), ("a b", "a  b"), ("('x', 1)", "('x', 2)")], strict=True):
        assert cliquewise.read_csv(pandas.DataFrame(rows, columns=columns)).names == expected
    categories = pandas.DataFrame(rows).astype({0: pandas.CategoricalDtype([2, 1, 0])})
    assert cliquewise.read_csv(categories).states[0] == ("0", "1", "2")
    with pytest.raises(DataError, match="column '2'"):
        cliquewise.read_csv(pandas.DataFrame(rows, columns=["a", None]))


def test_an_index_that_may_be_a_variable_is_not_left_out_in_silence(caplog):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(CELLS)
    for unlike in (table, table.rename_axis("row"), table.set_index("whole").reset_index()):
        data_of(unlike)
    assert "index" not in caplog.text
    data_of(table.set_index("every"))
    assert (
        "<DataFrame>: the index 'every' is not read; reset_index() makes it a column, if it is a variable"
        in caplog.text
    )
    data_of(table.set_index(pandas.MultiIndex.from_arrays([table["every"]] * 2, names=["every", None])))
    assert caplog.text.count("<DataFrame>: the index 'every' is not read;") == 2  # a level without a name is not listed


def test_names_again_in_a_table_whose_columns_have_names():
    cells = ["x", "y"] * 10
    again = {"a": [*cells, "a"], "b": [*reversed(cells), "b"]}
    with pytest.raises(DataError, match=r"<dict>:22: the names again, .*; remove such rows, or give the columns other"):
        data_of(again)
    assert data_of({"c": again["a"], "d": again["b"]}).n_rows == 21


def test_columns_are_chosen_by_lists():
    table = {"a,b": [1, 0, 1], 7: ["x", "y", "x"], "c": [1, 1, 0]}
    for options in ({"columns": ["a,b", 7]}, {"drop": ["c"]}, {"drop": "c"}):
        assert cliquewise.read_csv(table, **options).names == ("a,b", "7")
    assert cliquewise.lsmarkov(table, columns=["a,b", 7], iterations=100).names == ("a,b", "7")
    assert cliquewise.read_csv(table, na=["x", "z"], missing="state").states[1] == ("y", "?")


def test_dates_are_text():
    cells = [datetime.datetime(2024, 1, 2), datetime.datetime(2024, 1, 2, 3, 4), datetime.date(2024, 1, 2)]
    assert Frame({"d": cells}).columns["d"] == ["2024-01-02", "2024-01-02 03:04:00", "2024-01-02"]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"a": [1, 2], "b": [1]}, "<dict>: 2 cells in column 'a', 1 in 'b'"),
        (np.zeros(3), "<array>: an array of 1 dimensions"),
        ([], "<rows>: no row"),
        ([[1, 2], [1]], "<rows>: row 2 has 1 cell, the first has 2"),
        ([[1, 2], 3], "<rows>: row 2 is not a list of cells"),
        ({"a": [1, None], "b": [1, 2]}, "<dict>:3, column 'a': empty cell"),
        ({"a": 1, "b": 2}, "<dict>: column 'a' is not a list of cells, but int"),
        ({"a": "xy", "b": "yx"}, "<dict>: column 'a' is not a list of cells, but str"),
        ([{"a": 1}, [1]], "<rows>: row 1 is not a list of cells, but dict"),
        ([[1], {"a": 1}], "<rows>: row 2 is not a list of cells, but dict"),
        ([[1, 2], {1, 2}], "<rows>: row 2 is not a list of cells, but set"),
        ([iter([1, 2])], "<rows>: row 1 is not a list of cells, but list_iterator"),
    ],
)
def test_refusals(frame, message):
    with pytest.raises(DataError) as refused:
        cliquewise.read_csv(frame)
    assert str(refused.value).startswith(message)


def test_objects_that_are_not_tables_are_refused():
    assert not is_frame("data.csv") and not is_frame(5) and is_frame([[1]])
    with pytest.raises(UsageError, match="data: of the type int; give a DataFrame"):
        cliquewise.lsmarkov(5)


def test_options_of_reading_hold_for_a_table_in_memory():
    network = cliquewise.lsmarkov(
        {"a": [0, 1, 0, 1], "b": [0, 1, 0, None], "n": [5, 6, 5, 1]}, missing="drop", counts="n"
    )
    assert network.names == ("a", "b")


def test_categories_are_states(caplog):
    """Of every learner and model, as the words for missing cells and the spellings of rows are."""
    pandas = pytest.importorskip("pandas")
    kinds = {"word": list("rpq"), "na": ["x", "y", "NA", "-9"], "number": [3, 1, 2], "bin": [0, 1, 2, 3]}
    cells = {"word": list("pqpq"), "na": list("xyxy"), "number": [1, 2, 1, 2], "plain": [5, 6, 6, 5]}
    frame = pandas.DataFrame(
        {name: pandas.Categorical(column, kinds[name]) if name in kinds else column for name, column in cells.items()}
    )
    frame["bin"] = pandas.cut(pandas.Series([0.5, 1.5, 0.5, 1.5]), kinds["bin"])
    with caplog.at_level("INFO", "cliquewise"):
        data = cliquewise.read_csv(frame, na="-9")
    states = dict(zip(data.names, data.states, strict=True))
    assert states == {
        "word": ("p", "q", "r"),
        "na": ("x", "y"),
        "number": ("1", "2", "3"),
        "plain": ("5", "6"),
        "bin": ("(0, 1]", "(1, 2]", "(2, 3]"),
    }
    kept = "<DataFrame>: states that no row has, kept: word 'r', number '3', bin '(2, 3]'"
    assert caplog.messages.count(kept) == 1
    network, same, plain = (
        cliquewise.lsmarkov(table, iterations=100, **how)
        for table, how in ((frame, {"na": "-9"}), (data, {}), (frame.astype(str), {}))
    )
    assert network.header == same.header and network.header["score"] != plain.header["score"]
    assert cliquewise.fit(frame, network).states["word"] == ("p", "q", "r")
    frame["word"] = frame["word"].cat.remove_unused_categories()
    assert cliquewise.read_csv(frame, columns="word,plain").states[0] == ("p", "q")


def test_categories_beside_options_of_reading():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": pandas.Categorical(list("pqpq"), list("pqr")), "n": [1, 2, 1, 2], "b": list("xyyx")})
    for options in ({"counts": "n"}, {"weights": "n"}, {"drop": "n"}):
        assert cliquewise.read_csv(frame, **options).states == (("p", "q", "r"), ("x", "y"))
    assert cliquewise.read_csv(frame, drop="a").states == (("1", "2"), ("x", "y"))
    frame["a"] = pandas.Categorical(["1", "01", None, "2"], ["1", "01", "2.0", "2", " P", "p"])
    folded = cliquewise.read_csv(frame, missing="state", same_states="fold")
    assert folded.states[0] == ("1", "2", "p", "?")


def test_every_category_has_the_text_of_its_cells():
    pandas = pytest.importorskip("pandas")
    kinds = ([1.0, 2.5], [1, 2], [True, False], pandas.to_datetime(["2020-01-01 00:00", "2020-01-02 03:04"]).tolist())
    for categories in kinds:
        frame = pandas.DataFrame({"a": pandas.Categorical(categories * 3, categories), "b": list("xyxyyx")})
        assert cliquewise.read_csv(frame).states == cliquewise.read_csv({"a": categories * 3, "b": frame["b"]}).states


@pytest.mark.parametrize(
    "cells",
    [
        [0.0, -0.0, 1.5, None, 0.0, math.nan],
        [0.0, 1.0, None, 1.0, 0.0, math.nan, math.nan],
        [1, 1.0, True, "1", None],  # equal values of several types
        [True, False, None, True],
        [10**20, 1, 10**20],
        ["a", "", None, "a"],
        [np.float32(0.1), np.float32(0.1)],
        [None, None],
        [[1], [1]],  # not hashable
    ],
)
def test_cells_become_text_as_one_by_one(cells):
    assert Frame({"a": cells}).columns["a"] == [cell_as_text(cell) for cell in cells]
