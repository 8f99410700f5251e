"""The kernels that `cliquewise learn` compiles ahead of its next steps."""

import sys

import pytest

from cliquewise.common.compiled.mode import mode
from tests.commands import ROOT, run_process

tuned = pytest.mark.skipif(mode() != "tuned", reason="numba's own cache is used")
# prints the kernels that steps call and the warm-up did not
MISSED = """
import sys

import cliquewise
from cliquewise.common.scores.tiny_source import few_rows
from cliquewise.workflow.compile_ahead import compile_kernels
from tests.kernels_called import called

data = cliquewise.read_csv(sys.argv[1], missing=sys.argv[2])
proof = None if sys.argv[3] == "none" else int(sys.argv[3])
compile_kernels(few_rows(data), None, proof)
compiled = called()
if proof is not None:
    cliquewise.junctor(data, max_clique=proof, time_limit=2)
cliquewise.mnposterior(data, time_limit=1)
print(len(compiled) > 10, *sorted(called() - compiled))
"""


@pytest.mark.slow
@tuned
@pytest.mark.parametrize(
    ("table", "missing", "proof"),
    [("votes.csv", "em", "3"), ("votes.csv", "state", "3"), ("zoo.csv", "refuse", "none")],
)
def test_all_kernels_of_the_steps_are_compiled_ahead(table, missing, proof):
    words = [sys.executable, "-c", MISSED, ROOT / "data" / table, missing, proof]
    assert run_process(words).stdout == "True\n"
