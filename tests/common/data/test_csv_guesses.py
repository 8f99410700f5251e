"""Guesses about a CSV file: its separator, whether its first row is a header, empty last rows."""

import pytest

from cliquewise.common.errors import DataError

pytestmark = [pytest.mark.nojit, pytest.mark.usefixtures("all_messages")]


@pytest.mark.parametrize("first", ["1,2", "2001,1999", "0.5,-3"])
def test_numbers_above_letters_are_names(read, caplog, first):
    dataset = read(f"{first}\na,x\nb,y\nb,?\n", missing="state")
    assert dataset.names == tuple(first.split(",")) and dataset.n_rows == 3
    assert "first row taken as a header: numbers, above columns without any (--header no if not)" in caplog.text
    assert read(f"{first}\na,x\nb,y\n", header="no").n_rows == 3


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
@pytest.mark.parametrize("end", ["", "\n", "\n  \n\n"])
def test_empty_rows_at_the_end_are_rows(read, separator, end):
    text = "a\tb\n0\t1\n1\t0\n\t\n \t".replace("\t", separator) + end
    dataset = read(text, missing="state")
    assert dataset.n_rows == 4 and dataset.states == (("0", "1", "?"), ("0", "1", "?"))
    with pytest.raises(DataError, match=r":4, column 'a': empty cell \(4 missing in all\)"):
        read(text)
    assert read(text, missing="drop").n_rows == 2


def test_lines_of_tabs_are_rows_only_between_tabs(read):
    assert read("a,b\nx,1\ny,0\n\t\n\t\t\n").n_rows == 2
    assert read("a b\nx 1\ny 0\n\t\n \t \n").n_rows == 2
    with pytest.raises(DataError, match=":4: 3 cells; the first row has 2 cells"):
        read("a\tb\nx\t1\ny\t0\n\t\t\n")


def test_the_separator_that_gives_the_most_columns_in_every_row_is_taken(read, caplog):
    data = read("A,B&amp;C,D\nx,p;q,u\nx,p;r,v\ny,p;q,u\n")
    assert data.names == ("A", "B&amp;C", "D") and data.states[1] == ("p;q", "p;r")
    assert "cells are separated by commas; semicolon would give 2 (--separator)" in caplog.text
    late = "a;b,c\n" + "0;1,0\n1;0,1\n" * 40 + "0;1;1,0\n"  # semicolons fail in the last row, after the sample
    assert read(late).names == ("a;b", "c")
    with pytest.raises(DataError, match=r"semicolon and comma as separator both give 2 cells in every row; choose"):
        read("a;b,c\n0;1,0\n1;0,1\n")
    assert read("a;b,c\n0;1,0\n1;0,1\n", separator="semicolon").names == ("a", "b,c")
    assert read("a b,c\n0 1,0\n1 0,1\n", separator="blank").names == ("a", "b,c")
