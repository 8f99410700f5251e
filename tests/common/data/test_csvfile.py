"""Reading CSV: each rule of its docstring, each error with its line, both paths against each other."""

import io
import logging
import re
import sys

import numpy as np
import pytest

from cliquewise.common.errors import DataError, UsageError
from tests.commands import ROOT
from tests.reading import labels_of, read_csv

pytestmark = pytest.mark.usefixtures("all_messages")

DATA = ROOT / "data"


# ---- separators, quotes, line ends -----------------------------------------------------------------------

WANTED = [["x", "1"], ["y", "0"], ["x", "0"], ["y", "1"]]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "   ", " , ", "; ", " \t ", " | "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_separators_line_ends_and_byte_order_mark(read, separator, end, quote, mark):
    rows = [["a", "b"], *WANTED]
    lines = [separator.join(f"{quote}{cell}{quote}" for cell in row) for row in rows]
    dataset = read(mark + end.join(lines))
    assert dataset.names == ("a", "b")
    assert labels_of(dataset) == WANTED


def test_the_separator_found_is_logged(read, caplog):
    read("a;b\nx;1\ny;0\n")
    assert "t.csv: cells are separated by semicolons" in caplog.text


@pytest.mark.parametrize(
    "text, names",
    [
        ("a;b\n1,5;2\n2,5;2\n", ("a", "b")),  # every row splits at both; the header only at the semicolon
        ("on thyroxine,b\nyes no,1\nno yes,0\n", ("on thyroxine", "b")),  # blanks inside cells
        ('"a;x",b\n"1;2",0\n"1;3",0\n', ("a;x", "b")),  # a separator in quotes does not count
        ("  a  b \n 0   1\n1 0   \n", ("a", "b")),  # blanks around rows
        ("a\tb c\n0\t1 2\n1\t2 1\n", ("a", "b c")),
    ],
)
def test_the_separator_on_which_rows_agree_is_taken(read, text, names):
    assert read(text).names == names


def test_a_ragged_row_does_not_change_the_separator(read):
    with pytest.raises(DataError, match=r"t\.csv:3: 1 cell; the first row has 2 cells"):
        read("a x,b\n0 1,1\n1 0\n")


def test_quoted_cells(read):
    dataset = read('a,"b, c"\n"x, y","say ""no"""\n "x, y" ,"two\nlines"\n" x ",z\n5" pipe,z\n')
    assert dataset.names == ("a", "b, c")
    assert labels_of(dataset) == [["x, y", 'say "no"'], ["x, y", "two\nlines"], [" x ", "z"], ['5" pipe', "z"]]


def test_quoted_cells_with_other_separators_and_line_ends(read):
    assert labels_of(read('a,b\r\n"x\r\ny",1\r\nz,2\r\n'))[0] == ["x\ny", "1"]
    dataset = read('"a"  "b c"\n"x  y" 1\n"x  y"\t2\n z 2\n')
    assert dataset.names == ("a", "b c")
    assert labels_of(dataset) == [["x  y", "1"], ["x  y", "2"], ["z", "2"]]


def test_blanks_around_unquoted_cells_make_no_new_states(read):
    assert read("a,b\nx,1\n x,1\nx \t, 2\n\tx,2\n").states == (("x",), ("1", "2"))


def test_blank_lines_and_blanks_at_the_end_are_ignored(read):
    assert read("a,b\nx,1\ny,0\n\n  \n\t\n").n_rows == 2
    assert read("a,b\nx,1\ny,0").n_rows == 2


def test_an_empty_cell_at_the_very_end_is_a_cell(read):
    assert labels_of(read("a\tb\nx\t1\ny\t", missing="state")) == [["x", "1"], ["y", "?"]]


def test_any_text_is_a_state(read):
    labels = ["caf\u00e9", "\u4e2d\u6587", "\U0001f600", "None", "nan", "#", "a'b", "x=1", "\x07", "\u00a0"]
    dataset = read("name,b\n" + "".join(f"{label},{i % 2}\n" for i, label in enumerate(labels * 2)))
    assert dataset.states[0] == tuple(sorted(labels))
    assert [row[0] for row in labels_of(dataset)] == labels * 2


# ---- header ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first, rest",
    [
        ("V0,V1", "0,1\n1,0\n0,0\n"),
        ("id,y", "a1,0\na2,1\na3,0\na4,1\n"),  # the first column tells nothing
        ("1990,total", "3,1\n4,0\n"),  # one name is a number
        ("colour,size", "red,big\nred,small\nblue,big\nblue,small\n"),
        ("yes,other,more", "yes,a,b\nno,a,b\nno,c,d\nyes,c,d\n"),  # a name that is a state too is outvoted
        ("a,b", "x,y\nz,w\n"),  # nothing tells: names all different
        ("a,b", "a,0\nb,1\na,0\nb,1\n"),  # a tie
        (",a,b", "1,0,1\n1,1,0\n3,1,1\n"),  # a column without a name that is no index, refused below
    ],
)
def test_a_header_is_recognised(read, caplog, first, rest):
    caplog.set_level(logging.DEBUG, "cliquewise")
    if first.startswith(","):
        with pytest.raises(DataError, match=r"t\.csv:1, column '1': a column without a name"):
            read(first + "\n" + rest)
    else:
        assert read(first + "\n" + rest).names == tuple(first.split(","))
    assert "t.csv: first row taken as a header" in caplog.text and "--header no if not" in caplog.text


@pytest.mark.parametrize(
    "text, reason",
    [
        ("0,1\n1,0\n", "nothing but numbers"),
        ("0,0\na,b\n", "nothing but numbers"),
        ("-1.5,+2e3,.5\n1,2,3\n", "nothing but numbers"),
        ("1,?,0\n0,1,1\n1,0,1\n", "nothing but numbers"),
        ("1,1\na,x\nb,y\n", "nothing but numbers"),  # no two columns have one name
        ("1,2\na,0\nb,1\n", "nothing but numbers"),  # a column of numbers
        ("1,2\na,x\nb,2\n", "nothing but numbers"),  # a number below, and the same
        ("1,?\na,x\nb,y\n", "nothing but numbers"),
        ("yes,no\nno,yes\nyes,no\n", "in 2 of 2 columns"),
        ("a1,red,big\na2,red,small\na3,blue,big\n", "in 2 of 3 columns"),  # the first column tells nothing
        ("x,x\ny,z\n", "in 0 of 2 columns"),  # nothing tells: the same name twice is none
        ("?,n,y\ny,n,y\n?,y,n\n", "in 3 of 3 columns"),
    ],
)
def test_a_missing_header_is_recognised(read, caplog, text, reason):
    caplog.set_level(logging.DEBUG, "cliquewise")
    dataset = read(text, missing="state")
    assert dataset.names == tuple(f"V{v}" for v in range(dataset.n))
    assert dataset.n_rows == text.count("\n")
    assert re.search(f"first row taken as data: .*{reason}.*--header yes", caplog.text)


@pytest.mark.parametrize(
    "text, is_logged",
    [
        ("colour,size\nred,big\nred,small\nblue,big\nblue,small\n", False),  # no cell occurs again
        ("yes,no\nno,yes\nyes,no\n", False),  # all do
        ("yes,other,more\nyes,a,b\nno,a,b\nno,c,d\nyes,c,d\n", True),  # one does
        ("a,b\nx,y\nz,w\n", True),  # nothing tells
    ],
)
def test_a_decision_about_the_header_is_logged_when_in_doubt(read, caplog, text, is_logged):
    caplog.set_level(logging.INFO, "cliquewise")
    read(text)
    assert ("first row taken as" in caplog.text) == is_logged


def test_header_options_override_and_say_nothing(read, caplog):
    assert read("0,1\n1,0\n0,1\n", header="yes").names == ("0", "1")
    dataset = read("a,b\n0,1\n1,0\n", header="no")
    assert dataset.names == ("V0", "V1") and dataset.states == (("0", "1", "a"), ("0", "1", "b"))
    assert caplog.text == ""


def test_header_names_are_stripped_and_a_line_break_becomes_a_blank(read):
    assert read('" a", b ,"c\nd"\n0,1,0\n1,0,1\n').names == (" a", "b", "c d")


# ---- states ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cells, states",
    [
        ("10 9 -1 2.5", ("-1", "2.5", "9", "10")),
        ("1 2 01 0", ("0", "1", "2")),  # equal values are one
        ("1e1 2", ("2", "1e1")),
        ("10 9 x", ("10", "9", "x")),  # one label is no number: all by code point
        ("b B a Z", ("B", "Z", "a", "b")),
        ("10 9 ?", ("9", "10", "?")),  # missing is last and does not count as a label
        ("z NA a", ("a", "z", "?")),
        ("1_0 9", ("1_0", "9")),  # 1_0 is no number here
        ("\u0661 9", ("9", "\u0661")),
        ("inf nan 1", ("1", "inf", "nan")),
    ],
)
def test_state_order(read, cells, states):
    cells = cells.split()
    dataset = read("name,other\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(cells)), missing="state")
    assert dataset.states[0] == states
    assert [row[0] for row in labels_of(dataset)] == [{"NA": "?", "01": "1"}.get(cell, cell) for cell in cells]


def test_state_order_does_not_depend_on_row_order(read):
    rows = [f"{a},{b}" for a in "cab" for b in (10, 9, 2)]
    assert read("a,b\n" + "\n".join(rows)).states == read("a,b\n" + "\n".join(rows[::-1])).states


@pytest.mark.slow
def test_more_than_256_states(read):
    rng = np.random.default_rng(1)
    values = rng.permutation(70_000)
    dataset = read("a,b\n" + "".join(f"{value},{value % 2}\n" for value in values))
    assert dataset.arity.tolist() == [70_000, 2]
    assert (dataset.codes[:, 0] == values).all()


def test_constant_columns_are_kept_with_one_warning(read, caplog):
    dataset = read("a,b,c\n0,x,1\n1,x,1\n")
    assert dataset.arity.tolist() == [2, 1, 1]
    assert [r.getMessage() for r in caplog.records if r.levelname == "WARNING"] == [
        f"{dataset.source}: columns with one state only, kept: 2 (b, c)"
    ]


def test_codes_are_readonly_int32_by_column(read):
    dataset = read("a,b\n0,1\n1,0\n0,0\n")
    assert dataset.codes.dtype == np.int32 and dataset.codes.flags.f_contiguous
    with pytest.raises(ValueError, match="read-only"):
        dataset.codes[0, 0] = 1
    assert dataset.source.endswith("t.csv")


# ---- missing cells ---------------------------------------------------------------------------------------

GAPS = 'a,b,c\n1,?,x\n2,1,\n1, NA ,y\n2,"?",""\n2,2,y\n'


def test_missing_as_a_state(read):
    dataset = read(GAPS, missing="state")
    assert dataset.states == (("1", "2"), ("1", "2", "?"), ("x", "y", "?"))
    assert ["".join(row) for row in labels_of(dataset)] == ["1?x", "21?", "1?y", "2??", "22y"]


def test_rows_with_missing_cells_dropped(read, caplog):
    dataset = read(GAPS, missing="drop", min_rows=1)
    assert labels_of(dataset) == [["2", "2", "y"]]
    assert dataset.states == (("2",), ("2",), ("y",))  # only states that some row still has
    assert "rows with missing cells left out: 4 of 5" in caplog.text
    with pytest.raises(DataError, match="data rows found: 1, needed: at least 2"):
        read(GAPS, missing="drop")
    caplog.clear()
    read("a,b\n0,1\n1,0\n", missing="drop")
    assert "left out" not in caplog.text


@pytest.mark.parametrize(
    "text, where",
    [
        ("a,b\n0,1\n1,\n,0\n", r"t\.csv:3, column 'b': empty cell \(2 missing in all\)"),
        ("0,1\n1,?\n", r"t\.csv:2, column 'V1': missing value '\?' \(1 missing in all\)"),
        ('a,b\n"x\ny",1\nx,NA\n', r"t\.csv:4, column 'b': missing value 'NA'"),
        ("a,b\n?,\n1,0\n", r"t\.csv:2, column 'a': missing value '\?' \(2 "),
    ],
)
def test_missing_cells_are_refused_with_line_and_column(read, text, where):
    with pytest.raises(DataError, match=where + ".*--missing state.*--missing drop"):
        read(text)


@pytest.mark.parametrize("label", ["na", "N/A", "??", "-", "NaN", "null", "0"])
def test_other_words_are_not_missing(read, label):
    assert label in read(f"a,b\n{label},1\nx,0\n").states[0]


# ---- refusals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-32"])
@pytest.mark.parametrize("order", ["-le", "-be"])
def test_other_encodings_are_named(tmp_path, encoding, order):
    path = tmp_path / "t.csv"
    path.write_bytes("\ufeffa,b\n0,1\n1,0\n".encode(encoding + order))
    with pytest.raises(DataError, match=f":1: {encoding} text; .* iconv -f {encoding} -t UTF-8"):
        read_csv(path)


@pytest.mark.parametrize(
    "text, message",
    [
        ('a,b\n"x\ny",1\n1,2,3\n', r":4: 3 cells; the first row has 2 cells"),
        ('"a\nb",c\n0,1\n"1\n\n1",0\n0\n', r":7: 1 cell"),  # lines are counted inside quotes too
        ("a,b\r\n0,1\r\n1,0,1\r\n", r":3: 3 cells"),
        ("a,b\r0,1\r1,0,1\r", r":3: 3 cells"),
        ("a,b\n0,1,1\n1\n", r":2: 3 cells"),  # the right number of cells in all
        ('a b\n0 "1"x\n', r":2: text after a closing quote"),
        ('"a"b,c\n0,1\n1,0\n', r":1: text after a closing quote"),
        ('a,b\n"x"",1\ny,2\n', r":2: a quote that is never closed"),
        ('a,"a"\n0,1\n1,0\n', r":1, column 'a': columns 1 and 2"),
        ("1,0\n", r":1: data rows found: 1"),
    ],
)
def test_refusals_beside_those_of_data_bad(read, text, message):
    with pytest.raises(DataError, match=r"t\.csv" + message):
        read(text)


def test_the_caller_may_accept_smaller_tables(read):
    assert read("a\n0\n1\n", min_columns=1).codes.tolist() == [[0], [1]]
    assert read("a,b\n0,1\n", min_rows=1).codes.tolist() == [[0, 0]]
    with pytest.raises(DataError, match="columns found: 2, needed: at least 3"):
        read("a,b\n0,1\n", min_columns=3)


@pytest.mark.parametrize("options", [{"header": "maybe"}, {"missing": "impute"}, {"separator": ","}])
def test_unknown_choices_are_refused_by_name(read, options):
    (name, value), *_ = options.items()
    with pytest.raises(UsageError, match=f"^--{name}={value}: expected one of "):
        read("a,b\n0,1\n1,0\n", **options)


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n0,1\n1,0\n")))
    assert read_csv("-").source == "-"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n0,1\n1\n")))
    with pytest.raises(DataError, match="standard input:3: 1 cell"):
        read_csv("-")
