"""`cliquewise learn`: a table with identifiers, numbers, text and missing cells becomes a folder with a report."""

import json
import re
import shlex
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import cliquewise
from cliquewise.common.data.incomplete import IncompleteData
from cliquewise.lsmarkov.exact import FEW_VARIABLES
from cliquewise.workflow.learn import _has_exact_draws
from tests.random_inputs import random_dataset
from tests.slow import slow_cases


def table(rows=300, seed=3):
    """a drives b and c; m is a measurement that follows a; d is alone; some cells are missing."""
    rng = np.random.default_rng(seed)
    lines = ["id,a,b,c,m,d,constant,visit,note"]
    for k in range(rows):
        a = rng.random() < 0.5
        b, c = (a if rng.random() < 0.9 else not a for _ in range(2))
        m = 20 + 5 * a + rng.normal()
        cells = ["yn"[a], "yn"[b], "yn"[c], f"{m:.2f}", str(rng.integers(3)), "x"]
        cells = ["" if j < 5 and rng.random() < 0.05 else cell for j, cell in enumerate(cells)]
        visit = f"2024-{k % 12 + 1:02d}-{k % 28 + 1:02d}"
        lines.append(",".join([f"P{k:05d}", *cells, visit, f"was seen {k} times in ward {k % 7}"]))
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """The folder of one run, and its messages."""
    from tests.commands import command_line, run_process

    folder = tmp_path_factory.mktemp("study")
    (folder / "people.csv").write_text(table())
    words = ["learn", "people.csv", "-o", "out", "--time-limit", "1"]
    done = run_process([*command_line("cliquewise"), *words], cwd=folder)
    assert done.code == 0, done.stderr
    return folder, done.stderr


def steps_of(folder):
    """How many steps a run has made."""
    return len(json.loads((folder / "out" / "steps.json").read_text()))


def test_the_folder_has_all_files(learned):
    folder, _ = learned
    found = {path.name for path in (folder / "out").iterdir()}
    made = {"table.csv", "search.cliques", "network.cliques", "probabilities.edges", "model.bif", "held-out.json"}
    made |= found & {"proof.cliques"}  # where a slow machine does not prove the network in the time of the search
    assert found == made | {"network.svg", "page.html", "report.html", "steps.json"}
    assert json.loads((folder / "out" / "steps.json").read_text()).keys() == made
    head, *rows = (folder / "out" / "table.csv").read_text().splitlines()
    assert head == "a,b,c,m,d" and len(rows) == 300


def test_the_network_has_the_true_edges(learned):
    from cliquewise.common.models.any_graph import read_graph

    folder, _ = learned
    graph = read_graph(str(folder / "out" / "network.cliques")).graph
    names = [{graph.names[u], graph.names[v]} for u, v in graph.edges]
    assert {"a", "b"} in names and {"a", "c"} in names and {"a", "m"} in names
    assert not any("d" in pair for pair in names)


def test_the_report(learned):
    folder, _ = learned
    text = (folder / "out" / "report.html").read_text()
    assert "Dependences in people.csv" in text
    for sentence in (
        "No chordal network",
        "Left out of the 9 columns: id, constant, visit, note.",
        "cut into 4 classes",
        "with the BDeu score of equivalent sample size 1, a uniform prior over chordal networks, and seed 1.",
        "The numbers of 1 column were cut into classes at quantiles. Missing cells were completed by structural EM.",
        "independent variables",
        "Without any link: d.",
    ):
        assert sentence in text
    assert "<script" not in text and "http" not in text.replace("http-equiv", "").replace("http://www.w3.org", "")


@pytest.mark.slow
def test_each_step_is_logged_as_a_command_that_works(learned, run, monkeypatch):
    folder, log = learned
    monkeypatch.chdir(folder)
    commands = [line.split(": ", 2)[2] for line in log.splitlines() if ": mn" in line or ": lsmarkov" in line]
    assert len(commands) >= 3
    for line in commands:
        name, *words = shlex.split(line)
        place = words.index("-o") + 1
        before = (folder / words[place]).read_text()
        words[place] = "again" + words[place].rpartition(".")[1] + words[place].rpartition(".")[2]
        done = run(name, *words)
        assert done.code == 0, done.stderr
        again = (folder / words[place]).read_text()
        if name == "mnmodel":
            assert again == before


def test_the_table_is_that_of_the_command_in_the_report(learned, run, monkeypatch):
    folder, _ = learned
    monkeypatch.chdir(folder)
    commands = re.findall(r"<code>(mnmodel discretize .*?)</code>", (folder / "out" / "report.html").read_text())
    name, *words = shlex.split(unescape(commands[0]))
    words[words.index("-o") + 1] = "again.csv"
    done = run(name, *words)
    assert done.code == 0, done.stderr
    assert (folder / "again.csv").read_text() == (folder / "out" / "table.csv").read_text()


COUNTED = "smokes,moves,ill,people\ny,n,y,40\ny,n,n,25\ny,y,y,12\ny,y,n,30\nn,n,n,50\nn,y,n,90\nn,y,y,5\n"


def test_missing_cells_are_refused_where_that_is_asked_for(refuse, workplace):
    workplace({"t.csv": "a,b,c\nx,y,x\n,y,y\n" + "y,x,x\nx,x,y\n" * 10})
    refuse("cliquewise learn t.csv -o out --missing refuse", 1, "t.csv:3, column 'a': empty cell (1 missing in all)")


@pytest.mark.slow
def test_weights_are_those_of_counts_and_of_rows_one_by_one(run, workplace):
    rows = [line.rsplit(",", 1) for line in COUNTED.splitlines()[1:]]
    single = "smokes,moves,ill\n" + "".join(f"{row}\n" * int(count) for row, count in rows)
    halves = COUNTED.splitlines()[0] + "\n" + "".join(f"{row},{int(count) / 2}\n" * 2 for row, count in rows)
    workplace({"counted.csv": COUNTED, "single.csv": single, "halves.csv": halves})
    found = {}
    for name, words in {
        "single": "",
        "counted": "--counts people",
        "halves": "--weights people --weight-scale none",
    }.items():
        done = run("cliquewise", "learn", f"{name}.csv", *words.split(), "-o", name, "--time-limit", 2)
        assert done.code == 0, done.stderr
        lines = Path(name, "network.cliques").read_text().splitlines()
        lines += Path(name, "model.bif").read_text().splitlines()
        own = ("counts", "weight", "// rows")  # of which weighted tables have fewer
        found[name] = [line for line in lines if not any(word in line for word in own)]
    assert found["single"] == found["counted"] == found["halves"]
    frame = {"smokes": list("yn"), "moves": list("yn"), "ill": list("ny"), "w": [1.5, 2.25]}
    assert cliquewise.learn(frame, weights="w", weight_scale="none", time_limit=1).preparation.data.total == 3.75


def test_the_model_takes_the_table_as_it_was_given(learned, run, monkeypatch):
    """Numbers are in classes there; those of the table, and of a question, mean the classes they lie in."""
    folder, _ = learned
    monkeypatch.chdir(folder)
    cut, given = (
        run(*f"mnmodel predict out/model.bif {name} --target a -q".split()) for name in ("out/table.csv", "people.csv")
    )
    assert given.code == 0 and given.stdout == cut.stdout and "a,probability" in given.stdout
    high = run(*"mnmodel query out/model.bif --of a --given m=99 -q".split())
    assert high.code == 0 and float(high.stdout.splitlines()[1].split(",")[1]) > 0.9


def test_a_second_run_uses_the_files_of_the_first(learned, run, monkeypatch):
    folder, _ = learned
    monkeypatch.chdir(folder)
    before = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
    done = run("cliquewise", "learn", "people.csv", "-o", "out", "--time-limit", "1")
    assert done.code == 0 and done.stderr.count("is up to date") == steps_of(folder), done.stderr
    assert {path.name: path.read_bytes() for path in (folder / "out").iterdir()} == before


def test_a_file_that_was_changed_is_made_again(learned, run, monkeypatch):
    folder, _ = learned
    monkeypatch.chdir(folder)
    path = folder / "out" / "model.bif"
    before = path.read_text()
    path.write_text("network x {\n}\n")
    done = run("cliquewise", "learn", "people.csv", "-o", "out", "--time-limit", "1")
    assert done.code == 0 and done.stderr.count("is up to date") == steps_of(folder) - 1, done.stderr
    assert path.read_text() == before
    assert "model.bif" in json.loads((folder / "out" / "steps.json").read_text())


@pytest.mark.slow
def test_names_that_look_like_html(run, workplace):
    rows = "".join(f"{k % 2},{k % 2},{k % 3}\n" for k in range(60))
    workplace({"t.csv": f'<b>a</b>,"<script>alert(1)</script>",c\n{rows}'})
    done = run("cliquewise", "learn", "t.csv", "-o", "out", "--time-limit", "2")
    assert done.code == 0, done.stderr
    from pathlib import Path

    text = Path("out/report.html").read_text()
    assert "<script" not in text and "<b>a</b>" not in text and "&lt;script&gt;" in text


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("learn t.csv -o t.csv", 2, "-o t.csv: a file; name a folder"),
        ("learn ./table.csv -o .", 2, "-o .: ./table.csv is a file that would be written there; name another folder"),
        ("learn t.csv -o out --header yes --keep z", 1, "t.csv: no column 'z'; the columns are a, b"),
        (
            "learn t.csv -o out --edge-priors out/probabilities.edges",
            2,
            "-o out: out/probabilities.edges is a file that would be written there; name another folder",
        ),
        ("open out", 1, "out: no report in it; cliquewise learn TABLE -o FOLDER makes one"),
    ],
)
def test_refusals(run, workplace, words, code, message):
    workplace({"t.csv": "a,b\n" + "0,1\n1,0\n" * 30})
    done = run("cliquewise", *words.split())
    assert done.code == code and message in done.stderr and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.slow
def test_a_table_of_too_many_columns_is_refused_before_the_work(run, workplace):
    names, rows = ",".join(f"c{v}" for v in range(1001)), ("0," * 1000 + "1\n" + "1," * 1000 + "0\n") * 30
    workplace({"wide.csv": f"{names}\n{rows}"})
    done = run("cliquewise", "learn", "wide.csv", "-o", "out")
    assert done.code == 1 and "1001 columns to learn from, and at most 1000 get probabilities; choose" in done.stderr


def test_without_arguments_the_commands_are_listed_by_question(run):
    done = run("cliquewise")
    assert done.code == 0
    for name in ("lsmarkov", "junctor", "coarsen", "mplearn", "twlearn", "mnposterior", "mntools", "mnmodel"):
        assert name in done.stdout


@pytest.mark.slow
def test_from_python(tmp_path):
    """The same in memory, from a DataFrame: network, probabilities, model, report, and what a notebook shows."""
    pandas = pytest.importorskip("pandas")
    import io

    import cliquewise

    frame = pandas.read_csv(io.StringIO(table()))
    study = cliquewise.learn(frame, time_limit=2)
    assert study.preparation.left_out == ("id", "constant", "visit", "note") and study.network.status == "optimal"
    assert {link.ends for link in study.links if link.gain is not None} >= {("a", "b"), ("a", "c"), ("a", "m")}
    assert study.model.names == ("a", "b", "c", "m", "d")
    assert "Left out of the 9 columns" in study._repr_html_() and "data:image/svg+xml" in study._repr_html_()
    study.write_report(tmp_path / "report.html")
    assert "Dependences in" in (tmp_path / "report.html").read_text()
    for edges in (study.network.edges, study.probabilities.edges, study.model.sample(3)):
        assert isinstance(edges, pandas.DataFrame)
    assert repr(study).startswith("<Study of <DataFrame>: ") and "learn" in dir(cliquewise)


@pytest.mark.parametrize("more", [{}, {"c": [i + 0.5 for i in range(40)]}])
def test_from_python_odd_states_are_named(caplog, more):
    """No command reads the table again, so learning warns itself; with numbers to cut, too."""
    import cliquewise

    columns = {"a": (["yes", "no", "unknown"] * 14)[:40], "b": ["x", "y"] * 20, **more}
    cliquewise.learn(columns, time_limit=1)
    warned = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert warned == ["<dict>: states that look like missing cells: a 'unknown'; na='unknown' if they are"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time_limit": 0}, "time_limit=0: expected a number, above 0"),
        ({"time_limit": 1e10}, "time_limit=10000000000.0: expected a number, above 0 and at most 1,000,000,000"),
        ({"bins": 1}, "bins=1: expected a whole number, at least 2"),
        ({"bins": 1001}, "bins=1001: expected a whole number, at least 2 and at most 1,000"),
        ({"threads": 1025}, "threads=1025: expected a whole number, at least 1 and at most 1,024"),
        ({"stop": True}, "stop=True: give a threading.Event"),
    ],
)
def test_ranges_from_python(options, message):
    import cliquewise
    from cliquewise.common.errors import UsageError

    with pytest.raises(UsageError, match=message):
        cliquewise.learn({"a": [0, 1], "b": [0, 1]}, **options)


def test_objects_that_are_not_tables_are_refused():
    from cliquewise.common.errors import UsageError

    read = cliquewise.read_csv({"a": [0, 1], "b": [0, 1]})
    for data, message in ((read, "data: already read; learn chooses"), (42, "data: of the type int")):
        with pytest.raises(UsageError, match=message):
            cliquewise.learn(data)


def test_bars_are_as_long_as_the_probability():
    from cliquewise.workflow.report import Link, _links

    text = _links([Link(("a", "b"), 0.25, 0.01, 3.0), Link(("a", "c"), 0.0, 0.0004, 2.0)])
    assert re.findall(r'<rect width="([^"]*)"', text) == ["25.0", "0.0"]
    assert "<td class=n>0.010<" in text and "<td class=n>below 0.001<" in text


@pytest.mark.parametrize(("error", "shown"), [(None, "above 0.999"), (0.0009, "above 0.999"), (0.5, "1.000")])
def test_a_probability_with_a_large_error_is_not_called_certain(error, shown):
    from cliquewise.workflow.report import Link, _links

    assert f"<td class=n>{shown}<" in _links([Link(("a", "b"), 1.0, error, 3.0)])


def test_the_picture_of_the_readme_is_small():
    from tests.commands import ROOT

    assert "docs/pictures/report.png" in (ROOT / "README.md").read_text()
    assert (ROOT / "docs/pictures/report.png").stat().st_size < 150_000


def odd_table():
    """A column of counts that nobody named is in another test; here spellings, missing words, doubt, and duplicates."""
    rows = [
        f"{'Yes yes no'.split()[k % 3]},{['a', 'b', 'unknown'][k % 7 % 3]},{k % 90 + 10}.{37 * k % 1000:03d},"
        f"{k % 5 % 2},{k % 5 % 2}"
        for k in range(120)
    ]
    return "smokes,group,income,one,two\n" + "".join(f"{row}\n" for row in rows)


def test_the_report_has_the_oddities_that_describe_finds(run, workplace):
    folder = workplace({"odd.csv": odd_table()})
    words = ("--time-limit", 0.3, "--ess", 0.123456789, "--keep", "one,group", "--seed", 3)
    done = run("cliquewise", "learn", "odd.csv", "-o", "out", *words)
    assert done.code == 0, done.stderr
    assert "Odd columns, which the report's table explains: smokes, group, income, one, two." in done.stderr
    assert done.stderr.count("--same-states fold makes them one") == 1  # three steps find it
    text = unescape((folder / "out" / "report.html").read_text())
    described = json.loads(run("mnmodel", "describe", "odd.csv", "--format", "json").stdout)
    for column in described["columns"]:
        for note in column["odd"]:
            handled = "discretize" in note["option"]  # by learn itself
            assert handled or f"{note['note']} ({note['option']})" in text, note
    assert "--same-states=fold" in text and "--na=group=unknown" in text and "--decimal comma" in text
    assert "nearly the same as two" in text
    again = re.search(r"cliquewise learn odd.csv [^<]*", text)[0]
    given = " ".join(map(str, words))
    assert again == f"cliquewise learn odd.csv {given} --na=group=unknown --same-states=fold -o out-corrected"
    done = run(*shlex.split(again))
    assert done.code == 0 and "table explains: income, one, two." in done.stderr, done.stderr  # what is only advised
    assert "cliquewise learn" not in (folder / "out-corrected" / "report.html").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--na", "unknown"], "--na=unknown"),
        (["--separator", "comma"], "--separator=comma"),
        *slow_cases((["--decimal", "comma"], "--decimal=comma"), (["--drop", "one"], "--drop=one")),
    ],
)
def test_the_first_command_reads_the_table_as_it_was_read(run, workplace, words, message):
    folder = workplace({"odd.csv": odd_table()})
    done = run("cliquewise", "learn", "odd.csv", *words, "-o", "out", "--time-limit", 0.3)
    assert done.code == 0, done.stderr
    text = unescape((folder / "out" / "report.html").read_text())
    command = re.search(r"mnmodel discretize odd.csv[^<]*", text)[0]
    assert message in command
    table = (folder / "out" / "table.csv").read_text()
    again = run(*shlex.split(command.replace("out/table.csv", "again.csv")))
    assert again.code == 0 and (folder / "again.csv").read_text() == table


def test_a_table_of_counts_is_suspected_in_the_report(run, workplace):
    text = "a,b,n\nx,0,3\ny,0,1\ny,1,4\nx,1,9\n"
    folder = workplace({"t.csv": text})
    done = run("cliquewise", "learn", "t.csv", "-o", "out", "--time-limit", 0.3)
    message = "n seems to give the number of rows that each row stands for; if it does, learn again with --counts=n."
    assert done.code == 0 and message in done.stderr and "From 4 rows hardly anything follows." in done.stderr
    assert "Odd columns" not in done.stderr and "Held-out rows" not in (folder / "out" / "report.html").read_text()
    report = (folder / "out" / "report.html").read_text()
    assert "seems to give the number of rows that each row stands for (--counts=n)" in report


def test_no_link_is_probable(run, workplace):
    """A list of probabilities without any edge is read back as one."""
    from cliquewise.common.models.any_graph import read_graph

    workplace({"alone.csv": "a,b\n" + "0,0\n0,1\n1,0\n1,1\n" * 50_000})  # the edge has probability 0.001
    done = run("cliquewise", "learn", "alone.csv", "-o", "out", "--time-limit", 0.3)
    assert done.code == 0, done.stderr
    assert read_graph("out/probabilities.edges").graph.edges == ()
    assert run("cliquewise", "learn", "alone.csv", "-o", "out", "--time-limit", 0.3).code == 0


def test_known_edges_hold_in_every_step(run, workplace):
    """An edge of probability 1 and one of 0, with names that have blanks: in networks, probabilities and commands."""
    names = {"a": "the a", "d": "the d", "b": "b", "c": "c"}
    header, *rows = (line.split(",") for line in table().splitlines())
    places = [header.index(name) for name in names]
    lines = [names.values(), *([row[place] or "x" for place in places] for row in rows)]
    text = "".join(",".join(line) + "\n" for line in lines)
    folder = workplace({"people.csv": text, "known.csv": "u,v,probability\nthe a,the d,1\nb,c,0\n"})
    words = ("cliquewise", "learn", "people.csv", "-o", "out", "--time-limit", 1, "--edge-priors", "known.csv")
    done = run(*words)
    assert done.code == 0, done.stderr
    assert "--edge-priors known.csv" in done.stderr
    edges = {tuple(line.split(",")[:2]) for line in (folder / "out/probabilities.edges").read_text().splitlines()}
    assert ('"the a"', '"the d"') in edges and ("b", "c") not in edges
    checked = run("mntools", "check", "out/network.cliques", "--data", "people.csv", "--edge-priors", "known.csv")
    assert checked.code == 0, checked.stdout
    (folder / "known.csv").write_text("u,v,probability\nthe a,nobody,1\n")
    done = run(*words)
    assert done.code == 1 and "nobody" in done.stderr


def test_small_tables_have_exact_probabilities(run, workplace):
    """They do not depend on the clock, so that a busy machine gives the same."""
    folder = workplace({"t.csv": "a,b,c\n" + "".join(f"{k % 2},{k % 3 % 2},{k % 5 % 3}\n" for k in range(40))})
    for name, seconds in (("short", 0.3), ("long", 3)):
        done = run("cliquewise", "learn", "t.csv", "-o", name, "--time-limit", seconds)
        assert done.code == 0 and f"mnposterior t.csv -o {name}/probabilities.edges" in done.stderr, done.stderr
    found = [(folder / name / "probabilities.edges").read_text() for name in ("short", "long")]
    assert found[0] == found[1] and "# draws 10000" in found[0]
    report = (folder / "short" / "report.html").read_text()
    assert "independent exact draws" in report and "longer chains" not in report


def test_exact_draws_are_for_few_complete_rows(monkeypatch):
    data, options = random_dataset(1, 5, 40), SimpleNamespace(max_clique=None)
    assert _has_exact_draws(data, options)
    incomplete = IncompleteData(data.names, data.states, data.codes, data.source, data.counts)
    assert not _has_exact_draws(incomplete, options)
    assert not _has_exact_draws(random_dataset(1, FEW_VARIABLES + 1, 40), options)
    monkeypatch.setattr("cliquewise.lsmarkov.exact.MAX_WORK", 40 * 2**5)
    assert _has_exact_draws(data, options)
    monkeypatch.setattr("cliquewise.lsmarkov.exact.MAX_WORK", 40 * 2**5 - 1)
    assert not _has_exact_draws(data, options)
