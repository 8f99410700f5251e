"""Columns chosen, words for missing cells, and spellings, twenty of each; as pandas reads them where it can."""

import ast
import logging
import re
import shlex
import unicodedata

import pytest

from cliquewise.common.errors import DataError, UsageError
from tests.reading import read_csv

NAMES = ("id", "age", "sym_a", "sym_b", "sym_c", "x,y", "a:f", "Größe", "two words", "V1", "z")
ROWS = [[f"{name}{k * (v + 3) % 3}" for v, name in enumerate(NAMES)] for k in range(6)]


def quoted(cells):
    return ",".join('"' + str(cell).replace('"', '""') + '"' for cell in cells)


@pytest.fixture
def table(tmp_path):
    (tmp_path / "t.csv").write_text("\n".join([quoted(NAMES), *map(quoted, ROWS)]) + "\n", encoding="utf-8")
    return tmp_path / "t.csv"


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
def test_columns_and_drop(table, text):
    pandas = pytest.importorskip("pandas")
    theirs = pandas.read_csv(table, usecols=CHOSEN[text])
    data = read_csv(table, columns=text, warn=False, min_columns=1)
    assert list(data.names) == list(theirs.columns)
    for v, name in enumerate(data.names):
        assert [data.states[v][code] for code in data.codes[:, v]] == theirs[name].tolist()
    others = [name for name in NAMES if name not in CHOSEN[text]]
    if others:
        assert list(read_csv(table, drop=text, warn=False, min_columns=1).names) == others


NEAREST = {
    **{"agee": "age", "Age": "age", "AGE": "age", "sym_d": "sym_", "syma": "sym_a", "Grösse": "Größe", "x.y": "x,y"},
    **{"twowords": "two words", "two_words": "two words", "ID": "id", "Z": "z", "v1": "V1", "ago": "age", "af": "a:f"},
    **{"sym-a": "sym_a", "Sym_b": "sym_b", "symm_c": "sym_c", "x;y": "x,y", "Grose": "Größe", "groesse": "Größe"},
    **{"Two Words": "two words", "two word": "two words", "a_f": "a:f", "V11": "V1"},
}


@pytest.mark.parametrize("option", ["columns", "drop"])
@pytest.mark.parametrize("word", NEAREST)
def test_an_unknown_column_is_refused_with_the_nearest_name(table, option, word):
    with pytest.raises(UsageError, match=f"--{option}: no column '{word}'; did you mean '{NEAREST[word]}"):
        read_csv(table, **{option: word}, warn=False)


@pytest.mark.parametrize("option", ["counts", "weights"])
@pytest.mark.parametrize("word", NEAREST)
def test_an_unknown_column_of_counts_or_weights_is_refused_with_the_nearest_name(table, option, word):
    with pytest.raises(DataError, match=f"no column '{word}' of {option}; .*did you mean '{NEAREST[word]}"):
        read_csv(table, **{option: word}, warn=False)


@pytest.mark.parametrize("word", ["nothing", "q*", "no:where", "age:nowhere", '"open', ",", "age,,z"])
@pytest.mark.parametrize("option", ["columns", "drop"])
def test_lists_that_name_nothing(table, option, word):
    with pytest.raises(UsageError, match=f"--{option}"):
        read_csv(table, **{option: word}, warn=False)


LIKE_MISSING = (
    *("#N/A", "NaN", "nan", "None", "none", "null", "NULL", "N/A", "n/a", "<NA>", "nil", "missing", "Missing"),
    *(
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
def test_a_word_that_looks_missing_is_named_and_the_option_reads_it_as_pandas_does(tmp_path, caplog, word, known):
    pandas = pytest.importorskip("pandas")
    cells = [known[k % len(known)] if k % 4 else word for k in range(40)]
    text = "a,b\n" + "".join(f'"{cell}",{"xy"[k % 2]}\n' for k, cell in enumerate(cells))
    (tmp_path / "t.csv").write_text(text)
    with caplog.at_level(logging.WARNING):
        read_csv(tmp_path / "t.csv")
    (message,) = [line for line in caplog.messages if "look like missing cells" in line]
    assert f"a '{word}'" in message
    (option,) = [part for part in shlex.split(message.removesuffix(" if they are")) if part.startswith("--na=")]
    caplog.clear()
    data = read_csv(tmp_path / "t.csv", na=option.removeprefix("--na="), missing="state")
    assert not [line for line in caplog.messages if "look like missing cells" in line]
    theirs = pandas.read_csv(tmp_path / "t.csv", na_values=[word], keep_default_na=False, dtype=str).a
    assert [data.states[0][code] for code in data.codes[:, 0]] == theirs.fillna("?").tolist()
    assert data.states[0][-1] == "?" and len(data.states[0]) == len(known) + 1
    alone = read_csv(tmp_path / "t.csv", na=f'"a={word}"', missing="state", warn=False)
    assert alone.states == data.states and (alone.codes == data.codes).all()
    other = read_csv(tmp_path / "t.csv", na=f'"b={word}"', missing="state", warn=False)
    assert [other.states[0][code] for code in other.codes[:, 0]] == cells


def test_the_refusal_of_missing_cells_names_the_three_ways(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\nx,\ny,1\nx,1\n")
    with pytest.raises(DataError, match="--missing em .*--missing state .*--missing drop"):
        read_csv(tmp_path / "t.csv")


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
def test_spellings_of_one_state(tmp_path, caplog, one, other, by_itself, by_fold):
    rows = [f'"{(one, other, "z9")[k % 3]}",{k % 2}' for k in range(30)]
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "\n".join(rows) + "\n", encoding="utf-8")
    with caplog.at_level(logging.INFO):
        data = read_csv(path)
    assert len(data.states[0]) == (2 if by_itself else 3)
    assert len(read_csv(path, same_states="fold", warn=False).states[0]) == (2 if by_fold else 3)
    assert len(read_csv(path, same_states="exact", warn=False).states[0]) == 3
    named = [line for line in caplog.messages if "--same-states fold" in line]
    assert len(named) == (by_fold and not by_itself), caplog.text
    for line in named:
        assert line.isprintable() and "\u0301" not in line and "\u00a0" not in line
        shown = [ast.literal_eval(word) for word in re.findall("'[^']*'", line)]
        assert {*shown} == {one, other}
    if by_itself:
        assert one in caplog.text and other in caplog.text
