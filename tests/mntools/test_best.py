"""mntools best and average: networks learned from different completions of missing cells, or on other variables."""

import csv
import random

import pytest

from cliquewise.common.data.incomplete import without_missing_state
from cliquewise.common.files.result_header import plan_numbers
from cliquewise.common.inference.completions import CompletionPlan, complete
from cliquewise.common.models.any_graph import read_graph
from tests.oracles.scores import set_score_of_parts
from tests.reading import read_csv

GOOD, WORSE = 5, 4  # seeds of the completions


@pytest.fixture
def learned(run, workplace):
    """Networks with and without an edge of the data, of which the second has the higher score in its header."""
    rng, rows = random.Random(3), []
    for _ in range(80):
        a = rng.random() < 0.5
        b = a ^ (rng.random() < 0.25)
        cells = [str(int(cell)) if rng.random() > 0.45 else "?" for cell in (a, b, rng.random() < 0.5)]
        rows.append(",".join(cells))
    workplace({"d.csv": "a,b,c\n" + "\n".join(rows) + "\n", "no": "a,b\n"})
    for name, options in (("good", ("--seed", GOOD)), ("worse", ("--seed", WORSE, "--forbidden-edges", "no"))):
        words = ("d.csv", "--missing", "em", "--iterations", 500, *options)
        assert run("lsmarkov", *words, "-o", name, "-q").code == 0
    good, worse = (read_graph(name) for name in ("good", "worse"))
    assert good.graph.edges and not worse.graph.edges
    assert float(worse.header["score"]) > float(good.header["score"])


def test_best_of_different_completions(run, refuse, learned):
    refuse(
        "mntools best good worse -q", 1, "worse: '# completion-seed 4', but '5' in good: their scores are of different"
    )
    incomplete = without_missing_state(read_csv("d.csv", missing="state", warn=False))
    plans = [plan_numbers(read_graph(name).header, name) for name in ("good", "worse")]
    sets = [complete(incomplete, CompletionPlan(*plan)) for plan in plans]
    expected = {}
    for name, families in (("good", [[0, 1], [2]]), ("worse", [[0], [1], [2]])):
        score = [set_score_of_parts(rows.drawn.tolist(), [2, 2, 2], "bdeu", 1.0, 5) for rows in sets]
        terms = [of_set(family) for of_set in score for family in families]
        expected[name] = sum(terms) / len(sets)
    for names in (("good", "worse"), ("worse", "good")):
        done = run("mntools", "best", *names, "--data", "d.csv", "-o", "out", "--table", "t.csv")
        assert done.code == 0 and "scored by the mean over the 2 sets of completions" in done.stderr, done.stderr
        with open("t.csv", encoding="utf-8", newline="") as file:
            scores = {row["network"]: float(row["score"]) for row in csv.DictReader(file)}
        assert scores == pytest.approx(expected, abs=1e-5)
        best = max(expected, key=expected.get)
        assert read_graph("out").header["completion-seed"] == str({"good": GOOD, "worse": WORSE}[best])


def test_average_of_different_completions(run, refuse, learned):
    message = (
        "worse: '# completion-seed 4', but '5' in good: their scores are of different completions of missing cells; use"
    )
    refuse("mntools average good worse -q --weight-by score", 1, message)
    assert run("mntools", "average", "good", "worse", "-q").code == 0
    assert run("mntools", "average", "good", "good", "-q", "--weight-by", "score").code == 0


def test_networks_of_interrupted_runs_are_named(run, workplace):
    """A Makefile can take them for results."""
    header = "# score -2\n# names a,b,c\n"
    workplace({name: f"# status {status}\n{header}a,b\n" for name, status in (("a", "interrupted"), ("b", "optimal"))})
    assert "warning: networks of interrupted runs: 1 of 2: a" in run("mntools", "best", "b", "a").stderr
    assert "interrupted" not in run("mntools", "best", "b", "b").stderr


@pytest.mark.parametrize(
    "other, message",
    [
        ("# score -1\n# variables 4\n0,1\n", "b: 4 variables, but 3 in a: their scores do not compare"),
        ("# score -1\n# names a,b,d\na,b\n", "b: variable 'd' is not in a: their scores do not compare"),
        ("# score -1\n# names c,a,b\na,b\n", ""),
        ("# score -1\n# variables 3\n0,1\n", ""),
    ],
)
def test_best_refuses_networks_on_other_variables(run, workplace, other, message):
    workplace({"a": "# score -2\n# names a,b,c\na,b\n", "b": other})
    done = run("mntools", "best", "a", "b")
    assert (done.code, done.stdout) == ((1, "") if message else (0, other))
    assert message in done.stderr
