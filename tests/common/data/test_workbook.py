"""Sheets of workbooks are read as the CSV of the same cells, and as pandas reads them."""

import datetime
import sys
import zipfile

import numpy as np
import pytest

from cliquewise.common.data import csvfile
from cliquewise.common.data.csvfile import read_csv as read
from cliquewise.common.data.reading import IN_ORDER, Reading
from cliquewise.common.data.workbook_warnings import _WITHOUT_VALUE
from cliquewise.common.errors import DataError, UsageError
from tests.reading import read_csv

WORDS = ["a", "two words", "x,y", 'quo"te', "é", "Yes", "NA", "?", None]


@pytest.fixture
def book(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")

    def write(sheets, name="t.xlsx"):
        made = openpyxl.Workbook()
        made.remove(made.active)
        for title, rows in sheets.items():
            sheet = made.create_sheet(title)
            for row in rows:
                sheet.append(row)
        made.save(tmp_path / name)
        return tmp_path / name

    return write


def content(data):
    return data.names, data.states, data.codes.tolist()


def random_rows(seed):
    rng = np.random.default_rng(seed)
    word = [WORDS[k] for k in rng.integers(0, len(WORDS), 25)]
    count = [None if k == 4 else int(k) for k in rng.integers(0, 5, 25)]
    size = [k / 4 + 0.1 for k in rng.integers(0, 4, 25)]
    flag = [bool(k) for k in rng.integers(0, 2, 25)]
    return [["word", "count", "size", "flag"], *map(list, zip(word, count, size, flag, strict=True))]


@pytest.mark.parametrize("seed", range(20))
def test_the_same_data_as_the_csv_and_as_pandas(book, tmp_path, seed):
    pandas = pytest.importorskip("pandas")
    rows = random_rows(seed)
    path = book({"one": rows})
    quoted = [["" if cell is None else '"' + str(cell).replace('"', '""') + '"' for cell in row] for row in rows]
    (tmp_path / "t.csv").write_text("".join(",".join(row) + "\n" for row in quoted))
    found = read_csv(path, missing="state", warn=False)
    assert content(found) == content(read_csv(tmp_path / "t.csv", missing="state", warn=False))
    theirs = pandas.read_excel(path, dtype=object, keep_default_na=False, engine="openpyxl")
    assert content(read_csv(csvfile.Frame(theirs), missing="state", warn=False)) == content(found)


def test_sheets_by_name_and_number(book, caplog):
    caplog.set_level("INFO", "cliquewise")
    path = book({"empty": [], "first": [["a", "b"], [0, 1], [1, 0]], "2nd": [["c", "d"], ["x", "y"], ["y", "x"]]})
    assert read(path, Reading()).names == ("a", "b")
    assert "sheet 'first' read, of 'first', '2nd' (--sheet)" in caplog.text
    assert read(path, Reading(sheet="2nd")).names == read(path, Reading(sheet="3")).names == ("c", "d")
    with pytest.raises(UsageError, match="--sheet frist: .* has no such sheet; .*did you mean 'first'"):
        read(path, Reading(sheet="frist"))
    with pytest.raises(DataError, match="a sheet without cells"):
        read(path, Reading(sheet="empty"))


def test_a_first_sheet_that_is_a_legend_is_told(book, caplog):
    rows = [["a", "b", "c"], *([k % 2, k % 3, "x"] for k in range(30))]
    legend = [["code", "meaning"], ["a", "1 = yes"], ["b", "a kind"]]
    path = book({"read me": legend, "the data": rows})
    assert read(path, Reading()).names == ("code", "meaning")
    (message,) = [
        one.getMessage() for one in caplog.records if one.levelname == "WARNING" and "sheet" in one.getMessage()
    ]
    assert "'read me' read, which is the first, but 'the data' is much larger; --sheet 'the data' reads that" in message
    caplog.clear()
    assert read(path, Reading(sheet="the data"), IN_ORDER).names == ("a", "b", "c")
    read(book({"the data": rows, "read me": legend}), Reading())
    assert "much larger" not in caplog.text


def test_hidden_sheets_are_read_only_if_all_are(book):
    openpyxl = pytest.importorskip("openpyxl")
    path = book({"codes": [["code", "label"], [1, "x"], [2, "y"]], "data": [["a", "b"], [0, 1], [1, 0]]})

    def hide(name, hidden="hidden"):
        made = openpyxl.load_workbook(path)
        made[name].sheet_state = hidden
        made.save(path)

    hide("codes")
    assert read(path, Reading()).names == ("a", "b")
    assert read(path, Reading(sheet="codes")).names == read(path, Reading(sheet="1")).names == ("code", "label")
    hide("codes", "veryHidden")
    assert read(path, Reading()).names == ("a", "b")
    book({"codes": [["code", "label"], [1, "x"], [2, "y"]], "note": []})
    hide("codes")
    assert read(path, Reading()).names == ("code", "label")


def test_merged_cells_and_formulas_without_values_are_told(book, caplog):
    """A formula of another sheet is none of them."""
    openpyxl = pytest.importorskip("openpyxl")
    rows = [["group", "a", "b"], ["x", 0, 1], [None, 1, 0], ["y", 0, 0], ["y", 1, 1]]
    path = book({"the data": rows, "other": [["a", "b"], ["x", 0], ["y", 1]]})
    made = openpyxl.load_workbook(path)
    made["other"]["B3"] = "=1+1"
    made.save(path)
    read(path, Reading(missing="state"))
    assert not [one for one in caplog.records if "merged" in one.getMessage() or "formulas" in one.getMessage()]
    made["the data"].merge_cells("A2:A3")
    made["the data"]["C2"], made["the data"]["C4"] = "=B2+1", "=B4"
    made.save(path)
    read(path, Reading(missing="state", sheet="other"))
    assert "sheet 'other': formulas without a stored value are empty cells (1)" in caplog.text
    read(path, Reading(missing="state"))
    told = [one.getMessage() for one in caplog.records]
    merged = "cells are merged, such as rows 2 to 3 of column 1; only the first has the value; unmerge and fill them"
    without = "formulas without a stored value are empty cells (2); save it in a spreadsheet"
    assert {f"{path}: sheet 'the data': {message}" for message in (merged, without)} <= {*told}


def test_merged_cells_that_hide_nothing(book, caplog):
    """Those of a note below the table, and empty ones beside it."""
    openpyxl = pytest.importorskip("openpyxl")
    path = book({"one": [["a", "b"], ["x", 0], ["y", 1], ["x", None], ["y", 0], ["note", None]]})
    made = openpyxl.load_workbook(path)
    for merged in ("A6:B7", "D2:E6"):
        made["one"].merge_cells(merged)
    made.save(path)
    read(path, Reading(missing="state"))
    assert not [one for one in caplog.records if "merged" in one.getMessage()]


@pytest.mark.parametrize(
    ("part", "before", "after"),
    [
        ("xl/workbook.xml", b"</workbook>", b"</workbook></x>"),  # not well-formed
        ("xl/workbook.xml", b"</workbook>", b'<x:y z="&none;"/></workbook>'),
        ("xl/_rels/workbook.xml.rels", b"<Relationship ", b"<Relationship Other='' "),
        ("xl/_rels/workbook.xml.rels", b"</Relationships>", b"</Relationships><"),
    ],
)
def test_files_that_only_their_reader_takes_have_no_warning_and_no_other_error(book, tmp_path, part, before, after):
    path, other = book({"one": [["a", "b"], ["x", 0], ["y", "=B2"], ["x", 1]]}), tmp_path / "other.xlsx"
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(other, "w") as written:
        for name in archive.namelist():
            text = archive.read(name)
            written.writestr(name, text.replace(before, after) if name == part else text)
    try:
        assert read(other, Reading(missing="state")).n == 2
    except DataError as error:
        assert "damaged workbook" in str(error)


def test_names_of_parts_in_other_case(book, tmp_path, caplog):
    """As some programs write them; python-calamine reads these files."""
    path = book({"one": [["a", "b"], ["x", 0], ["y", "=B2"], ["x", 1]]})
    other = tmp_path / "other.xlsx"
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(other, "w") as written:
        for name in archive.namelist():
            part = name.replace("workbook.xml", "Workbook.xml").replace("sheet1", "Sheet1")
            written.writestr(part, archive.read(name))
    assert read(other, Reading(missing="state")).n == 2
    assert "formulas without a stored value are empty cells (1)" in caplog.text


@pytest.mark.parametrize(
    ("cell", "count"),
    [("<v></v>", 1), ("<v/>", 1), ("<v />", 1), ("", 1), ("<v>2</v>", 0)],
)
def test_formulas_without_values(cell, count):
    for formula in ("<f>A1&amp;B1</f>", '<f t="shared" si="0"/>'):
        assert (
            len(_WITHOUT_VALUE.findall(f'<c r="A1" s="2">{formula}{cell}</c><c r="B1"><v>1</v></c>'.encode())) == count
        )
    assert not _WITHOUT_VALUE.findall(b'<c r="A1" t="str"><f>IF(B1,"","")</f><v></v></c>')


def test_an_empty_row_is_told(book):
    rows = [["a", "b"], *([k % 2, k % 3] for k in range(12)), [], ["Legend"], ["a", None]]
    with pytest.raises(
        DataError,
        match=r"t.xlsx:14, .*: empty cell \(4 missing in all\), as are all of this row; remove it and the text below",
    ):
        read(book({"s": rows}), Reading())


def test_tables_that_begin_below_and_end_above(book):
    rows = [[], [], [None, None, "a", "b"], [None, None, 0, 1], [None, None, 1, 0], [None, None, 1, None], [], []]
    path = book({"s": rows})
    assert read(path, Reading(missing="state")).names == ("a", "b")
    with pytest.raises(DataError, match=r"t.xlsx:6, column 'b': empty cell"):
        read(path, Reading())


def test_dates_times_and_errors(book):
    day = datetime.date(2024, 1, 2)
    rows = [
        ["d", "t", "e", "k"],
        [day, datetime.time(3, 4), "#N/A", 1],
        [datetime.datetime(2024, 1, 2, 3, 4), None, "x", 2.0],
    ]
    data = read(book({"s": rows}), Reading(missing="state"))
    assert data.states == (("2024-01-02", "2024-01-02 03:04:00"), ("03:04:00", "?"), ("x", "?"), ("1", "2"))


def test_a_learner_reads_it_and_the_check_reads_it_again(book, run, here):
    rows = [["a", "b", "c"], *([k % 2, k % 2, k // 2 % 2] for k in range(40))]
    book({"notes": [["read this"], ["first"]], "data": rows})
    csv = "".join(",".join(map(str, row)) + "\n" for row in rows)
    (here / "t.csv").write_text(csv)
    options = ("--iterations", "200", "--names")
    done = run("lsmarkov", "t.xlsx", "--sheet", "data", *options, "-o", "net")
    assert done.code == 0, done.stderr
    assert run("mntools", "check", "net", "--data", "t.xlsx").code == 0
    plain = run("lsmarkov", "t.csv", *options).stdout
    written = (here / "net").read_text()
    assert "# sheet data\n" in written and written.replace("# sheet data\n", "") == plain
    piped = run("lsmarkov", "-", "--sheet", "data", *options, input=(here / "t.xlsx").read_bytes())
    assert piped.stdout == written
    assert run("lsmarkov", "t.csv", "--sheet", "data").stderr.endswith("t.csv is not a workbook; leave it out\n")


def test_missing_sheets_and_libraries_are_named(book, monkeypatch, tmp_path):
    path = book({"s": [["a", "b"], [0, 1], [1, 0]]})
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "python_calamine", None)
        with pytest.raises(UsageError, match=r"need python-calamine: pip install 'cliquewise\[excel\]'"):
            read(path, Reading())
    damaged = tmp_path / "d.xlsx"
    damaged.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError, match="d.xlsx: a damaged workbook"):
        read(damaged, Reading())
    with pytest.raises(UsageError, match="--separator comma: .* is not text with separators"):
        read(path, Reading(separator="comma"))
    with pytest.raises(UsageError, match="a table in memory has no sheets"):
        read(csvfile.Frame({"a": [0, 1], "b": [1, 0]}), Reading(sheet="s"))
