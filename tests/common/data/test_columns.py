"""Columns that are used, words for missing cells, and states that are written in several ways."""

import random

import pytest

from cliquewise.common.data import csvfile, csvstream
from cliquewise.common.data.columns import chosen_columns, name_list
from cliquewise.common.errors import DataError, UsageError
from tests.reading import read_csv

pytestmark = [pytest.mark.nojit, pytest.mark.usefixtures("all_messages")]
TEXT = "age,sex,sym_a,sym_b,ill\n" + "".join(f"{k % 4},{'mf'[k % 2]},{k % 3},{k % 2},{k % 5}\n" for k in range(30))


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Reads text as a CSV file, whole and in pieces with equal rows merged."""

    def read_text(text, **options):
        path = tmp_path / "t.csv"
        path.write_text(text)
        whole = read_csv(path, **options)
        monkeypatch.setattr(csvfile, "STREAM_FROM", len(text) // 2)
        monkeypatch.setattr(csvstream, "PIECE", 16)
        merged = read_csv(path, merge=True, **options)
        assert (merged.names, merged.states, merged.n_rows) == (whole.names, whole.states, whole.n_rows)
        assert len({tuple(row) for row in merged.codes.tolist()}) == merged.n_stored
        return whole

    return read_text


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"columns": "age,ill"}, "age ill"),
        ({"columns": "ill, age"}, "age ill"),  # in the order of the table
        ({"columns": "sex:sym_b"}, "sex sym_a sym_b"),
        ({"columns": "sym_b:sex"}, "sex sym_a sym_b"),
        ({"columns": "sym_*"}, "sym_a sym_b"),
        ({"columns": "sym_?,age"}, "age sym_a sym_b"),
        ({"drop": "sym_*"}, "age sex ill"),
        ({"drop": "age"}, "sex sym_a sym_b ill"),
        ({"columns": "age:sym_b", "drop": "sex"}, "age sym_a sym_b"),
    ],
)
def test_columns_that_are_used(read, options, names):
    assert read(TEXT, **options).names == tuple(names.split())


def test_names_with_signs(read):
    text = '"a,b",c:d,e*\n' + "0,1,0\n1,0,0\n1,1,1\n" * 4
    assert read(text, columns='"a,b",c:d').names == ("a,b", "c:d")
    assert read(text, drop="e*").names == ("a,b", "c:d")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drop": "agee"}, r"--drop: no column 'agee'; did you mean 'age'\?"),
        ({"columns": "AGE,sex"}, r"--columns: no column 'AGE'; did you mean 'age'\?"),
        ({"columns": "sym_c*"}, r"--columns: no column 'sym_c\*'; did you mean 'sym_. ?'|no column 'sym_c\*'"),
        ({"drop": "zzz"}, r"--drop: no column 'zzz'; the columns are age, sex, sym_a, sym_b, ill"),
        ({"drop": "age,,sex"}, r"--drop 'age,,sex': a name is empty"),
    ],
)
def test_unknown_columns_are_refused(read, options, message):
    with pytest.raises(UsageError, match=message):
        read(TEXT, **options)


def test_too_few_columns(read):
    with pytest.raises(DataError, match="columns found: 1, needed: at least 2"):
        read(TEXT, columns="age")


def test_a_column_of_counts_stays(read):
    data = read(TEXT, columns="sex,sym_a", counts="ill")
    assert data.names == ("sex", "sym_a") and data.n_rows == sum(k % 5 for k in range(30))


def test_numbers_of_states_of_the_columns_that_are_used(read):
    text = "A,B,C,D\n2,3,2,4\n" + "0,1,0,0\n1,0,0,1\n1,1,1,2\n" * 8
    assert read(text, drop="A").arity.tolist() == [3, 2, 4]


def test_words_for_missing_cells(read, caplog):
    text = "a,b,c\n" + "1,x,-99\n-99,y,3\n2,unknown,4\n1,x,3\n" * 5
    assert read(text, na="-99,unknown", missing="state").states == (("1", "2", "?"), ("x", "y", "?"), ("3", "4", "?"))
    assert read(text, na="a=-99", missing="state").states[2] == ("-99", "3", "4")
    assert read(text, na="-99,unknown", missing="drop").n_rows == 5
    with pytest.raises(DataError, match=r":2, column 'c': missing value '-99' \(10 missing in all\)"):
        read(text, na="-99")
    caplog.clear()
    read(text, na="zero,-99", missing="state")
    assert "--na: no cell is 'zero'" in caplog.text


@pytest.mark.parametrize(
    "word",
    ["#N/A", "NaN", "None", "null", ".", "-", "*", "\\N", "n/a", "unknown", "<NA>", "' '", "-99", "999", "-1", "9"],
)
def test_cells_that_look_missing_are_named(read, caplog, word):
    word = word.replace("' '", '" "')
    text = "a,b\n" + f"1,0\n2,1\n3,1\n{word},0\n" * 5
    read(text)
    bare = word.strip('"')
    assert f"states that look like missing cells: a '{bare}'; --na=" in caplog.text
    caplog.clear()
    data = read(text, na=f'"{bare}"' if bare != " " else "a= ", missing="state") if bare != " " else None
    assert data is None or (data.states[0] == ("1", "2", "3", "?") and "look like missing" not in caplog.text)


@pytest.mark.parametrize(
    "cells", ["0 1 5 9", "1 2 7 8", "98 99 97 50", "-1 0 1 -2", "10 99 60 70", "x y z w", "x -99 x"]
)
def test_numbers_do_not_look_missing(read, caplog, cells):
    read("a,b\n" + "".join(f"{cell},{k % 2}\n" for k, cell in enumerate(cells.split() * 5)))
    assert "look like missing" not in caplog.text


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        ("1 2 9", "9"),
        ("1 2 8 9", "8,9"),
        ("1 2 7 9", "7,9"),
        ("10 20 97 98 99", "97,98,99"),
        ("0 30 777 999", "777,999"),
        ("yes no 8 9", "8,9"),
    ],
)
def test_codes_of_surveys_look_missing(read, caplog, cells, codes):
    read("a,b\n" + "".join(f"{cell},{'xyz'[k % 3]}\n" for k, cell in enumerate(cells.split() * 5)))
    assert f"--na={codes} if they are" in caplog.text


def test_missing_code_that_is_a_state_elsewhere_is_named_with_its_column(read, caplog):
    read("ill,rooms\n" + "".join(f"{(1, 2, 9)[k % 3]},{k % 11}\n" for k in range(66)))
    assert "ill '9'; --na=ill=9 if they are" in caplog.text


def test_equal_numbers_are_one_state(read, caplog):
    text = "a,b\n" + "1,x\n1.0,y\n01,x\n0,y\n2.50,x\n2.5,y\n" * 3
    assert read(text).states[0] == ("0", "1", "2.5")
    assert "one state written in several ways: a ('1', '1.0') (--same-states exact if not)" in caplog.text
    assert read(text, same_states="exact").states[0] == ("0", "01", "1", "1.0", "2.5", "2.50")


def test_other_spellings_are_named_or_folded(read, caplog):
    text = "a,b\n" + "Yes,x y\nyes,x  y\nno,x\u00a0y\nNO,caf\u00e9\nno,cafe\u0301\n" * 4
    data = read(text)
    assert data.arity.tolist() == [4, 5]
    assert "states that differ in case, blanks or accents: a 'no' and 'NO', b " in caplog.text
    assert "--same-states fold makes them one" in caplog.text
    caplog.clear()
    data = read(text, same_states="fold")
    assert data.states[0] == ("NO", "Yes") and data.arity.tolist() == [2, 2]
    assert "makes them one" not in caplog.text


def test_a_result_says_how_the_table_was_read(workplace, run):
    text = "id,a,b,c\n" + "".join(f"{k},{k % 2},{k % 2 if k % 7 else -9},{k % 3}\n" for k in range(60))
    workplace({"t.csv": text})
    words = ("--drop", "id", "--na=-9", "--missing", "drop", "--same-states", "exact", "--iterations", 500, "-q")
    done = run("lsmarkov", "t.csv", *words, "-o", "net.cliques")
    assert done.code == 0, done.stderr
    header = open("net.cliques").read()
    assert "# dropped-columns id\n" in header and "# na -9\n" in header and "# same-states exact\n" in header
    assert run("mntools", "check", "net.cliques", "--data", "t.csv").code == 0
    assert run("mnmodel", "fit", "t.csv", "net.cliques", "-q").code == 0
    assert run("lsmarkov", "t.csv", *words[2:], "--drop", "idd").code == 2


@pytest.mark.parametrize("seed", range(20))
def test_a_list_of_names_is_read_back(seed):
    rng = random.Random(seed)
    names = rng.sample(["a", "b", "c:d", "e,f", "g*", "h", "0", "1", "2", "a:b", "x y", 'q"', "a:e", "é", "k", "l"], 16)
    chosen = [name for name in names if rng.random() < 0.8]
    text = name_list(chosen, names)
    assert chosen_columns(text, names, "--columns") == {names.index(name) for name in chosen}


def test_neighbours_are_a_range():
    names = [f"v{k}" for k in range(10)]
    assert name_list(names[1:8], names) == "v1:v7"
    assert name_list(["v0", "v1", "v2", "v4", "v5", "v6", "v7"], names) == "v0,v1,v2,v4:v7"
    assert name_list(names[:4], [*names, "v0:v3"]) == "v0,v1,v2,v3"
