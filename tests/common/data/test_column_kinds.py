"""The kind of a column, by its labels and how often each occurs; the warning about it, and its advice."""

import json
import logging
import shlex

import pytest

from cliquewise.common.data.column_kinds import column_kinds, kinds_of_columns
from cliquewise.common.data.incomplete import without_missing_state
from cliquewise.mnmodel.cut_points import METHODS
from tests.reading import read_csv

N = 120  # rows


MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def column(form, numbers=range(N)):
    return [form(k) for k in numbers]


NUMBERS = {
    "plain": column(lambda k: f"{k / 7:.2f}"),
    "decimal commas": column(lambda k: f"{k / 7:.2f}".replace(".", ",")),
    "one comma of three digits": column(lambda k: f"{k / 7:.{1 + k % 3}f}".replace(".", ",")),
    "thousands": column(lambda k: f"{1234 * k + 100:,}"),
    "thousands and decimals": column(lambda k: f"{1234 * k + 0.5:,.2f}"),
    "German": column(lambda k: f"{1234 * k + 0.5:,.2f}".translate(str.maketrans(",.", ".,"))),
    "blanks": column(lambda k: f"{1234 * k + 100:,}".replace(",", " ")),
    "narrow blanks": column(lambda k: f"{1234 * k + 100:,}".replace(",", "\u202f")),
    "Swiss": column(lambda k: f"{1234 * k + 100:,}".replace(",", "'")),
    "per cent": column(lambda k: f"{k / 3:.1f} %"),
    "per cent, close": column(lambda k: f"{k / 3:.1f}%"),
    "commas and per cent": column(lambda k: f"{k / 3:.1f}%".replace(".", ",")),
    "mg": column(lambda k: f"{k / 3:.1f} mg"),
    "kg, some without": column(lambda k: f"{k / 3:.1f}" + " kg" * (k % 9 > 0)),
    "euro": column(lambda k: f"{k}.50 €"),
    "dollars": column(lambda k: f"${1000 * k + 7:,}"),
    "pounds": column(lambda k: f"£ {k + 0.5}"),
    "one word": column(lambda k: "old" if k == 7 else f"{k / 7:.2f}"),
    "words for missing": column(lambda k: "n/a" if k % 40 == 7 else f"{k / 7:.2f}"),
    "limits": column(lambda k: {7: "<0.1", 9: "90+"}.get(k, f"{(k + 1) / 7:.2f}")),
    "Swiss francs": column(lambda k: f"CHF {k / 7:.2f}"),
    "accounts": column(lambda k: f"({k},500.25)" if k % 2 else f"{k}.25"),
    "two words": column(lambda k: {7: "~50", 9: "low"}.get(k, f"{k / 7:.2f}")),
    "a word for missing, of pandas": column(lambda k: "NA" if k % 40 == 7 else f"{k / 7:.2f}"),
    "mg and a word": column(lambda k: "trace" if k == 7 else f"{k / 3:.1f} mg"),
    "signs": column(lambda k: f"{k - 60:+.1f}"),
    "exponents": column(lambda k: f"{k + 1}.5e-{k % 7}"),
    "multiples": column(lambda k: f"{k + 1.25}K" if k % 3 else f"{(k + 7) / 8}M"),
    "full-width digits": column(lambda k: f"{k / 7:.2f}".translate({48 + d: 0xFF10 + d for d in range(10)})),
    "measured in three digits": column(lambda k: f"{k}.{37 * k % 1000:03d}"),
}
WORDS = {"one word": "old", "two words": "low,~50", "words for missing": "n/a", "mg and a word": "trace"}  # in order
OTHERS = {  # kind, cells
    "ISO dates": ("date", column(lambda k: f"2024-{k % 12 + 1:02d}-{k % 28 + 1:02d}")),
    "German dates": ("date", column(lambda k: f"{k % 28 + 1}.{k % 12 + 1}.2024")),
    "American dates": ("date", column(lambda k: f"{k % 12 + 1}/{k % 28 + 1}/24")),
    "stamps": ("date", column(lambda k: f"2024-01-{k % 28 + 1:02d} 10:{k % 60:02d}:00")),
    "stamps with T": ("date", column(lambda k: f"2024-01-{k % 28 + 1:02d}T10:{k % 60:02d}:00Z")),
    "stamps with slashes": ("date", column(lambda k: f"2024/01/{k % 28 + 1:02d} {k % 24}:{k % 60:02d}")),
    "dates, one missing": ("date", column(lambda k: f"2024-03-{k % 28 + 1:02d}" if k else "")),
    "parts of seconds": ("date", column(lambda k: f"{k % 24:02d}:{k % 60:02d}:{k % 59:02d}.5")),
    "times": ("date", column(lambda k: f"{k % 24}:{k % 60:02d}")),
    "seconds": ("date", column(lambda k: f"{k % 24:02d}:{k % 60:02d}:{k % 59:02d}")),
    "dates with dots": ("date", column(lambda k: f"2024.{k % 12 + 1:02d}.{k % 28 + 1:02d}")),
    "row numbers": ("identifier", column(str)),
    "numbers in a row": ("identifier", column(lambda k: str(7000 + k))),
    "hexadecimal": ("identifier", column(lambda k: f"{k:04x}-{31 * k:04x}", range(1, N + 1))),
    "codes": ("identifier", column(lambda k: f"P{k:05d}")),
    "hashes": ("identifier", column(lambda k: f"{hash((k, 7)) & 0xFFFFFFFFFFFF:012x}x")),
    "mails": ("identifier", column(lambda k: f"user{k}@example.org")),
    "zeros first": ("identifier", column(lambda k: f"{7919 * k:08d}")),
    "notes": ("text", column(lambda k: f"was seen {k} times by us")),
    "notes with numbers": ("text", column(lambda k: f"patient {k % 40} was well")),
    "names": ("text", column(lambda k: f"Mr. Smith no. {k}")),
    "notes, some twice": ("text", column(lambda k: f"patient with pain in place {k // 2}")),
    "reviews": ("text", column(lambda k: f"It is good, number {k}; I would buy it again!")),
    "one state": ("constant", column(lambda _k: "x")),
    "one number": ("constant", column(lambda _k: "0")),
    "words": ("states", column(lambda k: ("low", "mid", "high")[k % 3])),
    "intervals": ("states", column(lambda k: ("(0, 5]", "(5, 10]", "(10, 20]")[k % 3])),
    "months": ("states", column(lambda k: f"2024-{k % 12 + 1:02d}")),
    "some numbers": ("states", column(lambda k: str(k % 5))),
    "days of named months": ("date", column(lambda k: f"{k % 28 + 1:02d}-{MONTHS[k % 12]}-21")),
    "German months": ("date", column(lambda k: f"{k % 28 + 1}. M\u00e4rz {2000 + k % 20}")),
    "American months": ("date", column(lambda k: f"{MONTHS[k % 12]} {k % 28 + 1}, 2021")),
    "months and years": ("date", column(lambda k: f"{MONTHS[k % 12]} {2000 + k % 5}")),
    "months of years": ("date", column(lambda k: f"{2000 + k % 5}-{k % 12 + 1:02d}")),
    "weeks": ("date", column(lambda k: f"2021-W{k % 52 + 1:02d}")),
    "weekdays": ("date", column(lambda k: f"Mon, {k % 28 + 1}/{k % 12 + 1}/2021")),
    "halves of days": ("date", column(lambda k: f"{k % 12 + 1}/{k % 28 + 1}/2021 {k % 12 + 1}:{k % 60:02d} PM")),
    "rooms": ("states", column(lambda k: f"Room {k % 30 + 1990}")),
    "pressures": ("pair", column(lambda k: f"{100 + k}/{60 + k % 40}")),
    "pressures, some often": ("pair", column(lambda k: f"{100 + k % 50} / {60 + k % 40}")),
    "deviations": ("pair", column(lambda k: f"{k / 7:.1f} \u00b1 {k % 9 / 10:.1f}")),
    "ranges": ("states", column(lambda k: f"{5 * (k % 60)}-{5 * (k % 60) + 4}")),
    "ranges that overlap": ("pair", column(lambda k: f"{5 * (k % 60)}-{5 * (k % 60) + 6}")),
    "numbers of years": ("identifier", column(lambda k: f"{2000 + k % 20}-{k}")),
    "classes of age": ("states", column(lambda k: f"{5 * (k % 18)}-{5 * (k % 18) + 4}")),
    "two dates": ("states", column(lambda k: f"2024-0{k % 2 + 1}-01")),
    "two times": ("states", column(lambda k: f"{k % 2 + 1}:00")),
    "two notes": ("states", column(lambda k: ("has not been asked", "no")[k % 2])),
}
MESSAGES = {
    "number": "columns with too many different numbers to be states: 1; cut them: mnmodel ",
    "date": "columns of dates or times: 1 (m); leave them out",
    "identifier": "columns that name or number the rows: 1 (m); not informative; leave them out: --drop",
    "text": "columns of free text: 1 (m); leave them out",
    "pair": "columns with two numbers in a cell, such as 120/80: 1 (m); write each number in a column of its own",
    "constant": "columns with one state only, kept: 1 (m)",
}


def write(path, cells):
    rows = (f'{"xy"[k % 2]};"{cell}";{k % 3}\n' for k, cell in enumerate(cells))
    path.write_text("a;m;b\n" + "".join(rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", [*NUMBERS, *OTHERS])
def test_each_kind_has_its_warning_and_its_description(tmp_path, caplog, run, name):
    kind, cells = OTHERS.get(name, ("number", NUMBERS.get(name)))
    path = write(tmp_path / "t.csv", cells)
    with caplog.at_level(logging.WARNING):
        read_csv(path, missing="state")
    for other, message in MESSAGES.items():
        assert (message in caplog.text) == (other == kind), caplog.text
    if kind in ("date", "identifier", "text", "pair"):
        (line,) = caplog.messages
        assert line.endswith(": --drop=m")
        caplog.clear()
        read_csv(path, drop="m")
        assert caplog.messages == []
    described = json.loads(run("mnmodel", "describe", path, "--format", "json").stdout)
    assert described["columns"][1]["kind"] == kind


@pytest.mark.parametrize(("rows", "kinds"), [(39_999, "number number states"), (40_000, "states states states")])
def test_two_columns_of_numbers_need_rows_for_each_pair(rows, kinds):
    ages, hours, few = (tuple(f"{k}" for k in range(3, n + 3)) for n in (40, 50, 20))
    columns = [("age", ages, 40, rows), ("hours", hours, 50, rows), ("few", few, 20, rows)]
    assert kinds_of_columns(columns) == kinds.split()
    assert kinds_of_columns(columns[::2]) == ["states", "states"]
    words = ("words", tuple(f"w{k}" for k in range(50)), 50, rows)
    assert kinds_of_columns([columns[0], words]) == ["states", "states"]


@pytest.mark.parametrize(
    "numbers, rows, named", [(8, 159, True), (8, 160, False), (7, 100, False), (20, 399, True), (20, 400, False)]
)
def test_columns_of_some_numbers_with_few_rows_for_each_are_named(tmp_path, caplog, run, numbers, rows, named):
    path = tmp_path / "t.csv"
    path.write_text("score,word\n" + "".join(f"{k % numbers},{'nyw'[k % 3]}\n" for k in range(rows)))
    read_csv(path)
    line = "columns of 8 to 20 numbers with fewer than 20 rows for each: 1; links are easily missed; if they are "
    line += f"measurements, cut them: mnmodel discretize {path} --columns score -o cut.csv"
    assert caplog.messages == ([f"{path}: {line}"] if named else [])
    (column, _) = json.loads(run("mnmodel", "describe", path, "--format", "json").stdout)["columns"]
    note = {
        "note": "few rows for each number, so links are easily missed",
        "option": "mnmodel discretize --columns score",
    }
    assert column["kind"] == "states" and column["odd"] == ([note] if named else [])


def test_advice_keeps_the_options_given(tmp_path, caplog):
    rows = "".join(f"p{k},q{k},{k % 3},{k % 2},{k % 5}\n" for k in range(40))
    (tmp_path / "t.csv").write_text("id,other,c,d,e\n" + rows)
    read_csv(tmp_path / "t.csv", drop="id")
    (line,) = caplog.messages
    assert line.endswith(
        ": columns that name or number the rows: 1 (other); not informative; leave them out: --drop=id,other"
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_every_form_are_cut_by_the_command_that_is_advised(here, caplog, run, name, method):
    write(here / "t.csv", NUMBERS[name])
    read_csv("t.csv", missing="state")
    (advice,) = [line.partition("cut them: ")[2] for line in caplog.messages if "cut them: " in line]
    command = shlex.split(advice)
    words = [f"--na={WORDS[name]}"] if name in WORDS else []
    assert [word for word in command if word.startswith("--na=")] == words
    done = run(*command, "--method", method)
    assert done.code == 0, done.stderr
    rows = [line.partition(",")[2].rpartition(",")[0] for line in (here / "cut.csv").read_text().splitlines()[1:]]
    assert len(rows) == N and 2 <= len(set(rows) - {"?", ""}) <= 4


def kinds_of(path, missing="refuse"):
    data = read_csv(path, "yes", "state" if missing == "em" else missing, warn=False)
    return column_kinds(without_missing_state(data) if missing == "em" else data)


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("a", [k * k * 31 for k in range(60)], "number"),
        ("Avocado", [k * k * 31 for k in range(60)], "number"),
        ("patient_id", [k * k * 31 for k in range(60)], "identifier"),
        ("respid", [k * k * 31 for k in range(60)], "identifier"),
        ("fluid", [k * k * 31 for k in range(60)], "number"),
        ("PatNr", [*(k * k * 31 for k in range(60)), "Summe"], "identifier"),
        ("a", [2000 + k % 15 for k in range(60)], "states"),
    ],
)
def test_a_name_says_whether_numbers_are_identifiers(tmp_path, name, cells, expected):
    path = tmp_path / "t.csv"
    path.write_text(f"{name},other\n" + "".join(f"{cell},{k % 2}\n" for k, cell in enumerate(cells)))
    assert kinds_of(path)[0].kind == expected


def test_shares_of_missing_cells_and_states(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\nx,1\nx,?\ny,1\nx,2\n")
    for missing in ("state", "em"):
        a, b = kinds_of(path, missing)
        assert (a.labels, a.counts.tolist(), a.missing) == (("x", "y"), [3, 1], 0.0)
        assert (b.labels, b.counts.tolist(), b.missing) == (("1", "2"), [2, 1], 0.25)


def test_counts_are_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,n\nx,1,30\nx,2,10\ny,1,10\n")
    data = read_csv(path, "yes", counts="n")
    a, b = column_kinds(data)
    assert a.counts.tolist() == [40, 10] and b.counts.tolist() == [40, 10]


def test_one_state_that_rows_have_is_a_constant():
    import numpy as np

    from cliquewise.common.data.dataset import Dataset

    data = Dataset(("a", "b"), (("x", "y"), ("0", "1")), np.array([[0, 0], [0, 1]], np.int32))
    assert [column.kind for column in column_kinds(data)] == ["constant", "states"]


def test_very_long_words_are_shortened(here, caplog, run):
    """In warnings and notes; the command that is advised has them whole, so that it works."""
    word = "x" * 5000
    cells = [("yes", "no", word, word.upper())[k % 4] for k in range(60)]
    rows = "".join(f"{k % 3},{cell},{word if k == 7 else k * 1.5}\n" for k, cell in enumerate(cells))
    (here / "t.csv").write_text("a,b,c\n" + rows)
    read_csv("t.csv")
    alike, measured = caplog.messages
    assert "states that differ in case" in alike and len(alike) < 600 and " ... " in alike
    assert f"--na={word} --columns c" in measured
    (note,) = [line for line in run("mnmodel", "describe", "t.csv").stdout.splitlines() if " b " in line]
    assert "may be one state" in note and len(note) < 600


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ("ja nein yes no unknown", "'ja' and 'yes'"),
        ("ja nein No", "'nein' and 'No'"),
        ("m w male", "'m' and 'male'"),
        ("yes no Yes", None),  # one word in two spellings
        ("y n no c h he o", None),  # chemical elements
        ("y j a", None),  # no word for no
    ],
)
def test_two_words_for_one_answer_are_named(here, caplog, run, cells, found):
    """In a warning, and by describe; not if the states are declared."""
    cells = cells.split()
    rows = "".join(f"{cells[k % len(cells)]},{k % 3}\n" for k in range(60))
    (here / "t.csv").write_text("a,b\n" + rows)
    (here / "states.csv").write_text("column,state\n" + "".join(f"a,{cell}\n" for cell in cells))
    read_csv("t.csv")
    assert [message for message in caplog.messages if "for one answer" in message] == (
        [f"t.csv: states that are words for one answer: a {found}; write one word for both in the table"]
        if found
        else []
    )
    described = run("mnmodel", "describe", "t.csv").stdout
    assert (f"{found} are words for one answer" in described) == (found is not None)
    assert "one answer" not in run("mnmodel", "describe", "t.csv", "--states", "states.csv").stdout
    caplog.clear()
    read_csv("t.csv", states=here / "states.csv")
    assert "one answer" not in caplog.text
