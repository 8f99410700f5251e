"""`--counts`, whole `--weights`: a table of them gives the bytes of its rows one by one, for every command; refusals.

But for the line of the header that names the column, with which other commands read the table.
"""

import re

import numpy as np
import pytest

from cliquewise.common.certify.set_scores import state_counts
from cliquewise.common.data.merging import distinct_rows, merged
from cliquewise.common.errors import DataError
from cliquewise.common.scores.scorer import counting_table
from tests.random_inputs import dataset_of, random_dataset, rows_of
from tests.reading import read_csv

TALLIES = (("--counts", "times"), ("--weights", "times", "--weight-scale", "none"))
# every learner and every kind of score; the sizes that other code is chosen by have tests of their own
LEARNERS = (
    "lsmarkov --ess 2 --iterations 2000",
    "lsmarkov --score bic --max-clique 3 --preset ecai2020 --iterations 300",
    "mnposterior --ess 2 --iterations 40000 --resample 3",
    "mnposterior --draws 300",
    "junctor --score bic",
    "junctor --method ilp --max-clique 3",
    "coarsen --method greedy",
    "coarsen --method forest",
    "coarsen --method fic",
    "mplearn --ess 3",
    "mplearn --combine pbo --prior sparse",
    "mplearn --score pic --penalty parameters",
    "mplearn --score cmi --threshold 0.02",
    "mplearn --blankets-only",
    "twlearn -w 2 --method chordal --iterations 500",
    "twlearn -w 2 --method kp",
    "twlearn -w 2 --method s2 --iterations 50",
    "dmscore 1 3",
    "dmscore 1 3 --layout cussens",
)


def table(names, rows, counts=None, column="times"):
    """A CSV; with counts the column of them is the second."""
    head = [names[0], *([] if counts is None else [column]), *names[1:]]
    lines = [",".join(head)]
    for i, (first, *rest) in enumerate(rows):
        lines.append(",".join(map(str, [first, *([] if counts is None else [counts[i]]), *rest])))
    return "\n".join(lines) + "\n"


def pair(seed, n=6, stored=60, most=30, max_arity=3):
    """The same data as a table of counts, some of them 0 and some rows twice, and row by row."""
    data = random_dataset(seed, n_vars=n, n_rows=stored, max_arity=max_arity)
    counts = np.random.default_rng(seed).integers(0, most, stored)
    rows = [row for row, count in zip(rows_of(data), counts, strict=True) for _ in range(count)]
    return table(data.names, rows_of(data), counts), table(data.names, rows)


@pytest.fixture(autouse=True)
def folder(workplace):
    short, long = pair(4)
    return workplace({"short": short, "long": long})


def without_the_column(text):
    """A result without the lines from which other commands read the table."""
    lines = r"^(?:#|//) (?:network-)?(?:counts|weights|weight-scale) .*\n"
    return re.sub(lines + r"|\"counts\": \"times\",\n? *", "", text, flags=re.MULTILINE)


@pytest.mark.fast_cases(11)
@pytest.mark.parametrize("line", LEARNERS)
def test_counts_and_whole_weights_give_the_bytes_of_the_rows(run, line):
    name, *options = line.split()
    expected = run(name, "long", *options, "--threads", 1, "-q").stdout
    for tally in TALLIES:
        done = run(name, "short", *tally, *options, "--threads", 1, "-q")
        assert done.code == 0, done.stderr
        assert without_the_column(done.stdout) == without_the_column(expected) and len(expected) > 40, tally


def test_many_variables_of_few_states(run, workplace):
    """Pairs are counted on bit planes then, one for each binary digit of a count."""
    short, long = pair(5, n=520, stored=40, most=9)
    workplace({"wide": short, "wide-long": long})
    seen = [
        without_the_column(run("coarsen", data, *counts, "--method", "forest", "-q").stdout)
        for data, counts in (("wide", ("--counts", "times")), ("wide-long", ()))
    ]
    assert seen[0] == seen[1] and seen[0].count("\n") > 300


def test_regression(run, workplace):
    pytest.importorskip("sklearn")
    short, long = pair(6, max_arity=2)
    workplace({"binary": short, "binary-long": long})
    options = ("--score", "l1lr", "--lambda", 8, "--threads", 1, "-q")
    expected = run("mplearn", "binary-long", *options).stdout
    for tally in TALLIES:
        done = run("mplearn", "binary", *tally, *options)
        assert done.code == 0 and without_the_column(done.stdout) == expected, tally


def test_networks_are_checked_scored_drawn_fitted_and_evaluated(run, tmp_path):
    learned = ("--ess", 2, "--iterations", 500, "-q", "-o", "net")
    assert run("lsmarkov", "short", "--counts", "times", *learned).code == 0
    with_counts, without = ("short", "--counts", "times"), ("long",)
    for words in (
        ("mntools", "check", "net", "--data"),
        ("mntools", "score", "DATA", "net", "-v"),
        ("mnmodel", "fit", "DATA", "net", "--format", "json"),
        ("mnmodel", "loglik", "DATA", "net", "TEST", "--format", "json"),
        ("mntools", "convert", "net", "--names", "--data"),
    ):
        seen = []
        for data, *counts in (with_counts, without):
            files = [data if word in ("DATA", "TEST") else word for word in words]
            files += [data] if words[-1] == "--data" else []
            done = run(*files, *counts, "-v" if words[1] == "score" else "-q")
            assert done.code == 0, done.stderr
            seen.append(done.stdout)
        assert seen[0] == seen[1] and seen[0], words
    assert run("mnmodel", "fit", *with_counts, "net", "--format", "uai", "-q", "-o", "model").code == 0
    seen = [run("mnmodel", "loglik", "model", *data, "-q").stdout for data in (with_counts, without)]
    assert seen[0] == seen[1]
    for data, *counts in (with_counts, without):
        assert run("mntools", "draw", "net", "--data", data, *counts, "-q", "-o", f"{data}.svg").code == 0


def test_predictions_stay_in_order(run, tmp_path):
    (tmp_path / "net").write_text("# variables 6\n0,1\n1,2\n3\n4\n5\n")
    assert run("mnmodel", "fit", "short", "net", "--counts", "times", "-q", "-o", "model").code == 0
    short = run("mnmodel", "predict", "model", "short", "--target", "x0", "--counts", "times")
    long = run("mnmodel", "predict", "model", "long", "--target", "x0")
    times = [int(line.split(",")[1]) for line in (tmp_path / "short").read_text().splitlines()[1:]]
    head, *rows = short.stdout.splitlines()
    assert long.stdout.splitlines() == [head, *(row for row, n in zip(rows, times, strict=True) for _ in range(n))]
    judgements = [done.stderr[done.stderr.index("x0: right in") :] for done in (short, long)]
    assert judgements[0] == judgements[1]


def test_weights_of_a_mixture(run):
    for seed, data in ((1, "first"), (2, "second")):
        options = ("--ess", 1, "--iterations", 300, "--seed", seed, "--max-clique", 1 + seed, "-q", "-o", data)
        assert run("lsmarkov", "long", *options).code == 0
    words = ("mnmodel", "loglik", "DATA", "first", "second", "DATA", "--weights-from", "DATA", "-q")
    short = run(*("short" if word == "DATA" else word for word in words), "--counts", "times").stdout
    assert short == run(*("long" if word == "DATA" else word for word in words)).stdout and "weights" in short


def test_the_rows_are_reported_as_their_sum(run, tmp_path):
    net = "# variables 6\n0,1\n2\n3\n4\n5\n"
    (tmp_path / "net").write_text(net)
    total = (tmp_path / "long").read_text().count("\n") - 1
    assert f"rows {total}\n" in run("mnmodel", "fit", "short", "net", "--counts", "times").stdout


@pytest.mark.parametrize("seed", range(6))
def test_merging_keeps_every_count(seed):
    data = random_dataset(seed, n_vars=5, n_rows=200, max_arity=2 + seed)
    times = np.random.default_rng(seed).integers(0, 4, 200)
    again = dataset_of(data.codes.repeat(times, axis=0)) if seed else data
    times = times if seed else None
    short = merged(data, times)
    assert short.n_rows == len(again.codes) and short.n_stored < 200
    assert len(set(rows_of(short))) == short.n_stored
    assert (np.diff((short.counts > 1).astype(int)) <= 0).all()
    long = {row: rows_of(again).count(row) for row in rows_of(again)}
    if not seed:
        assert dict(zip(rows_of(short), short.counts.tolist(), strict=True)) == long
    assert sorted(long.values()) == sorted(short.counts.tolist())
    for one, other in zip(counting_table(short), counting_table(again), strict=True):
        assert seed or (one == other).all()
    assert merged(short) is short and (distinct_rows(short)[1] == short.counts).all()
    for members in ([0], [1, 3], [0, 1, 2, 3, 4]):
        assert sorted(state_counts(short, members)) == sorted(state_counts(again, members))


@pytest.fixture
def large(tmp_path):
    """A hundred thousand rows, each a thousand times; variables that are next to each other depend on each other."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (100_000, 20))
    for v in range(1, 20):
        codes[:, v] ^= (codes[:, v] ^ codes[:, v - 1]) & (rng.random(len(codes)) < 0.6)
    lines = [",".join(map(str, row)) + ",1000" for row in codes.tolist()]
    (tmp_path / "large").write_text(",".join(f"x{v}" for v in range(20)) + ",n\n" + "\n".join(lines) + "\n")
    return codes


@pytest.mark.slow
def test_hundred_million_rows_are_a_hundred_thousand(large, tmp_path):
    """A row of weight 1000 costs what a row costs."""
    data = read_csv(tmp_path / "large", counts="n")
    assert data.n_rows == 10**8 and data.n_stored == len(np.unique(large, axis=0))
    found = counting_table(data)
    assert int(found.weights.sum()) == 10**8


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "lsmarkov --max-clique 4 --iterations 20000",
        "coarsen --method greedy",
        "mplearn",
        "twlearn -w 3 --method chordal --iterations 20000",
        "junctor --max-clique 2",
        "dmscore 1 3",
    ],
)
def test_hundred_million_rows_are_learned_from(run, large, line):
    """Scores are of size 10^9, so that the checks of the results meet their rounding."""
    name, *options = line.split()
    done = run(name, "large", "--counts", "n", *options, "-q", "-o", "out")
    assert done.code == 0, done.stderr


@pytest.mark.parametrize("header", ["auto", "yes"])
def test_the_header_is_known_by_the_name(tmp_path, header):
    """Where numbers could be a header of numbers."""
    (tmp_path / "numbers").write_text("1,2,3\n0,1,5\n1,0,2\n")
    data = read_csv(tmp_path / "numbers", header, counts="3")
    assert data.names == ("1", "2") and data.counts.tolist() == [5, 2]


def test_without_a_header_columns_are_numbered(tmp_path):
    (tmp_path / "bare").write_text("x,4,y\nz,1,y\nx,1e+01,w\n")
    for header in ("auto", "no"):
        data = read_csv(tmp_path / "bare", header, counts="V1")
        assert data.names == ("V0", "V2") and data.counts.tolist() == [4, 10, 1]
        assert data.states == (("x", "z"), ("w", "y")) and data.codes.tolist() == [[0, 1], [0, 0], [1, 1]]


def test_missing_cells_are_counted_by_the_column_of_counts(tmp_path, caplog):
    text = "a,b,n\n0,1,3\n1,?,4\n,0,0\n1,0,2\n"
    (tmp_path / "gaps").write_text(text)
    with pytest.raises(DataError, match="gaps:3, column 'b': missing value '\\?' \\(4 missing in all\\)"):
        read_csv(tmp_path / "gaps", counts="n")
    dropped = read_csv(tmp_path / "gaps", missing="drop", counts="n")
    assert "rows with missing cells left out: 4 of 9" in caplog.text
    assert dropped.n_rows == 5 and dropped.states == (("0", "1"), ("0", "1"))
    as_state = read_csv(tmp_path / "gaps", missing="state", counts="n")
    assert as_state.states == (("0", "1"), ("0", "1", "?")) and as_state.n_rows == 9


BAD = {
    "a,n\n0,1\n1,1\n": "bad:1: columns found: 1, needed: at least 2",
    "a,b,n\n0,1,2\n0,1,-3\n": "bad:3, column 'n': '-3' is not a count; expected a whole number from 0 to 2147483647",
    "a,b,n\n0,1,2\n0,1,1.5\n": "bad:3, column 'n': '1.5' is not a count;",
    "a,b,n\n0,1,2\n0,1,\n": "bad:3, column 'n': '' is not a count;",
    "a,b,n\n0,1,two\n0,1,2\n": "bad:2, column 'n': 'two' is not a count;",
    "a,b,n\n0,1,2147483648\n0,1,2\n": "bad:2, column 'n': '2147483648' is not a count;",
    "a,b,n\n0,1,1e400\n0,1,2\n": "bad:2, column 'n': '1e400' is not a count;",
    "a,b,n\n0,1,2147483647\n0,1,1\n": "bad, column 'n': 2147483648 rows in all, at most 2147483647; divide the counts",
    "a,b,m\n0,1,2\n0,1,2\n": "bad: no column 'n' of counts; the columns are a, b, m",
    "a,b,n\n0,1,0\n0,1,0\n": "bad:3: data rows found: 0, needed: at least 2",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_counts_are_refused(workplace, refuse, text):
    workplace({"bad": text, "net": "# variables 2\n0,1\n"})
    message = BAD[text].replace("the columns are a, b, m", "the first row is a, b, m")
    refuse("lsmarkov -q bad --counts n", 1, message)
    refuse("mntools check net --data bad -q --counts n", 1, message)
    refuse("mnmodel loglik bad net bad -q --counts n", 1, message)
    refuse("dmscore bad 1 -q --counts n", 1, message)


def test_predictions_with_bad_counts(workplace, refuse, run):
    workplace({"data": "a,b,n\n0,1,2\n1,0,x\n", "net": "# variables 2\n0,1\n", "good": "a,b\n0,1\n1,0\n"})
    assert run("mnmodel", "fit", "good", "net", "-q", "-o", "model").code == 0
    refuse("mnmodel predict model data -q --target a --counts n", 1, "data, column 'n': row 2: 'x' is not a count;")
    refuse("mnmodel predict model data -q --target a --counts m", 1, "data: no column 'm' of counts; the first row is")


def test_a_header_that_lacks_the_name(workplace, refuse):
    workplace({"bad": "a,b,m\n0,1,2\n0,1,2\n", "scores": "3 2\n0\n" + "-1\n" * 6})
    refuse("lsmarkov -q bad --header yes --counts n", 1, "bad: no column 'n' of counts; the columns are a, b, m")
    refuse("lsmarkov -q scores --counts n", 2, "--counts has no effect with scores from a file")
    refuse("mnmodel loglik bad net bad --counts n --per-row", 2, "--per-row does not go with --counts")
