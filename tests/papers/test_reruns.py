"""papers measure, table, plot and report: records of runs, and their comparison with published values."""

import csv
import io
import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from cliquewise.data.papers import report
from cliquewise.data.papers.cells import make_table, reduce, values_of
from cliquewise.data.papers.spec import read_spec
from cliquewise.data.papers.table import lines, sentence

HEAD = 'title = "A table"\npaper = "Nobody (1999), Table 1"\nconditions = """\nOurs are\nmade up."""\n'
TABLE = (
    HEAD
    + """keys = ["name"]
published = "one.csv"
group = "data"
shown = ["other"]
[[column]]
head = "score"
where = { method = "a" }
published = "printed"
better = "higher"
tolerance = 0.05
[[column]]
head = "gain"
where = { method = "a" }
minus = { method = "b" }
digits = 2
"""
)
FIGURE = (
    HEAD
    + """published = "one.csv"
sources = ["one"]
[figure]
kind = "lines"
x = "n"
y = "score"
xlabel = "variables"
ylabel = "score"
[[figure.series]]
label = "a"
where = { method = "a" }
published = ["printed"]
[[figure.guides]]
label = "2^n"
base = 2
through = "a"
[[figure.guides]]
label = "pairs"
sets_up_to = 2
"""
)
PUBLISHED = "name,n,printed,other,data\nw,1,-10.0,5,same\nx,2,-20.0,,same\ny,3,-30.0,,same\nz,4,,,new\n"
RECORDS = {
    "w.a": "name,n,method,score\nw,1,a,-10.04\n",
    "w.b": "name,n,method,score\nw,1,b,-11\n",
    "x.a": "name,n,method,score\nx,2,a,-18.5\nx,2,a,-18.7\n",
    "z.a": "name,n,method,score\nz,4,a,-41\n",
}


@pytest.fixture
def place(workplace):
    """A folder with a table, a figure, what is published, and records of both."""
    folder = workplace({"one.toml": TABLE, "two.toml": FIGURE, "one.csv": PUBLISHED})
    (folder / "made" / "one").mkdir(parents=True)
    for name, text in RECORDS.items():
        (folder / "made" / "one" / f"{name}.csv").write_text(text)
    return folder


def record_of(text):
    """The only row of a record."""
    (row,) = csv.DictReader(io.StringIO(text))
    return row


def test_measure_takes_claims_trace_and_printed_fields(run, workplace):
    workplace(
        {
            "net": "# program p\n# score -3.5\n# names a,b\n0,1\n",
            "trace": "seconds,phase,score\n0.1,blanket,-9\n0.25,blanket,-4\n0.5,hc,-4\n0.7,hc,-4\n",
        }
    )
    words = (sys.executable, "-c", 'print(\'{"tp": 3, "score": -1}\')')
    options = ("--set", "name=x=y", "--network", "net", "--trace", "trace", "--json")
    found = record_of(run("papers", "measure", *options, *words).stdout)
    assert {key: found[key] for key in ("name", "program", "tp", "score", "exit", "reached", "trace")} == {
        **{"name": "x=y", "program": "p", "tp": "3", "score": "-1", "exit": "0", "reached": "0.25", "trace": "trace"}
    }
    assert (found["blanket seconds"], found["hc seconds"], found["search seconds"]) == ("0.250", "0.450", "0.7")
    assert 0.0 < float(found["seconds"]) < 60.0 and float(found["megabytes"]) > 1.0 and "names" not in found


def test_measure_writes_a_row_for_each_object(run):
    several = json.dumps([{"tp": 1}, {"tp": 2}])
    done = run("papers", "measure", "--set", "s=1", "--json", sys.executable, "-c", f"print('{several}')")
    assert [(row["s"], row["tp"]) for row in csv.DictReader(io.StringIO(done.stdout))] == [("1", "1"), ("1", "2")]


def test_measure_of_what_fails(run, workplace):
    folder = workplace({})
    failing = ("sh", "-c", "exit 3")
    assert run("papers", "measure", "-o", "r.csv", *failing).code == 3 and not list(folder.iterdir())
    done = run("papers", "measure", "-o", "r.csv", "--allow-exit", "3", "--network", "net", *failing)
    assert done.code == 0 and record_of((folder / "r.csv").read_text())["exit"] == "3"
    (folder / "net").write_text("# score -1\n0,1\n")  # of an earlier run
    os.utime(folder / "net", (1.0, 1.0))
    run("papers", "measure", "-o", "r.csv", "--allow-exit", "3", "--network", "net", *failing)
    assert "score" not in record_of((folder / "r.csv").read_text())


def test_measured_commands_keep_their_options(run):
    done = run("papers", "measure", "--set", "a=1", "sh", "-c", 'test "$1" = -o && test "$2" = x', "-", "-o", "x")
    assert done.code == 0 and record_of(done.stdout)["a"] == "1"


@pytest.mark.parametrize("line, code, message", [
    ("papers measure --set a true", 2, "Invalid value for '--set': 'a' is not NAME=VALUE"),
    ("papers measure", 2, "Missing argument 'COMMAND...'"),
    ("papers measure no-such-program", 2, "no-such-program: cannot be started: No such file or directory"),
    ("papers measure --json true", 1, "the command printed no JSON object but ''; leave out --json"),
    ("papers measure --network one.csv true", 1, "one.csv: has no header that claims anything; is it a network?"),
    ("papers table one.toml --records gone", 2, "Invalid value for '--records': there is no folder gone"),
    ("papers table two.toml --records made", 2, "two.toml: describes a figure; use papers plot"),
    ("papers plot one.toml --records made -o x.png", 2, "one.toml: describes a table; use papers table"),
    ("papers plot two.toml --records made -o x.gif", 2, "-o x.gif: the name must end in .png, .svg or .pdf"),
    ("papers table one.csv --records made", 1, "one.csv: is not TOML: "),
])  # fmt: skip
def test_refusals(refuse, place, line, code, message):
    if "plot" in line:
        pytest.importorskip("matplotlib")
    refuse(line, code, message)


@pytest.mark.parametrize("old, new, message", [
    ('better = "higher"', 'better = "up"', "bad.toml, column 'score': better 'up' is not one of"),
    ("digits = 2", "digit = 2", "bad.toml: 'digit' is not known here; known are beside, best, better,"),
    ('head = "gain"\n', "", "bad.toml: missing 1 required positional argument: 'head'"),
    ("[[column]]", "[figure]\nx = 1\n[[column]]", "bad.toml: must have columns or a figure, and not both"),
    ('keys = ["name"]', 'keys = ["nome"]', "one.csv: has no column 'nome'"),
    ('published = "one.csv"', 'published = "gone.csv"', "gone.csv: cannot be read: No such file or directory"),
])  # fmt: skip
def test_descriptions_that_are_wrong(refuse, place, old, new, message):
    Path("bad.toml").write_text(TABLE.replace(old, new, 1))
    refuse("papers table bad.toml --records made", 1, message)


def test_records_that_are_wrong(refuse, place):
    Path("made/one/w.a.csv").write_text("name,n\nw,1,2\n")
    refuse("papers table one.toml --records made", 1, "made/one/w.a.csv:2: has another number of cells than the header")


def test_table(run, place):
    done = run("papers", "table", "one.toml", "--records", "made")
    assert done.stdout == (
        "## A table\n\n*Nobody (1999), Table 1.* Ours are made up.\n\n"
        "| name | score, published | ours | difference | gain | other, published |\n|---|---|---|---|---|---|\n"
        "| w | -10.0 | -10.0 | +0.0 | 0.96 | 5 |\n"
        "| x | -20.0 | -18.6 ± 0.1 | +1.4 |  |  |\n"
        "| y | -30.0 |  |  |  |  |\n"
        "| z |  | -41.0 |  |  |  |\n\n"
        "Same: of 3 cells 1 equal, 1 better, 0 worse, 1 missing. No result for y.\n"
    )
    rows = list(
        csv.DictReader(io.StringIO(run("papers", "table", "one.toml", "--records", "made", "--format", "csv").stdout))
    )
    assert [row["score verdict"] for row in rows] == ["equal", "better", "missing", ""]
    assert (
        rows[0]["score"] == "-10.04"
        and float(rows[1]["score error"]) == pytest.approx(0.1)
        and rows[0]["gain"] == "0.96"
    )


@pytest.mark.parametrize("better, tolerance, ours, verdict", [
    ("higher", "tolerance = 0.5", -9.5, "equal"), ("higher", "tolerance = 0.5", -9.4, "better"),
    ("higher", "relative = 0.1", -11.1, "worse"), ("lower", "relative = 0.1", -11.1, "better"),
    ("lower", "relative = 0.2", -11.1, "equal"), ("lower", "", -9.9, "worse"),
])  # fmt: skip
def test_verdicts(place, better, tolerance, ours, verdict):
    Path("one.toml").write_text(TABLE.replace('"higher"', f'"{better}"').replace("tolerance = 0.05", tolerance))
    Path("made/one/w.a.csv").write_text(f"name,method,score\nw,a,{ours}\n")
    assert make_table(read_spec("one.toml"), "made").rows[0][1][0].verdict == verdict


def test_means_within_their_errors_are_equal(place):
    Path("made/one/w.a.csv").write_text("name,method,score\nw,a,-11\nw,a,-12\nw,a,-13\n")  # error 0.577
    for errors, verdict in ((2.4, "worse"), (2.5, "equal")):  # the difference is 2
        Path("one.toml").write_text(TABLE.replace("tolerance = 0.05", f"errors = {errors}"))
        assert make_table(read_spec("one.toml"), "made").rows[0][1][0].verdict == verdict


def test_the_best_setting_of_each_sample():
    records = [
        {"sample": s, "hamming": h, "tp": t}
        for s, h, t in (("1", "9", "5"), ("1", "7", "6"), ("2", "3", "8"), ("2", "4", "9"))
    ]
    assert sorted(values_of(records, "tp", {}, "hamming")) == [6.0, 8.0]
    assert values_of(records, "tp", {"sample": "2"}) == [8.0, 9.0]


def test_statistics():
    values = [0.0, 0.0, 3.0, 5.0]
    expected = {"mean": 2, "median": 1.5, "min": 0, "max": 5, "count": 4, "zeros": 0.5, "mean of others": 4}
    assert {name: reduce(values, name)[0] for name in expected} == expected
    assert reduce([], "mean")[0] is None and reduce([], "count")[0] == 0.0


def test_nothing_made_yet(place):
    for path in Path("made/one").iterdir():
        path.unlink()
    table = make_table(read_spec("one.toml"), "made")
    assert sentence(table) == "Same: of 3 cells 0 equal, 0 better, 0 worse, 3 missing. No result for w, x, y, z."
    assert [line[1:3] for line in lines(table)][0] == ["-10.0", ""]


def test_rows_without_published_values_are_in_order(workplace):
    """10 comes after 9, whatever the names of the records' files."""
    folder = workplace({"two.toml": HEAD + 'keys = ["name", "n"]\n[[column]]\nhead = "score"\n'})
    (folder / "two").mkdir()
    for number, (name, n) in enumerate((("b", 9), ("a", 10), ("b", 10), ("a", 9))):
        (folder / "two" / f"{number}.csv").write_text(f"name,n,score\n{name},{n},1\n")
    found = [(row["name"], row["n"]) for row, _ in make_table(read_spec("two.toml"), ".").rows]
    assert found == [("a", "9"), ("a", "10"), ("b", "9"), ("b", "10")]


def test_plot(run, place):
    pytest.importorskip("matplotlib")
    for name in ("a.png", "b.png", "a.svg"):
        assert run("papers", "plot", "two.toml", "--records", "made", "-o", name).code == 0
    assert Path("a.png").read_bytes() == Path("b.png").read_bytes() and Path("a.png").read_bytes()[1:4] == b"PNG"
    assert Path("a.svg").read_text().count("<path") > 10
    Path("made/one/w.a.csv").write_text("name,n,method,score\nw,1,a,-12\n")
    run("papers", "plot", "two.toml", "--records", "made", "-o", "b.png")
    assert Path("a.png").read_bytes() != Path("b.png").read_bytes()


@pytest.mark.parametrize("old, new, message", [
    ('kind = "lines"', 'kind = "pie"', "bad.toml: the kind of figure must be lines, traces or ranges"),
    ('through = "a"\n', "", "bad.toml: a record or the description has no 'through'"),
    ('xlabel = "variables"\n', "", "bad.toml: a record or the description has no 'xlabel'"),
])  # fmt: skip
def test_figures_that_are_wrong(refuse, place, old, new, message):
    pytest.importorskip("matplotlib")
    Path("bad.toml").write_text(FIGURE.replace(old, new))
    refuse("papers plot bad.toml --records made -o x.png", 1, message)


def test_traces_and_ranges(run, place):
    pytest.importorskip("matplotlib")
    for name, seconds in (("w", 0.1), ("x", 0.2)):
        Path(f"{name}.trace").write_text(f"seconds,score\n{seconds},-9\n1.0,-8\n2.0,-8.5\n")
        Path(f"made/one/{name}.t.csv").write_text(f"name,n,method,trace,score\n{name},1,t,{name}.trace,-8\n")
    traces = FIGURE.replace('"lines"', '"traces"').replace('method = "a"', 'method = "t"')
    Path("three.toml").write_text(traces)
    ranges = FIGURE.replace('"lines"', '"ranges"').replace('x = "n"', 'x = "name"\nzero = { method = "b" }')
    Path("four.toml").write_text(ranges)
    for name in ("three", "four"):
        done = run("papers", "plot", f"{name}.toml", "--records", "made", "-o", f"{name}.svg")
        assert done.code == 0, done.stderr
        assert Path(f"{name}.svg").stat().st_size > 5000


def test_report(run, place):
    pytest.importorskip("matplotlib")
    run("papers", "plot", "two.toml", "--records", "made", "-o", "made/two.svg")
    run("papers", "plot", "two.toml", "--records", "made", "-o", "made/two.png")
    words = ("one.toml", "two.toml", "--records", "made", "--title", "Mine & ours", "--html", "r.html", "-o", "r.md")
    assert run("papers", "report", *words).code == 0
    text, page = Path("r.md").read_text(), Path("r.html").read_text()
    assert text.startswith("# Mine & ours\n\n* Date: 20") and "Same: of 3 cells 1 equal" in text
    assert "![A table](made/two.png)" in text and re.search(r"\* Machine: .+ cores, ", text)
    assert "<h1>Mine &amp; ours</h1>" in page and page.count("<svg") == 1 and '<td class="better">' in page
    assert not re.search(r'(src|href)="(?!#)', page.replace("xlink:href", "")), "it must stand alone"
    assert "numpy" in page and "Python 3." in page
    assert set(re.findall('<td class="(.*?)">', page)) == {"", "equal", "better", "missing"}


def test_the_name_of_the_processor(monkeypatch):
    text = "processor\t: 0\nmodel name\t: A: B @ 2 GHz\nmodel name\t: another\n"
    monkeypatch.setattr(report, "Path", lambda name: SimpleNamespace(read_text=lambda: text))
    assert report._processor() == "A: B @ 2 GHz"


def test_report_without_pictures(run, place):
    assert "No picture was drawn." in run("papers", "report", "two.toml", "--records", "made").stdout


def test_compare_several_networks_and_probabilities(run, workplace):
    head = "# format edges\n# variables 3\n# columns u,v,probability\n"
    workplace(
        {
            "a": head + "0,1,0.9\n1,2,0.5\n",
            "b": head + "0,1,0.7\n0,2,0.25\n",
            "c": "# format edges\n# variables 3\n0,1\n",
        }
    )
    assert set(json.loads(run("mntools", "compare", "a", "b", "--format", "json").stdout)) == {
        "largest difference",
        "mean difference",
    }
    edges = ("--min-probability", "0.25")
    one = json.loads(run("mntools", "compare", "a", "b", *edges, "--format", "json").stdout)
    assert (one["tp"], one["fp"], one["largest difference"]) == (1, 1, 0.5)
    assert one["mean difference"] == pytest.approx((0.2 + 0.5 + 0.25) / 3, abs=1e-6)
    several = json.loads(run("mntools", "compare", "a", "b", "c", *edges, "--format", "json").stdout)
    assert [(found["file"], found["fp"]) for found in several] == [("a", 1), ("b", 1)]
    assert "largest difference" not in several[0]
    assert run("mntools", "compare", "a", "b", "c", *edges).stdout.startswith("file a tp 1 fp 1 fn 0 ")


@pytest.mark.parametrize("claims, gap", [
    ("# status optimal", "0"), ("# upper-bound -9", "0.100000"), ("# upper-bound -9\n# gap 1", "0.100000"), ("", None),
])  # fmt: skip
def test_measure_says_the_gap(run, workplace, claims, gap):
    workplace({"net": f"# score -10\n{claims}\n0,1\n"})
    assert record_of(run("papers", "measure", "--network", "net", "true").stdout).get("relative gap") == gap


def test_what_cannot_be_compared_is_shown_only(place):
    Path("one.toml").write_text(TABLE.replace('group = "data"', 'group = "data"\ncomparable = ["new"]'))
    table = make_table(read_spec("one.toml"), "made")
    assert sentence(table) == "3 of 4 rows. No result for y."
    assert lines(table)[0][1:4] == ["-10.0", "-10.0", ""]
