"""The lsmarkov command: options, files, reports, interruption."""

import csv
import re
import signal
from pathlib import Path

import pytest

from cliquewise.common.files.graphfile import FORMATS
from cliquewise.common.models.any_graph import read_graph
from cliquewise.common.run import limits as limits_of_runs
from cliquewise.common.version import version
from cliquewise.lsmarkov.trace import COLUMNS
from tests.commands import ROOT
from tests.interrupting import interrupted
from tests.reading import header_of, read_csv

pytestmark = pytest.mark.usefixtures("here")

ZOO = ROOT / "data/zoo.csv"
SCORES = "3 2\n0.0\n-1.0\n-2.0\n-2.5\n-1.5\n-2.25\n-3.0\n"  # {} 0 1 01 2 02 12: both 01 and 12 gain a half
ENDLESS = 10**15


@pytest.fixture
def learn(run):
    """Runs a short search that must succeed: `learn(ZOO, "--ess", 10)`; returns the record of `run`."""

    def invoke(*args, iterations=20_000, code=0, input=b""):
        done = run("lsmarkov", *args, "--iterations", iterations, input=input)
        assert done.code == code, done.stderr
        return done

    return invoke


@pytest.fixture
def check(run):
    """`mntools check` of a file; it must be right."""

    def invoke(path, *args):
        done = run("mntools", "check", "-q", path, *args)
        assert done.code == 0 and done.stdout.startswith("ok: "), done.stdout + done.stderr
        return done.stdout

    return invoke


# ---- results ---------------------------------------------------------------------------------------


def test_result_on_stdout(learn, check):
    done = learn(ZOO, "--ess", 10, "--seed", 3)
    Path("net").write_text(done.stdout)
    assert "score not checked" not in check("net", "--data", ZOO)
    header = header_of(done.stdout)
    of_result = ["program", "version", "score", "score-type", "ess", "status", "seed", "format", "variables", "names"]
    assert list(header) == of_result
    assert header["status"] == "iteration limit" and header["seed"] == "3" and header["ess"] == "10"
    line = re.search(
        r"(?m)^lsmarkov: score -\d+\.\d{6}, \d+ edges, largest clique \d+; "
        r"iteration limit after [\d,]+ steps; seed 3$",
        done.stderr,
    )
    assert header["score"] in line[0]


@pytest.mark.fast_cases(4)
@pytest.mark.parametrize("names", [False, True])
@pytest.mark.parametrize("fmt", FORMATS)
def test_formats_are_read_back(learn, check, run, fmt, names):
    options = ["--names"] * names
    assert learn(ZOO, "--ess", 10, "-o", f"net.{fmt}", "--format", fmt, *options).stdout == ""
    learn(ZOO, "--ess", 10, "-o", "plain")
    check(f"net.{fmt}", "--data", ZOO)
    assert read_graph(f"net.{fmt}", read_csv(ZOO).names).graph.edges == read_graph("plain").graph.edges
    converted = run("mntools", "convert", f"net.{fmt}", "--format", "cliques")
    assert converted.code == 0 and sorted(converted.stdout.splitlines()) == sorted(
        Path("plain").read_text().splitlines()
    )


@pytest.mark.parametrize(
    "options",
    [
        ["--score", "bic"],
        ["--score", "ll", "--max-clique", "3"],
        ["--ess", "0.25", "--max-clique", "2"],
        ["--max-clique", "30"],
        ["--preset", "ecai2020"],
        ["--greedy"],
        ["--operations", "ev"],
        ["--restart-rate", "7", "--fixed-iters"],
        ["--dynamictw", "--no-chow-liu"],
        ["--precompute", "--max-clique", "4"],
        ["--threads", "1", "--cache-mb", "1"],
        ["--header", "yes"],
        ["--target-score", "-1e9"],
    ],
    ids=" ".join,
)
def test_options_give_networks_that_check(learn, check, options):
    learn(ZOO, *options, "-o", "net", iterations=2000)
    check("net", "--data", ZOO)
    header = header_of(Path("net").read_text())
    given = dict(zip(options, options[1:], strict=False))
    assert header.get("max-clique") == given.get("--max-clique")
    assert header["score-type"] == given.get("--score", "bdeu")
    assert header["status"] == ("target reached" if "--target-score" in given else "iteration limit")


@pytest.mark.parametrize("option", ["--operations=E", "--greedy", "--restart-rate=9", "--fixed-iters", "--dynamictw"])
def test_options_of_the_published_search_choose_it(learn, option):
    named = learn(ZOO, option, iterations=1)
    assert "; search as published (--preset ecai2020) for " in named.stderr
    again = learn(ZOO, option, "--preset", "ecai2020", iterations=1)
    assert "; search as published (--preset ecai2020) for " in again.stderr
    assert again.stdout == named.stdout


def test_by_default_a_run_ends_when_nothing_better_is_found(run, monkeypatch):
    assert "at least 5 and at most 60 seconds" in " ".join(run("lsmarkov", "--help").stdout.split())
    monkeypatch.setattr(limits_of_runs, "MIN_IDLE", 0.2)
    done = run("lsmarkov", ZOO)
    assert "as the best took, 5 to 60 s (--time-limit, --iterations or --target-score change that)" in done.stderr
    assert header_of(done.stdout)["status"] == "nothing better found"
    assert "; nothing better found after " in done.stderr


def test_the_default_time_is_not_mentioned_if_a_limit_is_given(learn):
    assert "change that" not in learn(ZOO, iterations=1).stderr


# ---- input -----------------------------------------------------------------------------------------


def test_scores_from_a_pipe_and_a_file(learn, check):
    done = learn("-", iterations=1, input=SCORES.encode())
    assert done.stdout.splitlines() == [
        "# program lsmarkov",
        f"# version {version()}",
        "# score -3.500000",
        "# status optimal",
        "# seed 1",
        "# format cliques",
        "# variables 3",
        "0,1",
        "1,2",
    ]
    Path("three.score").write_text(SCORES)
    assert learn("three.score", "-o", "net", iterations=1).stdout == ""
    assert Path("net").read_text() == done.stdout
    check("net", "--data", "three.score")


def test_one_variable(learn):
    Path("one.score").write_text("1 1\n0\n-2.5\n")
    assert learn("one.score", "--trace", "t", "--updates", "-o", "-").stdout.splitlines()[-1] == "0"


def test_the_start_network(learn, check):
    learn(ZOO, "--ess", 10, "-o", "first", iterations=100_000)
    for preset in ("default", "ecai2020"):
        learn(ZOO, "--ess", 10, "--init", "first", "--preset", preset, "-o", "second", iterations=1)
        check("second", "--data", ZOO)
        scores = [float(header_of(Path(name).read_text())["score"]) for name in ("first", "second")]
        assert scores[1] >= scores[0]


def test_a_start_network_by_names_from_a_pipe(learn):
    arcs = "# format arcs\nhair,milk\nmilk,eggs\n"
    done = learn(ZOO, "--init", "-", "--preset", "ecai2020", iterations=1, input=arcs.encode())
    assert header_of(done.stdout)["status"] == "iteration limit"


# ---- reports ---------------------------------------------------------------------------------------


def rows_of(trace):
    """The rows of a trace file as dicts."""
    return list(csv.DictReader(Path(trace).read_text().splitlines()))


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("preset", ["default", "ecai2020"])
def test_trace(learn, preset):
    done = learn(ZOO, "--ess", 10, "--preset", preset, "--trace", "t.csv", iterations=100_000)
    rows = rows_of("t.csv")
    assert tuple(rows[0]) == COLUMNS
    columns = {name: [float(row[name]) for row in rows] for name in COLUMNS}
    for name in ("seconds", "step", "restart", "score", "scores_computed"):
        assert columns[name] == sorted(columns[name]), name
    assert columns["step"][0] == 0 and columns["scores_computed"][0] >= 17 * 18 / 2
    assert min(columns["largest_clique"]) >= 1 and max(columns["largest_clique"]) <= 17
    assert rows[-1]["score"] == header_of(done.stdout)["score"]
    assert len(rows) > 1


@pytest.mark.slow
def test_the_trace_has_rows_while_nothing_improves(run):
    """A row a second at least, so that a flat line is a line."""
    done = run("lsmarkov", ZOO, "--max-clique", 2, "--time-limit", 2.5, "--trace", "t.csv")
    assert done.code == 0
    rows = rows_of("t.csv")
    assert len(rows) >= 3 and len({row["score"] for row in rows}) == 1


def test_updates(learn):
    done = learn(ZOO, "--ess", 10, "--updates", "-o", "net")
    lines = done.stdout.splitlines()
    updates, solutions = lines[::2], lines[1::2]
    assert len(updates) == len(solutions) > 1
    scores = [float(re.fullmatch(r"update \d+\.\d{3} (-\d+\.\d{6})", line)[1]) for line in updates]
    assert scores == sorted(set(scores))
    kept = Path("net").read_text()
    assert f"{scores[-1]:.6f}" == header_of(kept)["score"]
    cliques = [line for line in kept.splitlines() if not line.startswith("#")]
    assert sorted(solutions[-1].split()) == sorted(["solution", *cliques])


def test_updates_take_the_place_of_the_result(learn):
    """The last solution line is the result; a clique list after it would not be readable."""
    lines = learn(ZOO, "--updates").stdout.splitlines()
    assert {line.split()[0] for line in lines} == {"update", "solution"}


# ---- interruption ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_interrupted_on_stdout():
    """Twice, as `timeout` does it."""
    done = interrupted("lsmarkov", ZOO, "--iterations", ENDLESS, signals=(signal.SIGTERM,) * 2, lines=3)
    assert header_of(done.stdout)["status"] == "interrupted"
    *_, found_line, proved, times, last = done.stderr.splitlines()
    assert "; interrupted after " in found_line and "nothing is proved about it" in proved
    assert ": time: reading " in times
    assert last.startswith("lsmarkov: interrupted; written so far: standard output; the same command ")
