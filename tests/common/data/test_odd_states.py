"""What is said of odd columns and states when a table is read, and that its advice can be followed."""

import re
import shlex

import pytest

from tests.reading import read_csv


def warnings(caplog, tmp_path, text, **options):
    path = tmp_path / "t.csv"
    path.write_text(text)
    caplog.clear()
    read_csv(path, **{"missing": "state", **options})
    messages = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    return [line.removeprefix(f"{path}: ") for line in messages]


def column(cells, name="a", separator=","):
    return f"{name}{separator}b\n" + "".join(f"{cell}{separator}{k % 2}\n" for k, cell in enumerate(cells))


DATES = [
    [f"2024-{k % 12 + 1:02d}-{k % 28 + 1:02d}" for k in range(99)],
    [f"{k % 28 + 1}.{k % 12 + 1}.2024" for k in range(99)],
    [f"{k % 12 + 1}/{k % 28 + 1}/24" for k in range(99)],
    [f"2024-01-{k % 28 + 1:02d}T{k % 24:02d}:{k % 60:02d}:00Z" for k in range(99)],
    [f"2024/01/{k % 28 + 1:02d} {k % 24}:{k % 60:02d}" for k in range(99)],
    [f"{k % 24}:{k % 60:02d}" for k in range(99)],
    [f"{k % 24:02d}:{k % 60:02d}:{k % 59:02d}.5" for k in range(99)],
    [*(f"2024-03-{k % 28 + 1:02d}" for k in range(98)), ""],
]
TEXTS = [
    [f"was seen {k} times in the ward" for k in range(99)],
    [f"patient {k % 40} was well" for k in range(99)],
    [f"Mr. Smith no. {k}" for k in range(99)],
]
IDENTIFIERS = [
    [f"P{k * 97}" for k in range(99)],
    [f"{k * 7919:08d}" for k in range(99)],
    range(1, 100),
    range(7000, 7099),
    [f"user{k}@example.org" for k in range(99)],
    [f"{k:04x}-{k * 31:04x}" for k in range(1, 100)],
]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        *((cells, "columns of dates or times: 1 (a)") for cells in DATES),
        *((cells, "columns of free text: 1 (a)") for cells in TEXTS),
        *((cells, "columns that name or number the rows: 1 (a)") for cells in IDENTIFIERS),
    ],
)
def test_dates_text_and_identifiers_have_a_warning_each(caplog, tmp_path, cells, message):
    (line,) = warnings(caplog, tmp_path, column(cells))
    assert line.startswith(message + "; ")
    assert line.endswith(": --drop=a")
    text = "c,a,b\n" + "".join(f"{k // 2 % 2},{row}\n" for k, row in enumerate(column(cells).splitlines()[1:]))
    assert warnings(caplog, tmp_path, text, drop=line.rpartition("=")[2]) == []


@pytest.mark.parametrize(
    "cells", [["1:00", "2:00"] * 40, ["2024-01-01", "2024-02-01"] * 40, ["has not been asked"] * 9 + ["no"] * 9]
)
def test_a_few_of_them_are_states(caplog, tmp_path, cells):
    assert warnings(caplog, tmp_path, column(cells)) == []


MEASURED = [
    ([f"{k * 1.37:.2f}" for k in range(99)], ",", []),
    ([*(f"{k * 1.37:.2f}" for k in range(99)), "90+"], ",", ["90+"]),
    ([*(f"{k * 1.37:.2f}" for k in range(99)), ">100"], ",", [">100"]),
    ([*(f"{k * 1.37:.2f}" for k in range(99)), "NA"], ",", []),
    ([*(f"{k * 1.37:.2f}" for k in range(99)), "low", "high"], ",", ["high", "low"]),
    ([*(f"{k * 1.37:.2f}" for k in range(99)), "n/a"], ",", ["n/a"]),
    ([f"{k * 1.37:.2f}".replace(".", ",") for k in range(99)], ";", []),
    ([f"{k * 1.37:.2f}".replace(".", ",") for k in range(99)], "\t", []),
    ([f'"{k * 1.37:.2f}"'.replace(".", ",") for k in range(99)], ",", []),
    ([f'"{k * 1234.5:,.2f}"' for k in range(99)], ",", []),
    ([f"{k * 1.37:.1f} %" for k in range(99)], ",", []),
    ([f"{k * 1.37:.1f}%" for k in range(99)], ",", []),
    ([f"{k * 1.37:.1f} mg" for k in range(99)], ",", []),
    ([f"${k * 1.37:.2f}" for k in range(99)], ",", []),
    ([f"{k * 1.37:.2f} €".replace(".", ",") for k in range(99)], ";", []),
    ([*(f"{k * 1.37:.1f} mg" for k in range(99)), "trace"], ",", ["trace"]),
    ([f"{k * 1.37e-5:.3e}" for k in range(99)], ",", []),
]


@pytest.mark.parametrize(("cells", "separator", "words"), MEASURED)
def test_measurements_are_named_and_the_command_cuts_them(caplog, here, run, cells, separator, words):
    found = warnings(caplog, here, column(cells, separator=separator))
    line = next(line for line in found if line.startswith("columns of numbers with fewer than 20 rows"))
    command = shlex.split(line.partition("cut them: ")[2])
    na = [word.removeprefix("--na=") for word in command if word.startswith("--na=")]
    assert na == ([",".join(words)] if words else [])
    done = run(*command)
    assert done.code == 0, done.stderr
    (here / "t.csv").write_text((here / "cut.csv").read_text())
    assert len(read_csv(here / "cut.csv", missing="state", warn=False).states[0]) <= 5


SPELLINGS = [
    ("Yes", "yes"),
    ("TRUE", "True"),
    ("a b", "a  b"),
    ("a b", "a\u00a0b"),
    ("\u00e9t\u00e9", "e\u0301te\u0301"),
    ("Stra\u00dfe", "STRASSE"),
    ('" yes"', "yes"),
    ('"yes "', "Yes"),
]


@pytest.mark.parametrize(("one", "other"), SPELLINGS)
def test_both_spellings_are_named_and_fold_makes_them_one(caplog, tmp_path, one, other):
    text = column([one, other, "no"] * 9)
    (line,) = warnings(caplog, tmp_path, text)
    assert line.startswith("states that differ in case, blanks or accents: a '")
    shown = {found.replace(r"\xa0", "\u00a0").replace(r"\u0301", "\u0301") for found in re.findall("'([^']*)'", line)}
    assert line.isprintable() and "\u0301" not in line and "\u00a0" not in line
    assert shown == {one.strip('"'), other.strip('"')}
    assert warnings(caplog, tmp_path, text, same_states="fold") == []
    assert len(read_csv(tmp_path / "t.csv", same_states="fold").states[0]) == 2


@pytest.mark.parametrize(
    ("word", "others"),
    [
        *(
            (word, ["x", "y"])
            for word in ("#N/A", "NaN", "None", "null", ".", "-", "*", r"\N", "unknown", "n/a", "missing")
        ),
        ('" "', ["x", "y"]),
        ('"  "', ["x", "y"]),
        *((word, ["0", "1", "2"]) for word in ("-99", "999", "-1", "-9.0", "9999")),
        *((word, ["0", "1", "2"]) for word in ("#N/A", ".", '" "')),
        *((word, ["low", "mid"]) for word in ("-99", "999", "-9.0")),
    ],
)
def test_words_that_look_like_missing_cells_and_the_option_that_makes_them(caplog, tmp_path, word, others):
    text = column([word, *others] * 9)
    (line,) = warnings(caplog, tmp_path, text)
    plain = word.strip('"')
    assert f"a '{plain}'" in line
    (option,) = [part for part in shlex.split(line.removesuffix(" if they are")) if part.startswith("--na=")]
    assert warnings(caplog, tmp_path, text, na=option.removeprefix("--na=")) == []
    assert read_csv(tmp_path / "t.csv", na=option[5:], missing="state").states[0][-1] == "?"
    alone = read_csv(tmp_path / "t.csv", na=f'"a={plain}"', missing="state")  # in this column only
    assert alone.states[0][-1] == "?"
    assert len(read_csv(tmp_path / "t.csv", na=f'"b={plain}"', missing="state").states[0]) == len(others) + 1


def test_the_refusal_of_missing_cells_names_the_three_ways(tmp_path):
    from cliquewise.common.errors import DataError

    (tmp_path / "t.csv").write_text("a,b\nx,\ny,1\nx,1\n")
    with pytest.raises(DataError, match="--missing em .*--missing state .*--missing drop"):
        read_csv(tmp_path / "t.csv")


def test_advice_keeps_what_was_said(caplog, tmp_path):
    rows = "".join(f"p{k},q{k},{k % 3},{k % 2},{k % 5}\n" for k in range(40))
    found = warnings(caplog, tmp_path, "id,other,c,d,e\n" + rows, drop="id")
    assert found == [
        "columns that name or number the rows: 1 (other); not informative; leave them out: --drop=id,other"
    ]
