"""Completion in a shell: by click's classes, and by the function that Bash calls."""

import os
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete

from cliquewise.common.cli.completion import BashWords
from tests.commands import ROOT, command_line, command_module
from tests.slow import slow_cases

ZOO = str(ROOT / "data/zoo.csv")
COLUMNS = ["hair", "feathers", "eggs", "milk", "airborne", "aquatic", "predator", "toothed", "backbone", "breathes"]


def completed(line, incomplete=""):
    """The values that click offers after the words of a line."""
    name, *words = line.split()
    program = getattr(command_module(name), name)
    items = ShellComplete(program, {}, name, "_UNUSED").get_completions(words, incomplete)
    return [item.value for item in items]


@pytest.fixture
def model(run, here):
    """A Bayesian network of a few variables, in the working folder."""
    table = here / "t.csv"
    table.write_text("rain,grass,'a b',\"x,y\"\nno,dry,1,1\nyes,wet,2,2\nyes,very wet,1,2\n")
    (here / "g").write_text("# format edges\n0,1\n1,2\n")
    done = run("mnmodel", "fit", "t.csv", "g", "-q", "-o", "m.bif")
    assert done.code == 0, done.stderr
    return "m.bif"


def test_columns_of_the_table_on_the_line():
    assert completed(f"lsmarkov {ZOO} --counts")[:10] == COLUMNS
    assert completed(f"lsmarkov {ZOO} --counts", "a") == ["airborne", "aquatic"]
    assert completed(f"lsmarkov {ZOO} --ess 1_0 --counts", "a") == ["airborne", "aquatic"], "also after a wrong value"
    assert completed(f"lsmarkov --header no {ZOO} --counts")[:2] == ["V0", "V1"]
    assert completed(f"mnmodel cv {ZOO} --target", "pre") == ["predator"]
    assert completed(f"mnmodel discretize {ZOO} --columns", "hair,milk,b") == [
        "hair,milk,backbone",
        "hair,milk,breathes",
    ]
    assert "hair,hair" not in completed(f"mnmodel discretize {ZOO} --columns", "hair,")


def test_variables_and_states_of_the_model_on_the_line(model):
    assert completed(f"mnmodel query {model} --of") == ["rain", "grass", "'a b'"]  # one with a comma needs quotes
    assert completed(f"mnmodel query {model} --of", "rain,g") == ["rain,grass"]
    assert completed(f"mnmodel predict {model} --target", "g") == ["grass"]
    assert completed(f"mnmodel predict {model} {ZOO} --counts", "h") == ["hair"]  # of the table, not of the model
    assert completed(f"mnmodel query {model} --given", "r") == ["rain="]
    assert completed(f"mnmodel query {model} --given", "rain=") == ["rain=no", "rain=yes"]
    assert completed(f"mnmodel query {model} --given", "rain=no,g") == ["rain=no,grass="]
    assert completed(f"mnmodel query {model} --given", "rain=no,grass=d") == ["rain=no,grass=dry"]
    assert completed(f"mnmodel marginals {model} --likelihood", "gr") == ["grass="]
    assert completed(f"mnmodel marginals {model} --likelihood", "grass=") == ["grass=1,1,1"]


def test_words_and_files():
    assert completed("coarsen x.csv --start", "fo") == ["forest"]
    items = ShellComplete(command_module("coarsen").coarsen, {}, "coarsen", "_X").get_completions(["--start"], "da")
    assert [(item.type, item.value) for item in items] == [("file", "da")]
    items = ShellComplete(command_module("coarsen").coarsen, {}, "coarsen", "_X").get_completions(["x.csv", "-o"], "n")
    assert [(item.type, item.value) for item in items] == [("file", "n")]
    assert completed("junctor x.csv --method") == ["auto", "dp", "ilp"]
    assert completed("mnmodel", "pre") == ["predict"]


@pytest.mark.parametrize("text", [b"", b"\x00\xff", b'a,b\n"x', b"2 2\n0\n-1\n-2\n-3\n"])
def test_a_file_that_cannot_be_read_completes_nothing(tmp_path, text, capfd):
    path = tmp_path / "broken"
    path.write_bytes(text)
    assert completed(f"mnmodel query {path} --given", "a=") == []
    assert completed(f"lsmarkov {path} --counts") in ([], ["a", "b"])
    assert completed("lsmarkov --counts") == completed("lsmarkov absent.csv --counts") == []
    assert completed("lsmarkov - --counts") == []
    assert capfd.readouterr() == ("", "")


def test_completion_does_not_wait_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert completed(f"lsmarkov {tmp_path / 'pipe'} --counts") == []


@pytest.mark.parametrize(
    "line, args, incomplete",
    [
        ("query m.bif --given rain =", ["query", "m.bif", "--given"], "rain="),
        ("query m.bif --given rain = no,g", ["query", "m.bif", "--given"], "rain=no,g"),
        ("query m.bif --given rain = no,grass = d", ["query", "m.bif", "--given"], "rain=no,grass=d"),
        ("query m.bif --given = rain =", ["query", "m.bif"], "--given=rain="),
        ("query C : m.bif", ["query"], "C:m.bif"),
        ("query '' m.bif", ["query", ""], "m.bif"),
        ("query m.bif ", ["query", "m.bif"], ""),
    ],
)
def test_words_that_bash_splits_are_joined(monkeypatch, line, args, incomplete):
    monkeypatch.setenv("COMP_WORDS", f"mnmodel {line}")
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" "))))
    complete = BashWords(command_module("mnmodel").mnmodel, {}, "mnmodel", "_MNMODEL_COMPLETE")
    assert complete.get_completion_args() == (args, incomplete)


SCRIPT = """
compopt() { :; }
source <(env _MNMODEL_COMPLETE=bash_source "$1")
COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))
_mnmodel_completion "$1"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.fast_cases(1)
@pytest.mark.skipif(sys.platform != "linux", reason="starts Bash")
@pytest.mark.parametrize(
    "words, found",
    [
        ("query m.bif --given rain = no,grass =", r"dry very\ wet wet"),
        ("query m.bif --given ", r"rain= grass= \'a\ b\'="),
        ("pred", "predict"),
        *slow_cases(
            ("query m.bif --given rain =", "no yes"),
            ("query m.bif --given rain = y", "yes"),
            ("query m.bif --given rain = no,g", "no,grass="),
            ("query m.bif --given = rain =", "no yes"),
            ("query m.bif --of ra", "rain"),
        ),
    ],
)
def test_bash(model, words, found):
    """Bash itself makes several words of one with `=`."""
    command = command_line("mnmodel")
    if len(command) > 1:
        pytest.skip("mnmodel is not installed")
    line = ["bash", "-c", SCRIPT, "bash", command[0], "mnmodel", *words.split(" ")]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120)
    assert (done.stdout.replace("\n", " ").strip(), done.stderr) == (found, "")
