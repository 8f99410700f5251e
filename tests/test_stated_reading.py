"""A result says how its table was read, and is read with the same data in any format without a word about options."""

import gzip

import pytest

import cliquewise

ROWS = [f"{'rgb'[k % 3]},{'xy'[k % 7 % 2]},{k % 5 % 2},{k}" for k in range(60)]
CSV = "colour,sign,bit,id\n" + "".join(f"{row}\n" for row in ROWS)
LEARN = ("--iterations", 300, "--threads", 1, "--provenance", "-q", "-o", "net")


@pytest.fixture(autouse=True)
def folder(workplace, tmp_path):
    workplace({"plain.csv": CSV, "semicolons": CSV.replace(",", ";")})
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    return tmp_path


def in_other_formats(folder):
    """The same table as Parquet, Arrow, two sheets of a workbook, and DataFrames."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    frame = pandas.read_csv(folder / "plain.csv")
    frame.to_parquet(folder / "t.parquet")
    frame.to_feather(folder / "t.arrow")
    with pandas.ExcelWriter(folder / "t.xlsx") as book:
        pandas.DataFrame({"no": [1]}).to_excel(book, sheet_name="notes", index=False)
        frame.to_excel(book, sheet_name="rows", index=False)
    return {"pandas": frame, "polars": polars.read_csv(folder / "plain.csv")}


LEARNED = {
    "comma": "plain.csv",
    "semicolon": "semicolons --separator semicolon",
    "zipped": "t.csv.gz --header yes",
    "parquet": "t.parquet",
    "sheet": "t.xlsx --sheet rows",
    "sheet by number": "t.xlsx --sheet 2",
}


@pytest.mark.parametrize("name", LEARNED)
def test_one_table_in_every_format(run, folder, name):
    frames = in_other_formats(folder)
    data, *words = LEARNED[name].split()
    assert run("lsmarkov", data, *words, "--drop", "id", *LEARN).code == 0
    for other in ("plain.csv", "semicolons", "t.csv.gz", "t.parquet", "t.arrow", "t.xlsx"):
        sheet = ("--sheet", "rows") if other == "t.xlsx" else ()
        done = run("mntools", "check", "net", "--data", other, *sheet)
        assert done.code == 0 and ", from these data, score " in done.stdout, (other, done.stderr)
    done = run("mntools", "check", "net", "--data", "-", input=CSV.encode())
    assert done.code == 0 and ", from these data" in done.stdout
    network = cliquewise.read_network("net")
    for frame in frames.values():
        assert network.score(frame) == pytest.approx(float(network.header["score"]), abs=1e-6)


def test_a_column_that_is_dropped_need_not_be_there(run, folder):
    assert run("lsmarkov", "plain.csv", "--drop", "id", *LEARN).code == 0
    (folder / "cut.csv").write_text("".join(line.rpartition(",")[0] + "\n" for line in CSV.splitlines()))
    assert run("mntools", "check", "net", "--data", "cut.csv").code == 0
    done = run("mntools", "check", "net", "--data", "cut.csv", "--drop", "id")
    assert done.code == 2 and "--drop: no column 'id'" in done.stderr


COMMANDS = (
    "mntools check net --data DATA",
    "mntools score DATA net",
    "mntools strength net DATA",
    "mntools draw net --data DATA -o net.svg",
    "mnmodel fit DATA net",
)


@pytest.mark.parametrize("tally", ["counts", "weights"])
@pytest.mark.parametrize("line", COMMANDS)
def test_the_column_of_counts_or_weights_is_stated(run, folder, tally, line):
    words = line.split()
    head, *rows = [row.rpartition(",")[0] for row in CSV.splitlines()]
    (folder / "tally.csv").write_text(f"{head},n\n" + "".join(f"{row},{k % 4}\n" for k, row in enumerate(rows)))
    assert run("lsmarkov", "tally.csv", f"--{tally}", "n", *LEARN).code == 0
    files = ["tally.csv" if word == "DATA" else word for word in words]
    done = run(*files)
    assert done.code == 0, done.stderr
    assert "column n " in done.stderr and "as in the graph's header" in done.stderr
    given = run(*files, f"--{tally}", "n")
    assert (given.code, given.stdout) == (0, done.stdout)


def test_rows_one_by_one_are_the_table_of_counts(run, folder):
    (folder / "table").write_text("a,b,n\nx,0,3\ny,0,1\ny,1,4\n")
    (folder / "rows").write_text("a,b\n" + 3 * "x,0\n" + "y,0\n" + 4 * "y,1\n")
    assert run("lsmarkov", "table", "--counts", "n", *LEARN).code == 0
    done = run("mntools", "check", "net", "--data", "rows")
    assert done.code == 0 and "from these data" in done.stdout, done.stderr
    assert "no column 'n' of counts; each row is read as one" in done.stderr
    done = run("mntools", "check", "net", "--data", "rows", "--counts", "n")
    assert done.code == 1 and "no column 'n' of counts" in done.stderr


def test_a_model_and_a_table_of_counts_without_the_option(run, folder):
    (folder / "table").write_text("a,b,n\nx,0,3\ny,0,1\ny,1,4\nx,1,9\n")
    assert run("lsmarkov", "table", "--counts", "n", *LEARN).code == 0
    assert run("mnmodel", "fit", "table", "net", "-q", "-o", "model.bif").code == 0
    found = "column 'n' seems to give the number of rows that each row stands for"
    message = f"{found}, but is not used; --counts=n if it does"
    assert message in run("mnmodel", "loglik", "model.bif", "table").stderr
    assert message not in run("mnmodel", "loglik", "model.bif", "table", "--counts", "n").stderr
    (folder / "weighted").write_text("pweight,a,b\n0.5,x,0\n1.25,y,1\n2,x,1\n")
    message = "column 'pweight' seems to give the weight of each row, but is not used; --weights=pweight if it does"
    assert message in run("mnmodel", "loglik", "model.bif", "weighted").stderr
    assert message not in run("mnmodel", "loglik", "model.bif", "weighted", "--weights", "pweight").stderr
