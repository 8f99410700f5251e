"""`--missing em` where several networks are learned: samples, sizes, cross-validation."""

import csv
import io
import itertools
from pathlib import Path

import numpy as np
import pytest

import cliquewise
from cliquewise.common.cli.from_python import read_csv
from cliquewise.common.data.dataset import Dataset
from cliquewise.common.data.incomplete import IncompleteData
from cliquewise.common.inference.em import fit_em
from cliquewise.common.inference.em_limits import EmLimits
from cliquewise.common.models.held_out import folds, held_out_logs
from cliquewise.common.models.model_data import coded_beside, codes_for
from cliquewise.common.models.model_fit import parents_of_chordal

SEARCH = "--missing em --iterations 300 -q"


@pytest.fixture
def tables(workplace):
    """A table of four columns, b and c follow a, with and without missing cells."""
    rng = np.random.default_rng(5)
    a = rng.integers(2, size=200)
    b, c = ((a ^ (rng.random(200) < 0.1)) for _ in range(2))
    full = np.column_stack([a, b, c, rng.integers(2, size=200)]).astype(int).astype(str)
    cells = np.where(rng.random(full.shape) < 0.1, "", full)
    head = "a,b,c,d\n"
    workplace({
        "full.csv": head + "".join(",".join(row) + "\n" for row in full),
        "blank.csv": head + "".join(",".join(row) + "\n" for row in cells),
    })  # fmt: skip


@pytest.mark.parametrize("learner", ["lsmarkov", "mnposterior"])
def test_several_samples_are_those_drawn_alone(run, tables, learner):
    words = [*SEARCH.replace("300", "20000").split(), "--min-probability", "0"] if "mn" in learner else SEARCH.split()
    assert run(learner, "blank.csv", *words, "--resamples", "3,4", "-o", "net-{}").code == 0
    for seed in (3, 4):
        alone = run(learner, "blank.csv", *words, "--resample", seed)
        assert alone.stdout == Path(f"net-{seed}").read_text()
        assert f"# resample {seed}" in alone.stdout and "# missing em" in alone.stdout


@pytest.mark.parametrize("how", ["cv", "evidence", "full.csv", "blank.csv"])
def test_a_size_is_chosen(run, tables, how):
    done = run("lsmarkov", "blank.csv", *SEARCH.split(), "--ess", "0.5,200", "--choose", how)
    assert done.code == 0, done.stderr
    tried = next(line for line in done.stdout.splitlines() if line.startswith("# tried"))
    assert tried.count("ess") == 2 and "nan" not in tried
    if how != "evidence":
        assert "# ess 0.5" in done.stdout.splitlines()  # 200 rows of a prior without structure predict worse


def test_cross_validation_scores_observed_cells(run, tables):
    """The mean of the first fold, by the sum over all that the missing cells may be."""
    whole = read_csv("blank.csv", missing="em")
    learned, test = next(iter(folds(whole, 4, 1)))
    words = "--missing em --folds 4 -q -- lsmarkov --iterations 300".split()
    found = run("mnmodel", "cv", "blank.csv", *words)
    assert found.code == 0, found.stderr
    table = [line for line in found.stdout.splitlines() if not line.startswith("#")]
    first = next(csv.DictReader(io.StringIO("\n".join(table))))

    graph = cliquewise.lsmarkov(learned, iterations=300).graph
    network = fit_em(learned, parents_of_chordal(graph), 1.0, EmLimits()).network
    every = np.array(list(itertools.product((0, 1), repeat=4)), np.int32)
    probabilities = np.exp(held_out_logs(network, every))
    logs = [np.log(probabilities[((every == row) | (row < 0)).all(axis=1)].sum()) for row in test.codes]
    assert float(first["log_likelihood"]) == pytest.approx(np.average(logs, weights=test.row_counts), abs=1e-8)
    assert first["rows"] == "50" and first["edges"] == str(len(graph.edges))


def test_without_missing_cells_nothing_changes(run, tables):
    words = ("--folds", "3", "--target", "a", "-q", "--", "lsmarkov", "--iterations", "300")
    plain, em = (run("mnmodel", "cv", "full.csv", *more, *words) for more in ((), ("--missing", "em")))
    assert em.code == 0 and em.stdout == plain.stdout


def test_a_missing_target_is_not_scored(run, tables):
    done = run("mnmodel", "cv", "blank.csv", "--missing", "em", "--folds", "3", "--target", "a", "-q", "--", "junctor")
    assert done.code == 0, done.stderr
    last = done.stdout.splitlines()[-1].split(",")
    assert last[1] == "all" and last[2] == "200" and 0.8 < float(last[-2]) <= 1.0


def test_missing_cells_stay_missing_when_states_are_joined():
    data = IncompleteData(("a", "b"), (("0", "2"), ("n", "y")), np.array([[1, -1], [-1, 0], [0, 1]], np.int32))
    rows = IncompleteData(("b", "a"), (("n", "y"), ("0", "1", "2")), np.array([[-1, 1], [1, -1]], np.int32))
    wider, codes = coded_beside(data, rows)
    assert wider.states == (("0", "1", "2"), ("n", "y"))
    assert wider.codes.tolist() == [[2, -1], [-1, 0], [0, 1]] and codes.tolist() == [[1, -1], [-1, 1]]
    full = Dataset(("a", "b"), (("0", "1", "2"), ("n", "y")), np.zeros((1, 2), np.int32))
    assert codes_for(full, data).tolist() == wider.codes.tolist()
