"""mnmodel discretize: classes as scikit-learn makes them, kept cut points, and what is refused."""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from cliquewise.mnmodel.discretization import METHODS, UNIVARIATE_METHODS, read_cuts
from tests.oracles import discretization
from tests.reading import read_csv

sklearn = pytest.importorskip("sklearn.preprocessing")


@pytest.fixture
def work(workplace):
    """A folder with a table of numbers with ties, words and missing cells, and one of further rows."""
    rng = np.random.default_rng(2)
    lines = [f"{a:.4g},{b},{'xy'[b % 2]},{c}" for a, b, c in zip(rng.normal(size=90), rng.integers(0, 12, 90),
             rng.integers(0, 3, 90), strict=True)]  # fmt: skip
    lines[7], lines[20] = "?,3,x,1", "1.5,NA,y,2"
    return workplace({
        "d.csv": "\n".join(["size,count,word,few", *lines]) + "\n",
        "new.csv": "word,count,size\ny,100,-9e9\nx,-3,\n",
    })  # fmt: skip


@pytest.mark.parametrize("method", UNIVARIATE_METHODS)
def test_classes_are_those_of_scikit_learn(run, work, method):
    done = run(*f"mnmodel discretize d.csv --bins 5 --method {method} --codes -o out.csv --cuts cuts".split())
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
    again = run("mnmodel", "discretize", "d.csv", "--apply", "cuts", "-q", "--codes")
    assert again.stdout == (work / "out.csv").read_text()


@pytest.mark.parametrize("method", UNIVARIATE_METHODS)
@pytest.mark.parametrize("exponent", [-1040, -600, 1019])
def test_classes_do_not_depend_on_the_unit(run, workplace, method, exponent):
    """Differences of the largest numbers overflow, squares of the smallest vanish."""
    numbers = np.random.default_rng(4).integers(-30, 30, 40).astype(float)
    scaled = "\n".join(repr(float(np.ldexp(number, exponent))) for number in numbers)
    workplace({"a.csv": "x\n" + "\n".join(map(str, numbers)) + "\n", "b.csv": f"x\n{scaled}\n"})
    options = ("--bins", "4", "--method", method, "-q", "--header", "yes", "--codes")
    plain, other = (run("mnmodel", "discretize", name, *options) for name in ("a.csv", "b.csv"))
    assert plain.code == other.code == 0
    assert plain.stdout == other.stdout and len(set(plain.stdout.split())) == 5


def test_stored_cut_points_on_new_data(run, work):
    (work / "cuts").write_text("column,cut\nsize,-1.5\nsize,2e3\ncount,\n")
    done = run("mnmodel", "discretize", "new.csv", "--apply", "cuts", "--header", "yes", "-q", "--codes")
    assert done.stdout == 'word,count,size\ny,0,0\nx,0,"?"\n'.replace('"', "")


@pytest.mark.parametrize("method", UNIVARIATE_METHODS)
def test_tables_of_counts(run, workplace, method):
    rng = np.random.default_rng(3)
    rows = [(f"{a:.2f}", b, c) for a, b, c in zip(rng.normal(size=60), "xyz" * 20, rng.integers(0, 9, 60), strict=True)]
    rows[7] = ("?", "x", 4)
    workplace({
        "short": "size,word,times\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows),
        "long": "size,word\n" + "".join(f"{a},{b}\n" * c for a, b, c in rows),
    })  # fmt: skip
    options = ("--method", method, "-q", "--codes", "--cuts")
    done = run("mnmodel", "discretize", "short", *options, "short.cuts", "--counts", "times")
    assert run("mnmodel", "discretize", "long", *options, "long.cuts").code == done.code == 0
    assert read_cuts("short.cuts") == read_cuts("long.cuts")
    lines = done.stdout.splitlines()
    assert [line.split(",")[1:] for line in lines[1:]] == [[b, str(c)] for _, b, c in rows] and len(lines) == 61


@pytest.mark.parametrize("method", UNIVARIATE_METHODS)
def test_the_order_of_rows_does_not_matter(run, workplace, method):
    """Whole numbers, some of which are half-way between two means."""
    rng = np.random.default_rng(8)
    values, times = np.arange(49), rng.integers(0, 9, 49)
    rows = [f"{value},{word}\n" for value in values.repeat(times) for word in "ab"]
    rng.shuffle(rows)
    counted = "".join(f"{value},{word},{count}\n" for value, count in zip(values, times, strict=True) for word in "ab")
    workplace({"short": "size,word,times\n" + counted, "long": "size,word\n" + "".join(rows)})
    options = ("--method", method, "--columns", "size", "-q", "--cuts")
    assert run("mnmodel", "discretize", "short", *options, "short.cuts", "--counts", "times").code == 0
    assert run("mnmodel", "discretize", "long", *options, "long.cuts").code == 0
    assert read_cuts("short.cuts") == read_cuts("long.cuts") and read_cuts("short.cuts")["size"]


def test_bad_counts(refuse, workplace):
    workplace({"d.csv": "a,n,m\n1,2,0\n2,x,0\n3,1,0\n", "cuts": "column,cut\na,2\n"})
    start = "mnmodel discretize -q --bins 2 d.csv"
    refuse(f"{start} --counts n", 1, "d.csv, column 'n': row 2: 'x' is not a count; expected a whole number from 0 to")
    refuse(f"{start} --counts k", 1, "d.csv: no column 'k' of counts; the first row is a, n, m")
    refuse(f"{start} --counts m", 1, "d.csv, column 'a': no number in it")
    refuse(f"{start} --counts m --columns m", 2, "--columns: no column 'm'; the columns are a, n")
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
    refuse(f"{start} --columns size,weight", 2, "--columns: no column 'weight'; the columns are size, count, word, few")
    refuse(f"{start} --columns word", 1, "d.csv, column 'word': 'x' in row ")
    refuse(f"{start} --bins 900", 1, "d.csv: no column with more than 900 different numbers")
    refuse(f"{start} --apply head", 1, "head:1: the first line must be 'column,cut'")
    refuse(f"{start} --apply order", 1, "order:3, column 'size': '1' is not a number above the cut point before it")
    refuse(f"{start} --apply three", 1, "three:2: 3 cells, expected a column and a cut point")
    refuse(f"{start} --apply none", 1, "none: no cut points")
    refuse(f"{start} --apply word", 1, "d.csv, column 'word': 'x' in row ")
    refuse(f"{start} --apply other", 1, "d.csv: no column 'weight'")
    refuse(f"{start} --apply order --bins 3", 2, "--bins has no effect with --apply; leave one of them out")
    refuse(f"{start} --cuts -", 2, "--cuts and --output: both are written to standard output; name a file")
    refuse(f"{start} --cuts d.csv -o x.csv", 2, "--cuts d.csv: DATA is read from that file; name another")


@pytest.mark.parametrize("method", UNIVARIATE_METHODS)
def test_without_scikit_learn(run, work, monkeypatch, method):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.preprocessing", None)
    assert run("mnmodel", "discretize", "-q", "d.csv", "--method", method).code == 0


METHOD_OPTIONS = {"mdl": ("--target", "y")}
N = 120
COLUMNS = {
    "mostly zeros": [0] * 110 + [*range(1, 11)],
    "zeros and large": [0] * 96 + [*range(100, 124)],
    "one other": [0] * 119 + [5],
    "the first": [0] + [1] * 119,
    "two values": [3, 7] * 60,
    "the nearest": [1.0, 1.0000000000000002] * 60,
    "the last": [0] * 40 + [1] * 80,
    "mostly the largest": [9] * 115 + [1, 2, 3, 4, 5],
    "mostly the middle": [5] * 110 + [1, 2, 3, 4, 4, 6, 7, 8, 9, 9],
    "negative": [-k for k in range(N)],
    "near each other": [1 + k * 1e-15 for k in range(N)],
    "near zero": [k * 1e-10 for k in range(N)],
    "huge": [k * 1e300 for k in range(N)],
    "tiny": [k * 1e-300 for k in range(N)],
    "one far away": [*range(119), 1e12],
    "powers": [2.0**k for k in range(N)],
    "halves": [0.5 * (k % 2) + (k % 5) for k in range(N)],
    "with ties": [k // 30 for k in range(N)],
    "whole numbers": [k % 6 for k in range(N)],
    "both signs": [k - 60 for k in range(N)],
    "minus zero": [-0.0, 0.0, 1.0] * 40,
    "large integers": [10**15 + k for k in range(N)],
    "capital gains": [0] * 100 + [99999] * 5 + [2174, 5013, 7688, 15024, 3103] * 3,
}


@pytest.mark.fast_cases(9)
@pytest.mark.parametrize("bins", [2, 5])
@pytest.mark.parametrize("target", ["uv" * 60, "u" * N, "u" * 60 + "v" * 60, "?" * 118 + "uu"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [N, 3, 2])
def test_no_method_makes_one_class_of_two_values(run, workplace, method, target, bins, rows):
    cells = {name: [*map(repr, numbers[:rows])] for name, numbers in COLUMNS.items() if len({*numbers[:rows]}) > 1}
    if rows == N:  # the same with missing cells
        holey = {f"{name}, gaps": ["" if k % 10 == 9 else cell for k, cell in enumerate(cells[name])] for name in cells}
        cells |= {name: column for name, column in holey.items() if len({*map(float, filter(None, column))}) > 1}
    lines = [",".join(row) for row in zip(*cells.values(), target[-rows:], strict=True)]
    workplace({"d.csv": ",".join([*(f'"{name}"' for name in cells), "y"]) + "\n" + "\n".join(lines) + "\n"})
    more = METHOD_OPTIONS.get(method, ("--bins", bins))
    options = ("--columns", ",".join(f'"{name}"' for name in cells), "--method", method, *more, "--header", "yes", "-q")
    done = run("mnmodel", "discretize", "d.csv", *options, "-o", "o.csv", "--cuts", "cuts")
    assert done.code == 0, done.stderr
    assert min(map(len, read_cuts("cuts").values())) >= 1
    after = read_csv("o.csv", missing="state", warn=False, header="yes")
    for v, name in enumerate(cells):
        found = [after.states[v][code] for code in after.codes[:, v]]
        assert [cell == "?" for cell in found] == [cell == "" for cell in cells[name]]
        assert 2 <= len({*found} - {"?"}) <= (N if method == "mdl" else bins)


@pytest.mark.fast_cases(13)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bins", [2, 5, 21, 100])
def test_labels_and_stored_cuts_agree(run, workplace, method, bins):
    rng = np.random.default_rng(bins)
    columns = {"two": [0, 100] * 60, "some": rng.integers(0, 7, 120).tolist(), "many": rng.normal(size=120).tolist(),
               "near": [1 + i * 1e-13 for i in range(120)]}  # fmt: skip
    lines = [",".join(map(repr, row)) + f",{'uv'[k % 2]}" for k, row in enumerate(zip(*columns.values(), strict=True))]
    workplace({"d.csv": ",".join([*columns, "y"]) + "\n" + "\n".join(lines) + "\n"})
    more = () if method == "mdl" else ("--bins", str(bins))
    more += ("--initial-bins", "100") if method == "hartemink" else METHOD_OPTIONS.get(method, ())
    options = ("--columns", ",".join(columns), "--method", method, *more, "-q")
    labelled = run("mnmodel", "discretize", "d.csv", *options, "--labels", "--cuts", "cuts")
    assert labelled.code == 0, labelled.stderr
    again = run("mnmodel", "discretize", "d.csv", "--apply", "cuts", "--labels", "-q")
    assert again.code == 0 and again.stdout == labelled.stdout, again.stderr
    plain = run("mnmodel", "discretize", "d.csv", *options, "--cuts", "exact")
    assert run("mnmodel", "discretize", "d.csv", "--apply", "cuts", "-q").stdout == plain.stdout
    assert run("mnmodel", "discretize", "d.csv", "--apply", "exact", "-q").stdout == plain.stdout
    assert {name: len(cut) for name, cut in read_cuts("cuts").items()} == {
        name: len(cut) for name, cut in read_cuts("exact").items()}  # fmt: skip


def test_a_column_with_a_word_among_its_numbers_is_named(run, refuse, workplace):
    workplace({"d.csv": "a,b,c\n1,1,x\n2,2,x\n3,3,y\n4,none,y\n"})
    done = run("mnmodel", "discretize", "d.csv", "--bins", "2", "--codes")
    assert done.code == 0 and done.stdout == "a,b,c\n0,1,x\n0,2,x\n1,3,y\n1,none,y\n"
    assert "warning: d.csv, column 'b': 'none' is not a number, so it is not cut; --na=b=none if" in done.stderr
    assert "column 'c'" not in done.stderr
    refuse(
        "mnmodel discretize d.csv -q --columns ''", 2, "--columns '': a name is empty; give names separated by commas"
    )


def patients(rng, rows):
    """A table of which an illness depends on the age, and a dose on both: columns as texts."""
    age = np.round(rng.normal(60, 12, rows), 1)
    ill = rng.random(rows) < 1 / (1 + np.exp((62 - age) / 5))
    dose = np.round(rng.normal(size=rows) + age / 20 + 3 * ill, 2)
    return age, ["yes" if one else "no" for one in ill], dose


def test_cut_points_by_a_class(run, refuse, workplace):
    """The cut points are those of the definition; a column that tells nothing is named."""
    rng = np.random.default_rng(4)
    age, ill, dose = patients(rng, 300)
    noise = rng.integers(0, 50, 300)
    lines = [",".join(map(str, row)) for row in zip(age, noise, ill, dose, strict=True)]
    lines[4] = "?,3,no,?"
    lines[9] = "55,3,?,2"
    workplace({"d.csv": "age,noise,ill,dose\n" + "\n".join(lines) + "\n"})
    by_class = ("--method", "mdl", "--target", "ill", "--codes", "--cuts", "cuts", "-o", "o.csv")
    done = run("mnmodel", "discretize", "d.csv", *by_class)
    assert done.code == 0 and "warning: columns without information about ill, cut only once: noise" in done.stderr
    found = read_cuts("cuts")
    assert list(found) == ["age", "noise", "dose"]
    for name, values in (("age", age), ("noise", noise), ("dose", dose)):
        rows = [(x, y) for k, (x, y) in enumerate(zip(values.tolist(), ill, strict=True)) if k not in (4, 9)]
        rows += [(3, "no")] if name == "noise" else []
        assert found[name] == pytest.approx(discretization.mdl_cuts(rows) or discretization.best_cut(rows))
    assert len(found["age"]) and len(found["dose"])
    refuse("mnmodel discretize d.csv --method mdl", 2, "--method mdl needs --target")
    refuse("mnmodel discretize d.csv -q --method mdl --target age --columns age", 2, "--target age is among --columns")
    refuse("mnmodel discretize d.csv -q --method mdl --target sex", 1, "d.csv: no column 'sex'; the columns are age,")
    refuse("mnmodel discretize d.csv --method mdl --target ill --bins 3", 2, "--bins has no effect with --method mdl")
    refuse("mnmodel discretize d.csv --target ill", 2, "--target has no effect with --method quantile")


def test_cut_points_by_pairs_of_columns(run, refuse, workplace):
    """Joined from quantile classes, as by the definition."""
    rng = np.random.default_rng(5)
    age, ill, dose = patients(rng, 120)
    lines = [",".join(map(str, row)) for row in zip(age, ill, dose, rng.integers(0, 9, 120), strict=True)]
    workplace({"d.csv": "age,ill,dose,other\n" + "\n".join(lines) + "\n"})
    start = "mnmodel discretize d.csv -q --method hartemink"
    done = run(*start.split(), "--bins", "3", "--initial-bins", "8", "--cuts", "cuts")
    assert run(*"mnmodel discretize d.csv -q --bins 8 --cuts first".split()).code == done.code == 0
    first, found, columns = read_cuts("first"), read_cuts("cuts"), []
    table = read_csv("d.csv", warn=False)
    for name, points in first.items():
        v = table.names.index(name)
        values = np.array([float(label) for label in table.states[v]])[table.codes[:, v]]
        columns.append(np.searchsorted(points, values, side="right").tolist())
    joined = discretization.join_classes(columns, 3)
    assert list(found.values()) == [
        tuple(points[k - 1] for k in kept[1:]) for points, kept in zip(first.values(), joined, strict=True)
    ]
    refuse(f"{start} --columns age", 2, "--method hartemink compares columns, but only age is cut; name two or more")
    refuse(f"{start} --bins 9 --initial-bins 8", 2, "--initial-bins 8 is below --bins 9; ask for more")
    refuse("mnmodel discretize d.csv --initial-bins 8", 2, "--initial-bins has no effect with --method quantile")


def test_intervals_are_the_same_classes_and_can_be_given(run, refuse, workplace):
    rng = np.random.default_rng(6)
    lines = [f"{age},{ill},{dose}" for age, ill, dose in zip(*patients(rng, 200), strict=True)]
    lines[3] = "?,no,NA"
    workplace({"d.csv": "age,ill,dose\n" + "\n".join(lines) + "\n"})
    assert run(*"mnmodel discretize d.csv -q -o numbers.csv --codes --bins 5".split()).code == 0
    assert run(*"mnmodel discretize d.csv -q -o labels.csv --bins 5 --labels --cuts cuts".split()).code == 0
    numbers, labels = (read_csv(name, missing="state", warn=False) for name in ("numbers.csv", "labels.csv"))
    assert (numbers.codes == labels.codes).all()
    points = read_cuts("cuts")["age"]
    ends = [f"{point:g}" for point in points]
    assert labels.states[0] == (
        f"(-inf,{ends[0]})",
        *(f"[{a},{b})" for a, b in pairwise(ends)),
        f"[{ends[-1]},inf)",
        "?",
    )
    again = run(*"mnmodel discretize d.csv -q --labels --apply cuts".split())
    assert again.stdout == Path("labels.csv").read_text()
    Path("net").write_text("# variables 3\n0,1\n0,2\n")
    for form in ("bif", "xmlbif", "json", "uai", "net", "xdsl"):
        fit = f"mnmodel fit labels.csv net --missing drop --format {form} -o model -q"
        assert run(*fit.split()).code == 0
        answer = run("mnmodel", "query", "model", "--of", "dose", "--given", f"age=[{ends[0]},{ends[1]}),ill=yes", "-q")
        given = ("--given", f'"age=[{ends[0]},{ends[1]})"', "--given", "ill=yes")
        quoted = run("mnmodel", "query", "model", "--of", "dose", *given, "-q")
        assert answer.code == 0 and answer.stdout == quoted.stdout and f'"{labels.states[2][0]}",' in answer.stdout
    refuse("mnmodel query model --of dose --given ill=yes,age", 2, "--given 'age': expected NAME=STATE")
    advice = "--given '5': expected NAME=STATE; if age=40,5 is one number, write a point"
    refuse("mnmodel query model --of dose --given ill=yes,age=40,5", 2, advice)


def test_intervals_are_states_in_their_order(tmp_path):
    (tmp_path / "d.csv").write_text('a,b\n"[95,100.5)",x\n"(-inf,-2)",y\n"[100.5,inf)",x\n"[-2,95)",y\n"[-2,95)",y\n')
    data = read_csv(tmp_path / "d.csv", header="yes", warn=False)
    assert data.states[0] == ("(-inf,-2)", "[-2,95)", "[95,100.5)", "[100.5,inf)")


@pytest.mark.parametrize(
    ("rows", "values", "named"),
    [
        (666, 380, True),
        (4201, 21, False),
        (4200, 21, True),
        (60, 20, False),
        (4000, 380, True),
        (30000, 100, False),
        (30000, 101, True),
    ],
)
def test_measured_columns_are_named_with_the_command_that_cuts_them(caplog, tmp_path, rows, values, named):
    """More than 20 different numbers, and fewer than 200 rows for each, or more than 100; words are no measurements."""
    lines = [f"{k % values / 10},{k % 2},w{k % 30},n" for k in range(rows)]
    lines[5] = "?,1,w1,n"
    (tmp_path / "d.csv").write_text('"my, age";sex;word;n\n' + "\n".join(lines).replace(",", ";") + "\n")
    read_csv(tmp_path / "d.csv", header="yes", missing="drop")
    messages = [record.getMessage() for record in caplog.records if "different numbers" in record.getMessage()]
    source = tmp_path / "d.csv"
    command = f"""mnmodel discretize {source} --header=yes --columns '"my, age"' -o cut.csv"""
    line = f"{source}: columns with too many different numbers to be states: 1"
    assert messages == ([f"{line}; cut them: {command}"] if named else [])


def test_a_number_that_is_too_large(refuse, workplace):
    workplace({"d.csv": "x,y\n1e999,a\n1,b\n2,a\n3,b\n"})
    refuse("mnmodel discretize d.csv --bins 2 -q", 1, "d.csv, column 'x': '1e999' in row 1 is too large")
