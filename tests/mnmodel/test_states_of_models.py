"""States that a model declares: `--states MODEL` in learners, dmscore and discretize, `--states-of MODEL` in fits."""

import json
import re

import numpy as np
import pytest

import cliquewise
from cliquewise.common.models.model_file import read_model
from tests.reading import read_csv

ORDER = ("mid", "low", "high", "never")


@pytest.fixture
def work(workplace, run):
    """A model whose states are in an order of their own, one of which no row has, in several formats; and a table."""
    states = [("level", ORDER), ("flag", ("TRUE", "FALSE")), ("number", ("0", "1", "2"))]
    cells = {name: [f"{1 / len(labels):.12f}" for _ in labels] for name, labels in states}
    text = "network x {\n}\n"
    for name, labels in states:
        text += f"variable {name} {{\n type discrete [ {len(labels)} ] {{ {', '.join(labels)} }};\n}}\n"
    for name, _ in states:
        text += f"probability ( {name} ) {{\n table {', '.join(cells[name])};\n}}\n"
    rng = np.random.default_rng(2)
    rows = [
        f"{'low mid high'.split()[a]},{['False', 'True'][a % 2]},{float(b)}" for a, b in rng.integers(0, 3, (60, 2))
    ]
    rows[0] = "low,True,0.0"
    folder = workplace({"m.bif": text, "t.csv": "level,flag,number\n" + "\n".join(rows) + "\n"})
    assert run("mnmodel", "states", "m.bif", "-o", "s.csv").code == 0
    return folder


LEARNERS = (
    "lsmarkov t.csv --iterations 200 --names",
    "junctor t.csv --names",
    "twlearn t.csv -w 2 --iterations 50",
    "mplearn t.csv",
    "coarsen t.csv --method greedy",
    "dmscore t.csv 1 3",
    "mnposterior t.csv --draws 100",
    "mnmodel states t.csv",
)


@pytest.mark.parametrize("line", LEARNERS)
def test_a_model_declares_what_its_file_of_states_does(run, work, line):
    seen = [run(*line.split(), "--states", name, "-q") for name in ("m.bif", "s.csv")]
    assert seen[0].code == 0 and seen[0].stdout == seen[1].stdout, seen[0].stderr
    assert seen[0].stdout != run(*line.split(), "-q").stdout


def test_the_check_reads_it_too(run, work):
    assert run("junctor", "t.csv", "--states", "m.bif", "-q", "-o", "net").code == 0
    for name in ("m.bif", "s.csv"):
        assert run("mntools", "check", "net", "--data", "t.csv", "--states", name).code == 0
    done = run("mntools", "check", "net", "--data", "t.csv")
    assert done.code == 2 and "learned with declared states" in done.stderr


def test_a_graph_learned_with_declared_states_is_fitted_with_states(run, work):
    learn = ("lsmarkov", "t.csv", "--states", "m.bif", "--iterations", 50, "-o", "net")
    fits = re.search("mnmodel fit .*", run(*learn).stderr)[0].split()
    assert fits[2:] == ["t.csv", "net", "--states", "m.bif", "-o", "model.bif"]
    assert run(*fits).code == 0 and read_model("model.bif").states == read_model("m.bif").states
    for others in (("--states-of", "m.bif"), ("--missing", "em", "--start-from", "model.bif")):
        assert run("mnmodel", "fit", "t.csv", "net", *others, "-q").code == 0
    assert run("mnmodel", "fit", "t.csv", "model.bif", "-q").code == 0
    for line in ("fit t.csv net", "loglik t.csv net t.csv"):
        done = run("mnmodel", *line.split(), "-q")
        assert done.code == 2 and "net was learned with declared states" in done.stderr


def test_a_state_that_the_model_lacks(run, work):
    (work / "t.csv").write_text("level,flag,number\nlow,True,0\nlow,True,1\nlots,False,1\n")
    done = run("junctor", "t.csv", "--states", "m.bif", "-q")
    assert done.code == 1 and "t.csv:4, column 'level': state 'lots' is not declared in m.bif" in done.stderr


@pytest.mark.parametrize("option", ["--states", "--states-of"])
def test_fits_have_the_states_of_the_model_in_its_order(run, work, option):
    (work / "net").write_text("# variables 3\n0,1\n2\n")
    done = run("mnmodel", "fit", "t.csv", "net", option, "m.bif", "--format", "json", "-q")
    assert done.code == 0, done.stderr
    states = {one["name"]: one["states"] for one in json.loads(done.stdout)["variables"]}
    assert states == {"level": list(ORDER), "flag": ["TRUE", "FALSE"], "number": ["0", "1", "2"]}


def test_states_of_a_model_and_of_a_table(run, work):
    """States of the model, then those that other tables add; missing cells stay the last state."""
    (work / "net").write_text("# variables 3\n0,1\n2\n")
    with (work / "t.csv").open("a") as file:
        file.write(",True,1\n")
    (work / "u.csv").write_text("level,number\nlots,7\na bit,1.0\n")
    options = ("--states-of", "m.bif", "--states-of", "u.csv", "--missing", "state", "--format", "json", "-q")
    done = run("mnmodel", "fit", "t.csv", "net", *options)
    assert done.code == 0, done.stderr
    states = {one["name"]: one["states"] for one in json.loads(done.stdout)["variables"]}
    assert states["level"] == [*ORDER, "a bit", "lots", "?"] and states["number"] == ["0", "1", "2", "7"]
    done = run("mnmodel", "fit", "t.csv", "net", *options[:4], "--missing", "em", "-q", "-o", "model")
    assert done.code == 0, done.stderr


def test_a_model_of_other_variables(run, work):
    (work / "net").write_text("# variables 2\n0,1\n")
    (work / "o.csv").write_text("a,b\n0,1\n1,0\n1,1\n")
    done = run("mnmodel", "fit", "o.csv", "net", "--states-of", "m.bif", "-q")
    assert done.code == 2 and "--states-of m.bif has no effect" in done.stderr
    done = run("junctor", "o.csv", "--states", "m.bif", "-q")
    assert done.code == 2 and "--states m.bif has no effect" in done.stderr


def test_discretize_and_python(run, work):
    done = run("mnmodel", "discretize", "t.csv", "--states", "m.bif", "--bins", "2", "-q")
    assert done.code == 0 and done.stdout.splitlines()[1] == "low,TRUE,0"
    data = cliquewise.read_csv(work / "t.csv", states=str(work / "m.bif"))
    assert data.states[0] == ORDER and data.names == ("level", "flag", "number")
    assert data.states == read_csv(work / "t.csv", states=str(work / "s.csv")).states
