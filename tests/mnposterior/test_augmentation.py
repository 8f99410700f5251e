"""mnposterior from data with missing cells: edges against the sum over networks and cells, and the command."""

import numpy as np
import pytest

from cliquewise.common.data.incomplete import IncompleteData
from cliquewise.common.models.model_fit import fit
from cliquewise.common.scores.scoring import Scoring
from cliquewise.mnposterior.augmentation import drawn_parameters, sample_incomplete
from cliquewise.mnposterior.config import PosteriorConfig
from tests.commands import ROOT
from tests.learning import run as run_learner
from tests.oracles.posteriors import edge_probabilities_with_holes
from tests.oracles.scores import set_score
from tests.random_inputs import random_dataset
from tests.slow import slow_cases

VOTES = ROOT / "data/votes.csv"


def with_holes(seed, n=4, rows=14, holes=6):
    """Few rows of few variables, some cells not known."""
    rng = np.random.default_rng(seed)
    data = random_dataset(seed, n_vars=n, n_rows=rows, max_arity=3)
    codes = np.array(
        data.codes[np.repeat(np.arange(data.n_stored), data.counts)] if data.counts is not None else data.codes,
        np.int32,
    )
    codes.ravel()[rng.choice(codes.size, holes, replace=False)] = -1
    return IncompleteData(data.names, data.states, np.asfortranarray(codes), "-", None)


@pytest.mark.parametrize("seed, bound", [(1, None), *slow_cases((2, 2), (3, 3))])
def test_all_networks_and_all_cells(monkeypatch, seed, bound):
    """Networks are drawn from the posterior given the observed cells alone."""
    monkeypatch.setattr("cliquewise.mnposterior.augmentation.BLOCK", 600)
    data = with_holes(seed)
    config, moves = PosteriorConfig("chains", max_clique=bound, seed=seed), 4 * 700 * 600
    result = run_learner(
        lambda monitor: sample_incomplete(data, Scoring("bdeu", 2.0), config, monitor), iterations=moves
    )
    rows = [[None if cell < 0 else cell for cell in row] for row in data.codes.tolist()]
    arity = data.arity.tolist()
    expected = edge_probabilities_with_holes(rows, arity, lambda full: set_score(full, arity, "bdeu", 2.0), bound)
    found = dict(zip(result.graph.edges, result.graph.probabilities, strict=True))
    assert max(abs(found.get(edge, 0.0) - share) for edge, share in expected.items()) < 0.04


def test_drawn_parameters_have_their_means_and_variances():
    """Of a Dirichlet distribution with weights w: w / W, and w (W - w) / (W^2 (W + 1))."""
    data = random_dataset(5, n_vars=2, n_rows=9, max_arity=3)
    fitted, rng = fit(data, ((), (0,)), 1.0), np.random.default_rng(1)
    drawn = [drawn_parameters(fitted, rng).tables[1] for _ in range(4000)]
    weights = fitted.count_table(1) + 1.0 / fitted.count_table(1).size
    total = weights.sum(axis=1, keepdims=True)
    assert np.mean(drawn, axis=0) == pytest.approx(weights / total, abs=0.02)
    assert np.var(drawn, axis=0) == pytest.approx(weights * (total - weights) / (total**2 * (total + 1)), abs=0.01)


def test_the_command(run, refuse, tmp_path, monkeypatch):
    """Same seed, same bytes; witnesses and the file are checked; no holes, same bytes as without the option."""
    monkeypatch.chdir(tmp_path)
    line = f"mnposterior {VOTES} --missing em --ess 10 --max-clique 3 --iterations 1000000 -q --names"
    assert run(*f"{line} -o one".split()).code == run(*f"{line} -o two".split()).code == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert "# missing em\n" in (tmp_path / "one").read_text()
    checked = run("mntools", "check", "one", "--data", VOTES, "-q")
    assert checked.code == 0 and checked.stdout.startswith("ok: probabilities of")
    (tmp_path / "d.csv").write_text("a,b\nx,y\nz,y\nx,w\n")
    whole = "mnposterior d.csv --header yes --iterations 2000 -q"
    assert run(*whole.split()).stdout == run(*whole.split(), "--missing", "em").stdout
    for words in ("--method exact", "--draws 10", "--checkpoint c", "--score bic", "--resamples 2"):
        named = "--missing em" if words.startswith(("--method", "--score")) else words.split()[0]
        refuse(f"{line.replace('--ess 10 ', '')} {words}", 2, named)
