"""What columns mean: numbers, dates, text, identifiers, counts, weights, classes, declared states; twenty of each."""

import json
import logging
import shlex

import numpy as np
import pytest

from cliquewise.common.errors import DataError
from cliquewise.mnmodel.cut_points import METHODS
from tests.reading import read_csv

N = 120  # rows


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
    "one word": column(lambda k: "90+" if k == 7 else f"{k / 7:.2f}"),
    "words for missing": column(lambda k: "n/a" if k % 40 == 7 else f"{k / 7:.2f}"),
    "two words": column(lambda k: {7: ">100", 9: "low"}.get(k, f"{k / 7:.2f}")),
    "a word for missing, of pandas": column(lambda k: "NA" if k % 40 == 7 else f"{k / 7:.2f}"),
    "mg and a word": column(lambda k: "trace" if k == 7 else f"{k / 3:.1f} mg"),
    "signs": column(lambda k: f"{k - 60:+.1f}"),
    "exponents": column(lambda k: f"{k + 1}.5e-{k % 7}"),
    "measured in three digits": column(lambda k: f"{k}.{37 * k % 1000:03d}"),
}
WORDS = {"one word": "90+", "two words": ">100,low", "words for missing": "n/a", "mg and a word": "trace"}  # in order
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
    "two dates": ("states", column(lambda k: f"2024-0{k % 2 + 1}-01")),
    "two times": ("states", column(lambda k: f"{k % 2 + 1}:00")),
    "two notes": ("states", column(lambda k: ("has not been asked", "no")[k % 2])),
}
MESSAGES = {
    "number": "columns of numbers with fewer than 200 rows for each number: 1; cut them: mnmodel discretize ",
    "date": "columns of dates or times: 1 (m); leave them out",
    "identifier": "columns that name or number the rows: 1 (m); not informative; leave them out: --drop",
    "text": "columns of free text: 1 (m); leave them out",
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
    if kind in ("date", "identifier", "text"):
        (line,) = caplog.messages
        assert line.endswith(": --drop=m")
        caplog.clear()
        read_csv(path, drop="m")
        assert caplog.messages == []
    described = json.loads(run("mnmodel", "describe", path, "--format", "json").stdout)
    assert described["columns"][1]["kind"] == kind


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


WEIGHTS = (
    *("0.5", "1", "2.25", "1e-3", "0", "3,5", "1e2", ".5", "+2", "0.333333333333333", "7.0", "12.50"),
    *("1E2", "00.5", "4.", "-0", "0,125", "1e-10", "123456789.25", "2.50e+01", "0.30000000000000004", "1e12"),
)
WRONG = (
    "-1",
    "-0.5",
    "x",
    "",
    "?",
    "NA",
    "nan",
    "inf",
    "-inf",
    "1.2.3",
    "1/2",
    "--",
    "0x10",
    "1e999",
    "true",
    "(2)",
    "1_0",
)


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("scale", ["rows", "none"])
def test_weights_are_those_of_numpy(tmp_path, weight, scale):
    sign = "," in weight
    rows = [f"{'xy'[k % 2]};{'01'[k // 2 % 2]};{weight if k % 3 else '1,0' if sign else '1.0'}" for k in range(24)]
    (tmp_path / "t.csv").write_text("a;b;w\n" + "\n".join(rows) + "\n")
    data = read_csv(tmp_path / "t.csv", weights="w", weight_scale=scale, warn=False)
    numbers = np.array([float(weight.replace(",", ".")) if k % 3 else 1.0 for k in range(24)])
    used = numbers > 0
    factor = used.sum() / numbers.sum() if scale == "rows" else 1.0
    assert data.total == pytest.approx(numbers.sum() * factor, rel=1e-12)
    for row, share in zip(data.codes, data.weights, strict=True):
        cells = [data.states[v][code] for v, code in enumerate(row)]
        alike = [cells == ["xy"[k % 2], "01"[k // 2 % 2]] for k in range(24)]
        assert share == pytest.approx(numbers[alike].sum() * factor, rel=1e-12)


@pytest.mark.parametrize("option", ["counts", "weights"])
@pytest.mark.parametrize("cell", WRONG)
def test_bad_counts_and_weights_are_refused_with_their_line(tmp_path, option, cell):
    (tmp_path / "t.csv").write_text(f"a,b,w\nx,0,2\ny,1,{cell}\nx,1,3\n")
    with pytest.raises(DataError, match=r"t\.csv:3, column 'w'"):
        read_csv(tmp_path / "t.csv", **{option: "w"})


DECLARED = {  # cells, states, the states read; None: refused
    "as written": ("low mid high", ["low", "mid", "high"], True),
    "another order": ("low mid high", ["high", "mid", "low"], True),
    "one more": ("low mid high", ["none", "low", "mid", "high"], True),
    "many more": ("low mid", ["a", "b", "low", "c", "mid", "d"], True),
    "one less": ("low mid high", ["low", "mid"], False),
    "another case": ("low mid high", ["Low", "mid", "high"], False),
    "pandas' numbers": ("0.0 1.0 2.0", ["0", "1", "2"], True),
    "whole numbers": ("0 1", ["0.0", "1.0"], True),
    "zeros first": ("01 02", ["1", "2", "3"], True),
    "True and TRUE": ("True False", ["FALSE", "TRUE"], True),
    "true and True": ("true false", ["False", "True"], True),
    "a word that is missing": ("unknown low", ["low", "unknown"], True),
    "NA is declared": ("NA low", ["low", "NA"], True),
    "? is declared": ("? low", ["low", "?"], True),
    "numbers as text": ("10 9 100", ["9", "10", "100"], True),
    "numbers backwards": ("10 9 100", ["100", "10", "9"], True),
    "another number": ("10 9 11", ["9", "10"], False),
    "a comma in it": ("low a,b", ["a,b", "low"], True),
    "a quote in it": ('low 5"', ['5"', "low"], True),
    "accents": ("größer kleiner", ["kleiner", "gleich", "größer"], True),
    "a missing word not declared": ("NA low mid", ["low", "mid"], False),
    "intervals": ("(0,5] (5,10]", ["(0,5]", "(5,10]", "(10,20]"], True),
}


@pytest.mark.parametrize("fmt", ["csv", "json"])
@pytest.mark.parametrize("name", DECLARED)
def test_declared_states(tmp_path, name, fmt):
    cells, states, is_read = DECLARED[name]
    quoted = ['"' + cell.replace('"', '""') + '"' for cell in cells.split()]
    rows = [f"{cell},{k % 2}" for k, cell in enumerate(quoted * 3)]
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(rows) + "\n")
    path = tmp_path / f"states.{fmt}"
    lines = (f'a,"{state.replace(chr(34), 2 * chr(34))}"\n' for state in states)
    path.write_text(json.dumps({"a": states}) if fmt == "json" else "column,state\n" + "".join(lines))
    if not is_read:
        with pytest.raises(DataError, match=r"t\.csv:\d+"):
            read_csv(tmp_path / "t.csv", states=str(path), warn=False)
        return
    data = read_csv(tmp_path / "t.csv", states=str(path), warn=False)
    assert data.states[0] == tuple(states) and data.arity[0] == len(states)
    seen = [data.states[0][code] for code in data.codes[:, 0]]
    assert len(set(seen)) == len(set(cells.split()))
