"""Columns that are used, words for missing cells, and states that are written in several ways; as pandas reads them."""

import ast
import io
import random
import re
import shlex
import unicodedata

import pytest

from cliquewise.common.data import csvfile, csvstream
from cliquewise.common.data.columns import chosen_columns, name_list
from cliquewise.common.errors import DataError, UsageError
from tests.reading import labels_of, read_csv

pytestmark = [pytest.mark.nojit, pytest.mark.usefixtures("all_messages")]
TEXT = "age,sex,sym_a,sym_b,ill\n" + "".join(f"{k % 4},{'mf'[k % 2]},{k % 3},{k % 2},{k % 5}\n" for k in range(30))


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Reads text as a CSV file, whole and in pieces with equal rows merged."""

    def read_text(text, **options):
        path = tmp_path / "t.csv"
        path.write_text(text, encoding="utf-8")
        whole = read_csv(path, **options)
        monkeypatch.setattr(csvfile, "STREAM_FROM", len(text) // 2)
        monkeypatch.setattr(csvstream, "PIECE", 16)
        merged = read_csv(path, merge=True, **{**options, "warn": False})
        assert (merged.names, merged.states, merged.n_rows) == (whole.names, whole.states, whole.n_rows)
        assert len({tuple(row) for row in merged.codes.tolist()}) == merged.n_stored
        return whole

    return read_text


NAMES = ("id", "age", "sym_a", "sym_b", "sym_c", "x,y", "a:f", "Größe", "two words", "V1", "z")
ROWS = [[f"{name}{k * (v + 3) % 3}" for v, name in enumerate(NAMES)] for k in range(6)]


def quoted(cells):
    return ",".join('"' + str(cell).replace('"', '""') + '"' for cell in cells)


TABLE = "\n".join([quoted(NAMES), *map(quoted, ROWS)]) + "\n"
CHOSEN = {
    "age": ["age"],
    "age,z": ["age", "z"],
    "z,age": ["age", "z"],
    " age , z ": ["age", "z"],
    "age,age": ["age"],
    "id:sym_a": ["id", "age", "sym_a"],
    "sym_a:id": ["id", "age", "sym_a"],
    "sym_*": ["sym_a", "sym_b", "sym_c"],
    "sym_[ab]": ["sym_a", "sym_b"],
    "sym_?": ["sym_a", "sym_b", "sym_c"],
    "*": list(NAMES),
    '"x,y"': ["x,y"],
    '"x,y",age': ["age", "x,y"],
    "a:f": ["a:f"],
    "Größe": ["Größe"],
    "two words": ["two words"],
    "two*": ["two words"],
    "id:age,V1:z": ["id", "age", "V1", "z"],
    "sym_*,z": ["sym_a", "sym_b", "sym_c", "z"],
    "*_a,*_b": ["sym_a", "sym_b"],
    "z:V1": ["V1", "z"],
}


@pytest.mark.parametrize("text", CHOSEN)
def test_columns_and_drop(read, text):
    pandas = pytest.importorskip("pandas")
    data = read(TABLE, columns=text, warn=False, min_columns=1)
    theirs = pandas.read_csv(io.StringIO(TABLE), usecols=CHOSEN[text])
    assert list(data.names) == list(theirs.columns) and labels_of(data) == theirs.to_numpy().tolist()
    others = [name for name in NAMES if name not in CHOSEN[text]]
    if others:
        assert list(read(TABLE, drop=text, warn=False, min_columns=1).names) == others


def test_columns_without_those_dropped(read):
    assert read(TABLE, columns="age:sym_c", drop="sym_a", warn=False).names == ("age", "sym_b", "sym_c")


NEAREST = {
    **{"agee": "age", "Age": "age", "AGE": "age", "sym_d": "sym_", "syma": "sym_a", "Grösse": "Größe", "x.y": "x,y"},
    **{"twowords": "two words", "two_words": "two words", "ID": "id", "Z": "z", "v1": "V1", "ago": "age", "af": "a:f"},
    **{"sym-a": "sym_a", "Sym_b": "sym_b", "symm_c": "sym_c", "x;y": "x,y", "Grose": "Größe", "groesse": "Größe"},
    **{"Two Words": "two words", "two word": "two words", "a_f": "a:f", "V11": "V1"},
}


@pytest.mark.parametrize("option", ["columns", "drop", "counts", "weights"])
@pytest.mark.parametrize("word", NEAREST)
def test_an_unknown_column_is_refused_with_the_nearest_name(read, option, word):
    kind, text = (UsageError, "--{}: {}; ") if option in ("columns", "drop") else (DataError, "{1} of {0}; .*")
    with pytest.raises(kind, match=text.format(option, f"no column '{word}'") + f"did you mean '{NEAREST[word]}"):
        read(TABLE, **{option: word}, warn=False)


@pytest.mark.parametrize("word", ["nothing", "q*", "no:where", "age:nowhere", '"open', ",", "age,,z"])
@pytest.mark.parametrize("option", ["columns", "drop"])
def test_lists_that_name_nothing(read, option, word):
    with pytest.raises(UsageError, match=f"--{option}"):
        read(TABLE, **{option: word}, warn=False)


def test_an_unknown_column_is_refused_with_all_names(read):
    with pytest.raises(UsageError, match=r"--drop: no column 'zzz'; the columns are age, sex, sym_a, sym_b, ill"):
        read(TEXT, drop="zzz")


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
    text = text.replace("a,b", "a,a=b", 1)  # names that contain the sign
    assert read(text, na="a=b=unknown,a=-99", missing="state").states == (
        ("1", "2", "?"),
        ("x", "y", "?"),
        ("-99", "3", "4"),
    )
    with pytest.raises(DataError, match=r":2, column 'c': missing value '-99' \(10 missing in all\)"):
        read(text, na="-99")
    caplog.clear()
    read(text, na="zero,-99", missing="state")
    assert "--na: no cell is 'zero'" in caplog.text


@pytest.mark.parametrize(
    "cells",
    [
        "-2 -1 0 1 2",
        "-2 -1 1 2",
        "-3 -2 0 1",
        "-9 -5 -2 -1 0 1 -0.5",
        "0 1 5 9",
        "1 2 7 8",
        "98 99 97 50",
        "-1 0 1 -2",
        "10 99 60 70",
        "x y z w",
        "x -99 x",
    ],
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
        ("1 2 -9 -8 -1", "-9,-8,-1"),
        ("1 2 3 4 -2 -1", "-2,-1"),
        ("0 1 -8", "-8"),
        ("0 1 -9 -7 -2", "-9,-7,-2"),
        ("1.0 2.0 -8.0 -1.0", "-8.0,-1.0"),
        ("30 40 50 -99 -88", "-99,-88"),
        ("yes no -9 -8", "-8,-9"),
        ("yes no -2 -1", "-1,-2"),
    ],
)
def test_codes_of_surveys_look_missing(read, caplog, cells, codes):
    read("a,b\n" + "".join(f"{cell},{'xyz'[k % 3]}\n" for k, cell in enumerate(cells.split() * 5)))
    assert f"--na={codes} if they are" in caplog.text


def test_missing_code_that_is_a_state_elsewhere_is_named_with_its_column(read, caplog):
    read("ill,rooms\n" + "".join(f"{(1, 2, 9)[k % 3]},{k % 11}\n" for k in range(66)))
    assert "ill '9'; --na=ill=9 if they are" in caplog.text


LIKE_MISSING = (
    *("#N/A", "NaN", "nan", "None", "none", "null", "NULL", "N/A", "n/a", "<NA>", "nil", "missing", "Missing"),
    *(
        "./.",
        ".|.",
        "unknown",
        "Unknown",
        "UNKNOWN",
        "unk",
        ".",
        "-",
        "--",
        "*",
        "\\N",
        " ",
        "  ",
        "n.a.",
        "na",
        "#NULL!",
        "#DIV/0!",
        "#NV",
        "#REF!",
        "#WERT!",
        "Refused",
        "prefer not to say",
    ),
)
CODES = ("-1", "-9", "-99", "-999", "-9999", "999", "9999", "99999", "-99.0", "999.0")


WORDS, NUMBERS = ("low", "mid", "high"), ("0", "1", "2")


@pytest.mark.parametrize(
    ("word", "known"),
    [
        *((word, WORDS) for word in LIKE_MISSING),
        *((word, NUMBERS) for word in (*CODES, "#N/A", ".", " ")),
        *((word, WORDS[:2]) for word in ("-99", "999", "-9.0")),
    ],
)
def test_a_word_that_looks_missing_is_named_and_the_option_reads_it_as_pandas_does(read, caplog, word, known):
    pandas = pytest.importorskip("pandas")
    cells = [known[k % len(known)] if k % 4 else word for k in range(40)]
    text = "a,b\n" + "".join(f'"{cell}",{"xy"[k % 2]}\n' for k, cell in enumerate(cells))
    read(text)
    (message,) = [line for line in caplog.messages if "look like missing cells" in line]
    assert f"a '{word}'" in message
    (option,) = [part for part in shlex.split(message.removesuffix(" if they are")) if part.startswith("--na=")]
    caplog.clear()
    data = read(text, na=option.removeprefix("--na="), missing="state")
    assert not [line for line in caplog.messages if "look like missing cells" in line]
    theirs = pandas.read_csv(io.StringIO(text), na_values=[word], keep_default_na=False, dtype=str).a
    assert [row[0] for row in labels_of(data)] == theirs.fillna("?").tolist()
    assert data.states[0][-1] == "?" and len(data.states[0]) == len(known) + 1
    alone = read(text, na=f'"a={word}"', missing="state", warn=False)
    assert alone.states == data.states and (alone.codes == data.codes).all()
    assert [row[0] for row in labels_of(read(text, na=f'"b={word}"', missing="state", warn=False))] == cells


ONE_STATE = [  # two spellings; whether they are one by themselves, and by fold
    *(("1", "1.0", True, True), ("1", "01", True, True), ("1", "+1", True, True), ("0.5", ".5", True, True)),
    *(("1e3", "1000", True, True), ("0", "-0", True, True), ("2.50", "2.5", True, True), ("1.", "1", True, True)),
    *(("Yes", "yes", False, True), ("TRUE", "True", False, True), ("true", "True", False, True)),
    *(("low ", "low", False, True), (" low", "low", False, True), ("very  low", "very low", False, True)),
    *(("low\u00a0x", "low x", False, True), ("STRASSE", "straße", False, True), ("É", "é", False, True)),
    *((unicodedata.normalize("NFD", "é"), "é", False, True), ("A b", "a B", False, True), ("M", "m", False, True)),
    *(("yes ", "Yes", False, True), ("e\u0301te\u0301", "été", False, True)),
    *(("low\u200b", "low", False, True), ("lo\ufeffw", "low", False, True), ("a\u200cb", "ab", False, False)),
    *(
        ("yes", "y", False, False),
        ("low", "lower", False, False),
        ("1", "2", False, False),
        ("a-b", "ab", False, False),
    ),
]


@pytest.mark.parametrize(("one", "other", "by_itself", "by_fold"), ONE_STATE)
def test_spellings_of_one_state(read, caplog, one, other, by_itself, by_fold):
    text = "a,b\n" + "".join(f'"{(one, other, "z9")[k % 3]}",{k % 2}\n' for k in range(30))
    assert len(read(text).states[0]) == (2 if by_itself else 3)
    assert len(read(text, same_states="fold", warn=False).states[0]) == (2 if by_fold else 3)
    assert len(read(text, same_states="exact", warn=False).states[0]) == 3
    named = [line for line in caplog.messages if "--same-states fold" in line]
    assert len(named) == (by_fold and not by_itself), caplog.text
    for line in named:
        assert line.isprintable() and "\u0301" not in line and "\u00a0" not in line
        shown = [ast.literal_eval(word) for word in re.findall("'[^']*'", line)]
        assert {*shown} == {one, other}
    if by_itself:
        assert one in caplog.text and other in caplog.text


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
    assert chosen_columns(text, names, "--columns") == [names.index(name) for name in chosen]


def test_neighbours_are_a_range():
    names = [f"v{k}" for k in range(10)]
    assert name_list(names[1:8], names) == "v1:v7"
    assert name_list(["v0", "v1", "v2", "v4", "v5", "v6", "v7"], names) == "v0,v1,v2,v4:v7"
    assert name_list(names[:4], [*names, "v0:v3"]) == "v0,v1,v2,v3"
