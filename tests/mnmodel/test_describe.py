"""`mnmodel describe`: one line per column, and a command line that runs and reads the table well."""

import json
import os
import re
import shlex
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import cliquewise
from cliquewise.common.data.column_kinds import column_kinds
from cliquewise.common.data.near_duplicates import _correlation, near_duplicates
from cliquewise.common.python_words import in_python_words
from tests.commands import ROOT
from tests.mnmodel.test_page import Elements
from tests.oracles.blankets import mutual_information
from tests.reading import read_csv

PAIRS = "cliquewise.common.data.near_duplicates"


def table(seed, rows=240):
    """A table with columns of every kind, and what is odd in each."""
    rng = np.random.default_rng(seed)
    smokes = rng.integers(0, 2, rows)
    ill = np.where(rng.random(rows) < 0.9, smokes, 1 - smokes)
    age = rng.integers(1800, 9900, rows)
    cells = {
        "id": [f"P{k * 13}" for k in range(rows)],
        "seen": [f"2024-{k % 12 + 1:02d}-{k % 28 + 1:02d}" for k in range(rows)],
        "note": [f"was seen {k} times" for k in range(rows)],
        "ward": ["north"] * rows,
        "age": [f"{a / 100:.2f}" if k else "90+" for k, a in enumerate(age)],
        "smokes": [("Yes", "yes")[k % 2] if s else "no" for k, s in enumerate(smokes)],
        "ill": [str(s) for s in ill],
        "sick": ["sick" if s else "well" for s in ill],
        "dose": ["unknown" if k % 9 == 0 else "lo" if s else "hi" for k, s in enumerate(ill)],
        "site": ["" if k % 7 == 0 else "a" if s else "b" for k, s in enumerate(rng.integers(0, 2, rows))],
        "months": [f"{a * 12 / 100:.3f}" for a in age],
    }
    lines = zip(*cells.values(), strict=True)
    return ",".join(cells) + "\n" + "".join(",".join(line) + "\n" for line in lines)


def run_line(run, line):
    """Run a command line with at most one pipe, as a shell does."""
    text = b""
    for part in line.split(" | "):
        done = run(*shlex.split(part), input=text)
        assert done.code == 0, done.stderr
        text = done.stdout.encode()


def described(run, *words):
    done = run("mnmodel", "describe", *words, "--format", "json", "-q")
    assert done.code == 0, done.stderr
    return json.loads(done.stdout)


def test_there_is_one_line_per_column(run, here):
    (here / "t.csv").write_text(table(1))
    lines = run("mnmodel", "describe", "t.csv", "-q").stdout.splitlines()
    assert re.match(r"t.csv: 240 rows x 11 columns, \d\.\d % of the cells missing", lines[0])
    found = {line.split()[0]: line for line in lines[1:12]}
    for name, words in {
        "id": ["identifier", "--drop=id"],
        "seen": ["date", "--drop=seen"],
        "note": ["text", "--drop=note"],
        "ward": ["constant", "--drop=ward"],
        "age": ["number", "'90+': no numbers", "--na=age=90+", "nearly the same as months"],
        "smokes": ["states", "no 49 %, yes 26 %, Yes 25 %", "'yes' and 'Yes' may be one state", "--same-states=fold"],
        "sick": ["states", "nearly the same as ill"],
        "dose": ["states", "'unknown': looks like a missing cell (--na=dose=unknown)"],
        "site": ["states", "14.6 % missing"],
        "months": ["number", "mnmodel discretize --columns months"],
    }.items():
        for word in words:
            assert word in found[name], (word, found[name])
    assert "columns to learn from: 7" in lines[-5] and "lsmarkov: " in lines[-4] and "junctor: a dynamic" in lines[-3]


@pytest.mark.parametrize("seed", range(3))
def test_the_command_runs_and_reads_what_it_says(run, here, seed):
    (here / "my table.csv").write_text(table(seed))
    command = described(run, "my table.csv")["command"]
    run_line(run, command.replace("-o net.cliques", "--iterations 2000 -o net.cliques"))
    network = cliquewise.read_network("net.cliques")
    assert set(network.names) == {"age", "smokes", "ill", "sick", "dose", "site", "months"}
    first, second = command.split(" | ")
    cut = run(*shlex.split(first)).stdout
    (here / "cut.csv").write_text(cut)
    options = dict(re.findall(r"--(na|same-states)=(\S+)", second))
    data = read_csv("cut.csv", missing="state", same_states=options.get("same-states", "auto"), warn=False)
    states = dict(zip(data.names, data.states, strict=True))
    assert states["smokes"] == ("Yes", "no")
    assert states["dose"] == ("hi", "lo", "?") and states["site"] == ("a", "b", "?")
    assert all(len(states[name]) <= 5 for name in ("age", "months"))


@pytest.mark.fast_cases(4)
@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "data").glob("*.csv")))
def test_the_command_for_the_projects_data_runs(run, here, name):
    command = described(run, ROOT / "data" / name)["command"]
    run_line(run, command.replace("-o net.cliques", "--iterations 50 -o net.cliques"))
    assert (here / "net.cliques").exists()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--header", "no"], "x,p,0\ny,q,1\n" * 15),
        (["--separator", "comma"], "a;b,c\n" + "0;1,0\n1;0,1\n" * 15),
        (["--counts", "n"], "a,b,n\nx,p,30\ny,p,12\nx,q,5\ny,q,40\n"),
        (["--columns", "a,b"], "a,b,id\n" + "".join(f"{k % 2},{k % 3},{k}\n" for k in range(40))),
        (["--drop", "id"], "a,b,id,no\n" + "".join(f"{k % 2},{k % 3},{k},p{k}\n" for k in range(40))),
        (["--na", "x"], "a,b\n" + "x,0\ny,1\nz,n/a\nz,0\n" * 9),
        (["--same-states", "exact"], "a,b\n" + "1,0\n1.0,1\n2,0\nYes,1\nyes,0\n" * 9),
        (["--arities", "yes"], "a,b\n2,3\n" + "0,0\n1,1\n0,2\n" * 9),
        (["--counts", "n"], "a,b,n\n" + "".join(f"{k / 7:.3f},{k % 2},{k % 5 + 1}\n" for k in range(60))),
        ([], '"my, name","b=c"\n' + "".join(f"{k / 7:.3f},{'- ' if k % 5 else 'x'}\n" for k in range(60))),
        ([], '"my, name","b"\n' + "".join(f'{k / 7:.3f},"{" " if k % 5 else "x"}"\n' for k in range(60))),
    ],
)
def test_the_options_given_are_in_the_command(run, here, options, text):
    (here / "t.csv").write_text(text)
    command = described(run, "t.csv", *options)["command"]
    given = {word for option in options for word in option.split(",")}
    assert given <= {*re.split("[ ,=]+", command)}
    run_line(run, command.replace("-o net.cliques", "--iterations 50 -o net.cliques"))
    assert (here / "net.cliques").exists()


def test_a_table_that_nothing_can_be_learned_from(run, here):
    (here / "t.csv").write_text("id,a\n" + "".join(f"P{k},x\n" for k in range(40)))
    done = run("mnmodel", "describe", "t.csv", "-q")
    assert done.code == 0 and done.stdout.endswith("fewer than two columns that a network can be learned from\n")
    assert described(run, "t.csv")["command"] == ""


def test_weights_and_counts_are_rows(run, here):
    (here / "t.csv").write_text("a,b,n\nx,p,30\ny,p,12\nx,q,5\ny,q,40\n")
    found = described(run, "t.csv", "--counts", "n")
    assert found["rows"] == 87 and [column["name"] for column in found["columns"]] == ["a", "b"]
    assert found["columns"][0]["states"] == [{"state": "x", "share": 35 / 87}, {"state": "y", "share": 52 / 87}]


def test_a_table_of_counts_is_suspected(run, here):
    (here / "t.csv").write_text("a,b,Freq\nx,p,30\ny,p,12\nx,q,5\ny,q,40\n")
    found = described(run, "t.csv")
    assert found["columns"][2]["odd"][0]["option"] == "--counts=Freq"
    assert found["command"] == "lsmarkov t.csv --counts=Freq -o net.cliques"
    run_line(run, found["command"])


def test_weights_are_suspected(run, here):
    rows = [f"{'xy'[k % 2]},{0.5 + k / 7:.5f},{'pqr'[k % 3]},{k % 5}" for k in range(60)]
    (here / "t.csv").write_text("\n".join(["a,pweight,b,c", *rows]) + "\n")
    found = described(run, "t.csv")
    assert found["columns"][1]["odd"] == [
        {"note": "seems to give the weight of each row", "option": "--weights=pweight"}
    ]
    assert found["command"] == "lsmarkov t.csv --weights=pweight -o net.cliques"
    run_line(run, found["command"])


def test_the_page_has_a_bar_a_column_and_asks_for_nothing(run, here):
    text = table(2).replace("ward", "<b>ward</b>").replace("north", "<script>")
    (here / "t.csv").write_text(text)
    assert run("mnmodel", "describe", "t.csv", "-o", "t.html", "-q").code == 0
    page = (here / "t.html").read_text()
    tags = Elements(page).found
    assert sum(tag == "svg" for tag, _ in tags) == 11
    assert {tag for tag, _ in tags} & {"script", "img", "link", "iframe", "b"} == set()
    assert not any(key in ("src", "href", "style") for _, attrs in tags for key in attrs)
    assert "http" not in page.replace("http-equiv", "") and "prefers-color-scheme: dark" in page
    widths = [float(attrs["width"]) for tag, attrs in tags if tag == "rect" and attrs["class"] != "s0"]
    assert min(widths) >= 0
    bars = page.split("<svg")[1:]
    for column, bar in zip(described(run, "t.csv")["columns"], bars, strict=True):
        if column["kind"] != "number":
            total = sum(float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)"', bar))
            assert total == pytest.approx(240, abs=0.1)


def test_from_python_the_same(run, here):
    pandas = pytest.importorskip("pandas")
    (here / "t.csv").write_text(table(3))
    expected = described(run, "t.csv")
    found = cliquewise.describe("t.csv").as_dict()
    advice = [[odd.pop("option") for column in one["columns"] for odd in column["odd"]] for one in (found, expected)]
    assert advice[0] == list(map(in_python_words, advice[1])) and not any("--" in option for option in advice[0])
    assert expected.pop("command").startswith("mnmodel") and found.pop("command").startswith("cliquewise.learn('t.csv'")
    assert json.loads(json.dumps(found)) == expected
    frame = pandas.read_csv("t.csv", dtype=str, keep_default_na=False)
    of_frame, found = cliquewise.describe(frame).as_dict(), cliquewise.describe("t.csv").as_dict()
    assert of_frame["columns"] == found["columns"] and of_frame["near-duplicates"] == found["near-duplicates"]
    assert of_frame["command"] == found["command"].replace("'t.csv'", "table")
    assert "<svg" in cliquewise.describe(frame)._repr_html_()
    plain = cliquewise.describe(frame[["smokes", "site", "id"]]).command
    assert plain == ("cliquewise.lsmarkov(cliquewise.read_csv(table, drop='id', same_states='fold', missing='em'))")
    words = dict(re.findall(r"(\w+)='([^']*)'", plain))
    data = cliquewise.read_csv(frame[["smokes", "site", "id"]], **words)
    assert cliquewise.lsmarkov(data, iterations=50).graph.n == 2


@pytest.mark.parametrize("seed", range(20))
def test_near_duplicates_are_those_by_mutual_information(tmp_path, seed):
    """By the definition, all pairs, in plain Python."""
    rng = np.random.default_rng(seed)
    n_rows, base = 400, rng.integers(0, 3, (400, 3))
    columns = [base[:, 0], base[:, 1], base[:, 2]]
    for _ in range(4):
        copied = columns[rng.integers(0, 3)].copy()
        changed = rng.random(n_rows) < rng.choice([0.0, 0.005, 0.02, 0.1])
        copied[changed] = rng.integers(0, 3, changed.sum())
        columns.append((copied + 1) % 3)
    text = "".join(",".join(f"s{c[k]}" for c in columns) + "\n" for k in range(n_rows))
    (tmp_path / "t.csv").write_text(",".join(f"v{v}" for v in range(7)) + "\n" + text)
    data = read_csv(tmp_path / "t.csv", merge=True)

    rows, expected = np.column_stack(columns).tolist(), []
    for u, v in combinations(range(7), 2):
        shared, *own = (mutual_information(rows, *pair, ()) for pair in ((u, v), (u, u), (v, v)))
        if shared >= 0.9 * max(own):
            expected.append((f"v{u}", f"v{v}", pytest.approx(shared / max(own), abs=1e-9)))
    assert [tuple(pair) for pair in near_duplicates(data, column_kinds(data))] == expected


def test_few_pairs_of_many_measurements_are_computed(tmp_path, monkeypatch, caplog):
    """All 80,000 took three seconds, and those of 2000 columns a minute."""
    rng = np.random.default_rng(1)
    cells = rng.normal(size=(40, 400)).round(4)
    cells[:, 399] = cells[:, 7] * 2 + 1
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(cells, columns=[f"v{v}" for v in range(400)])
    frame.loc[::5, "v20"] = np.nan
    frame["v300"] = frame["v20"] ** 3
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = read_csv(tmp_path / "t.csv", missing="state")
    assert "cut them: mnmodel discretize " in caplog.text and " --columns v0:v399 -o cut.csv" in caplog.text
    computed = []
    monkeypatch.setattr(f"{PAIRS}._correlation", lambda *of: computed.append(1) or _correlation(*of))
    found = near_duplicates(data, column_kinds(data))
    assert [(pair.first, pair.second) for pair in found] == [("v7", "v399"), ("v20", "v300")]
    assert [pair.share for pair in found] == pytest.approx([1.0, 1.0])
    assert len(computed) < 10


def test_a_table_from_standard_input_is_read_once(run, here):
    (here / "t.csv").write_text(table(4))
    piped = run("mnmodel", "describe", "-", "-q", input=(here / "t.csv").read_bytes())
    plain = run("mnmodel", "describe", "t.csv", "-q").stdout
    assert piped.stdout.splitlines()[1:-1] == plain.splitlines()[1:-1]


def test_its_repr_is_one_line():
    found = cliquewise.describe({"a": list("xxy") * 9, "b": list("xyy") * 9})
    assert repr(found) == "<Description of <dict>: 27 rows, 2 columns; print it>" and len(str(found).splitlines()) > 3


def test_several_answers_in_a_cell_are_told(run, workplace):
    news = ["tv;web", "tv", "web", "radio;tv", "radio;web", "tv;web;radio"]
    workplace({"t.csv": "news,old\n" + "".join(f"{news[k % 6]},{k % 2}\n" for k in range(60))})
    out = run(*"mnmodel describe t.csv -q".split()).stdout
    assert "several of 3 answers in a cell, between semicolons; give each answer a column of its own" in out


def test_a_column_of_weights_is_named_as_the_option_takes_it(run, workplace):
    """Without the quotes that lists of names need."""
    rows = "x,u,0.9101\ny,v,1.2111\nx,v,0.8777\n" * 6
    workplace({"t.csv": "a,b,Survey Weight\n" + rows})
    assert "('--weights=Survey Weight')" in run(*"mnmodel describe t.csv -q".split()).stdout
    done = run("lsmarkov", "t.csv", "--weights=Survey Weight", "--iterations", 10)
    assert done.code == 0, done.stderr


def test_a_file_name_that_is_not_utf8(run, here):
    """As an old archive has it: the byte is shown as in messages."""
    name = os.fsdecode(b"caf\xe9.csv")
    Path(name).write_text("a,b\nx,1\ny,2\nx,1\n")
    done = run("mnmodel", "describe", name)
    assert done.code == 0 and done.stdout.startswith("caf\\udce9.csv: 3 rows x 2 columns"), done.stderr
