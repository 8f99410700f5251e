"""The coarsen command: refusals in one line, files and pipes, the trace."""

import csv
from pathlib import Path

import pytest

from tests.commands import ROOT
from tests.reading import header_of

ZOO = ROOT / "data/zoo.csv"
QUIET = "coarsen -q -o OUT"
# command: (exit code, its line on stderr); files in capitals are those of `folder`
REFUSED = {
    f"{QUIET} ZOO --start SQUARE": (2, "--start SQUARE: the graph is not chordal"),
    f"{QUIET} ZOO --start TRIANGLE --max-clique 2": (
        2,
        "--start TRIANGLE: a clique of 3 vertices, the bound is 2",
    ),
    f"{QUIET} ZOO --start LARGE": (1, "LARGE: the graph has 20 vertices but the data has 17 variables"),
    f"{QUIET} ZOO --start STRANGE": (1, "STRANGE:1: unknown vertex 'x': neither an index nor a variable of the data"),
    f"{QUIET} NARROW --start TRIANGLE": (2, "--start TRIANGLE: a clique of 3 vertices, the bound is 2"),
    f"{QUIET} FORBIDDEN --start empty": (1, "FORBIDDEN: a set of the start network scores minus infinity"),
    f"{QUIET} ZOO --forced 1": (2, "--forced has no effect with --method ic; leave it out, or use --method fic"),
    f"{QUIET} ZOO --forced-length 1": (2, "--forced-length has no effect with --method ic; leave it out,"),
    f"{QUIET} ZOO --method forest --start empty": (
        2,
        "--method forest does not go with --start empty; leave it out, or use --start tree or forest",
    ),
    f"{QUIET} ZOO --preset pgm2020 --start forest": (2, "--preset pgm2020 does not go with --start forest; leave it"),
    f"{QUIET} ZOO --preset pgm2020 --method greedy": (2, "--preset has no effect with --method greedy; leave it out,"),
    f"{QUIET} ZOO --preset pgm2020 --search 1": (2, "--preset pgm2020 does not go with --search; leave one of them"),
    f"{QUIET} ZOO --method forest --search 1": (2, "--search has no effect with --method forest; leave it out,"),
}


@pytest.fixture(autouse=True)
def folder(workplace):
    """Every test works in a folder of its own."""
    files = {
        "ZOO": ZOO.read_text(),
        "SQUARE": "# variables 17\n# format edges\n0,1\n0,3\n1,2\n2,3\n",
        "TRIANGLE": "0,1,2\n",
        "LARGE": "# variables 20\n0,1\n",
        "STRANGE": "x,1\n",
        "NARROW": "3 2\n" + "0\n" * 7,
        "FORBIDDEN": "2 2\n0\n-inf\n0\n-inf\n",
    }
    return workplace(files)


@pytest.mark.parametrize("line", REFUSED)
def test_refusals(refuse, line):
    refuse(line, *REFUSED[line])


@pytest.mark.parametrize("method", ["ic", "fic", "greedy", "forest"])
def test_result_is_certified_and_says_what_it_is(run, method):
    done = run("coarsen", ZOO, "--method", method, "--max-clique", 3, "-o", "net")
    assert done.code == 0 and done.stdout == ""
    header = header_of(Path("net").read_text())
    assert header["program"] == "coarsen" and header["method"] == method
    check = run("mntools", "check", "net", "--data", ZOO)
    assert check.code == 0, check.stdout


def test_the_trace_has_a_row_for_each_step(run):
    done = run("coarsen", ZOO, "--start", "forest", "--max-clique", 4, "--trace", "trace")
    rows = list(csv.DictReader(Path("trace").read_text().splitlines()))
    assert [row["step"] for row in rows] == [str(i) for i in range(len(rows))]
    assert [row["method"] for row in rows] == ["forest"] + ["ic"] * (len(rows) - 1)
    assert float(rows[-1]["score"]) == pytest.approx(float(header_of(done.stdout)["score"]), abs=1e-5)
    for before, row in zip(rows, rows[1:], strict=False):
        assert float(row["score"]) - float(before["score"]) == pytest.approx(float(row["gain"]), abs=1e-5)
        assert row["status"] == "optimal" and float(row["bound"]) >= float(row["gain"]) - 1e-6


def test_a_network_in_a_file_is_a_start(run):
    run("coarsen", ZOO, "--method", "forest", "-o", "forest")
    straight = run("coarsen", ZOO, "--start", "forest", "-q")
    again = run("coarsen", ZOO, "--start", "./forest", "-q")
    assert again.stdout == straight.stdout
    further = run("coarsen", ZOO, "--method", "fic", "--forced", 2, "--format", "edges", "-q")
    assert further.code == 0 and "# status iteration limit" in further.stdout


def test_scores_in_a_pipe(run):
    scores = run("dmscore", ZOO, 1, 3, "-q").stdout
    piped = run("coarsen", "-", "-q", input=scores.encode())
    direct = run("coarsen", ZOO, "--max-clique", 3, "-q")
    assert header_of(piped.stdout)["score"] == header_of(direct.stdout)["score"]


def test_the_preset_is_the_spanning_tree_alone(run):
    published = run("coarsen", ZOO, "--preset", "pgm2020", "-q").stdout
    assert published == run("coarsen", ZOO, "--start", "tree", "--indices", "-q").stdout
