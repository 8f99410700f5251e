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

table, missing, proof, method, columns = sys.argv[1:]
data = cliquewise.read_csv(table, missing=missing, columns=[columns])
proof = None if proof == "none" else int(proof)
compile_kernels(few_rows(data), None, proof, method)
compiled = called()
if proof is not None:
    cliquewise.junctor(data, max_clique=proof, time_limit=2)
cliquewise.mnposterior(data, **({} if method == "exact" else {"time_limit": 1}))
print(len(compiled) > 3, *sorted(called() - compiled))
"""


@pytest.mark.slow
@tuned
@pytest.mark.parametrize(
    ("table", "missing", "proof", "method", "columns"),
    [
        ("votes.csv", "em", "3", "chains", "*"),
        ("votes.csv", "state", "3", "chains", "*"),
        ("zoo.csv", "refuse", "none", "chains", "*"),
        ("zoo.csv", "refuse", "none", "exact", "hair:toothed"),
    ],
)
def test_all_kernels_of_the_steps_are_compiled_ahead(table, missing, proof, method, columns):
    words = [sys.executable, "-c", MISSED, ROOT / "data" / table, missing, proof, method, columns]
    assert run_process(words).stdout == "True\n"
