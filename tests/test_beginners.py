"""Beginner's mistakes: each ends with one line on stderr that says where, what was found, and what to do.

Most are refused, with nothing written. Some are only odd: the result is written, and a warning names them.
"""

import re
import shlex
import zipfile

import numpy as np
import pytest

import cliquewise
from cliquewise.common.errors import CliquewiseError

HEAD = "smoker,cough,fever,age"
GRAPHS = ".cliques, .edges, .dot, .graphml or .json"
IMPOSSIBLE = """network n {}
variable a { type discrete [2] { n, y }; }
variable b { type discrete [2] { n, y }; }
probability (a) { table 0.5, 0.5; }
probability (b | a) { (n) 1.0, 0.0; (y) 0.0, 1.0; }
"""

# command line: exit code, and the end of the line on stderr
REFUSED = {
    # files
    "lsmarkov tabel.csv": (1, "tabel.csv: cannot be read: No such file or directory; did you mean 'table.csv'?"),
    "cliquewise learn tabel.csv -o OUT": (1, "did you mean 'table.csv'?"),
    "lsmarkov paper.pdf": (1, "paper.pdf: a PDF, not a CSV; it has no table that could be read; give a CSV"),
    "lsmarkov damaged.xlsx": (1, "damaged.xlsx: a damaged workbook (Cannot detect file format)"),
    # the wrong kind of file, files in the wrong place
    "lsmarkov model.bif": (1, "model.bif: a network (BIF), not data; give the table or the scores to learn from"),
    "lsmarkov net": (1, "net: a network (clique list), not data; give the table or the scores to learn from"),
    "mnmodel query table.csv --of cough": (
        1,
        "a table or a list (CSV), not a model; a model is BIF, XMLBIF, .xdsl, .net, .dne, UAI or JSON of mnmodel fit",
    ),
    "mnmodel query net --of cough": (
        1,
        "a graph (clique list), not a model; a model is BIF, XMLBIF, .xdsl, .net, .dne, UAI or JSON of mnmodel fit",
    ),
    "mnmodel fit table.csv table.csv": (1, "is it a table? a graph lists cliques, edges or arcs"),
    "mntools draw table.csv -o OUT.png": (1, "is it a table? a graph lists cliques, edges or arcs"),
    "lsmarkov table.csv net": (2, "Got unexpected extra argument (net); a value with blanks needs quotes"),
    # the table
    "lsmarkov semicolons.csv --separator comma": (
        1,
        "columns found: 1, needed: at least 2, by --separator comma; without that the separator is found",
    ),
    "lsmarkov bare.csv --header yes": (
        1,
        "columns 1 and 2 have the same name; rename one, or use --header no if the first row is data",
    ),
    "mnmodel discretize table.csv --columns smokr -o OUT.csv": (2, "did you mean 'smoker'?"),
    "lsmarkov unknown.csv": (1, "column 'no one' has no cell that is not missing; leave it out: --drop 'no one'"),
    "lsmarkov unknown.csv --missing em": (1, "leave it out: --drop 'no one'"),
    # where the result goes
    "lsmarkov table.csv -o OUT.docx": (
        2,
        f".docx means a document, not a format of this result; end the name in {GRAPHS}",
    ),
    "mnmodel fit table.csv net -o OUT.png": (
        2,
        ".png means a picture, not a format of this result; end the name in .bif, .xml, .xdsl, .net, .uai or .json",
    ),
    "mntools draw net -o OUT.jpg": (2, "the name must end in .png, .svg, .pdf or .html"),
    "lsmarkov table.csv -o table.csv/OUT": (1, "table.csv/OUT: table.csv is a file; name a folder"),
    "mnmodel fit table.csv net -o net": (2, "--output net: GRAPH is read from that file; name another"),
    "cliquewise learn table.csv -o net": (2, "-o net: a file; name a folder"),
    "lsmarkov table.csv -o ''": (2, "--output: the name is empty; name a file"),
    "mntools score net ''": (2, "DATA: the name is empty"),
    "lsmarkov table.csv --init ''": (2, "--init: the name is empty"),
    "cliquewise learn table.csv -o ''": (2, "--output: the name is empty"),
    # numbers
    "lsmarkov table.csv --time-limit 5min": (2, "Invalid value for '--time-limit': '5min' is not a number of seconds"),
    # names and states
    "mnmodel query model.bif --of kough": (1, "did you mean 'cough'?"),
    "mnmodel query model.bif --of cough --given smokr=y": (1, "did you mean 'smoker'?"),
    "mnmodel query model.bif --of cough --given smoker=yes": (
        1,
        "model.bif: variable 'smoker' has no state 'yes'; its states are n, y",
    ),
    "mnmodel query model.bif --of cough --given smoker": (2, "--given 'smoker': expected NAME=STATE"),
    "mnmodel query model.bif --of cough --given cough=y": (
        1,
        "variable 'cough' is both queried and given; leave one of them out",
    ),
    "mnmodel query model.bif --of cough --given age=middle aged": (
        2,
        "Got unexpected extra argument (aged); a value with blanks needs quotes",
    ),
    "mnmodel predict model.bif table.csv --target caugh": (1, "did you mean 'cough'?"),
    "mnmodel query sure.bif --of a --given a=n,b=y": (1, "variable 'a' is both queried and given"),
    "mnmodel marginals sure.bif --given a=n,b=y": (1, "probability zero"),
    # options and commands
    "lsmarkov table.csv --iteration 50": (2, "No such option '--iteration'. (Did you mean one of: '--iterations'"),
    "lsmarkov -- table.csv --ess 1": (2, "Got unexpected extra arguments (--ess 1); options come before --"),
    "mnmodel query model.bif": (2, "Missing option '--of'"),
    "mnmodel fitt table.csv net": (2, "No such command 'fitt'. Did you mean 'fit'?"),
    "cliquewise table.csv": (2, "No such command 'table.csv': it is a file; a command comes before the files"),
    "cliquewise describe table.csv": (2, "No such command 'describe'; it is mnmodel describe, without cliquewise"),
    "cliquewise lsmarkov table.csv": (2, "No such command 'lsmarkov'; it is lsmarkov, without cliquewise"),
    "cliquewise best table.csv": (2, "No such command 'best'; it is mntools best, without cliquewise"),
    "cliquewise then table.csv": (2, "No such command 'then' (see cliquewise --help)"),
    "cliquewise learn table.csv": (2, "Missing option '-o' / '--output'"),
    "mnmodel cv table.csv -- lsmakov": (
        2,
        "expected a learner after -- (lsmarkov, junctor, coarsen, mplearn, twlearn)",
    ),
}

# the result is written, with this message
WARNED = {
    "lsmarkov numbers.csv -o OUT": "cut them: mnmodel discretize numbers.csv --columns weight -o cut.csv",
    "lsmarkov names.csv -o OUT": "(id); not informative; leave them out: --drop=id",
    "lsmarkov constant.csv -o OUT": "columns with one state only, kept: 1 (site)",
    "lsmarkov semicolons.csv -o OUT": "cells are separated by semicolons",
    "mnmodel fit net table.csv -o OUT": "",  # in the other order
}


@pytest.fixture(scope="module")
def mistakes(tmp_path_factory):
    """A folder with a table of 200 rows, a network and a model of it, and files that are wrong in some way."""
    folder, rng = tmp_path_factory.mktemp("beginner"), np.random.default_rng(1)
    smoker = rng.integers(0, 2, 200)
    cough, fever = (smoker ^ (rng.random(200) < share) for share in (0.2, 0.3))
    ages = ["old", "young", "middle aged"]
    answers = np.array(["n", "y"])[np.column_stack([smoker, cough, fever]).astype(int)].tolist()
    rows = [[*row, ages[rng.integers(3)]] for row in answers]
    weights = [f"{value:.3f}" for value in rng.normal(70, 9, 200)]

    def write(name, head, lines, separator=","):
        (folder / name).write_text("".join(separator.join(line) + "\n" for line in [head, *lines]))

    head = HEAD.split(",")
    write("table.csv", head, rows)
    write("semicolons.csv", head, rows, ";")
    write("bare.csv", ["y", "y", "n", "old"], rows)
    write("numbers.csv", [*head, "weight"], [[*row, weight] for row, weight in zip(rows, weights, strict=True)])
    write("names.csv", ["id", *head], [[f"p{i}", *row] for i, row in enumerate(rows)])
    write("constant.csv", [*head, "site"], [[*row, "A"] for row in rows])
    write("unknown.csv", [*head, "no one"], [[*row, ""] for row in rows])
    (folder / "paper.pdf").write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj<<>>endobj\n" * 20)
    (folder / "sure.bif").write_text(IMPOSSIBLE)
    with zipfile.ZipFile(folder / "damaged.xlsx", "w") as book:
        book.writestr("xl/workbook.xml", "<a/>")
    data = cliquewise.read_csv(folder / "table.csv")
    network = cliquewise.junctor(data, ess=1)
    network.write(folder / "net")
    cliquewise.fit(data, network).write(folder / "model.bif")
    return folder


@pytest.mark.parametrize("line", REFUSED)
def test_a_mistake_is_refused_in_one_line(run, mistakes, monkeypatch, line):
    monkeypatch.chdir(mistakes)
    before = sorted(mistakes.rglob("*"))
    code, message = REFUSED[line]
    words = shlex.split(line)
    done = run(*words)
    last = done.stderr.splitlines()[-1]
    assert done.code == code and message in last, done.stderr
    assert last.startswith(f"{words[0]}: ") and done.stdout == "" and "Traceback" not in done.stderr
    notes = [note for note in done.stderr.splitlines()[:-1] if "first row taken as a header" not in note]
    assert notes == [] and sorted(mistakes.rglob("*")) == before


@pytest.mark.parametrize("line", WARNED)
def test_a_harmless_mistake_is_reported(run, mistakes, monkeypatch, tmp_path, line):
    monkeypatch.chdir(mistakes)
    more = [] if line.startswith("mnmodel") else ["--iterations", "100"]
    done = run(*shlex.split(line.replace("OUT", str(tmp_path / "out"))), *more)
    assert done.code == 0 and WARNED[line] in done.stderr and (tmp_path / "out").is_file()


ROWS = {"a": ["x", "y"] * 10, "b": ["x", "y"] * 10}
PYTHON = {
    "misspelt": (lambda: cliquewise.lsmarkov(ROWS, time_limt=1), TypeError, "time_limt"),
    "score": (lambda: cliquewise.lsmarkov(ROWS, score="bdue"), CliquewiseError, "'bdue' is not one of"),
    "state": (
        lambda: cliquewise.fit(ROWS, cliquewise.junctor(ROWS)).query("a", given={"b": "z"}),
        CliquewiseError,
        "no state 'z'",
    ),
    "variable": (
        lambda: cliquewise.fit(ROWS, cliquewise.junctor(ROWS)).query("c"),
        CliquewiseError,
        "no variable 'c'",
    ),
}


@pytest.mark.parametrize("name", PYTHON)
def test_from_python(name):
    call, kind, message = PYTHON[name]
    with pytest.raises(kind, match=re.escape(message)) as error:
        call()
    assert "\n" not in str(error.value)


def test_a_data_frame_with_two_columns_of_one_name():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame([["x", "y"], ["y", "x"]] * 5, columns=["a", "a"])
    with pytest.raises(CliquewiseError, match="same name"):
        cliquewise.junctor(table)
