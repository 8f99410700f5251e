"""What stands above a table: comments, names after a #, Excel's sep=, rows without cells."""

import logging

import pytest

from cliquewise.common.data import csvfile, csvstream
from cliquewise.common.errors import DataError
from tests.reading import read_csv

ROWS = ["x,p,u", "y,q,v", "x,q,u", "y,p,v"] * 3
BODY = "".join(row + "\n" for row in ROWS)
PLAIN = "a,b,c\n" + BODY


def same(one, other):
    return (one.names, one.states, one.codes.tolist()) == (other.names, other.states, other.codes.tolist())


ABOVE = [
    "# made by hand\n",
    "# one\n# two, with a comma\n# three\n",
    "#\n",
    "\n",
    "  \n \t\n",
    "#one\n\n",
    "  # one\n",
    '"# quoted, as Excel writes it",,\n',
    "# my,title\n",
    "# three,cells,here\n",  # the row below holds the names
    "sep=,\n",
    "SEP=,\n",
    '"sep=,"\n',
    "sep=,\n# one\n",
    ",,\n",
    ",,\n , ,\n",
    "# one\n,,\n",
]


@pytest.mark.parametrize("above", ABOVE)
def test_lines_above_a_table_are_left_out(read, above):
    expected = read(PLAIN)
    assert same(read(above + PLAIN), expected)
    assert same(read(above + PLAIN, header="yes"), expected)
    assert same(read((above + PLAIN).replace("\n", "\r\n")), expected)
    assert same(read("\ufeff" + above + PLAIN), expected)


@pytest.mark.parametrize("above", ABOVE)
def test_messages_name_the_lines_of_the_file(read, monkeypatch, above):
    line = above.count("\n") + 2 + len(ROWS)
    for bad, found in (("x,y\n", ": 2 cells; the first row has 3 cells"), ("x,,u\n", ", column 'b': empty cell")):
        with pytest.raises(DataError, match=f"t.csv:{line}{found}"):
            read(above + PLAIN + bad)
        with monkeypatch.context() as patch, pytest.raises(DataError, match=f"t.csv:{line}{found}"):
            patch.setattr(csvfile, "STREAM_FROM", 80)
            patch.setattr(csvstream, "PIECE", 16)
            read(above + PLAIN + bad, merge=True)


@pytest.mark.parametrize("above", ABOVE)
def test_a_stream_reads_the_same(read, monkeypatch, above):
    expected = read(PLAIN)
    monkeypatch.setattr(csvfile, "STREAM_FROM", 80)
    monkeypatch.setattr(csvstream, "PIECE", 16)
    found = read(above + PLAIN, merge=True)
    assert (found.names, found.states, found.n_rows) == (expected.names, expected.states, expected.n_rows)


@pytest.mark.parametrize("first", ["#a,b,c", "# a,b,c", "## a , b,c", '"#a","b","c"', "# made by me\n#a,b,c"])
def test_names_may_stand_after_a_number_sign(read, caplog, first):
    caplog.set_level(logging.INFO, "cliquewise")
    assert same(read(f"{first}\n{BODY}"), read(PLAIN))
    assert f"line {first.count(chr(10)) + 1} holds the names, after its #" in caplog.text


def test_a_name_may_be_a_number_sign(read):
    numbered = "".join(f"{k},{row}\n" for k, row in enumerate(ROWS))
    assert same(read("#,a,b,c\n" + numbered), read(PLAIN))  # it numbers the rows
    assert read("#,a\n0,x\n0,y\n1,x\n1,y\n").names == ("#", "a")


def test_numpy_writes_names_after_a_number_sign(tmp_path):
    import numpy as np

    table = np.array([[0, 1, 2], [1, 0, 2], [1, 1, 0], [0, 0, 1]] * 4)
    for sign, name in ((",", "t"), (" ", "u"), ("\t", "v")):
        np.savetxt(tmp_path / name, table, "%d", sign, header=sign.join(["one", "two", "three"]))
        data = read_csv(tmp_path / name)
        assert data.names == ("one", "two", "three") and np.array_equal(data.codes, table)


@pytest.mark.parametrize("sign", [";", ",", "\t", " ", "|"])
def test_excels_line_says_what_separates(read, sign):
    text = "a.b,c.d\n" + "1.2,3.4\n1.3,3.5\n" * 6 if sign != "," else PLAIN
    text = text.replace(",", sign).replace(".", ";" if sign == "\t" else ",") if sign != "," else text
    data = read(f"sep={sign}\n{text}")
    assert data.n == (3 if sign == "," else 2)


def test_a_separator_that_is_not_read_is_named(read):
    with pytest.raises(DataError, match=r"t.csv:1: sep=\^: cells can be separated by tab, semicolon"):
        read("sep=^\na^b\n0^1\n1^0\n")
    assert read("sep=^\na;b\n0;1\n1;0\n", separator="semicolon").names == ("a", "b")


@pytest.mark.parametrize("text", ["# one\n# two\n", "sep=;\n"])
def test_a_preamble_alone_is_no_table(read, text):
    with pytest.raises(DataError, match="no row below the lines at the top"):
        read(text)
