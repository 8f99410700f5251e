"""mnmodel discretize in use: columns that stay, intervals that are piped on, one class, declared states, DataFrames."""

import numpy as np
import pytest

import cliquewise
from cliquewise.common.errors import DataError, UsageError
from cliquewise.mnmodel.discretization import read_cuts


def text_of(columns):
    """A CSV of columns by name."""
    rows = zip(*columns.values(), strict=True)
    return ",".join(columns) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


@pytest.fixture
def work(workplace):
    """A table of two numbers that depend on each other, zeros in most rows, states, an identifier and a constant."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=200).round(3)
    y = [*map(str, (x + 0.3 * rng.normal(size=200)).round(3))]
    x, zeros = [*map(str, x)], np.where(rng.random(200) < 0.78, 0, rng.exponential(size=200).round(3))
    x[5], y[9], y[11] = "", "NA", "?"
    columns = {"x": x, "y": y, "z": ["no", "yes"] * 100, "zeros": zeros, "id_a": range(200), "id_b": range(1, 201)}
    return workplace({"t.csv": text_of(columns), "one.csv": text_of({**columns, "one": [3] * 200})})


def cells(text):
    """The names and the rows of a CSV."""
    import csv

    head, *rows = csv.reader(text.splitlines())
    return head, rows


@pytest.mark.parametrize("keep", ["id_*", "id_a,id_b", "id_a:id_b", '"id_a", id_b'])
def test_kept_columns_are_unchanged(run, work, keep):
    done = run("mnmodel", "discretize", "t.csv", "--keep", keep, "--bins", "3")
    assert done.code == 0 and "columns cut: 3 of 6" in done.stderr
    _, before = cells((work / "t.csv").read_text())
    _, after = cells(done.stdout)
    assert [row[4:] for row in after] == [row[4:] for row in before]
    assert {row[0] for row in after} > {"?"} and all(row[0][0] in "[(?" for row in after)
    assert [row[0] == "?" for row in after] == [row[0] == "" for row in before]
    assert [row[1] == "?" for row in after] == [row[1] in ("NA", "?") for row in before]


def test_columns_by_patterns_and_ranges(run, work):
    for columns, named in (("id_*", ["id_a", "id_b"]), ("x:y", ["x", "y"]), ("zeros,id_?", ["zeros", "id_a", "id_b"])):
        done = run("mnmodel", "discretize", "t.csv", "--columns", columns, "--cuts", "cuts", "-o", "o.csv", "-q")
        assert done.code == 0 and list(read_cuts("cuts")) == named


def test_contradictory_options_are_refused(refuse, work):
    start = "mnmodel discretize t.csv -q"
    refuse(f"{start} --columns x,y --keep x", 2, "--keep x is among --columns; leave it out there")
    refuse(f"{start} --keep idd_a", 2, "--keep: no column 'idd_a'; did you mean 'id_a'?")
    refuse(f"{start} --columns 'q*'", 2, "--columns: no column 'q*'")


@pytest.mark.parametrize("more", [(), ("--codes",), ("--method", "uniform"), ("--bins", "2")])
def test_the_result_is_piped_on(run, work, more):
    table = run("mnmodel", "discretize", "t.csv", "--keep", "id_*", "-q", *more).stdout
    done = run(
        "lsmarkov", "-", "--missing", "state", "--drop", "id_*", "--iterations", 200, "--names", input=table.encode()
    )
    assert done.code == 0 and "\nx,y\n" in done.stdout, done.stderr
    (work / "cut.csv").write_text(table)
    again = run("lsmarkov", "cut.csv", "--missing", "state", "--drop", "id_*", "--iterations", 200, "--names")
    assert again.stdout == done.stdout


def test_one_class_is_named_even_quietly(run, work):
    done = run("mnmodel", "discretize", "one.csv", "--columns", "one,x", "-q", "-o", "o.csv", "--cuts", "cuts")
    assert done.code == 0 and "one number, now of one class: one" in done.stderr
    done = run("mnmodel", "discretize", "one.csv", "--apply", "cuts", "-q", "-o", "p.csv")
    assert done.code == 0 and "without cut points, now of one class: one" in done.stderr
    assert (work / "p.csv").read_text() == (work / "o.csv").read_text()


def test_only_columns_left_out(run, work):
    """What `cliquewise learn` tells for a table of which nothing is cut."""
    done = run("mnmodel", "discretize", "t.csv", "--drop", "id_a", "--keep", "*")
    head, rows = cells(done.stdout)
    assert head == ["x", "y", "z", "zeros", "id_b"] and rows[0][-1] == "1" and len(rows) == 200
    done = run("mnmodel", "discretize", "t.csv", "--columns", "z", "-q")
    assert done.code == 1 and "is not a number" in done.stderr


def test_declared_states_are_kept(run, work):
    (work / "states").write_text("column,state\nid_a,0.0\n" + "".join(f"id_a,{k}\n" for k in range(1, 300)))
    done = run("mnmodel", "discretize", "t.csv", "--states", "states", "--cuts", "cuts", "-o", "o.csv")
    assert done.code == 0 and list(read_cuts("cuts")) == ["x", "y", "zeros", "id_b"]
    assert cells((work / "o.csv").read_text())[1][0][4] == "0.0"
    (work / "states").write_text("column,state\nz,no\n")
    done = run("mnmodel", "discretize", "t.csv", "--states", "states", "-q")
    assert done.code == 1 and "t.csv:3, column 'z': state 'yes' is not declared in states" in done.stderr


@pytest.mark.parametrize("method", ["quantile", "uniform", "kmeans", "hartemink", "mdl"])
def test_weights_move_cut_points_as_counts_do(run, workplace, method):
    rng = np.random.default_rng(3)
    times = rng.integers(0, 9, 60)
    columns = {"a": rng.normal(size=60).round(2), "b": rng.normal(size=60).round(2), "c": ["x", "y"] * 30}
    workplace({"n.csv": text_of({**columns, "n": times}), "w.csv": text_of({**columns, "n": times / 8})})
    options = ("--method", method, *(("--target", "c") if method == "mdl" else ("--bins", 3)), "-o", "o.csv", "-q")
    assert run("mnmodel", "discretize", "n.csv", "--counts", "n", *options, "--cuts", "one").code == 0
    for table, scale in (("n.csv", "none"), ("w.csv", "rows"), ("w.csv", "none")):
        if method == "mdl" and table == "w.csv":
            continue  # the number of rows decides how many cuts pay
        tally = ("--weights", "n", "--weight-scale", scale)
        done = run("mnmodel", "discretize", table, *tally, *options, "--cuts", "two")
        assert done.code == 0 and read_cuts("one") == read_cuts("two"), done.stderr


@pytest.mark.parametrize("library", ["pandas", "pyarrow", "polars"])
def test_frames_of_the_kind_that_came_in(run, work, library):
    pandas, module = pytest.importorskip("pandas"), pytest.importorskip(library)
    frame = pandas.read_csv(work / "t.csv")
    frame.index = frame.index + 7
    table = {"pandas": lambda: frame, "pyarrow": lambda: module.Table.from_pandas(frame, preserve_index=False),
             "polars": lambda: module.from_pandas(frame)}[library]()  # fmt: skip
    found = cliquewise.discretize(table, bins=3, keep="id_*", cuts=work / "cuts")
    assert type(found) is type(table)
    _, rows = cells(run("mnmodel", "discretize", "t.csv", "--bins", 3, "--keep", "id_*", "-q").stdout)
    columns = found.to_dict("list") if library == "pandas" else found.to_pydict() if library == "pyarrow" else None
    columns = columns or found.to_dict(as_series=False)
    for v, name in enumerate("xy"):
        assert [cell if isinstance(cell, str) else "?" for cell in columns[name]] == [row[v] for row in rows]
    assert columns["id_a"] == list(range(200)) and columns["z"][:2] == ["no", "yes"]
    if library == "pandas":
        assert found.index.equals(frame.index) and found["id_a"].dtype == frame["id_a"].dtype
    again = cliquewise.discretize(table, apply=work / "cuts", drop=["id_a"])
    assert list(again.columns if library != "pyarrow" else again.column_names)[-1] == "id_b"


def test_python_refuses(work):
    with pytest.raises(UsageError, match="method='mean': expected one of quantile"):
        cliquewise.discretize({"a": [1, 2, 3]}, method="mean")
    with pytest.raises(DataError, match="no column with more than 4 different numbers"):
        cliquewise.discretize({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    found = cliquewise.discretize({"a": [1, 2, None, 4], "b": list("xyxy")}, bins=2, labels=False)
    assert found == {"a": ["0", "1", None, "1"], "b": ["x", "y", "x", "y"]}
    assert cliquewise.discretize(str(work / "t.csv"), columns="x")["z"][:2] == ["no", "yes"]


def test_a_row_by_itself_is_cut_as_it_is_among_others(run, workplace):
    """A single number with a unit; a word is refused with the option that makes it a missing cell."""
    workplace({"t.csv": "flow,ok\n" + "".join(f"{k / 10} l/min,{k % 2}\n" for k in range(40)),
               "one.csv": "flow,ok\n2.5 l/min,1\n", "bad.csv": "flow,ok\nNaN,1\n"})  # fmt: skip
    done = run(*"mnmodel discretize t.csv --columns flow --bins 2 --cuts cuts -q".split())
    assert done.code == 0
    row = done.stdout.splitlines()[26]
    assert run(*"mnmodel discretize one.csv --apply cuts -q".split()).stdout.splitlines()[1] == row
    done = run(*"mnmodel discretize bad.csv --apply cuts -q".split())
    assert "'NaN' in row 1 is not a number; --na=flow=NaN if it means missing" in done.stderr
    assert run(*"mnmodel discretize bad.csv --apply cuts --na=flow=NaN -q".split()).stdout.splitlines()[1] == "?,1"
