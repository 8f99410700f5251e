"""The junctor command: the original's sections, files and pipes, refusals."""

import math
from fractions import Fraction
from pathlib import Path

import pytest

from cliquewise.common.files.prooffile import BoundProof, ProofPart
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.models.any_graph import read_graph
from cliquewise.common.run.result import COMPLETE, GAP_REACHED, OPTIMAL, TIME_LIMIT, LearnResult
from cliquewise.common.version import version
from cliquewise.junctor.learner import _with_checked_proof
from cliquewise.junctor.sections import format_sections
from tests.commands import ROOT, command_line, run_process
from tests.random_inputs import csv_text, random_dataset
from tests.reading import header_of

ZOO = ROOT / "data/zoo.csv"
# 4 variables; best is {0,1} {1,2} with 3 alone: -1.5 + -1.5 - -1 - 1
CHAIN = "4 2\n0\n-1\n-1\n-1.5\n-1\n-2\n-1.5\n-1\n-3\n-3\n-3\n"
SOLUTION = f"""{"=" * 38} Solution
Cliques:
       -1.500000  0 1
       -1.500000  1 2
       -1.000000  3

Separators:
        1.000000  1

Total score of an optimal network:
       -3.000000
"""
TREE = f"""{"=" * 38} Junction tree
0 1
+--1 2   1
3
"""
MATRIX = f"""{"=" * 38} Adjacency matrix
0100
1010
0100
0000
"""


@pytest.fixture(autouse=True)
def folder(workplace):
    """Every test works in a folder of its own."""
    return workplace({"chain.score": CHAIN})


def test_clique_list(run):
    done = run("junctor", "chain.score", "-q")
    assert done.code == 0 and done.stderr == ""
    assert header_of(done.stdout) == {
        "program": "junctor",
        "version": version(),
        "score": "-3.000000",
        "status": "optimal",
        "format": "cliques",
        "variables": "4",
    }
    assert done.stdout.splitlines()[-3:] == ["0,1", "1,2", "3"]
    assert run("junctor", "-", "-q", input=CHAIN.encode()).stdout == done.stdout


@pytest.mark.parametrize(
    "flags, text",
    [
        ("-s", SOLUTION),
        ("-t", TREE),
        ("-m", MATRIX),
        ("-mts", SOLUTION + TREE + MATRIX),
    ],
)
def test_sections(run, flags, text):
    done = run("junctor", "chain.score", flags, "-q")
    assert (done.code, done.stdout, done.stderr) == (0, text, "")
    assert run("junctor", "chain.score", flags, "-q", "-o", "out").stdout == ""
    assert Path("out").read_text() == text


def test_all_sections(run):
    done = run("junctor", "chain.score", "-a")
    head, dot = done.stdout.split(f"{'=' * 38} .dot\n")
    assert head == SOLUTION + TREE + MATRIX
    Path("net.dot").write_text(dot)
    assert read_graph("net.dot").graph.edges == ((0, 1), (1, 2))


def test_width(run):
    done = run("junctor", "chain.score", 1, "-q")
    assert done.stdout.splitlines()[-4:] == ["0", "1", "2", "3"] and "# max-clique 1" in done.stdout
    options = (ZOO, "--ess", 10, "-q")
    narrow = run("junctor", *options, "--max-clique", 2).stdout
    assert run("junctor", ZOO, 2, *options[1:]).stdout == narrow
    wide = run("junctor", *options, 3).stdout
    assert float(header_of(wide)["score"]) > float(header_of(narrow)["score"])
    done = run("junctor", "chain.score", 2, "--max-clique", 3)
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr == "junctor: MAXWIDTH 2 and --max-clique 3 contradict each other; give one\n"


def test_the_solution_of_a_stopped_run_is_not_called_optimal():
    pair = Graph(2, ((0, 1),))
    texts = {proved: format_sections(pair, len, ["solution"], proved) for proved in (True, False)}
    assert "Total score of an optimal network:\n        2.000000\n" in texts[True]
    assert "Total score of the best network known:\n        2.000000\n" in texts[False]


@pytest.mark.slow
def test_pipes():
    dmscore, junctor, lsmarkov, compare = (
        " ".join(command_line(name)) for name in ("dmscore", "junctor", "lsmarkov", "mntools")
    )
    data = ROOT / "data/wine.csv"
    shell = ["bash", "-o", "pipefail", "-ec"]
    done = run_process([*shell, f"{dmscore} -q {data} 1 3 | {junctor} -q - 3 -s"])
    assert done.code == 0 and "Total score of an optimal network:" in done.stdout
    total = float(done.stdout.splitlines()[-1])
    done = run_process([*shell, f"{dmscore} -q {data} 1 3 | {lsmarkov} -q - --iterations 200000"])
    assert done.code == 0 and float(header_of(done.stdout)["score"]) == pytest.approx(total, abs=1e-5)
    first = f"{dmscore} -q {data} 1 3 -o w.score; {junctor} -q w.score --format edges -o y.edges"
    done = run_process([*shell, f"{first}; {junctor} -q w.score --format edges | {compare} compare - y.edges"])
    assert done.code == 0 and "hamming 0" in done.stdout.lower(), done.stdout + done.stderr


# ---- cutting planes ----------------------------------------------------------------------------------


def write_random(path, n):
    """A CSV of n random columns."""
    Path(path).write_text(csv_text(random_dataset(3, n_vars=n, n_rows=150)))


def test_cutting_planes_write_what_is_proved(run):
    write_random("d.csv", 10)
    done = run("junctor", "d.csv", "--method", "ilp", "--max-clique", "3", "--trace", "trace", "-o", "best")
    assert done.code == 0, done.stderr
    found = header_of(Path("best").read_text())
    assert found["status"] == "optimal" and found["gap"] == "0.000000" and found["upper-bound"] == found["score"]
    lines = Path("trace").read_text().splitlines()
    assert lines[0] == "seconds,score,bound,node,families,columns,rows" and len(lines) > 1
    by_tables = run("junctor", "d.csv", "--method", "dp", "--max-clique", "3")
    assert header_of(by_tables.stdout)["score"] == found["score"]


def test_a_run_without_rounds_has_a_trace_of_its_own(run):
    """The search of three variables is exact, so that no program is needed; nothing of another run is left."""
    write_random("d.csv", 3)
    for earlier in (False, True):
        if earlier:
            Path("trace").write_text("of another run\n")
        assert run("junctor", "d.csv", "--max-clique", "3", "--trace", "trace", "-o", "best").code == 0
        assert Path("trace").read_text().startswith("seconds,score,bound,node,families,columns,rows\n")
    Path("trace").unlink()
    assert run("junctor", "none.csv", "--max-clique", "3", "--trace", "trace").code == 1
    assert not Path("trace").exists()


def test_required_edges(run):
    write_random("d.csv", 8)
    Path("required").write_text("0,5\n2,7\n")
    Path("allowed").write_text("0,5\n")
    done = run("junctor", "d.csv", "--required-edges", "required", "--max-clique", "3", "--format", "edges")
    assert done.code == 0, done.stderr
    assert {"x0,x5", "x2,x7"} <= set(done.stdout.splitlines())
    assert header_of(done.stdout)["required-edges"] == "2"
    both = run("junctor", "d.csv", "--required-edges", "required", "--allowed-edges", "allowed")
    assert both.code == 2 and "edge x2,x7 is not among --allowed-edges" in both.stderr
    tables = run("junctor", "d.csv", "--required-edges", "required", "--method", "dp")
    assert tables.code == 2 and "--required-edges is not supported with --method dp" in tables.stderr
    Path("certain").write_text("u,v,probability\nx0,x3,1\n")
    tables = run("junctor", "d.csv", "--edge-priors", "certain", "--method", "dp", "-q")
    assert tables.code == 2 and "--method dp cannot require edges, nor those of prior probability 1" in tables.stderr


def test_ties_of_few_rows_are_decided_by_the_dynamic_program(run, workplace):
    """Four rows and many ties: up to 14 variables the method auto does not depend on the linear programs."""
    lines = (ROOT / "data/dna.csv").read_text().splitlines()[:5]
    workplace({"d14.csv": "".join(",".join(line.split(",")[:14]) + "\n" for line in lines)})
    done = run("junctor", "d14.csv", "--header", "yes", "--max-clique", "3", "--ess", "1", "-q")
    assert done.code == 0 and "# score -50.718527\n" in done.stdout and "# status optimal\n" in done.stdout


def test_a_wrong_certificate_does_not_cost_the_network(run, monkeypatch):
    """Should a proof ever fail its check, the network is written all the same, without the bound that is in doubt."""
    monkeypatch.setattr("cliquewise.junctor.learner.certify_bound", lambda *_: ("step 1: it does not hold",))
    options = ("--max-clique", "3", "--certificate", "c.proof", "-q", "-o", "c.cliques")
    done = run("junctor", ZOO, *options)
    assert done.code == 1 and "c.proof failed its check and is not written" in done.stderr
    assert "step 1: it does not hold" in done.stderr and done.stderr.count("\n") == 1
    header = read_graph(Path("c.cliques")).header
    assert header["status"] == "complete" and "upper-bound" not in header and "gap" not in header
    assert not Path("c.proof").exists()
    assert run("mntools", "check", "-q", "c.cliques", "--data", ZOO).code == 0


def test_the_status_does_not_claim_a_wrong_proof(monkeypatch):
    """Nothing is proved; why the run ended stays as it was."""
    monkeypatch.setattr("cliquewise.junctor.learner.certify_bound", lambda *_: ("step 1: it does not hold",))
    proof = BoundProof(2, 2, (0,), Fraction(-1, 2), ProofPart([]), {})
    for status, left in ((OPTIMAL, COMPLETE), (GAP_REACHED, COMPLETE), (TIME_LIMIT, TIME_LIMIT)):
        result = LearnResult(Graph(2, ()), -1.0, status, 1, -0.5, proof=proof)
        result, problem = _with_checked_proof(result, None, None, lambda: True)
        assert problem == "step 1: it does not hold"
        assert (result.status, result.upper_bound, result.proof) == (left, math.inf, None)
