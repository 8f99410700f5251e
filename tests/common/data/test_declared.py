"""Declared states: their order, states without rows, and labels that are none of them."""

import json

import pytest

from cliquewise.common.data.declared import read_declared, states_text
from cliquewise.common.errors import DataError, UsageError
from tests.reading import read_csv

pytestmark = pytest.mark.nojit
TEXT = "pain,dose,fever\n" + "low,1,no\nhigh,2.0,yes\nlow,1.0,no\nhigh,?,no\n" * 5
STATES = "column,state\npain,none\npain,low\npain,high\ndose,0\ndose,1\ndose,2\n"


@pytest.fixture
def read(tmp_path):
    """Reads TEXT, or another, with a file of states."""

    def read_with(states, text=TEXT, **options):
        (tmp_path / "t.csv").write_text(text)
        (tmp_path / "states").write_text(states)
        return read_csv(tmp_path / "t.csv", states=str(tmp_path / "states"), missing="state", **options)

    return read_with


@pytest.mark.parametrize("fmt", ["csv", "json"])
def test_states_keep_their_order_and_those_without_rows(read, tmp_path, fmt):
    (tmp_path / "s").write_text(STATES)
    data = read(states_text(read_declared(str(tmp_path / "s")), fmt))
    assert data.states == (("none", "low", "high"), ("0", "1", "2", "?"), ("no", "yes"))
    assert data.codes[:4].tolist() == [[1, 1, 0], [2, 2, 1], [1, 1, 0], [2, 3, 0]]
    assert data.arity.tolist() == [3, 4, 2]


def test_numbers_of_json(read):
    data = read(json.dumps({"dose": [0, 1, 2.0, "3"]}))
    assert data.states[1] == ("0", "1", "2.0", "3", "?")


def test_labels_are_one_state_only_if_they_are_declared_so(read):
    data = read("column,state\ndose,1\ndose,1.0\ndose,2\n")
    assert data.states[1] == ("1", "1.0", "2", "?")


DECLARED = {  # cells, states, the states read; None: refused
    "as written": ("low mid high", ["low", "mid", "high"], True),
    "another order": ("low mid high", ["high", "mid", "low"], True),
    "one more": ("low mid high", ["none", "low", "mid", "high"], True),
    "many more": ("low mid", ["a", "b", "low", "c", "mid", "d"], True),
    "one less": ("low mid high", ["low", "mid"], False),
    "another case": ("low mid high", ["Low", "mid", "high"], False),
    "pandas' numbers": ("0.0 1.0 2.0", ["0", "1", "2"], True),
    "whole numbers": ("0 1", ["0.0", "1.0"], True),
    "zeros first": ("01 02", ["1", "2", "3"], True),
    "True and TRUE": ("True False", ["FALSE", "TRUE"], True),
    "true and True": ("true false", ["False", "True"], True),
    "a word that is missing": ("unknown low", ["low", "unknown"], True),
    "NA is declared": ("NA low", ["low", "NA"], True),
    "? is declared": ("? low", ["low", "?"], True),
    "numbers as text": ("10 9 100", ["9", "10", "100"], True),
    "numbers backwards": ("10 9 100", ["100", "10", "9"], True),
    "another number": ("10 9 11", ["9", "10"], False),
    "a comma in it": ("low a,b", ["a,b", "low"], True),
    "a quote in it": ('low 5"', ['5"', "low"], True),
    "accents": ("größer kleiner", ["kleiner", "gleich", "größer"], True),
    "a missing word not declared": ("NA low mid", ["low", "mid"], False),
    "intervals": ("(0,5] (5,10]", ["(0,5]", "(5,10]", "(10,20]"], True),
}


@pytest.mark.parametrize("fmt", ["csv", "json"])
@pytest.mark.parametrize("name", DECLARED)
def test_declared_states(tmp_path, name, fmt):
    cells, states, is_read = DECLARED[name]
    quoted = ['"' + cell.replace('"', '""') + '"' for cell in cells.split()]
    rows = [f"{cell},{k % 2}" for k, cell in enumerate(quoted * 3)]
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(rows) + "\n")
    path = tmp_path / f"states.{fmt}"
    lines = (f'a,"{state.replace(chr(34), 2 * chr(34))}"\n' for state in states)
    path.write_text(json.dumps({"a": states}) if fmt == "json" else "column,state\n" + "".join(lines))
    if not is_read:
        found = r"state '.*' is not declared in .*, which has |missing value 'NA'"
        with pytest.raises(DataError, match=rf"t\.csv:\d+, column 'a': ({found})"):
            read_csv(tmp_path / "t.csv", states=str(path), warn=False)
        return
    data = read_csv(tmp_path / "t.csv", states=str(path), warn=False)
    assert data.states[0] == tuple(states) and data.arity[0] == len(states)
    seen = [data.states[0][code] for code in data.codes[:, 0]]
    assert len(set(seen)) == len(set(cells.split()))


def test_declared_states_in_other_spellings_on_request(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "YES,1\nyes,2\nno,1\n" * 3)
    (tmp_path / "states").write_text("column,state\na,No\na,Yes\n")
    reading = {"states": str(tmp_path / "states"), "warn": False}
    with pytest.raises(
        DataError, match=r"t\.csv:2, column 'a': state 'YES' is not .*; --same-states=fold ignores case"
    ):
        read_csv(tmp_path / "t.csv", **reading)
    data = read_csv(tmp_path / "t.csv", same_states="fold", **reading)
    assert data.states[0] == ("No", "Yes") and data.codes[:, 0].tolist() == [1, 1, 0] * 3


def test_declarations_for_no_column_of_the_table_are_refused(read):
    with pytest.raises(UsageError, match=r"--states .* has no effect: .* has none of its columns \(weight\)"):
        read("column,state\nweight,1\n")


def test_another_number_of_states_in_the_table(read):
    text = "pain,fever\n2,2\n" + "low,no\nhigh,yes\nlow,no\nlow,no\nhigh,no\n" * 5
    with pytest.raises(DataError, match=r"column 'pain': 2 states in the table's line of numbers of states, 3 in "):
        read(STATES, text=text)


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ("a,b\npain,x\n", ":1: not a file of states: the first line must be 'column,state'"),
        ("", ":1: not a file of states"),
        ("column,state\npain\n", ":2: 1 cell instead of a column and a state"),
        ("column,state\npain,low\npain,low\n", "column 'pain': the state 'low' twice"),
        ('{"pain": "low"}', "not a file of states: expected"),
        ('{"pain": []}', "column 'pain': no states"),
        ('{"pain": [true]}', "column 'pain': a state is neither text nor a number: true"),
        ('{"pain": [', "not JSON: "),
    ],
)
def test_invalid_files_of_states_are_refused(read, states, message):
    with pytest.raises(DataError) as caught:
        read(states)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_from_learning_to_the_model(workplace, run):
    workplace({"t.csv": TEXT.replace(",?,", ",2,"), "s.csv": STATES})
    words = ("--states", "s.csv", "--iterations", 500, "-q")
    assert run("lsmarkov", "t.csv", *words, "-o", "net.cliques").code == 0
    assert "# states-sha256 " in open("net.cliques").read()
    assert run("mntools", "check", "net.cliques", "--data", "t.csv", "--states", "s.csv").code == 0
    done = run("mntools", "check", "net.cliques", "--data", "t.csv")
    assert done.code == 2 and "was learned with declared states" in done.stderr
    open("other.csv", "w").write(STATES + "fever,no\nfever,yes\nfever,unknown\n")
    done = run("mntools", "check", "net.cliques", "--data", "t.csv", "--states", "other.csv")
    assert done.code == 1 and "other states than those with which the graph was learned" in done.stderr
    assert run("mnmodel", "fit", "t.csv", "net.cliques", "--states", "s.csv", "-q", "-o", "m.bif").code == 0
    assert "{ none, low, high }" in open("m.bif").read()
    assert run("mnmodel", "states", "m.bif").stdout.startswith(STATES)
    assert run("mnmodel", "states", "t.csv", "-q").stdout == (
        "column,state\npain,high\npain,low\ndose,1\ndose,2\nfever,no\nfever,yes\n"
    )
    assert run("mnmodel", "states", "m.bif", "--header", "yes").code == 2


def test_intervals_of_pandas_are_in_order(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + '"(10, 20]",0\n"(5.0, 10]",1\n"(0, 5.0]",1\n' * 3)
    assert read_csv(tmp_path / "t.csv").states[0] == ("(0, 5.0]", "(5.0, 10]", "(10, 20]")
