"""Tables that fit a model in part: rows that cannot be answered, missing and additional columns."""

from pathlib import Path

import numpy as np
import pytest

import cliquewise
from cliquewise.common.errors import UsageError
from cliquewise.common.models.model_file import read_model
from tests.oracles import questions
from tests.oracles.distributions import bayesian_distribution, marginal

NET = """
variable a { type discrete [2] { x, y }; }
variable b { type discrete [2] { x, y }; }
variable c { type discrete [2] { u, v }; }
probability ( a ) { table 1, 0; }
probability ( b | a ) { (x) 0.3, 0.7; (y) 0.5, 0.5; }
probability ( c | b ) { (x) 0.1, 0.9; (y) 0.8, 0.2; }
"""
ROWS = "id,a,c\n1,x,u\n2,y,u\n3,q,v\n4,,v\n"


@pytest.fixture(autouse=True)
def work(workplace):
    """A folder with a model and tables."""
    return workplace({"net.bif": NET, "rows.csv": ROWS, "id.csv": "id\n1\n2\n", "bad.csv": "a\ny\nq\n"})


def truth():
    """The model's distribution, by enumeration."""
    network = read_model("net.bif")
    return bayesian_distribution([2, 2, 2], network.parents, [table.tolist() for table in network.tables])


def test_bad_rows_of_evidence_are_skipped(run):
    done = run(*"mnmodel query net.bif --of b --given-rows rows.csv --skip-bad-rows".split())
    lines = done.stdout.splitlines()
    assert done.code == 0 and lines[3:7] == ['2,x,""', '2,y,""', '3,x,""', '3,y,""']
    assert float(lines[1].split(",")[2]) == pytest.approx(0.03 / 0.59, rel=1e-9)
    assert "rows.csv: row 2: the evidence has probability zero: a=y, c=u" in done.stderr
    assert "rows.csv: row 3, column 'a': state 'q' is not in the model, which knows x, y" in done.stderr
    assert "not in the model, and not used: 'id'" in done.stderr
    done = run(*"mnmodel mpe net.bif --given-rows rows.csv --skip-bad-rows -q".split())
    assert done.stdout.splitlines()[2:4] == ['"","","",""'] * 2
    done = run(*"mnmodel marginals net.bif --given-rows bad.csv --skip-bad-rows -q".split())
    assert done.code == 0 and done.stdout.count('""') == 12  # no row at all can be answered
    done = run(*"mnmodel marginals net.bif --given-rows bad.csv --skip-bad-rows -q --format json".split())
    assert done.stdout == "[null, null]\n"


def test_bad_rows_are_skipped_in_predictions(run, refuse):
    refuse("mnmodel predict net.bif rows.csv --target b -q", 1, "rows.csv: row 3, column 'a': state 'q' is not in")
    done = run(*"mnmodel predict net.bif rows.csv --target b --proba --skip-bad-rows".split())
    lines = done.stdout.splitlines()
    assert lines[2:4] == ['"","","",""'] * 2 and done.stderr.count("rows.csv: row ") == 2
    assert lines[1].startswith("y,") and lines[4].startswith("x,") and len(lines) == 5
    done = run(*"mnmodel predict net.bif rows.csv --target a --skip-bad-rows".split())  # scored by its column
    assert '""' not in done.stdout and "right in 1 of 3 rows that have it" in done.stderr


def test_bad_rows_stay_unchanged_when_others_are_filled_in(run, refuse):
    Path("blank.csv").write_text("id,a,b\n1,x,?\n2,y,\n3,q,?\n4,?,x\n")
    refuse("mnmodel impute net.bif blank.csv -q", 1, "blank.csv: row 3, column 'a': state 'q' is not in")
    done = run(*"mnmodel impute net.bif blank.csv --skip-bad-rows".split())
    assert done.stdout == "id,a,b\n1,x,y\n2,y,?\n3,q,?\n4,x,x\n"
    assert "2 cells of 2 rows filled in" in done.stderr and done.stderr.count("warning: blank.csv: row") == 2
    done = run(*"mnmodel impute net.bif blank.csv --skip-bad-rows --draws 2 -q".split())
    assert done.stdout.count("3,q,?\n") == 2 and done.stdout.count("2,y,?\n") == 2


def test_states_in_other_spellings_on_request(run, refuse):
    """A column that has a state in two spellings, both other than the model's, and another one that has two of them."""
    Path("net.bif").write_text(
        NET.replace("{ x, y }; }\nvariable b", "{ x, Y }; }\nvariable b")
        .replace("(y)", "(Y)", 1)
        .replace("table 1, 0", "table 0.6, 0.4")
    )
    Path("rows.csv").write_text("a,b,c\nX,x,?\n x ,x,?\ny,Y,?\nY,x,?\n")
    refuse("mnmodel predict net.bif rows.csv --target c -q", 1, "rows.csv: row 1, column 'a': state 'X' is not in")
    done = run(*"mnmodel predict net.bif rows.csv --target b --same-states fold".split())
    assert "differ from the model's in case or blanks: a 'X' is 'x', a 'y' is 'Y', b 'Y' is 'y'" in done.stderr
    assert [line[:2] for line in done.stdout.splitlines()[1:]] == ["y,", "y,", "x,", "x,"]
    assert "right in 1 of 4 rows that have it" in done.stderr
    done = run(*"mnmodel impute net.bif rows.csv --same-states fold -q".split())
    assert done.stdout == "a,b,c\nx,x,v\nx,x,v\nY,y,u\nY,x,v\n"
    done = run(*"mnmodel loglik net.bif rows.csv --per-row --same-states fold -q".split())
    assert len(set(done.stdout.split()[:2])) == 1
    with pytest.raises(UsageError, match="same_states='exact': expected one of auto, fold"):
        cliquewise.read_model("net.bif").predict("rows.csv", "b", same_states="exact")
    assert cliquewise.read_model("net.bif").impute({"a": ["X", "y"]}, same_states="fold") == {"a": ["x", "Y"]}


def test_a_number_is_no_other_number_written_wrongly(refuse):
    Path("net.bif").write_text(NET.replace("x, y", "9, 10").replace("(x)", "(9)").replace("(y)", "(10)"))
    Path("rows.csv").write_text("a\n9\n99\n")
    message = (
        "rows.csv: row 2, column 'a': state '99' is not in the model, which knows 9, 10 (1 such cells); leave a cell"
    )
    refuse("mnmodel loglik net.bif rows.csv -q", 1, message)


def test_columns_may_be_missing(run, refuse):
    joint = truth()
    Path("b.csv").write_text("b,more\nx,1\n?,2\ny,3\n")
    done = run(*"mnmodel loglik net.bif b.csv --per-row".split())
    wanted = [np.log(marginal(joint, (1,))[k,]) for k in (0, 1)]
    assert list(map(float, done.stdout.split())) == pytest.approx([wanted[0], 0.0, wanted[1]])
    assert "b.csv: no column a, c, which the model has: missing in all rows" in done.stderr
    done = run(*"mnmodel predict net.bif b.csv --target c -q".split())
    known = marginal(questions.conditional(joint, {1: 0})[1], (2,))
    assert float(done.stdout.splitlines()[1].split(",")[1]) == pytest.approx(known[1,])
    assert run(*"mnmodel impute net.bif b.csv -q".split()).stdout == "b,more\nx,1\ny,2\ny,3\n"
    for command in ("loglik net.bif id.csv", "predict net.bif id.csv --target c", "impute net.bif id.csv"):
        refuse(f"mnmodel {command} -q", 1, "id.csv: no column a, b")


def test_separation_from_the_command_line(run, refuse):
    def message(*words):
        return run("mnmodel", *words).stdout

    assert message("d-separated", "net.bif", "a", "c") == "connected: a -> b -> c\n"
    assert message("d-separated", "net.bif", "a", "c", "--given", "b") == "d-separated\n"
    assert message("d-separated", "net.bif", "a,b", "c") == "connected: b -> c\n"
    assert message("blanket", "net.bif", "b") == "a\nc\n"
    Path("net.dot").write_text("graph { a -- b; b -- c; }")
    assert message("d-separated", "net.dot", "a", "c") == "connected: a - b - c\n"
    assert message("d-separated", "net.dot", "a", "c", "--given", "b") == "separated\n"
    Path("net.dot").write_text("graph { a -- b; c; }")
    alone = run("mnmodel", "blanket", "net.dot", "c")
    assert (alone.stdout, alone.stderr) == ("", "mnmodel: the blanket of c is empty: it is independent of all others\n")
    refuse("mnmodel d-separated net.bif a z", 1, "net.bif: no variable 'z'; its variables are a, b, c")
    refuse("mnmodel d-separated net.bif a c --given a", 1, "net.bif: variable 'a' is named twice")
