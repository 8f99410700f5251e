"""Files of a command in any order: what a file is is known by its content."""

from pathlib import Path

import pytest

from cliquewise.common.cli.file_order import AnyOrder, TableAmong, is_network, table_last
from cliquewise.common.cli.paths import InputPath
from tests.commands import all_commands

ROWS = "a,b,c\n" + "0,0,1\n1,1,0\n0,0,0\n1,1,1\n" * 5


@pytest.fixture
def files(run, workplace):
    """A table, test rows without a variable, a network in three formats and a model."""
    workplace({"d.csv": ROWS, "test.csv": ROWS, "known.csv": "a,b\n0,0\n1,1\n"})
    assert run("junctor", "d.csv", "-q", "-o", "net").code == 0
    assert run("mntools", "convert", "net", "-o", "also").code == 0
    assert run("mntools", "convert", "net", "--format", "dot", "-o", "net.dot").code == 0
    assert run("mnmodel", "fit", "d.csv", "net", "-o", "m.bif").code == 0


@pytest.mark.parametrize(
    "one, other",
    [
        ("mntools score d.csv net", "mntools score net d.csv"),
        ("mntools score d.csv net.dot", "mntools score net.dot d.csv"),
        ("mntools score -q d.csv net --ess 3", "mntools score net --ess 3 d.csv -q"),
        ("mntools check net --data d.csv", "mntools check net d.csv"),
        ("mntools check net --data d.csv", "mntools check d.csv net"),
        ("mntools check net --data d.csv", "mntools check d.csv --data net"),
        ("mntools convert net --data d.csv --format dot", "mntools convert d.csv net --format dot"),
        ("mntools strength d.csv net", "mntools strength net d.csv"),
        ("mntools bound d.csv --graph net", "mntools bound net d.csv"),
        ("mntools bound d.csv --graph net", "mntools bound d.csv net"),
        ("mntools bound d.csv --graph net", "mntools bound net --graph d.csv"),
        ("mntools best net also --data d.csv", "mntools best net d.csv also"),
        ("mntools best net also --data d.csv", "mntools best d.csv net also"),
        ("mnmodel fit d.csv net", "mnmodel fit net d.csv"),
        ("mnmodel fit d.csv m.bif", "mnmodel fit m.bif d.csv"),
        ("mnmodel loglik m.bif test.csv", "mnmodel loglik test.csv m.bif"),
        ("mnmodel loglik m.bif m.bif test.csv", "mnmodel loglik m.bif test.csv m.bif"),
        ("mnmodel loglik d.csv net test.csv", "mnmodel loglik d.csv test.csv net"),
        ("mnmodel loglik d.csv net test.csv", "mnmodel loglik net d.csv test.csv"),
        ("mnmodel predict m.bif test.csv --target c", "mnmodel predict test.csv m.bif --target c"),
        ("mnmodel impute m.bif known.csv", "mnmodel impute known.csv m.bif"),
    ],
)
def test_the_order_does_not_matter(run, files, one, other):
    first, second = run(*one.split()), run(*other.split())
    assert first.code == 0, first.stderr
    assert (second.code, second.stdout) == (0, first.stdout), second.stderr


def test_every_command_with_a_table_and_a_network_takes_any_order():
    """Those with one of them as an argument, and the other as an argument or by an option of its name."""
    found = {}
    for name, command in all_commands().items():
        names = {param.name for param in command.params if isinstance(param.type, InputPath)}
        if names & {"data", "table"} and names & {"graph", "model", "networks"}:
            found[name] = isinstance(command, AnyOrder | TableAmong)
    assert len(found) > 5 and [name for name, takes_any in found.items() if not takes_any] == []


@pytest.mark.parametrize("words", ["net d.csv", "d.csv net", "net --data d.csv"])
def test_pictures_and_pages(run, files, words):
    pytest.importorskip("matplotlib")
    assert run("mntools", "draw", *words.split(), "-o", "net.svg", "-q").code == 0
    assert run("mnmodel", "page", *words.replace("net", "m.bif").split(), "-o", "m.html", "-q").code == 0
    assert Path("m.html").read_text().lower().startswith("<!doctype html")


def test_standard_input_may_be_either(run, files):
    expected = run("mntools", "score", "d.csv", "net").stdout
    for words, path in (("- d.csv", "net"), ("d.csv -", "net"), ("net -", "d.csv"), ("- net", "d.csv")):
        done = run("mntools", "score", *words.split(), input=Path(path).read_bytes())
        assert (done.code, done.stdout) == (0, expected), done.stderr


def test_two_of_a_kind_are_refused(run, files):
    done = run("mntools", "check", "net", "test.csv", "--data", "d.csv")
    assert done.code == 2 and "test.csv: the data are given by --data too; give one of them" in done.stderr
    done = run("mntools", "bound", "net", "d.csv", "--graph", "net.dot")
    assert done.code == 2 and "d.csv: the network is given by --graph too; give one of them" in done.stderr
    assert run("mntools", "best", "net", "d.csv", "--data", "test.csv").code == 1
    assert run("mntools", "score", "d.csv", "test.csv").code == 1
    assert run("mntools", "score", "net", "net.dot").code == 1


def test_scores_are_no_network(run, files):
    assert run("dmscore", "d.csv", "1", "3", "-q", "-o", "scores").code == 0
    assert run("mntools", "score", "net", "scores").stdout == run("mntools", "score", "scores", "net").stdout
    assert not is_network("scores") and not is_network("d.csv") and is_network("net.dot")
    assert not is_network("absent") and not is_network("/dev/null")


def test_a_single_table_is_moved_to_the_end(files):
    assert table_last(("d.csv", "m.bif")) == ("m.bif", "d.csv")
    assert table_last(("d.csv", "test.csv", "net")) == ("d.csv", "net", "test.csv")
    assert table_last(("d.csv", "test.csv")) == ("d.csv", "test.csv")
    assert table_last(("net", "m.bif")) == ("net", "m.bif")
