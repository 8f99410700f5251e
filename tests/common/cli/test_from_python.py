"""The commands as Python functions: the same results as on the command line, and the same refusals."""

import ast
import builtins
import inspect
import io
import logging
import re
import sys
import tempfile
from pathlib import Path

import networkx
import numpy as np
import pytest

import cliquewise
from cliquewise.common.errors import DataError, UsageError
from cliquewise.common.python_words import in_python_words
from tests.commands import ROOT, command_module, run_process
from tests.oracles.graphs import is_chordal
from tests.python_functions import LEARNERS

ZOO, WINE = ROOT / "data/zoo.csv", ROOT / "data/wine.csv"
RUNS = [
    ("lsmarkov", {"ess": 10, "iterations": 2000, "max_clique": 3}),
    ("lsmarkov", {"iterations": 300, "greedy": True, "chow_liu": False}),
    ("junctor", {"max_clique": 2, "method": "dp"}),
    ("coarsen", {"method": "greedy"}),
    ("mplearn", {}),
    ("twlearn", {"treewidth": 2, "method": "s2", "iterations": 20}),
    ("mnposterior", {"draws": 10}),
]


def few_columns(folder):
    """The first columns of a table, for dynamic programs."""
    path = folder / "few.csv"
    path.write_text("".join(",".join(line.split(",")[:9]) + "\n" for line in WINE.read_text().splitlines()))
    return path


@pytest.mark.parametrize("name, options", RUNS)
def test_a_function_does_what_the_command_does(name, options, run, tmp_path):
    words = []
    for key, value in options.items():
        flag = f"--{'no-' * (value is False)}{key.replace('_', '-')}"
        words += [flag] if isinstance(value, bool) else [flag, str(value)]
    table = few_columns(tmp_path) if name in ("junctor", "mnposterior") else ZOO
    written = run(name, table, *words, "--format", "json", "-q", "-o", tmp_path / "net")
    assert written.code == 0, written.stderr
    network = getattr(cliquewise, name)(cliquewise.read_csv(table), **options)
    expected = cliquewise.read_network(tmp_path / "net")
    assert network == expected and network == getattr(cliquewise, name)(str(table), **options)
    assert network.names == tuple(table.read_text().splitlines()[0].split(","))
    assert network.header["program"] == name and network.status


def test_attributes_of_a_network(tmp_path):
    data = cliquewise.read_csv(WINE)
    network = cliquewise.junctor(data, max_clique=3, method="dp")
    assert network.status == "optimal" and network.upper_bound == network.score()
    numbers = {name: v for v, name in enumerate(network.names)}
    edges = {(numbers[u], numbers[v]) for u, v in network.edges}
    assert is_chordal(len(numbers), edges) and max(map(len, network.cliques)) <= 3
    inside = {(u, v) for clique in network.cliques for u in clique for v in clique if numbers[u] < numbers[v]}
    assert inside == set(network.edges)
    assert set(map(frozenset, network.to_networkx().edges)) == set(map(frozenset, network.edges))
    assert repr(network) == f"<Network of 14 variables, {len(edges)} edges, score {network.score():.6f}, optimal>"
    for ending in ("cliques", "edges", "dot", "graphml", "json"):
        path = tmp_path / f"net.{ending}"
        network.write(path)
        again = cliquewise.read_network(path)
        assert again.graph.edges == network.graph.edges and again.score() == network.score()
    assert "cliques" in (tmp_path / "net.cliques").read_text()
    network.write(tmp_path / "net.adjacency")
    assert cliquewise.read_network(tmp_path / "net.adjacency").graph.edges == network.graph.edges
    assert repr(cliquewise.from_networkx(network.to_networkx())).endswith(f"{len(edges)} edges>")
    with pytest.raises(UsageError, match="an undirected graph cannot be a model string"):
        network.write(tmp_path / "net.modelstring")
    lone = cliquewise.lsmarkov(data, iterations=10)
    assert lone.upper_bound == float("inf")


def test_directed_networks_and_probabilities(tmp_path):
    directed = cliquewise.twlearn(ZOO, treewidth=1, method="s2", iterations=5)
    assert isinstance(directed.to_networkx(), networkx.DiGraph)
    with pytest.raises(DataError, match="only a chordal network has cliques"):
        _ = directed.cliques
    directed.write(tmp_path / "net")
    assert cliquewise.read_network(tmp_path / "net").graph.edges == directed.graph.edges
    certain = cliquewise.mnposterior(few_columns(tmp_path), draws=10)
    shares = [edge["probability"] for *_, edge in certain.to_networkx().edges(data=True)]
    assert len(shares) == len(certain.edges) and all(0 < share <= 1 for share in shares)


def test_a_model_is_that_of_the_command(run, tmp_path):
    data = cliquewise.read_csv(WINE)
    network = cliquewise.coarsen(data, method="forest")
    network.write(tmp_path / "net.cliques")
    model = cliquewise.fit(data, network, ess=2)
    assert model.names == data.names
    model.write(tmp_path / "model.json")
    cliquewise.fit(WINE, network, ess=2).write(tmp_path / "again.json")  # by the name of the file
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()
    by_command = run("mnmodel", "fit", WINE, tmp_path / "net.cliques", "--ess", "2", "--format", "json", "-q")
    assert by_command.code == 0 and by_command.stdout == (tmp_path / "model.json").read_text()
    model.write(tmp_path / "model.bif")
    assert (tmp_path / "model.bif").read_text().lstrip("/# ").splitlines()
    for ending in ("xml", "bifxml"):
        model.write(tmp_path / f"model.{ending}")
        assert "<BIF" in (tmp_path / f"model.{ending}").read_text()


def test_objects_of_other_libraries(tmp_path):
    pytest.importorskip("pyagrum")
    pytest.importorskip("pgmpy.models")
    data = cliquewise.read_csv(WINE)
    network = cliquewise.twlearn(data, treewidth=2, method="s2", iterations=5)
    again = cliquewise.from_networkx(network.to_networkx())
    assert again.graph == network.graph and again.header == {}
    assert cliquewise.from_networkx(network.to_pgmpy()).graph == network.graph
    assert network.to_pyagrum().arcs() == set(network.graph.arcs)
    model = cliquewise.fit(data, network)
    for ending in ("bif", "xml", "xdsl", "net", "uai", "json"):
        model.write(tmp_path / f"model.{ending}")
        read = cliquewise.read_model(tmp_path / f"model.{ending}")
        assert set(read.names) == set(model.names) and read.header["ess"] == "1"
        theirs, table = read.to_pyagrum(), model.to_pgmpy()
        assert {(theirs.variable(u).name(), theirs.variable(v).name()) for u, v in theirs.arcs()} == set(table.edges)
    with pytest.raises(DataError, match="not a model"):
        cliquewise.read_model(ZOO)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"iterations": 2.5}, "iterations=2.5: not a whole number"),
        ({"iterations": True}, "iterations=True: give a value"),
        ({"seed": True}, "seed=True: give a value"),  # the default is 1
        ({"greedy": "no"}, "greedy='no': give True or False"),
        ({"ess": {1: 2}.items}, "ess=.*: of the type builtin_function_or_method; expected a number"),
        ({"states": [(0, 1)]}, r"states: of the type list; give the name of a file, or a dict \{name: "),
        ({"states": {"milk": "True"}}, "states: the states of 'milk' are 'True'; give a list"),
        ({"completed": {"a": [*range(100)]}}, "^completed=<dict>: give the name of a file$"),
        ({"stop": True}, "stop=True: give a threading.Event"),
        ({"edge_priors": 5}, "edge_priors: 5; give the name of a file, or a dict"),
        ({"ess": -1}, "'ess': -1.0 is not in the range"),
        ({"greedy": True, "operations": "C"}, "operations does not go|operations has no effect"),
        ({"max_clique": 2, "init": "no-such-file"}, "no-such-file"),
    ],
)
def test_refusals(options, message):
    with pytest.raises((UsageError, DataError), match=message):
        cliquewise.lsmarkov(cliquewise.read_csv(ZOO), **options)


def test_objects_that_are_not_data_are_refused():
    network = cliquewise.coarsen(WINE, method="forest")
    for given in (None, 5, object()):
        for learn in (cliquewise.lsmarkov, lambda data: cliquewise.fit(data, network)):
            with pytest.raises(UsageError, match="data: of the type .*; give a DataFrame, the result of read_csv"):
                learn(given)


def test_importing_the_package_imports_little_else():
    code = "import cliquewise, sys; print(*(m for m in sys.modules if m.startswith(('cliquewise.', 'numpy', 'click'))))"
    found = {*run_process([sys.executable, "-c", code]).stdout.split()}
    functions = {
        name for learner in LEARNERS for name in (f"cliquewise.{learner}", f"cliquewise.{learner}.from_python")
    }
    common = {f"cliquewise.common{name}" for name in ("", ".errors", ".cli", ".cli.from_python", ".python_words")}
    assert found == functions | common
    assert all(getattr(cliquewise, name) is not None for name in cliquewise.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = cliquewise.nothing


@pytest.mark.parametrize("name", LEARNERS)
def test_functions_have_signatures(name):
    learn = getattr(cliquewise, name)
    command_module(name)  # the package of the same name stays hidden behind the function
    assert inspect.isfunction(learn) and getattr(cliquewise, name) is learn
    assert learn.config is sys.modules[f"cliquewise.{name}.config"]  # as after `import cliquewise.lsmarkov.config`
    data, *options = inspect.signature(learn).parameters.values()
    assert data.name == "data" and data.annotation == "Data" and data.default is inspect.Parameter.empty
    described = re.findall(
        r"(?m)^    (\w+)$", inspect.getdoc(learn).partition("Parameters\n")[2].replace("\n", "\n    ")
    )
    assert described[: len(options) + 1] == ["data", *(option.name for option in options)]
    for option in options:
        assert option.kind is inspect.Parameter.KEYWORD_ONLY and option.annotation not in ("Any", option.empty)
        required = (name, option.name) == ("twlearn", "treewidth")
        assert (option.default is option.empty) == required
        assert option.default is not None or option.annotation.endswith("| None"), option
    with pytest.raises(TypeError, match="esss"):
        learn(ZOO, esss=1)
    with pytest.raises(TypeError, match="positional"):
        learn(ZOO, 1)


@pytest.mark.slow  # minutes where mypy has no cache
def test_type_checkers_see_the_functions(tmp_path, monkeypatch):
    mypy = pytest.importorskip("mypy.api")
    assert (ROOT / "py.typed").exists()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "cliquewise").symlink_to(ROOT)  # mypy does not find editable installations
    monkeypatch.setenv("MYPYPATH", str(tmp_path / "lib"))
    path = tmp_path / "calls.py"
    path.write_text(
        "import cliquewise\n"
        "reveal_type(cliquewise.lsmarkov('a.csv', ess=[1, 10.0], choose='cv', time_limit=5).edges)\n"
        "cliquewise.lsmarkov('a.csv', iterations='many')\n"
        "cliquewise.twlearn('a.csv')\n"
        "cliquewise.coarsen('a.csv', method='best')\n"
    )
    out, _, _ = mypy.run(["--no-incremental", "--follow-imports=silent", str(path)])
    found = [line.partition("py:")[2] for line in out.splitlines() if "calls.py" in line]
    assert [line[:8] for line in found if "defined in" not in line] == ["2: note:", "3: error", "4: error", "5: error"]
    assert 'Any"' in found[0] and "treewidth" in found[2] and "method" in found[-1]


@pytest.mark.parametrize("name, options", RUNS[:1])
def test_no_file_is_written_that_nobody_asked_for(name, options, monkeypatch, here):
    data, opened = cliquewise.read_csv(ZOO), []
    getattr(cliquewise, name)(data, **options)  # kernels are compiled
    open_ = io.open

    def watched(path, mode="r", *args, **more):
        opened.extend([path] if set(mode) & {*"wax+"} else [])
        return open_(path, mode, *args, **more)

    for module, function in ((builtins, "open"), (io, "open")):
        monkeypatch.setattr(module, function, watched)
    for function in ("mkstemp", "mkdtemp"):
        monkeypatch.setattr(tempfile, function, lambda *args, **more: opened.append(args))
    words = list(sys.argv)
    network = getattr(cliquewise, name)(data, **options)
    assert network.edges and opened == [] and sys.argv == words and list(here.iterdir()) == []


def test_the_command_in_a_result_is_that_of_the_call(tmp_path):
    table = few_columns(tmp_path)
    found = cliquewise.lsmarkov(table, iterations=20, ess=10, score="bdeu", chow_liu=False, provenance=True)
    assert found.header["command"] == f"lsmarkov --ess 10 --no-chow-liu --iterations 20 --provenance {table}"


@pytest.mark.slow
def test_the_example_of_the_readme_runs(monkeypatch, workplace):
    folder = workplace({})
    (folder / "data").symlink_to(ROOT / "data")
    text = (ROOT / "README.md").read_text()
    example = text.partition("```python\n")[2].partition("```")[0]
    assert "cliquewise.lsmarkov" in example
    code = example.replace("time_limit=5", "time_limit=0.3").replace("time_limit=10", "time_limit=1")
    done = run_process([sys.executable, "-c", code])
    assert done.code == 0, done.stderr
    assert Path("zoo.bif").exists() and "Network of 17 variables" in done.stdout


def test_messages_name_arguments():
    """The same refusals as those of the commands, which name options."""
    incomplete = {"a": ["x", None, "y"] * 5, "b": ["x", "y", "y"] * 5}
    with pytest.raises(DataError, match="missing='em' treats such cells as missing values"):
        cliquewise.lsmarkov(incomplete, iterations=1)
    with pytest.raises(DataError, match="missing='em'"):
        cliquewise.read_csv(incomplete)
    with pytest.raises(UsageError, match="^missing='impute': expected one of refuse, state, drop, em$"):
        cliquewise.read_csv(incomplete, missing="impute")
    with pytest.raises(DataError, match="needed: at least 2$"):
        cliquewise.read_csv(incomplete, columns="a")
    with pytest.raises(UsageError, match="Invalid value for 'treewidth': 0 is not"):
        cliquewise.twlearn(ZOO, treewidth=0)
    with pytest.raises(UsageError, match=r"threshold=\[1, 2\]: give one number, and call the function once for each"):
        cliquewise.mplearn(ZOO, score="cmi", threshold=[1, 2])
    with pytest.raises(UsageError, match="drop: no column 'c'"):
        cliquewise.read_csv(incomplete, drop="c")
    with pytest.raises(UsageError) as refused:
        cliquewise.learn(incomplete, drop="c")
    assert "--" not in str(refused.value)
    with pytest.raises(UsageError, match="choose='cv', 'evidence' or FILE"):
        cliquewise.lsmarkov(ZOO, ess=[1, 2])


def test_warnings_name_arguments(caplog):
    rows = 30
    table = {"x": [k / 7 for k in range(rows)], "one": [1] * rows, "s": ["-", "a", "A"] * 10, "n": [*range(rows)]}
    cliquewise.read_csv(table)
    warned = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert any(line.endswith("cut them: cliquewise.discretize(table, columns='x')") for line in warned), warned
    for advice in ("na='-' if they are", "same_states='fold' makes", "leave them out: drop='n'"):
        assert any(advice in line for line in warned), warned
    assert not any("--" in line for line in warned)


def test_a_description_names_arguments_and_its_call_runs():
    rows = 40
    table = {
        "id": [f"x{k}" for k in range(rows)],
        "my age": [str(k % 9) for k in range(rows - 1)] + ["?"],
        "s": ["-", "a", "A", "b"] * 10,
        "one": [1] * rows,
        "y": ["yes", "no"] * 20,
    }
    with_numbers = {**table, "x": [k / 7 for k in range(rows)]}
    for content, function in ((table, "lsmarkov"), (with_numbers, "learn")):
        found = cliquewise.describe(content)
        assert "--" not in str(found) and "recommended call:" in str(found)
        assert found.command.startswith(f"cliquewise.{function}(")
        advice = [note.option for column in found.columns for note in column.notes if note.option]
        arguments = [option for option in advice if not option.startswith("cliquewise.")]
        assert {"drop='id'", "na='s=-'", "same_states='fold'"} <= {*arguments}
        for option in arguments:
            name, _, value = option.partition("=")
            cliquewise.read_csv(content, **{"missing": "em", name: ast.literal_eval(value)})
    assert "(cliquewise.discretize(table, columns='x'))" in str(found)
    assert cliquewise.describe(WINE).command == f"cliquewise.lsmarkov(cliquewise.read_csv({str(WINE)!r}))"
    call = ast.parse(cliquewise.describe(table).command).body[0].value.args[0]
    assert ast.unparse(call.func) == "cliquewise.read_csv" and ast.unparse(call.args[0]) == "table"
    given = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    assert cliquewise.read_csv(table, **given).names == ("my age", "s", "y")


def test_values_that_messages_name_are_those_of_the_options():
    """Words that sentences have, too, and formats, which functions do not have, are left out."""
    no_values = {"and", "or", "parameters", "printed", "cliques", "edges", "arcs", "dot", "graphml", "json"}
    commands = [getattr(command_module(name), name) for name in LEARNERS]
    kinds = [param.type for command in commands for param in command.params]
    values = {value for kind in kinds for value in getattr(kind, "choices", getattr(kind, "words", ()))}
    for value in values - no_values:
        assert in_python_words(f"use --some-option {value}; or") == f"use some_option={value!r}; or"


@pytest.mark.parametrize(
    "how",
    [
        {"weights": "w"},
        {"weights": "w", "weight_scale": "none", "drop": "b"},
        {"missing": "drop", "na": "9"},
        {"missing": "state", "na": "9"},
        {"missing": "em", "na": "9", "columns": "a,b,c"},
        {"states": "states.csv"},
    ],
    ids=str,
)
def test_a_network_says_how_its_data_were_read(run, workplace, how):
    """So a check of a file reads it in the same way, whether the data were read before or by the learner."""
    rows = [(k % 2, k % 3 % 2, (k * k) % 3, 9 if k % 7 == 0 else k % 2, 0.5 + k % 4) for k in range(60)]
    Path("table.csv").write_text("a,b,c,d,w\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    Path("states.csv").write_text("column,state\na,0\na,1\na,2\n")
    options = {"iterations": 200, "ess": 2.0}
    data = cliquewise.read_csv("table.csv", **how)
    Path("states.csv").rename("moved.csv")
    found = cliquewise.lsmarkov(data, **options)
    Path("moved.csv").rename("states.csv")
    assert found.header == cliquewise.lsmarkov("table.csv", **how, **options).header
    found.write("net.edges")
    more = ("--states", "states.csv") if "states" in how else ()
    done = run("mntools", "check", "net.edges", "--data", "table.csv", *more)
    assert done.code == 0 and "ok" in done.stdout, done.stdout + done.stderr


def test_the_mean_log_probability_of_rows_with_weights():
    table = {"a": list("xxy"), "b": list("xyy"), "w": [1, 2, 0.5]}
    data = cliquewise.read_csv(table, weights="w", weight_scale="none")
    model = cliquewise.fit(data, cliquewise.lsmarkov(data, iterations=10))
    rows = model.loglik({"a": table["a"], "b": table["b"]}, per_row=True)
    assert model.loglik(data) == pytest.approx((rows[0] + 2 * rows[1] + 0.5 * rows[2]) / 3.5, rel=1e-12)


def test_states_in_memory_are_those_of_a_file(tmp_path):
    """A dict of columns and their states, as values, in place of the file that has the same."""
    table = {"a": ["lo", "hi"] * 20, "b": [1, 2] * 20, "c": [True, False, False, True] * 10}
    states = {"a": ["lo", "mid", "hi"], "b": (3, 2, 1), "c": np.array([True, False])}
    path = tmp_path / "states.json"
    path.write_text('{"a": ["lo", "mid", "hi"], "b": ["3", "2", "1"], "c": ["True", "False"]}')
    for learner in (cliquewise.lsmarkov, cliquewise.mplearn):
        found, expected = learner(table, states=states), learner(table, states=path)
        assert found == expected and found.header["states-sha256"] == expected.header["states-sha256"]
    read, expected = cliquewise.read_csv(table, states=states), cliquewise.read_csv(table, states=path)
    assert read.states == expected.states == (("lo", "mid", "hi"), ("3", "2", "1"), ("True", "False"))
    assert cliquewise.lsmarkov(read, iterations=50).header["states-sha256"] == found.header["states-sha256"]
    described = cliquewise.describe(table, states=states)
    assert described.as_dict()["columns"] == cliquewise.describe(table, states=path).as_dict()["columns"]
    with pytest.raises(DataError, match="state 'hi' is not declared in <states>"):
        cliquewise.read_csv(table, states={"a": ["lo"]})
    assert "read_csv(table, states=states)" in str(cliquewise.describe(table, states=states))
