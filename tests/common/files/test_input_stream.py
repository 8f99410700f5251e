"""Standard input: recognised and read from its beginning, in pieces of any size; files that cannot be opened."""

import subprocess
import time

import pytest

from cliquewise.common.data.declared import read_declared
from cliquewise.common.errors import DataError
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


@pytest.mark.parametrize("read", [read_csv, read_declared, read_graph, read_model, read_parent_sets, read_scores])
def test_files_that_cannot_be_opened_are_reported(tmp_path, read):
    with pytest.raises(DataError, match="nothing: cannot be read: No such file or directory"):
        read(str(tmp_path / "nothing"))
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        read(str(tmp_path))
