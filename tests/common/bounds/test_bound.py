"""Upper bounds: true of every small network, also when the run is stopped; `mntools bound` and `lsmarkov --bound`."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.bounds import windows
from cliquewise.common.bounds.bound import bound
from cliquewise.common.bounds.windows import bound_by_windows
from cliquewise.common.errors import DataError, LimitError
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.result import COMPLETE, INTERRUPTED, OPTIMAL, TIME_LIMIT, LearnResult
from cliquewise.common.scores.scoring import Scoring
from tests.commands import ROOT
from tests.learning import Recorder, run
from tests.oracles.learners import best_chordal
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, clique_scores, random_dataset, random_set_scores, rows_of
from tests.reading import header_of
from tests.slow import slow

NEAR = 1e-6
ZOO = ROOT / "data/zoo.csv"


def bounded(source, max_clique=None, known=None, allowed=None, required=None, scoring=None, **limits):
    """What `bound` returns."""

    def call(monitor):
        return bound(source, scoring or Scoring(), monitor, max_clique, known, None, allowed, required)

    return run(call, **limits)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_bound_of_small_problems_is_the_optimum(n):
    for seed in range(4):
        scores = random_set_scores(seed, n)
        for width in range(1, n + 1):
            result = bounded(clique_scores(scores, n, width), width)
            assert result.status == OPTIMAL
            optimum, _ = best_chordal(n, scores.__getitem__, width)
            assert result.upper_bound == pytest.approx(optimum, abs=NEAR)
            assert result.score == pytest.approx(optimum, abs=NEAR)


def test_required_edges():
    for seed in range(8):
        scores, edges = random_set_scores(seed, 5), ((0, 1), (seed % 3 + 1, 4))
        result = bounded(clique_scores(scores, 5, 3), 3, required=Graph(5, edges))
        optimum, _ = best_chordal(5, scores.__getitem__, 3, required=edges)
        assert result.status == OPTIMAL and {*edges} <= {*result.graph.edges}
        assert (result.score, result.upper_bound) == pytest.approx((optimum, optimum), abs=NEAR)
    square = Graph(4, ((0, 1), (0, 3), (1, 2), (2, 3)))
    with pytest.raises(DataError, match="no network was found that has edge 0,1 and the others required"):
        bounded(clique_scores(random_set_scores(1, 4), 4, 2), 2, required=square)


def test_known_networks_and_allowed_edges():
    n = 5
    for seed in range(4):
        data = random_dataset(seed, n_vars=n, n_rows=150, max_arity=3)
        allowed = Graph(n, ((0, 1), (0, 2), (1, 2), (2, 3)))
        optimum, _ = best_chordal(n, set_score(rows_of(data), arity_of(data), "bdeu", 1.0), 3, allowed.edges)
        for known in (None, Graph(n, ()), Graph(n, ((0, 1),)), Graph(n, ((0, 1), (0, 4), (1, 4)))):
            result = bounded(data, 3, known, allowed)
            assert result.upper_bound == pytest.approx(optimum, abs=NEAR)


def stopping_at(rows):
    """A Recorder that ends the run at so many rows of the trace."""
    recorder = Recorder(lambda monitor, _: len(recorder.rows) < rows or monitor.interrupt())
    return recorder


def test_a_stopped_run_has_a_true_bound():
    data = random_dataset(3, n_vars=14, n_rows=60, max_arity=2)
    optimum = bounded(data, 4).score
    last = np.inf
    for rows in (1, 2, 4):
        result = bounded(data, 4, recorder=stopping_at(rows))
        assert result.status == INTERRUPTED and last >= result.upper_bound >= optimum - NEAR
        last = result.upper_bound
    result = bounded(data, 4, seconds=1e-3)
    assert result.status == TIME_LIMIT and result.upper_bound >= optimum - NEAR


@pytest.mark.parametrize("most", [2, 3, 4])
@pytest.mark.parametrize("seeds", [4, *slow(8)])
def test_bounds_by_windows_are_true(monkeypatch, most, seeds):
    """Of small problems in small windows: never below the optimum, and the optimum where one window holds all."""
    if most == 2:  # with weighted clusters, these windows prove all
        monkeypatch.setattr(windows, "CLUSTERS", 0)
    n, above = 5, 0
    for seed in range(seeds):
        data = random_dataset(seed, n_vars=n, n_rows=80, max_arity=3)
        width = 2 + seed % 3
        optimum, _ = best_chordal(n, set_score(rows_of(data), arity_of(data), "bdeu", 1.0), width)

        def found(size, data=data, width=width):
            return run(lambda monitor: bound_by_windows(data, Scoring(), monitor, width, None, (size,)))

        result = found(most)
        assert result.status in (COMPLETE, OPTIMAL)
        assert result.upper_bound >= optimum - NEAR and result.score <= optimum + NEAR
        above += result.upper_bound > optimum + NEAR
        assert found(n).upper_bound == pytest.approx(optimum, abs=NEAR)
    assert above > 0 or most > 2  # splitting over edges makes up for rows that small windows lack


@pytest.mark.slow
def test_more_variables_than_a_word_has_bits():
    data = random_dataset(4, n_vars=70, n_rows=40, max_arity=2)
    result = bounded(data, 2)
    assert result.status == OPTIMAL and result.score == pytest.approx(result.upper_bound, abs=NEAR)
    again = bounded(data, 2, result.graph, seconds=60)
    assert again.score == pytest.approx(result.score, abs=NEAR)
    assert again.upper_bound == pytest.approx(result.upper_bound, abs=NEAR)
    last = np.inf
    for rows in (1, 3):
        stopped = bounded(data, 3, result.graph, recorder=stopping_at(rows))
        assert stopped.status == INTERRUPTED and last > stopped.upper_bound >= result.upper_bound
        last = stopped.upper_bound


def test_refusals():
    with pytest.raises(DataError, match="65 variables; the cutting planes take at most 64"):
        bounded(random_dataset(1, n_vars=65), 2, allowed=Graph(65, ()))
    with pytest.raises(LimitError, match="sets of up to 40 variables need .* bound the cliques with --max-clique"):
        bounded(random_dataset(1, n_vars=40))


# ---- commands


def numbers(line):
    """`key value` pairs of a line as a dict of float."""
    words = line.split()
    return {key: float(value) for key, value in zip(words[::2], words[1::2], strict=True)}


def test_mntools_bound(run, here):
    done = run("mntools", "bound", ZOO, "--max-clique", 2, "--ess", 10, "-q")
    assert done.code == 0 and re.fullmatch(r"upper-bound -\d+\.\d{6} score -\d+\.\d{6} gap 0\.000000\n", done.stdout)
    run("junctor", ZOO, "--max-clique", 2, "--ess", 10, "-o", "best")
    optimum = float(header_of(Path("best").read_text())["score"])
    assert numbers(done.stdout)["upper-bound"] == pytest.approx(optimum, abs=2e-6)
    by_default, by_ess = (
        run("mntools", "bound", ZOO, "--max-clique", 2, *words).stdout for words in ((), ("--ess", 1))
    )
    assert by_default == by_ess != done.stdout
    lines = Path("best").read_text().splitlines()
    edges = [line for line in lines if re.fullmatch(r"\d+,\d+", line)]
    header = [
        line for line in lines if line.startswith("# ") and line.split()[1] in ("score-type", "ess", "max-clique")
    ]
    Path("worse").write_text("\n".join([*header, *edges[1:]]) + "\n")
    done = run("mntools", "bound", ZOO, "--graph", "worse")  # by ess and cliques of its header
    found = numbers(done.stdout)
    better = f"found a better network: score {optimum:.6f}, optimal"
    assert f"{better}; -o writes it\n" in done.stderr
    assert f"{better}\n" in run("mntools", "bound", ZOO, "--graph", "worse", "-o", "better").stderr
    assert found["upper-bound"] == pytest.approx(optimum, abs=2e-6) and found["score"] < optimum
    assert found["gap"] == pytest.approx(found["upper-bound"] - found["score"], abs=2e-6)


@pytest.mark.parametrize(
    "content, options, message",
    [
        ("0,1\n1,2\n2,3\n0,3\n", (), "not chordal"),
        ("# format arcs\n0,1\n", (), "a directed network; the bound is on chordal ones"),
        ("0,1,2\n", ("--max-clique", 2), "clique 0,1,2 .*has 3 vertices, at most 2 claimed"),
        ("# score-type mpl\n0,1\n", (), r"a score by Markov blankets \(mpl\)"),
        ("0,1\n", ("--score", "bic", "--ess", 2), "--ess has no effect with --score bic"),
        ("0,1\n", ("--memory", 1e-5, "--max-clique", 3), r"need .* GB, 1e-05 GB may be used \(--memory\)"),
    ],
)
def test_what_mntools_bound_refuses(run, tmp_path, content, options, message):
    (tmp_path / "net").write_text(content)
    done = run("mntools", "bound", ZOO, "--graph", tmp_path / "net", *options)
    assert done.code in (1, 2) and done.stdout == "" and re.search(message, done.stderr), done.stderr


def test_a_bound_below_the_score_that_is_given_is_an_error_of_the_program(run, tmp_path, monkeypatch):
    """Whatever finds it, it is not printed: the score is recomputed from the data."""

    def wrong(data, scoring, monitor, *limits):
        monitor.start()
        return LearnResult(Graph(data.n, ()), -math.inf, COMPLETE, 0, -1600.0)

    monkeypatch.setattr("cliquewise.mntools.bound.bound", wrong)
    (tmp_path / "net").write_text("# variables 17\n0,1\n")
    done = run("mntools", "bound", ZOO, "--graph", tmp_path / "net", "-q")
    assert done.code == 1 and done.stdout == ""
    message = r"the upper bound -1600\.000000 is below the known score -1\d{3}\.\d{6} .*\n"
    assert re.fullmatch(f"mntools: internal error: RuntimeError: {message}", done.stderr)


def test_no_result_has_a_bound_below_its_score():
    for score in (-1234.5, 0.0, 3.0):
        rounded = score - 1e-7
        assert LearnResult(Graph(1, ()), score, OPTIMAL, 0, rounded).proved()["upper-bound"] == f"{score:.6f}"
        with pytest.raises(RuntimeError, match="is below the known score"):
            LearnResult(Graph(1, ()), score, OPTIMAL, 0, score - 0.01)
    assert LearnResult(Graph(1, ()), -math.inf, COMPLETE, 0, -5.0).upper_bound == -5.0


def test_lsmarkov_bound(run):
    search = ("lsmarkov", ZOO, "--ess", 10, "--max-clique", 2, "--iterations", 20000)
    done = run(*search, "--bound", 60)
    found = header_of(done.stdout)
    assert done.code == 0 and found["status"] == "optimal" and found["gap"] == "0.000000"
    assert float(found["upper-bound"]) == pytest.approx(float(found["score"]), abs=2e-6)
    plain = header_of(run(*search).stdout)
    assert "gap" not in plain and plain["status"] == "iteration limit"
    wide = run("lsmarkov", ROOT / "data/digits.csv", "--bound", 5, "--iterations", 1)
    assert wide.code == 1 and wide.stdout == "" and "bound the cliques with --max-clique" in wide.stderr


@pytest.mark.slow
def test_commands_with_more_than_64_variables(run, here):
    """Few of them are joined, on both sides of the first word: the proof ends long before the time limit."""
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 2, (200, 66))
    for v in (1, 2, 63, 64, 65):
        codes[:, v] = np.where(rng.random(200) < 0.8, codes[:, v - 1], codes[:, v])
    codes[:, 65] ^= codes[:, 0] & codes[:, 63]
    Path("wide.csv").write_text("\n".join(",".join(map(str, row)) for row in codes.tolist()) + "\n")
    options = ("--ess", 1, "--max-clique", 3)
    alone = run("mntools", "bound", "wide.csv", *options, "--time-limit", 200, "-q")
    searched = run("lsmarkov", "wide.csv", *options, "--iterations", 20000, "--bound", 200, "-o", "net")
    assert alone.code == 0 and searched.code == 0, alone.stderr + searched.stderr
    found = header_of(Path("net").read_text())
    assert found["status"] == "optimal" and 0 <= float(found["gap"]) <= 2e-6
    again = run("mntools", "bound", "wide.csv", "--graph", "net", "--time-limit", 200)
    for bounds in (numbers(alone.stdout), numbers(again.stdout), found):
        assert float(bounds["score"]) == pytest.approx(float(found["score"]), abs=2e-6)
        assert float(bounds["upper-bound"]) == pytest.approx(float(found["score"]), abs=4e-6)
    full = run("mntools", "bound", "wide.csv", *options, "--memory", 1e-3)
    assert full.code == 1 and full.stdout == "" and "sets of up to 3 variables need" in full.stderr


def test_a_network_with_a_forbidden_set_has_no_gap(refuse, workplace):
    workplace({"s": "2 2\n0.0\n-1\n-2\n-inf\n", "net": "# format edges\n# variables 2\n0,1\n"})
    refuse("mntools bound s --graph net", 1, "net: a set of this network is forbidden (score -inf)")


def test_no_bound_without_a_network(refuse, workplace):
    """The edge of probability 1 is forbidden by the scores."""
    workplace({"s": "2 2\n0.0\n-1\n-2\n-inf\n", "priors": "0,1,1\n"})
    refuse("mntools bound s --edge-priors priors -q", 1, "s: no network has a finite score and all required edges")


@pytest.mark.parametrize("words", ["", "--drop type,hair --missing state --score bic"])
def test_mntools_bound_writes_the_network_it_knows(run, here, words):
    """Read as its header says, it has the score and the bound that were printed; from a worse one, too."""
    line = f"mntools bound {ZOO} --max-clique 3 {words} -q"
    printed = run(*line.split(), "-o", "best.json").stdout
    assert numbers(printed)["gap"] == 0.0
    header = header_of(run("mntools", "convert", "best.json").stdout)
    assert header["upper-bound"] == header["score"] == f"{numbers(printed)['score']:.6f}"
    assert header["status"] == OPTIMAL and header["max-clique"] == "3"
    assert run("mntools", "check", "best.json", "--data", ZOO).code == 0
    run("lsmarkov", ZOO, "--max-clique", 3, "--iterations", 1, *words.split(), "-q", "-o", "worse")
    again = run("mntools", "bound", ZOO, "--graph", "worse", "-q", "-o", "better").stdout
    assert run("mntools", "check", "better", "--data", ZOO).code == 0
    better = header_of(Path("better").read_text())
    assert better["score"] == header["score"] and numbers(again)["score"] <= numbers(printed)["score"]
    assert {key: better.get(key) for key in ("dropped-columns", "missing", "score-type")} == {
        key: header.get(key) for key in ("dropped-columns", "missing", "score-type")
    }
