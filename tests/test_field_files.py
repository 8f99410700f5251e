"""The files that people have, each from file to network in two commands; and one table in every form of file.

Small files are made here in the form of the published ones; these themselves are read where they are at hand.
"""

import gzip
import json
import re
import shlex

import numpy as np
import pytest

import cliquewise
from cliquewise.common.data.merging import as_content
from cliquewise.common.files.fingerprint import data_digest

SHORT = "--iterations 200"


@pytest.fixture
def learned(run, here):
    """The network that the command of `mnmodel describe` learns from a file: its names, the commands' log."""

    def learn(path, *options):
        done = run("mnmodel", "describe", path, *options, "--format", "json", "-q")
        assert done.code == 0, done.stderr
        command = json.loads(done.stdout)["command"].replace("-o net.cliques", f"{SHORT} -o net.cliques")
        text, log = b"", ""
        for part in command.split(" | "):
            done = run(*shlex.split(part), input=text)
            assert done.code == 0, done.stderr
            text, log = done.stdout.encode(), log + done.stderr
        network = cliquewise.read_network("net.cliques")
        return network, command, log

    return learn


def random_rows(seed, rows=200):
    """Rows of a, b, c: b is nearly a."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.95, a, 1 - a)
    return a, b, rng.integers(0, 3, rows), rng


def adult(seed, rows=300):
    """As UCI's adult: a blank after each comma, ` ?` is missing, most gains are 0, weights of the survey differ."""
    a, b, c, rng = random_rows(seed, rows)
    lines = []
    for k in range(rows):
        work = ["Private", "State-gov", "?"][c[k] if k % 5 else 2]
        gain = 0 if rng.random() < 0.9 else int(rng.integers(1000, 9999))
        sex, income = ("Male", "Female")[a[k]], ("<=50K", ">50K")[b[k]]
        lines.append(", ".join([str(20 + k % 50), work, str(int(rng.integers(10**4, 10**6))), sex, str(gain), income]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("names", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_adult(learned, here, seed, names):
    header = "age,workclass,fnlwgt,sex,capital-gain,income\n" * names
    (here / "adult.data").write_text(header + adult(seed))
    network, command, _ = learned("adult.data")
    assert len(network.names) == 6 and "--missing em" in command and "mnmodel discretize" in command
    sex, income = ("sex", "income") if names else ("V3", "V5")
    assert (sex, income) in network.edges or (income, sex) in network.edges


@pytest.mark.slow
def test_adult_as_published(learned, run, shared, here):
    done = run("mnmodel", "discretize", shared / "data/tables/adult.data.gz", "-q", "-o", "cut.csv")
    assert done.code == 0, done.stderr
    data = cliquewise.read_csv("cut.csv", missing="em")
    gain = data.states[data.names.index("capital-gain")]
    assert len(gain) > 1 and data.n_rows == 32561
    done = run("lsmarkov", "cut.csv", "--missing", "em", "--iterations", "20", "-q", "-o", "net")
    assert done.code == 0, done.stderr


def horse(seed):
    """As UCI's horse-colic: no names, `?`, numbers and codes, a hospital's number."""
    a, b, c, rng = random_rows(seed, 300)
    lines = []
    for k in range(300):
        cells = [
            str(1 + a[k]),
            str(rng.integers(510000, 540000)),
            f"{rng.normal(38, 0.7):.1f}",
            str(1 + b[k]),
            str(c[k]),
        ]
        lines.append(",".join("?" if rng.random() < 0.2 and v != 1 else cell for v, cell in enumerate(cells)))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(3))
def test_horse_colic(learned, here, seed):
    (here / "horse.data").write_text(horse(seed))
    network, command, _ = learned("horse.data")
    assert "--missing em" in command and "V2" in command.partition("|")[0]
    assert ("V0", "V3") in network.edges or ("V3", "V0") in network.edges


def test_horse_colic_as_published(learned, shared):
    network, command, _ = learned(shared / "data/tables/horse-colic.csv")
    assert len(network.names) == 28 and "--missing em" in command


TITANIC = '"","Class","Sex","Age","Survived","Freq"\n' + "".join(
    f'"{k + 1}","{kind}","{sex}","{age}","{alive}",{7 * k % 40 + (60 if (sex == "Male") == (alive == "No") else 0)}\n'
    for k, (alive, age, sex, kind) in enumerate(
        (alive, age, sex, kind)
        for alive in ("No", "Yes")
        for age in ("Child", "Adult")
        for sex in ("Male", "Female")
        for kind in ("1st", "2nd", "3rd", "Crew")
    )
)


def test_a_table_of_counts_of_r(learned, run, here):
    """write.csv(as.data.frame(Titanic)): row names, and a column Freq."""
    (here / "titanic.csv").write_text(TITANIC)
    network, command, _ = learned("titanic.csv")
    assert command.startswith("lsmarkov titanic.csv --counts=Freq ")
    assert set(network.names) == {"Class", "Sex", "Age", "Survived"}
    assert ("Sex", "Survived") in network.edges or ("Survived", "Sex") in network.edges
    assert run("mntools", "check", "net.cliques", "--data", "titanic.csv", "--counts", "Freq").code == 0
    warned = run("lsmarkov", "titanic.csv", "--iterations", "1").stderr
    assert "Freq" in warned and "--counts" in warned


@pytest.mark.parametrize("mark", ["", "\ufeff", "sep=;\n", "\ufeffsep=;\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_german_excel_export(learned, here, mark, end):
    a, b, _, rng = random_rows(1)
    lines = [f"Größe;{('ja', 'nein')[k]};{('männlich', 'weiblich')[m]}" for k, m in zip(a, b, strict=True)]
    lines = [line.replace("Größe", f"{rng.normal(170, 9):.1f}".replace(".", ",")) for line in lines]
    text = end.join(["Größe;raucht;Geschlecht", *lines]) + end
    (here / "export.csv").write_bytes((mark.replace("\n", end) + text).encode())
    network, command, log = learned("export.csv")
    assert set(network.names) == {"Größe", "raucht", "Geschlecht"}
    assert "mnmodel discretize" in command and "--columns" in command
    assert ("raucht", "Geschlecht") in network.edges or ("Geschlecht", "raucht") in network.edges


def test_gobnilps_asia(run, shared, here):
    """Data to local scores, local scores to a network; `test_published_scores` compares all of them."""
    table = shared / "data/tables/asia_10000.dat"
    assert run("dmscore", table, 1, 4, "--layout", "cussens", "-q", "-o", "asia.jkl").code == 0
    done = run("twlearn", "asia.jkl", "-w", 2, *SHORT.split(), "-q", "-o", "asia.arcs")
    assert done.code == 0, done.stderr


def test_czech_autoworkers(run, shared, here):
    """The optimum over all chordal graphs that Benchpress' authors tell, and its proof checked."""
    table = shared / "data/tables/czech_autoworkers.csv"
    done = run("junctor", table, "--ess", 1, "-q", "-o", "czech.cliques")
    assert done.code == 0, done.stderr
    assert run("mntools", "check", "czech.cliques", "--data", table).code == 0
    assert float(cliquewise.read_network("czech.cliques").header["score"]) == pytest.approx(-6732.459258, abs=1e-6)


def gobnilp(seed):
    """Names, numbers of states, rows, as GOBNILP, BLIP and Benchpress have them; the last state of c has no row."""
    a, b, c, _ = random_rows(seed)
    return "a,b,c\n2,2,4\n" + "".join(f"{x},{y},{z}\n" for x, y, z in zip(a, b, c, strict=True))


@pytest.mark.parametrize("separator", [",", " ", "\t", ";"])
def test_a_line_of_numbers_of_states(run, learned, here, separator):
    from tests.oracles.scores import bdeu

    (here / "g.dat").write_text(gobnilp(3).replace(",", separator))
    network, _, _ = learned("g.dat")
    rows = [tuple(map(int, line.split(separator))) for line in (here / "g.dat").read_text().splitlines()[2:]]
    assert [{*edge} for edge in network.edges] == [{"a", "b"}]
    expected = bdeu(rows, [2, 2, 4], [0, 1], 1.0) + bdeu(rows, [2, 2, 4], [2], 1.0)
    assert float(network.header["score"]) == pytest.approx(expected, abs=1e-6)


# One table in every form of file


def words_table():
    """Words and whole numbers, which every form keeps as they are."""
    a, b, c, rng = random_rows(5)
    day = [f"d {k}" for k in rng.integers(0, 3, len(a))]
    return {"a": ["xy"[k] for k in a], "b": [int(k) for k in b], "c": [("lo, w", "mid", None)[k] for k in c], "d": day}


def as_text(columns, separator=","):
    """As CSV."""

    def cell(value):
        text = "" if value is None else str(value)
        return f'"{text}"' if separator in text else text

    rows = [list(columns), *map(list, zip(*columns.values(), strict=True))]
    return "".join(separator.join(map(cell, row)) + "\n" for row in rows)


def write_form(form, columns, folder):
    """The table in a file of this form; its name."""
    text = as_text(columns)
    path = folder / f"t.{form}"
    if form == "csv.gz":
        path.write_bytes(gzip.compress(text.encode()))
    elif form in ("parquet", "feather"):
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.table(columns)
        if form == "parquet":
            pytest.importorskip("pyarrow.parquet").write_table(table, path)
        else:
            pytest.importorskip("pyarrow.feather").write_feather(table, path)
    elif form == "xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        pytest.importorskip("python_calamine")
        book = openpyxl.Workbook()
        for row in [list(columns), *map(list, zip(*columns.values(), strict=True))]:
            book.active.append(row)
        book.save(path)
    elif form == "arff":
        kinds = {"a": "{x,y}", "b": "numeric", "c": "{'lo, w',mid}", "d": "{'d 0','d 1','d 2'}"}
        rows = zip(*columns.values(), strict=True)
        lines = [",".join("?" if cell is None else f"'{cell}'" for cell in row) for row in rows]
        head = ["@relation t", *(f"@attribute {name} {kind}" for name, kind in kinds.items()), "@data"]
        path.write_text("\n".join([*head, *lines]) + "\n")
    elif form == "tsv":
        path.write_text(as_text(columns, "\t"))
    elif form == "semicolon":
        path.write_text("sep=;\n" + as_text(columns, ";"))
    elif form == "commented":
        path.write_text("# about\n" + text)
    elif form == "index":
        pandas = pytest.importorskip("pandas")
        pandas.DataFrame(columns).to_csv(path)
    elif form == "trailing":
        path.write_text(text.replace("\n", ",\n"))
    else:
        path.write_text(text)
    return path.name


FORMS = (
    *("csv", "csv.gz", "parquet", "feather", "xlsx", "arff", "tsv", "semicolon", "commented", "index", "trailing"),
    "stdin",
)


def result_of(run, *words, **streams):
    """The network as text, without the lines that say how a table was read."""
    done = run("lsmarkov", *words, "--missing", "state", *SHORT.split(), "--provenance", **streams)
    assert done.code == 0, done.stderr
    return re.sub(r"# (command|separator|sheet|header) .*\n", "", done.stdout)


def check_form(run, here, form, columns, *options):
    """The table gives the same bytes in this form as in a plain file."""
    (here / "plain.csv").write_text(as_text(columns))
    expected = result_of(run, "plain.csv", *options)
    assert "# data-sha256 " in expected
    if form == "stdin":
        assert result_of(run, "-", *options, input=(here / "plain.csv").read_bytes()) == expected
    else:
        assert result_of(run, write_form(form, columns, here), *options) == expected


@pytest.mark.parametrize("form", FORMS)
def test_the_same_bytes_from_every_form(run, here, form):
    check_form(run, here, form, words_table())


def weighed_table():
    """The same with weights and with counts, of which some are 0."""
    columns = words_table()
    columns["w"] = [(0.5, 1.25, 0.1, 2)[k % 4] for k in range(len(columns["a"]))]
    columns["n"] = [k % 4 for k in range(len(columns["a"]))]
    return columns


STATES = 'column,state\nc,mid\nc,high\nc,"lo, w"\nd,d 0\nd,d 1\nd,d 2\nd,d 3\n'
READ = {
    "weights": ("--weights", "w", "--drop", "n"),
    "weights as they are": ("--weights", "w", "--weight-scale", "none", "--columns", "a:d"),
    "counts": ("--counts", "n", "--drop", "w"),
    "declared states": ("--states", "states.csv", "--columns", "a:d"),
    "all of it": ("--states", "states.csv", "--weights", "w", "--drop", "n", "--na", "d 1"),
}


@pytest.mark.fast_cases(9)
@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("arff", "index")])
@pytest.mark.parametrize("name", READ)
def test_weights_counts_and_states_from_every_form(run, here, name, form):
    (here / "states.csv").write_text(STATES)
    check_form(run, here, form, weighed_table(), *READ[name])


@pytest.mark.fast_cases(12)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "dict"])
@pytest.mark.parametrize("name", READ)
def test_weights_counts_and_states_from_a_dataframe(run, here, library, name):
    columns = weighed_table()
    (here / "plain.csv").write_text(as_text(columns))
    (here / "states.csv").write_text(STATES)
    words = [word.removeprefix("--").replace("-", "_") for word in READ[name]]
    options = {"missing": "state", **dict(zip(words[::2], READ[name][1::2], strict=True))}
    one, other = (cliquewise.read_csv(given, **options) for given in (in_memory(library, columns), "plain.csv"))
    assert data_digest(as_content(one)) == data_digest(as_content(other))
    networks = [cliquewise.lsmarkov(data, iterations=200) for data in (one, other)]
    assert networks[0].header["score"] == networks[1].header["score"]


def in_memory(library, columns):
    """A table of columns in memory."""
    if library == "dict":
        return columns
    module = pytest.importorskip(library)
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


@pytest.mark.slow
def test_a_stream_of_more_than_32_megabytes(run, here):
    """Read in pieces from standard input, and as gzip, it gives the bytes of the rows with their counts."""
    columns = words_table()
    head, _, body = as_text(columns).partition("\n")
    times = (1 << 25) // len(body) + 2
    content = (head + "\n" + body * times).encode()
    assert len(content) > 1 << 25
    (here / "big.csv.gz").write_bytes(gzip.compress(content, 1))
    piped = result_of(run, "-", input=content)
    assert result_of(run, "big.csv.gz") == piped
    rows = [line + f",{times}" for line in body.splitlines()]
    (here / "counted.csv").write_text("\n".join([head + ",n", *rows]) + "\n")
    assert result_of(run, "counted.csv", "--counts", "n").replace("# counts n\n", "") == piped


@pytest.mark.parametrize("seed", range(20))
def test_what_pandas_reads_is_what_is_read(here, seed):
    """Separators, quotes, line ends, gaps, an index: names and cells as pandas has them."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    words = ["x", "y z", "a,b", 'q"r', "é", "0", "1.5", ""]
    frame = pandas.DataFrame({f"c{v}": [words[k] for k in rng.integers(0, len(words), 30)] for v in range(4)})
    sign = [",", ";", "\t"][seed % 3]
    frame.to_csv(
        "t.csv", sep=sign, index=bool(seed % 2), lineterminator=["\n", "\r\n"][seed // 2 % 2], quoting=seed % 4 // 2
    )
    theirs = pandas.read_csv(
        "t.csv", sep=sign, dtype=str, keep_default_na=False, index_col=0 if seed % 2 else None, encoding="utf-8"
    )
    data = cliquewise.read_csv(
        "t.csv", missing="state", same_states="exact", separator={",": "comma", ";": "semicolon"}.get(sign, "tab")
    )
    assert data.names == tuple(theirs.columns)
    cells = theirs.to_numpy().tolist()
    expected = sorted(["?" if cell in ("", "?", "NA") else cell for cell in row] for row in cells)
    found = []
    for row, times in zip(data.codes.tolist(), data.row_counts.tolist(), strict=True):
        found += [[data.states[v][code] for v, code in enumerate(row)]] * int(times)
    assert sorted(found) == expected
