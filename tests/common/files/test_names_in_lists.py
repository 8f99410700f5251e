"""Lists hold names where the data have them, and indices where they do not or where these are asked for."""

from pathlib import Path

import pytest

from cliquewise.common.files.graph_lists import shows_names
from tests.commands import ROOT

ROWS = "0,0,1\n1,1,0\n0,0,0\n1,1,1\n" * 10


def lines(text):
    return [line for line in text.splitlines() if not line.startswith("#")]


def begins(found, expected):
    """Whether for each of these there is a line that begins so."""
    return all(any(line.startswith(one) for line in found) for one in expected)


@pytest.fixture
def tables(workplace):
    return workplace({"named.csv": "a,b,c\n" + ROWS, "plain.csv": ROWS, "numbered.csv": "V0,V1,V2\n" + ROWS})


@pytest.mark.parametrize(
    "command, named, numbered",
    [
        ("lsmarkov {} -q", ["a,b", "c"], ["0,1", "2"]),
        ("junctor {} -q --format edges", ["a,b"], ["0,1"]),
        ("coarsen {} -q", ["a,b", "c"], ["0,1", "2"]),
        ("mplearn {} -q", ["a,b"], ["0,1"]),
        ("twlearn {} -w 1 -q", ["b,a"], ["1,0"]),
        ("mnposterior {} --draws 50 --seed 3 -q", ["a,b,"], ["0,1,"]),
        ("lsmarkov {} -q --ess 1,10 --choose evidence", ["a,b", "c"], ["0,1", "2"]),
        ("lsmarkov {} -q --preset ecai2020 --iterations 50 --names", ["a,b", "c"], ["V0,V1", "V2"]),
        ("lsmarkov {} -q --preset ecai2020 --iterations 50", ["0,1", "2"], ["0,1", "2"]),
        ("coarsen {} -q --preset pgm2020", ["0,1", "0,2"], ["0,1", "0,2"]),
        ("lsmarkov {} -q --updates -o net", [], []),
    ],
)
def test_a_header_gives_names(run, tables, command, named, numbered):
    for table, expected in (("named.csv", named), ("plain.csv", numbered)):
        done = run(*command.format(table).split())
        assert done.code == 0, done.stderr
        assert begins(lines(done.stdout), expected)
        if "-o" in command:
            assert lines(Path("net").read_text()) == ["0,1", "2"]
    if not any(word in command for word in ("-o", "preset")):
        asked = lines(run(*command.format("named.csv").split(), "--indices").stdout)
        assert begins(asked, numbered)
        assert "# names V0,V1,V2" in run(*command.format("numbered.csv").split()).stdout
        assert "# names V0,V1,V2" in run(*command.format("plain.csv").split(), "--names").stdout


def test_completed_rows_keep_the_names(run, workplace):
    workplace({"blank.csv": "a,b,c\n" + ROWS + "?,1,0\n", "plain.csv": ROWS + "?,1,0\n"})
    for table, expected in (("blank.csv", "a,b"), ("plain.csv", "0,1")):
        done = run("junctor", table, "--missing", "em", "-q")
        assert (done.code, lines(done.stdout)[0]) == (0, expected)


def test_tools_keep_the_names_of_a_file(run, tables):
    assert run("junctor", "named.csv", "-q", "-o", "net").code == 0
    assert lines(run("mntools", "convert", "net", "--format", "edges").stdout) == ["a,b"]
    assert lines(run("mntools", "average", "net").stdout) == ["a,b,1.000000"]
    assert lines(run("mntools", "convert", "net", "--indices", "-o", "plain").stdout) == []
    assert lines(Path("plain").read_text()) == ["0,1", "2"]
    for graph in ("net", "plain"):
        done = run("mntools", "check", graph, "--data", "named.csv")
        assert (done.code, done.stdout[:11]) == (0, "ok: chordal")
    assert run("mntools", "compare", "net", "plain").code == 0


def test_scores_have_no_names(run, tables):
    assert run("dmscore", "named.csv", "1", "3", "-q", "-o", "scores").code == 0
    assert lines(run("junctor", "scores", "-q").stdout) == ["0,1", "2"]


@pytest.mark.parametrize(
    "asked, names, made_up, shown",
    [
        (None, ("a", "b"), False, True),
        (None, ("V0", "V1"), True, False),
        (None, None, False, False),
        (None, ("a\nb", "c"), False, False),  # no line could hold it
        (False, ("a", "b"), False, False),
        (True, ("V0", "V1"), True, True),
        (True, None, False, True),  # refused where it is written
    ],
)
def test_when_names_are_shown(asked, names, made_up, shown):
    assert shows_names(asked, names, made_up) is shown


def test_provenance_says_the_same_of_both_forms(run, tables):
    """How the variables are written is no property of the data."""
    digests = set()
    for form in ((), ("--indices",)):
        text = run("junctor", ROOT / "data/zoo.csv", "--max-clique", "3", "-q", "--provenance", *form).stdout
        digests |= {line for line in text.splitlines() if line.startswith("# data-sha256")}
    assert len(digests) == 1
