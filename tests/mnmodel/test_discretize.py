"""mnmodel discretize: classes as scikit-learn makes them, kept cut points, and what is refused."""

import sys

import numpy as np
import pytest

from cliquewise.common.data.csvfile import read_csv
from cliquewise.common.data.discretize import METHODS, read_cuts

sklearn = pytest.importorskip("sklearn.preprocessing")


@pytest.fixture
def work(workplace):
    """A folder with a table of numbers with ties, words and holes, and one of further rows."""
    rng = np.random.default_rng(2)
    lines = [f"{a:.4g},{b},{'xy'[b % 2]},{c}" for a, b, c in zip(rng.normal(size=90), rng.integers(0, 12, 90),
             rng.integers(0, 3, 90), strict=True)]  # fmt: skip
    lines[7], lines[20] = "?,3,x,1", "1.5,NA,y,2"
    return workplace({
        "d.csv": "\n".join(["size,count,word,few", *lines]) + "\n",
        "new.csv": "word,count,size\ny,100,-9e9\nx,-3,\n",
    })  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_classes_are_those_of_scikit_learn(run, work, method):
    done = run("mnmodel", "discretize", "d.csv", "--bins", "5", "--method", method, "-o", "out.csv", "--cuts", "cuts")
    assert done.code == 0 and "columns cut: 2 of 4" in done.stderr
    before, after = (read_csv(name, missing="state", warn=False) for name in ("d.csv", "out.csv"))
    assert after.names == before.names and after.states[2:] == before.states[2:]
    assert (after.codes[:, 2:] == before.codes[:, 2:]).all()
    for v in (0, 1):
        cells = [before.states[v][k] for k in before.codes[:, v]]
        known = np.array([cell != "?" for cell in cells])
        numbers = np.array([[float(cell)] for cell in cells if cell != "?"])
        options = {"quantile_method": "averaged_inverted_cdf"} if method == "quantile" else {}
        options |= {"encode": "ordinal", "strategy": method, "subsample": None, "random_state": 0}
        cutter = sklearn.KBinsDiscretizer(5, **options)
        expected = cutter.fit_transform(numbers)[:, 0].astype(int)
        found = np.array([after.states[v][k] for k in after.codes[:, v]])
        assert (found[known].astype(int) == expected).all() and (found[~known] == "?").all()
        assert read_cuts("cuts")[before.names[v]] == pytest.approx(cutter.bin_edges_[0][1:-1])
    again = run("mnmodel", "discretize", "d.csv", "--apply", "cuts", "-q")
    assert again.stdout == (work / "out.csv").read_text()


def test_stored_cut_points_on_new_data(run, work):
    (work / "cuts").write_text("column,cut\nsize,-1.5\nsize,2e3\ncount,\n")
    done = run("mnmodel", "discretize", "new.csv", "--apply", "cuts", "--header", "yes", "-q")
    assert done.stdout == 'word,count,size\ny,0,0\nx,0,"?"\n'.replace('"', "")


@pytest.mark.parametrize("method", METHODS)
def test_tables_of_counts(run, workplace, method):
    rng = np.random.default_rng(3)
    rows = [(f"{a:.2f}", b, c) for a, b, c in zip(rng.normal(size=60), "xyz" * 20, rng.integers(0, 9, 60), strict=True)]
    rows[7] = ("?", "x", 4)
    workplace({
        "short": "size,word,times\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows),
        "long": "size,word\n" + "".join(f"{a},{b}\n" * c for a, b, c in rows),
    })  # fmt: skip
    options = ("--method", method, "-q", "--cuts")
    done = run("mnmodel", "discretize", "short", *options, "short.cuts", "--counts", "times")
    assert run("mnmodel", "discretize", "long", *options, "long.cuts").code == done.code == 0
    assert read_cuts("short.cuts") == {"size": pytest.approx(read_cuts("long.cuts")["size"])}
    lines = done.stdout.splitlines()
    assert [line.split(",")[1:] for line in lines[1:]] == [[b, str(c)] for _, b, c in rows] and len(lines) == 61


def test_bad_counts(refuse, workplace):
    workplace({"d.csv": "a,n,m\n1,2,0\n2,x,0\n3,1,0\n", "cuts": "column,cut\na,2\n"})
    start = "mnmodel discretize -q --bins 2 d.csv"
    refuse(f"{start} --counts n", 1, "d.csv, column 'n': row 2: 'x' is not a count; expected a whole number from 0 to")
    refuse(f"{start} --counts k", 1, "d.csv: no column 'k' of counts; the first row is a, n, m")
    refuse(f"{start} --counts m", 1, "d.csv, column 'a': no number in it")
    refuse(f"{start} --counts m --columns m", 1, "d.csv: no column 'm'; the columns are a, n")
    refuse("mnmodel discretize -q d.csv --counts m --apply cuts", 2, "--counts has no effect with --apply")


def test_ties_leave_fewer_classes(run, workplace):
    workplace({"d.csv": "a,b\n" + "1,0\n" * 50 + "2,1\n3,0\n4,1\n5,0\n"})
    done = run("mnmodel", "discretize", "d.csv", "--bins", "4", "-o", "o.csv", "--cuts", "c.csv")
    assert "fewer than 4 classes, since values are equal: a" in done.stderr
    run("mnmodel", "discretize", "d.csv", "--columns", "b", "--bins", "2", "-o", "o.csv", "--cuts", "b.csv", "-q")
    assert list(read_cuts("c.csv")) == ["a"] and list(read_cuts("b.csv")) == ["b"]


def test_refusals(refuse, work):
    (work / "head").write_text("a,b\nx,1\n")
    (work / "order").write_text("column,cut\nsize,2\nsize,1\n")
    (work / "word").write_text("column,cut\nword,2\n")
    (work / "other").write_text("column,cut\nweight,2\n")
    (work / "three").write_text("column,cut\nweight,2,3\n")
    (work / "none").write_text("column,cut\n")
    start = "mnmodel discretize -q d.csv"
    refuse(f"{start} --columns size,weight", 1, "d.csv: no column 'weight'; the columns are size, count, word, few")
    refuse(f"{start} --columns word", 1, "d.csv, column 'word': 'x' in row ")
    refuse(f"{start} --bins 900", 1, "d.csv: no column with more than 900 different numbers")
    refuse(f"{start} --apply head", 1, "head:1: the first line must be 'column,cut'")
    refuse(f"{start} --apply order", 1, "order:3, column 'size': '1' is not a number above the cut point before it")
    refuse(f"{start} --apply three", 1, "three:2: 3 cells, expected a column and a cut point")
    refuse(f"{start} --apply none", 1, "none: no cut point in it")
    refuse(f"{start} --apply word", 1, "d.csv, column 'word': 'x' in row ")
    refuse(f"{start} --apply other", 1, "d.csv: no column 'weight'")
    refuse(f"{start} --apply order --bins 3", 2, "--bins has no effect with --apply; leave one of them out")
    refuse(f"{start} --cuts -", 2, "--cuts -: the table goes to standard output")
    refuse(f"{start} --cuts d.csv -o x.csv", 2, "--cuts d.csv: DATA is read from that file; name another")


def test_without_scikit_learn(refuse, work, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.preprocessing", None)
    refuse("mnmodel discretize -q d.csv", 2, "cut points need scikit-learn: pip install 'cliquewise[discretize]'")


def test_a_column_with_a_word_among_its_numbers_is_named(run, refuse, workplace):
    workplace({"d.csv": "a,b,c\n1,1,x\n2,2,x\n3,3,y\n4,none,y\n"})
    done = run("mnmodel", "discretize", "d.csv", "--bins", "2")
    assert done.code == 0 and done.stdout == "a,b,c\n0,1,x\n0,2,x\n1,3,y\n1,none,y\n"
    assert "warning: d.csv, column 'b': 'none' is not a number, so it is not cut" in done.stderr
    assert "column 'c'" not in done.stderr
    refuse("mnmodel discretize d.csv -q --columns ''", 2, "--columns names no column")
