"""Weka's .arff files: the states that nominal attributes declare, sparse rows, quotes, missing cells."""

import numpy as np
import pytest

from cliquewise.common.data.csvfile import read_csv as read
from cliquewise.common.data.reading import Reading
from cliquewise.common.errors import DataError, UsageError
from tests.reading import labels_of, read_csv

HEAD = "@relation r\n@attribute a numeric\n@attribute b {lo,mid,hi}\n@attribute c {no,yes}\n"


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "@data\n1,lo,no\n2,hi,?\n",
        HEAD.upper()
        .replace("LO,MID,HI", "lo,mid,hi")
        .replace("NO,YES", "no,yes")
        .replace(" A ", " a ")
        # the case of names and states counts, that of keywords does not
        .replace(" B ", " b ")
        .replace(" C ", " c ")
        + "@DATA\n1,lo,no\n2,hi,?\n",
        "% about\n\n" + HEAD + "\n@data\n% rows\n1,lo,no\n\n 2 , hi , ?\n",
        HEAD.replace("\n", "\r\n") + "@data\r\n1,lo,no\r\n2,hi,?\r\n",
        "\ufeff" + HEAD + "@data\n1,lo,no\n2,hi,?\n",
        HEAD.replace(" a ", " 'a' ").replace(" b ", ' "b" ') + "@data\n1,'lo',\"no\"\n2,hi,?\n",
        HEAD.replace(" {", "\t{ ").replace(",mid", " , 'mid' ") + "@data\n1,lo,no\n2,hi,?\n",
        HEAD.replace("numeric", "REAL") + "@data\n1\tlo\tno\n2\thi\t?\n",
        HEAD.replace("numeric", "integer") + "@data\n{0 1}\n{0 2, 1 hi, 2 ?}\n",
        HEAD + "@data\n{ 0 1, 1 lo }\n{2 ?,1 'hi',0 2}\n",
    ],
)
def test_a_table_is_that_of_its_csv(tmp_path, text):
    path = tmp_path / "t.arff"
    path.write_text(text)
    data = read_csv(path, missing="state")
    assert data.names == ("a", "b", "c")
    assert data.states == (("1", "2"), ("lo", "mid", "hi"), ("no", "yes", "?"))
    assert labels_of(data) == [["1", "lo", "no"], ["2", "hi", "?"]]


def test_quotes_and_escapes(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(
        "@relation 'a b'\n@attribute 'the \\'age\\'' {'0 - 10', \"x,y\", it's}\n@attribute \"d {e}\" string\n@data\n"
        "'0 - 10',\"two words\"\n\"x,y\",'?'\nit's,?\n'0 - 10','a\\\"b'\n"
    )
    data = read_csv(path, missing="state", warn=False)
    assert data.names == ("the 'age'", "d {e}")
    assert data.states[0] == ("0 - 10", "x,y", "it's")
    assert data.states[1] == ('a"b', "two words", "?")


def test_declared_words_for_missing_cells_are_states(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text("@relation r\n@attribute a {NA,EU}\n@attribute b {0,1}\n@data\nNA,0\nEU,1\nNA,1\n")
    assert read_csv(path).states == (("NA", "EU"), ("0", "1"))


def test_declared_labels_cause_no_warning(tmp_path, caplog):
    path = tmp_path / "t.arff"
    path.write_text("@relation r\n@attribute a {none,some}\n@attribute b {0,1}\n@data\n" + "none,0\nsome,1\n" * 9)
    read_csv(path)
    assert [record for record in caplog.records if record.levelname == "WARNING"] == []


def test_states_that_no_row_has_count_in_the_score(here, run):
    from tests.oracles.scores import bdeu

    (here / "t.arff").write_text(HEAD.replace("numeric", "{0,1}") + "@data\n" + "0,lo,no\n1,hi,yes\n0,hi,no\n" * 9)
    done = run("dmscore", "t.arff", "1", "1", "-q")
    rows = [(0, 0, 0), (1, 2, 1), (0, 2, 0)] * 9
    expected = [0.0, *(bdeu(rows, [2, 3, 2], [v], 1.0) for v in range(3))]
    assert [float(line) for line in done.stdout.splitlines()[4:]] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "@data\n1,lo,no\n2,big,no\n", "t.arff:7, column 'b': state 'big' is not declared"),
        (HEAD + "@data\n1,lo,no\n% c\n2,hi\n", "t.arff:8: 2 cells; there are 3 attributes"),
        (HEAD + "@data\n1,lo,no,{3}\n", "t.arff:6: a weight of the row"),
        (HEAD + "@data\n1,'lo,no\n", "t.arff:6: a quote that is never closed"),
        (HEAD + "@data\n{0 1\n", "t.arff:6: a sparse row without"),
        (HEAD + "@data\n{7 1}\n", "t.arff:6: '7 1' is not the number of an attribute with a cell"),
        (HEAD + "@attribute d relational\n@data\n1\n", "t.arff:5: attributes of type relational"),
        (HEAD + "@attribute d {x,y,x}\n@data\n1\n", "t.arff:5: the state 'x' twice"),
        (HEAD + "@attribute d\n@data\n1\n", "t.arff:5: an attribute without a name or a type"),
        (HEAD + "1,lo,no\n", "t.arff:5: expected @attribute or @data"),
        (HEAD, "no @data"),
        ("@relation r\n@data\n1\n", "t.arff:2: expected @attribute"),
        (HEAD + "@attribute a numeric\n@data\n1,lo,no,2\n2,lo,no,2\n", "column 'a'.*same name"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path, text, message):
    path = tmp_path / "t.arff"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_csv(path, missing="state")


def test_options_without_effect_are_refused(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(HEAD + "@data\n1,lo,no\n2,hi,no\n")
    with pytest.raises(UsageError, match="--separator comma"):
        read(path, Reading(separator="comma"))
    with pytest.raises(UsageError, match="--sheet a has no effect: .*t.arff is not a workbook"):
        read(path, Reading(sheet="a"))


@pytest.mark.parametrize("seed", range(20))
def test_random_tables_as_scipy_reads_them(tmp_path, seed):
    arff = pytest.importorskip("scipy.io.arff")
    rng = np.random.default_rng(seed)
    states = [[f"s{k}" for k in range(rng.integers(2, 5))] for _ in range(4)]
    rows = [[str(rng.choice(known)) if rng.random() < 0.9 else "?" for known in states] for _ in range(30)]
    head = "@relation r\n" + "".join(f"@attribute v{v} {{{','.join(known)}}}\n" for v, known in enumerate(states))
    path = tmp_path / "t.arff"
    path.write_text(head + "@data\n" + "".join(",".join(row) + "\n" for row in rows))
    theirs, meta = arff.loadarff(path)
    data = read_csv(path, missing="state")
    assert [tuple(meta[name][1]) for name in meta.names()] == [
        labels[: len(states[v])] for v, labels in enumerate(data.states)
    ]
    assert labels_of(data) == [[cell.decode() for cell in row] for row in theirs.tolist()]
