"""The twlearn command: refusals in one line, files and pipes, the trace."""

import csv
from pathlib import Path

import pytest

from tests.commands import ROOT
from tests.reading import header_of

ZOO = ROOT / "data/zoo.csv"
QUIET = "twlearn -q -o OUT -w 2"
SETS = "3\na 2\n-1 0\n-0.5 1 b\nb 1\n-2 0\nc 3\n-3 0\n-1 2 a b\n-2.5 1 a\n"
# command: (exit code, its line on stderr); files in capitals are those of `folder`
REFUSED = {
    "twlearn -q -o OUT ZOO": (2, "Missing option '--treewidth' / '-w' (see twlearn --help)"),
    f"{QUIET} ZOO --method milp --iterations 5": (2, "--iterations has no effect with --method milp; leave"),
    f"{QUIET} ZOO --template CIRCLE": (2, "--template CIRCLE: the arcs form a cycle"),
    f"{QUIET} ZOO --template SQUARE": (2, "--template SQUARE: the graph is not chordal"),
    f"{QUIET} ZOO --template FOUR": (2, "--template FOUR: a clique of 4 vertices, the bound is 3"),
    f"{QUIET} ZOO --template FOUR --method s2": (2, "--template has no effect with --method s2; leave it"),
    f"{QUIET} ZOO --no-climb": (2, "--no-climb has no effect with --method auto; leave it out, or use --method s2"),
    f"{QUIET} SHORT": (1, "SHORT:5: the file ends here; expected 2 parent sets of 'b'"),
    f"{QUIET} SELF": (1, "SELF:4: variable 'a' is its own parent"),
    f"{QUIET} ORPHAN": (1, "ORPHAN: variable 'b' has no finite score without parents; add the line 'score 0'"),
    f"{QUIET} ZOO --max-parents 2 --cache-mb 1 --header maybe": (2, "Invalid value for '--header': 'maybe' is not"),
}


@pytest.fixture(autouse=True)
def folder(workplace):
    """Every test works in a folder of its own."""
    files = {
        "ZOO": ZOO.read_text(),
        "TEN": "".join(",".join(line.split(",")[:10]) + "\n" for line in ZOO.read_text().splitlines()),
        "SQUARE": "# variables 17\n# format edges\n0,1\n0,3\n1,2\n2,3\n",
        "FOUR": "0,1,2,3\n",
        "CIRCLE": "# format arcs\n0,1\n1,2\n2,0\n",
        "SETS": SETS,
        "SHORT": "2\na 1\n-1 0\nb 2\n-1 0\n",
        "SELF": "2\na 2\n-1 0\n-2 1 a\nb 1\n-1 0\n",
        "ORPHAN": "2\na 1\n-1 0\nb 1\n-1 1 a\n",
    }
    return workplace(files)


@pytest.mark.parametrize("line", REFUSED)
def test_refusals(refuse, line):
    refuse(line, *REFUSED[line])


@pytest.mark.parametrize("method", ["s2", "skp", "chordal"])
@pytest.mark.parametrize("width", [1, 3, 16, 40])
def test_result_is_certified_and_says_what_it_is(run, method, width):
    if method == "skp" and width > 3:
        pytest.skip("the dynamic program inside a k-tree is for small treewidths")
    done = run("twlearn", ZOO, "-w", width, "--method", method, "--iterations", 500, "-o", "net")
    assert done.code == 0 and done.stdout == "", done.stderr
    header = header_of(Path("net").read_text())
    assert (header["program"], header["method"], header["treewidth"]) == ("twlearn", method, str(width))
    check = run("mntools", "check", "net", "--data", ZOO)
    assert check.code == 0 and check.stdout.startswith("ok: acyclic, 17 variables"), check.stdout


def test_a_file_says_whether_s2_climbed(run):
    words = ("twlearn", ZOO, "-w", 2, "--method", "s2", "--iterations", 3000, "-q")
    climbed, independent = (header_of(run(*words, *more).stdout) for more in ((), ("--no-climb",)))
    assert "climb" not in climbed and independent["climb"] == "no"
    assert float(climbed["score"]) > float(independent["score"])


def test_parent_sets_in_a_file_or_a_pipe(run):
    done = run("twlearn", "SETS", "-w", 2, "-q", "--names")
    assert done.code == 0 and header_of(done.stdout)["score"] == "-3.500000", done.stderr
    assert done.stdout.splitlines()[-3:] == ["a,c", "b,a", "b,c"]
    piped = run("twlearn", "-", "-w", 2, "-q", "--names", input=SETS.encode())
    assert piped.stdout == done.stdout
    narrow = run("twlearn", "SETS", "-w", 1, "-q", "--names")
    assert header_of(narrow.stdout)["score"] == "-5.000000" and narrow.stdout.splitlines()[-2:] == ["a,c", "b,a"]


@pytest.mark.slow
def test_the_optimum_of_a_sparse_file_is_the_default(run):
    """A ring of 30 variables, of which each gains 1 by the one before it and 1.5 by the two before: treewidth 2."""
    n = 30
    blocks = [f"{v} 3\n-9 0\n-8 1 {(v - 1) % n}\n-7.5 2 {(v - 1) % n} {(v - 2) % n}\n" for v in range(n)]
    file = f"{n}\n{''.join(blocks)}".encode()
    assert "method milp for " in run("twlearn", "-", "-w", 2, "--dry-run", input=file).stderr
    header = header_of(run("twlearn", "-", "-w", 2, "-q", input=file).stdout)
    assert (header["method"], header["status"], header["score"]) == ("milp", "optimal", "-227.000000")


def test_parent_sets_that_are_too_large_are_reported(run):
    larger = b"4\na 2\n-1 0\n-0.5 3 b c d\nb 1\n-2 0\nc 1\n-3 0\nd 1\n-1 0\n"
    done = run("twlearn", "-", "-w", 3, "--max-parents", 2, input=larger)
    assert done.code == 0, done.stderr
    assert "left out: 1 set of more than 2; raise --max-parents to include them\n" in done.stderr
    assert "left out" not in run("twlearn", "SETS", "-w", 2).stderr


def test_a_parent_set_file_is_known_by_its_first_lines(run):
    plain = run("twlearn", "SETS", "-w", 2, "-q").stdout
    for before in ("\ufeff", "# a comment\n" * 1000, "\ufeff# a comment\n\n"):
        assert run("twlearn", "-", "-w", 2, "-q", input=(before + SETS).encode()).stdout == plain
    for text in ("2\na 0\nb 1\n-1 0\n", "1\na 0\n"):
        assert "variable 'a' has no finite score" in run("twlearn", "-", "-w", 2, "-q", input=text.encode()).stderr


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("method", ["chordal", "kp", "milp"])
def test_scores_in_the_trace_only_increase(run, method):
    limit = ("--iterations", 400000) if method == "chordal" else ("--time-limit", 20)
    file = ZOO if method == "chordal" else "TEN"
    done = run("twlearn", file, "-w", 2, "--method", method, *limit, "--trace", "trace", "-q")
    rows = list(csv.DictReader(Path("trace").read_text().splitlines()))
    scores = [float(row["score"]) for row in rows]
    assert scores == sorted(scores) and f"{scores[-1]:.6f}" == header_of(done.stdout)["score"]
    for column in ("seconds", "iterations"):
        numbers = [float(row[column]) for row in rows]
        assert numbers == sorted(numbers)


def test_a_chordal_network_is_a_start(run):
    """A chordal network with cliques of four is a Bayesian one of treewidth three: the start is as good already."""
    assert run("lsmarkov", ZOO, "--max-clique", 4, "--iterations", 3000, "-q", "-o", "cliques").code == 0
    undirected = float(header_of(Path("cliques").read_text())["score"])
    done = run("twlearn", ZOO, "-w", 3, "--template", "cliques", "--iterations", 14, "-q")
    assert float(header_of(done.stdout)["score"]) >= undirected - 1e-5


@pytest.mark.parametrize("fmt", ["arcs", "json"])
@pytest.mark.parametrize("stated", [True, False])
def test_a_directed_network_is_a_start(run, fmt, stated):
    """Its moral graph is filled, and its order kept: the search starts with as good a network."""
    first = run("twlearn", ZOO, "-w", 3, "-q", "--iterations", 100_000).stdout.splitlines(keepends=True)
    Path("net.arcs").write_text("".join(line for line in first if stated or "elimination-order" not in line))
    assert run("mntools", "convert", "net.arcs", "--format", fmt, "-o", "net").code == 0
    again = run("twlearn", ZOO, "-w", 3, "-q", "--template", "net", "--iterations", 14)
    assert again.code == 0, again.stderr
    assert float(header_of(again.stdout)["score"]) >= float(header_of("".join(first))["score"]) - 1e-5


@pytest.mark.parametrize("width", [15, 16, 17])
def test_a_bound_that_excludes_no_network_needs_no_tables(run, width):
    """zoo has 17 variables; the tables of all k-trees would take more than any memory."""
    done = run("twlearn", ZOO, "-w", width, "--time-limit", 20, "-q")
    assert done.code == 0 and "# status optimal" in done.stdout
