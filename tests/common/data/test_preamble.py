"""What stands above a table: comments, names after a #, Excel's sep=, rows without cells."""

import logging

import pytest

from cliquewise.common.data import csvfile, csvstream
from cliquewise.common.errors import DataError
from tests.reading import read_csv

ROWS = ["x,p,u", "y,q,v", "x,q,u", "y,p,v"] * 3
BODY = "".join(row + "\n" for row in ROWS)
PLAIN = "a,b,c\n" + BODY


def read(tmp_path, text, **options):
    path = tmp_path / "t.csv"
    path.write_text(text)
    return read_csv(path, **options)


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
def test_lines_above_a_table_are_left_out(tmp_path, above):
    expected = read(tmp_path, PLAIN)
    assert same(read(tmp_path, above + PLAIN), expected)
    assert same(read(tmp_path, above + PLAIN, header="yes"), expected)
    assert same(read(tmp_path, (above + PLAIN).replace("\n", "\r\n")), expected)
    assert same(read(tmp_path, "\ufeff" + above + PLAIN), expected)


@pytest.mark.parametrize("above", ABOVE)
def test_messages_name_the_lines_of_the_file(tmp_path, monkeypatch, above):
    line = above.count("\n") + 2 + len(ROWS)
    for bad, found in (("x,y\n", ": 2 cells; the first row has 3 cells"), ("x,,u\n", ", column 'b': empty cell")):
        with pytest.raises(DataError, match=f"t.csv:{line}{found}"):
            read(tmp_path, above + PLAIN + bad)
        with monkeypatch.context() as patch, pytest.raises(DataError, match=f"t.csv:{line}{found}"):
            patch.setattr(csvfile, "STREAM_FROM", 80)
            patch.setattr(csvstream, "PIECE", 16)
            read(tmp_path, above + PLAIN + bad, merge=True)


@pytest.mark.parametrize("above", ABOVE)
def test_a_stream_reads_the_same(tmp_path, monkeypatch, above):
    expected = read(tmp_path, PLAIN)
    monkeypatch.setattr(csvfile, "STREAM_FROM", 80)
    monkeypatch.setattr(csvstream, "PIECE", 16)
    found = read(tmp_path, above + PLAIN, merge=True)
    assert (found.names, found.states, found.n_rows) == (expected.names, expected.states, expected.n_rows)


@pytest.mark.parametrize("first", ["#a,b,c", "# a,b,c", "## a , b,c", '"#a","b","c"', "# made by me\n#a,b,c"])
def test_names_may_stand_after_a_number_sign(tmp_path, caplog, first):
    caplog.set_level(logging.INFO, "cliquewise")
    assert same(read(tmp_path, f"{first}\n{BODY}"), read(tmp_path, PLAIN))
    assert f"line {first.count(chr(10)) + 1} holds the names, after its #" in caplog.text


def test_a_name_may_be_a_number_sign(tmp_path):
    numbered = "".join(f"{k},{row}\n" for k, row in enumerate(ROWS))
    assert same(read(tmp_path, "#,a,b,c\n" + numbered), read(tmp_path, PLAIN))  # it numbers the rows
    assert read(tmp_path, "#,a\n0,x\n0,y\n1,x\n1,y\n").names == ("#", "a")


def test_numpy_writes_names_after_a_number_sign(tmp_path):
    import numpy as np

    table = np.array([[0, 1, 2], [1, 0, 2], [1, 1, 0], [0, 0, 1]] * 4)
    for sign, name in ((",", "t"), (" ", "u"), ("\t", "v")):
        np.savetxt(tmp_path / name, table, "%d", sign, header=sign.join(["one", "two", "three"]))
        data = read_csv(tmp_path / name)
        assert data.names == ("one", "two", "three") and np.array_equal(data.codes, table)


@pytest.mark.parametrize("sign", [";", ",", "\t", " ", "|"])
def test_excels_line_says_what_separates(tmp_path, sign):
    text = "a.b,c.d\n" + "1.2,3.4\n1.3,3.5\n" * 6 if sign != "," else PLAIN
    text = text.replace(",", sign).replace(".", ";" if sign == "\t" else ",") if sign != "," else text
    data = read(tmp_path, f"sep={sign}\n{text}")
    assert data.n == (3 if sign == "," else 2)


def test_a_separator_that_is_not_read_is_named(tmp_path):
    with pytest.raises(DataError, match=r"t.csv:1: sep=\^: cells can be separated by tab, semicolon"):
        read(tmp_path, "sep=^\na^b\n0^1\n1^0\n")
    assert read(tmp_path, "sep=^\na;b\n0;1\n1;0\n", separator="semicolon").names == ("a", "b")


@pytest.mark.parametrize("text", ["# one\n# two\n", "sep=;\n"])
def test_a_preamble_alone_is_no_table(tmp_path, text):
    with pytest.raises(DataError, match="no row below the lines at the top"):
        read(tmp_path, text)
