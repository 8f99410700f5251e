"""A file read in pieces gives the same table and the same messages as the whole file."""

import gzip
import io
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.data import csvfile, csvstream
from cliquewise.common.data.merging import merged
from cliquewise.common.errors import DataError
from tests.commands import ROOT
from tests.random_inputs import damaged_csv
from tests.reading import read_csv
from tests.slow import slow, slow_cases

DATA = ROOT / "data"
ENDS = list(itertools.product(",;\t| ", ("\n", "\r\n", "\r")))  # separators, and what ends a line
EACH_ONCE = [(",", "\n"), (";", "\r\n"), ("\t", "\r"), ("|", "\r\n"), (" ", "\n")]


def outcome(path, **options):
    """Names, states, rows with their counts and the number of rows; or the message."""
    try:
        data = merged(read_csv(path, **options))
    except DataError as error:
        return str(error)
    return data.names, data.states, data.codes.tolist(), data.counts.tolist(), data.n_rows


def both(monkeypatch, path, pieces=(64,), head=64, **options):
    """The outcome of the whole file, and those of pieces of some sizes; the same whether equal rows are merged."""
    whole = outcome(path, **options)
    found = []
    for piece in pieces:
        with monkeypatch.context() as patch:
            patch.setattr(csvfile, "STREAM_FROM", head)
            patch.setattr(csvstream, "PIECE", piece)
            found.append(outcome(path, merge=True, **options))
            assert outcome(path, **options) == found[-1]
    return whole, found


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("*.csv")))
@pytest.mark.parametrize("header", ["auto", *slow("yes", "no")])
def test_the_projects_data(monkeypatch, name, header):
    head = max(64, len((DATA / name).read_bytes().partition(b"\n")[0]) + 1)
    for missing in ("state", "drop", "refuse"):
        whole, found = both(monkeypatch, DATA / name, (100, 4096), head, header=header, missing=missing)
        assert found == [whole, whole]


@pytest.mark.parametrize("name", sorted(path.name for path in (DATA / "bad").glob("*.csv")))
def test_bad_files(monkeypatch, name):
    whole, found = both(monkeypatch, DATA / "bad" / name, (1, 7), head=3)
    assert found == [whole, whole]


def test_a_separator_that_was_chosen(monkeypatch, tmp_path):
    (tmp_path / "t").write_text("a;b,c\n" + "0;1,0\n1;0,1\n" * 50)
    monkeypatch.setattr(csvfile, "STREAM_FROM", 100)
    for name, expected in (("comma", ("a;b", "c")), ("semicolon", ("a", "b,c"))):
        data = read_csv(tmp_path / "t", merge=True, separator=name)
        assert data.names == expected and data.counts.tolist() == [50, 50]


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize(("separator", "end"), EACH_ONCE + slow_cases(*(one for one in ENDS if one not in EACH_ONCE)))
def test_damaged_tables(monkeypatch, tmp_path, separator, end):
    """Tables of difficult cells with some characters deleted: every piece size agrees with the reference."""
    rng = np.random.default_rng(ord(separator))
    agreed = refused = 0
    for number in range(80):
        path = tmp_path / "t.csv"
        path.write_bytes(damaged_csv(rng, separator).replace("\n", end).encode() + b"\n \n" * int(rng.integers(0, 2)))
        first = len(path.read_bytes())  # the separator is found by the first piece, in which all rows must be
        options = {"missing": ("state", "drop", "refuse")[number % 3], "min_columns": 1, "min_rows": 1, "warn": False}
        whole, found = both(monkeypatch, path, (1, 5, 64), first, **options)
        assert found == [whole] * 3, path.read_bytes()
        refused += isinstance(whole, str)
        agreed += not isinstance(whole, str)
    assert agreed > 20 and refused > 20


@pytest.mark.parametrize("seed", range(4))
def test_room_for_cells_codes_and_rows_grows(monkeypatch, tmp_path, seed):
    """Cells are repeated in quotes and without, contain quotes, are those of the first row, and are long."""
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(csvstream, "_FIRST_CAPACITY", 1)
    labels = [*map(str, range(300)), 'a"b', "x,y", "", " s", "\u00e9" * 300, "z" * 1000]

    def written(label):
        quoted = label.replace('"', '""')
        return f'"{quoted}"' if set(label) & set('", ') or rng.random() < 0.3 else label

    rows = [[written(labels[k]) for k in row] for row in rng.integers(0, [306, 3, 20], (1200, 3))]
    path = tmp_path / "t.csv"
    path.write_text("".join(",".join(row) + "\n" for row in [*rows, *rows[1:5]]), encoding="utf-8")
    for options in ({"missing": "state"}, {"missing": "state", "header": "yes"}):
        first = len(path.read_bytes().partition(b"\n")[0]) + 1
        whole, found = both(monkeypatch, path, (1, 3000), first, **options)
        assert found == [whole, whole] and not isinstance(whole, str)


@pytest.mark.slow
def test_many_states_many_rows(monkeypatch, tmp_path):
    """Room for rows, cells and codes grows; rows repeat."""
    rng = np.random.default_rng(2)
    rows = rng.integers(0, [3, 6000, 300, 2], (9000, 4))
    rows = np.concatenate([rows, rows[rng.integers(0, 9000, 4000)]])
    path = tmp_path / "large.csv"
    path.write_text("a,b,c,d\n" + "".join(",".join(f"{k}" for k in row) + "\n" for row in rows.tolist()))
    whole, found = both(monkeypatch, path, (1000, 1 << 20), head=1000)
    assert found == [whole, whole]
    with_counts, found = both(monkeypatch, path, (1000,), head=1000, counts="c")
    assert found == [with_counts] and with_counts[4] == int(rows[:, 2].sum())


@pytest.mark.parametrize("name", ["votes.csv", "bad/ragged.csv"])
def test_a_kernel_reads_a_file_of_medium_size_whole(monkeypatch, name):
    """Its rows are not merged, so that their order is known."""
    whole = outcome(DATA / name, missing="state")
    monkeypatch.setattr(csvfile, "KERNEL_FROM", 100)
    assert outcome(DATA / name, missing="state", merge=True) == whole
    if not isinstance(whole, str):
        assert read_csv(DATA / name, missing="state", merge=True).counts is None


def test_counts(monkeypatch, tmp_path):
    path = tmp_path / "counts.csv"
    for last in ("x,y,3", "x,y,-1", "x,?,2", "z,y,4000000000", "x,y,", "x,y,2.5"):
        path.write_text("a,b,n\nx,y,1\nx,w,2\nx,w,0\nz,y,1\nx,y,1\n" + last + "\n")
        whole, found = both(monkeypatch, path, (1, 5), head=6, counts="n")
        assert found == [whole, whole]


def test_a_column_name_that_is_a_word_for_missing(monkeypatch, tmp_path):
    """Of sodium, NA: the first missing cell is the one below."""
    path = tmp_path / "na.csv"
    path.write_text("NA,b\n1,0\n0,1\nNA,1\n0,0\n")
    whole, found = both(monkeypatch, path, (1, 9), head=5)
    assert found == [whole, whole] and "na.csv:4, column 'NA': missing value 'NA' (1 missing in all)" in whole


def test_column_names_repeated_in_the_middle_are_refused_as_counts(monkeypatch, tmp_path):
    """The names are repeated in the middle, as where tables were joined: the message has that line."""
    path = tmp_path / "joined.csv"
    path.write_text("a,n\n1,2\n0,1\na,n\n0,3\n")
    whole, found = both(monkeypatch, path, (1, 9), head=5, counts="n")
    assert found == [whole, whole] and "joined.csv:4, column 'n': 'n' is not a count" in whole


def test_rows_stay_in_their_order_unless_they_may_be_merged(monkeypatch):
    whole = read_csv(DATA / "zoo.csv")
    monkeypatch.setattr(csvfile, "STREAM_FROM", 100)
    monkeypatch.setattr(csvstream, "PIECE", 100)
    rows = read_csv(DATA / "zoo.csv")
    assert rows.counts is None and (rows.codes == whole.codes).all() and rows.states == whole.states
    assert rows.codes.dtype == np.uint8  # a byte per cell
    short = read_csv(DATA / "zoo.csv", merge=True)
    assert short.n_rows == 101 and short.n_stored < 101 and short.codes.dtype == np.uint8


@pytest.mark.parametrize("name", ["long", "-"])
def test_gzip(monkeypatch, workplace, run, name):
    """Also from standard input, also in pieces."""
    workplace({})
    content = gzip.compress((DATA / "votes.csv").read_bytes())
    Path("long").write_bytes(content)
    words = ("lsmarkov", name, "--missing", "state", "--iterations", 200, "-q")
    plain = run("lsmarkov", DATA / "votes.csv", *words[2:])
    assert run(*words, input=content).stdout == plain.stdout
    monkeypatch.setattr(csvfile, "STREAM_FROM", 1000)
    assert run(*words, input=content).stdout == plain.stdout
    for broken in (content[:-20], content[:60] + b"xxx" + content[63:]):
        Path("long").write_bytes(broken)
        done = run(*words, input=broken)
        assert done.code == 1 and "damaged gzip file" in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_the_share_is_reported(monkeypatch):
    monkeypatch.setattr(csvfile, "STREAM_FROM", 1000)
    monkeypatch.setattr(csvstream, "PIECE", 1000)
    shares = []

    def progress(share, text):
        if text == "reading the data":
            shares.append(share)
        else:
            assert text == "numbering the states" and 0.0 <= share < 1.0

    read_csv(DATA / "votes.csv", missing="state", merge=True, progress=progress)
    assert shares.pop(0) is None  # at the start
    assert shares == sorted(shares) and 0 < shares[0] < 0.5 and shares[-1] == 1.0 and len(shares) > 5
    shares.clear()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((DATA / "votes.csv").read_bytes())))
    read_csv("-", missing="state", merge=True, progress=progress)
    assert set(shares) == {None}
