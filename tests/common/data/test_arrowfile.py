"""Tables in Parquet and Arrow files are read as the CSV of the same cells: the same data, bytes and messages."""

import datetime
import io
import sys

import numpy as np
import pytest

import cliquewise
from cliquewise.common.data import csvfile
from cliquewise.common.data.arrowfile import kind_of_table
from cliquewise.common.errors import DataError, UsageError
from cliquewise.common.files.fingerprint import data_digest
from tests.commands import ROOT
from tests.reading import read_csv

WORDS = ["a", " a", 'quo"te', "two words", "x,y", "é", "NA", "?", "", "line\nbreak", "-1"]


@pytest.fixture(scope="module")
def pyarrow():
    pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("pyarrow.feather")
    return pytest.importorskip("pyarrow")


def write(pyarrow, table, path, kind):
    """The table in a file of this kind."""
    if kind == "parquet":
        pyarrow.parquet.write_table(table, path)
    elif kind == "feather":
        pyarrow.feather.write_feather(table, path)
    else:
        with pyarrow.ipc.new_stream(path, table.schema) as stream:
            stream.write_table(table, max_chunksize=7)


def random_cells(seed):
    """Columns of words, numbers, truth values and missing cells."""
    rng, rows = np.random.default_rng(seed), 25
    return {
        "word": [None if k == len(WORDS) else WORDS[k] for k in rng.integers(0, len(WORDS) + 1, rows)],
        "count": [None if k == 4 else int(k) for k in rng.integers(0, 5, rows)],
        "size": [None if k == 3 else k / 2 for k in rng.integers(0, 4, rows)],
        "flag": [None if k == 2 else bool(k) for k in rng.integers(0, 3, rows)],
    }


def text_of(cells):
    """The same cells as CSV, one by one."""

    def cell(value):
        return "" if value is None else str(value)

    def quoted(text):
        return '"' + text.replace('"', '""') + '"'

    lines = [",".join(map(quoted, cells))]
    for row in zip(*cells.values(), strict=True):
        lines.append(",".join(quoted(value if isinstance(value, str) else cell(value)) for value in row))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("kind", ["parquet", "feather", "stream"])
def test_the_same_data_as_the_csv(pyarrow, tmp_path, kind):
    for seed in range(20):
        cells = random_cells(seed)
        table = pyarrow.table(cells)
        if seed % 2:
            place = table.schema.get_field_index("word")
            table = table.set_column(place, "word", table.column("word").dictionary_encode())
        write(pyarrow, table, tmp_path / "t", kind)
        (tmp_path / "t.csv").write_text(text_of(cells))
        for missing in ("state", "drop"):
            read, expected = (
                read_csv(tmp_path / name, "auto" if name == "t" else "yes", missing, warn=False)
                for name in ("t", "t.csv")
            )
            assert (read.names, read.states) == (expected.names, expected.states)
            assert np.array_equal(read.codes, expected.codes) and data_digest(read) == data_digest(expected)


def test_large_tables_are_merged_as_the_csv(pyarrow, tmp_path, monkeypatch):
    monkeypatch.setattr(csvfile, "STREAM_FROM", 1000)
    rng = np.random.default_rng(1)
    table = pyarrow.table({f"x{v}": rng.integers(0, 3, 3000) for v in range(4)})
    lines = [
        ",".join(table.column_names),
        *(",".join(map(str, row)) for row in zip(*table.to_pydict().values(), strict=True)),
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    write(pyarrow, table, tmp_path / "t", "parquet")
    read, expected = (read_csv(tmp_path / name, merge=True) for name in ("t", "t.csv"))
    assert read.n_rows == 3000 and read.n_stored <= 81
    assert data_digest(read) == data_digest(expected)


def test_a_name_like_a_comment_in_a_large_table(pyarrow, tmp_path, monkeypatch):
    """Nothing is above the names of a Parquet file, of whatever size."""
    write(pyarrow, pyarrow.table({"#a": ["x", "y"] * 30, "b": ["0", "1", "1"] * 20}), tmp_path / "t", "parquet")
    monkeypatch.setattr(csvfile, "STREAM_FROM", 50)
    assert read_csv(tmp_path / "t").names == ("#a", "b")


@pytest.mark.parametrize("command", ["lsmarkov {} --iterations 200", "mnmodel fit {} net", "mntools score {} net"])
def test_commands_give_the_same_bytes(pyarrow, run, workplace, command):
    rows = (ROOT / "data/zoo.csv").read_text().splitlines()
    names, cells = rows[0].split(","), list(zip(*(row.split(",") for row in rows[1:]), strict=True))
    folder = workplace({"zoo.csv": "\n".join(rows) + "\n", "net": "hair,eggs\nmilk,type\n"})
    write(pyarrow, pyarrow.table([list(column) for column in cells], names), folder / "zoo.parquet", "parquet")
    provenance = " --provenance" * command.startswith("lsmarkov")
    by_csv, by_parquet = (run(*(command.format(name) + provenance).split()) for name in ("zoo.csv", "zoo.parquet"))
    assert by_csv.code == by_parquet.code == 0, by_parquet.stderr
    assert by_parquet.stdout == by_csv.stdout.replace("zoo.csv", "zoo.parquet") != ""


def test_a_check_takes_either(pyarrow, run, workplace):
    folder = workplace({"t.csv": "a\tb\n" + "0\t1\n1\t0\n" * 9})
    write(pyarrow, pyarrow.table({"a": [0, 1] * 9, "b": [1, 0] * 9}), folder / "t.parquet", "parquet")
    learned = run(*"lsmarkov t.csv --separator tab --iterations 9 --provenance -o net".split())
    assert learned.code == 0
    checked = run("mntools", "check", "net", "--data", "t.parquet")
    assert checked.code == 0 and checked.stdout.startswith("ok: "), checked.stdout + checked.stderr


def test_the_index_of_pandas_is_no_column(pyarrow, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["x", "y", "x"], "b": [1, 2, 2]}, index=[7, 9, 3])
    pyarrow.parquet.write_table(pyarrow.Table.from_pandas(frame), tmp_path / "t")
    assert read_csv(tmp_path / "t").names == ("a", "b")


def test_refusals(pyarrow, refuse, workplace):
    folder = workplace({})
    good = pyarrow.table({"a": [0, 1] * 9, "b": [1, 0] * 9})
    write(pyarrow, good, folder / "good", "parquet")
    write(pyarrow, good.append_column("c", [[[1]] * 18]), folder / "nested", "parquet")
    write(pyarrow, pyarrow.table({"a": [0, None], "b": [1, 0]}), folder / "gaps", "feather")
    write(pyarrow, pyarrow.table({"a": ["x\0", "y"], "b": [1, 0]}), folder / "zero", "feather")
    (folder / "damaged").write_bytes((folder / "good").read_bytes()[:-20])
    refuse("lsmarkov -q nested", 1, "nested, column 'c': cells of type list<")
    refuse("lsmarkov -q zero", 1, "zero, column 'a': a cell with a zero byte")
    refuse("lsmarkov -q gaps", 1, "gaps:3, column 'a': empty cell (1 missing in all)")
    refuse("lsmarkov -q damaged", 1, "damaged: a damaged Parquet file (")
    refuse("lsmarkov -q good --header no", 2, "--header no: the columns of good have names")
    refuse("lsmarkov -q good --separator tab", 2, "--separator tab: good is not text with separators")


def test_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for content, kind in ((b"PAR1....", "Parquet"), (b"ARROW1\0\0", "Arrow"), (b"\xff\xff\xff\xff..", "Arrow")):
        assert kind_of_table(content) == kind
        (tmp_path / "t").write_bytes(content)
        with pytest.raises(UsageError, match=f"{kind} files need pyarrow: pip install"):
            read_csv(tmp_path / "t")
    assert kind_of_table(b"a,b\n0,1\n") is None


def test_text_can_be_read_in_any_pieces(pyarrow, tmp_path):
    from cliquewise.common.data.arrowfile import TableText

    write(pyarrow, pyarrow.table({"a": list(range(50)), "b": ["x"] * 50}), tmp_path / "t", "stream")
    content = (tmp_path / "t").read_bytes()
    whole = TableText(content, "t").read()
    assert whole == b"a,b\n" + b"".join(b"%d,x\n" % k for k in range(50))
    for size in (1, 3, 64):
        stream, found = TableText(content, "t"), io.BytesIO()
        while piece := stream.read(size):
            found.write(piece)
        assert found.getvalue() == whole
    with pytest.raises(DataError, match="a damaged Arrow file"):
        TableText(content[:40], "t").read()


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_dates(pyarrow, tmp_path, unit, kind):
    pandas = pytest.importorskip("pandas")
    days = ["2024-02-29", "2024-03-01", None, "2024-02-29"] * 3
    frame = pandas.DataFrame({"day": pandas.to_datetime(days).as_unit(unit), "ill": [0, 1, 1, 0] * 3})
    frame["time"] = frame["day"] + pandas.Timedelta("01:30:00")
    frame["clock"] = [datetime.time(1, 2, 3), datetime.time(4, 5, 6, 500000)] * 6
    getattr(frame, f"to_{kind}")(tmp_path / kind)
    frame.to_csv(tmp_path / "csv", index=False)
    tables = (tmp_path / kind, tmp_path / "csv", frame)
    found, expected, in_memory = (cliquewise.read_csv(table, missing="state") for table in tables)
    assert found.states == expected.states == in_memory.states
    assert found.states[0] == ("2024-02-29", "2024-03-01", "?")
    assert found.states[2] == ("2024-02-29 01:30:00", "2024-03-01 01:30:00", "?")
    assert (found.codes == expected.codes).all()


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_times_that_differ_by_nanoseconds_are_different_states(pyarrow, tmp_path, kind):
    pandas = pytest.importorskip("pandas")
    numbers = [0, 1, 2, 3000, None]
    types = {"time": pyarrow.timestamp("ns"), "clock": pyarrow.time64("ns")}
    table = pyarrow.table({name: pyarrow.array(numbers, type) for name, type in types.items()})
    write = {"parquet": pyarrow.parquet.write_table, "feather": pyarrow.feather.write_feather}[kind]
    write(table, tmp_path / kind)
    found = cliquewise.read_csv(tmp_path / kind, missing="state")
    of_day = ("00:00:00.000000001", "00:00:00.000000002", "00:00:00.000003")
    assert found.states == (("1970-01-01", *(f"1970-01-01 {one}" for one in of_day), "?"), ("00:00:00", *of_day, "?"))
    frame = pandas.DataFrame({"time": table["time"].to_pandas(), "b": [0, 1, 0, 1, 0]})
    assert cliquewise.read_csv(frame, missing="state").states[0] == found.states[0]
