"""Standard input: recognised and read from its beginning, in pieces of any size; files that cannot be opened."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from cliquewise.common.data.declared import read_declared
from cliquewise.common.errors import DataError
from cliquewise.common.files.input_stream import read_text
from cliquewise.common.files.parentsets import read_parent_sets
from cliquewise.common.files.scorefile import read_scores
from cliquewise.common.models.any_graph import read_graph
from cliquewise.common.models.model_file import read_model
from tests.commands import ROOT, command_line
from tests.reading import read_csv

SETS = ["3\n", "a 2\n", "-3.5 0\n", "-2.5 1 b\n", "b 1\n-1.5 0\n", "c 2\n-4.5 0\n-1.0 2 a b\n"]
SCORES = ["DMST\n", "2\nsubset_scores\n", "colex_order 2\n0.0\n-1.5\n", "-2.5\n-3.0\n"]
DATA = ["a,b\n", *["0,0\n1,1\n"] * 4000]


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize(
    ("words", "pieces", "shown"),
    [
        (("twlearn", "-w", "1"), SETS, "# variables 3"),
        (("junctor",), SCORES, "# score -3.000000"),
        (("junctor",), DATA, "a,b"),
    ],
    ids=["parent sets", "clique scores", "data"],
)
def test_standard_input_arrives_in_small_pieces(words, pieces, shown):
    command = [*command_line(words[0]), *words[1:], "-", "-q"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    for piece in pieces[:4]:
        process.stdin.write(piece)
        process.stdin.flush()
        time.sleep(0.05)
    found, stderr = process.communicate("".join(pieces[4:]), timeout=300)
    assert process.returncode == 0, stderr
    assert shown in found.splitlines()


TABLE, STATES = "a,b\n" + "x,u\ny,v\ny,u\n" * 9, "column,state\na,x\na,y\nb,v\nb,u\n"
MODEL = (
    "{}variable a {{ type discrete [2] {{ x, y }}; }}\nvariable b {{ type discrete [2] {{ u, v }}; }}\n"
    "probability ( a ) {{ table 0.5, 0.5; }}\nprobability ( b | a ) {{ (x) 0.9, 0.1; (y) 0.2, 0.8; }}\n"
)


@pytest.fixture
def piped():
    """The name of a pipe with a text in it, as that of `<(...)` in a shell: `piped(text)`."""
    ends = []

    def name(text):
        out, into = os.pipe()
        ends.append(out)
        os.write(into, text.encode())
        os.close(into)
        return f"/dev/fd/{out}"

    yield name
    for out in ends:
        os.close(out)


@pytest.mark.parametrize(
    "line",
    [
        "mnmodel states t.csv",
        "mnmodel states m.bif",
        "mnmodel loglik m.bif t.csv",
        "mnmodel loglik t.csv m.bif",
        "mnmodel loglik t.csv net t.csv",
        "mntools score t.csv net",
        "mntools score net t.csv",
        "mntools best net net t.csv",
        "mnmodel fit t.csv net --states s.csv",
        "mnmodel fit t.csv net --states-of m.bif",
        "mnmodel query m.bif --of b --do a=y",
        "mnmodel query fitted.bif --of b --do a=y",
    ],
)
def test_files_may_be_pipes(run, workplace, piped, line):
    """A file whose kind is recognised, or that is needed twice, is read from its beginning."""
    texts = {"t.csv": TABLE, "s.csv": STATES, "m.bif": MODEL.format("")}
    texts["fitted.bif"] = MODEL.format("// network chordal\n")  # interventions in it are refused
    workplace(texts)
    texts["net"] = run(*"coarsen t.csv --method greedy -q -o -".split()).stdout
    Path("net").write_text(texts["net"])
    pipes = [piped(texts[word]) if word in texts else word for word in line.split()]
    done, expected = run(*pipes), run(*line.split())
    assert (done.code, done.stdout) == (expected.code, expected.stdout), done.stderr
    assert expected.code == (2 if "fitted" in line else 0), expected.stderr


def test_a_pipe_with_a_name_is_read_again(tmp_path):
    """As a file, it may contain something else then."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    for content in ("a,b\n", "b,c\n"):
        with subprocess.Popen(["cp", "/dev/stdin", path], stdin=subprocess.PIPE) as writer:
            writer.stdin.write(content.encode())
            writer.stdin.close()
            assert read_text(path, "a list") == content


@pytest.mark.parametrize("read", [read_csv, read_declared, read_graph, read_model, read_parent_sets, read_scores])
def test_files_that_cannot_be_opened_are_reported(tmp_path, read):
    with pytest.raises(DataError, match="nothing: cannot be read: No such file or directory"):
        read(str(tmp_path / "nothing"))
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        read(str(tmp_path))
