"""Counts in parts of rows, as completions of incomplete rows have: scores, gains, all sets, certificates, models."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from cliquewise.common.certify.set_scores import set_score
from cliquewise.common.data.merging import merged
from cliquewise.common.models.model_fit import fit
from cliquewise.common.scores import spanning
from cliquewise.common.scores.all_scores import all_scores
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.scores.spanning import pair_gains
from tests.oracles import scores as oracle
from tests.random_inputs import arity_of, dataset_of, rows_of

KINDS = [("bdeu", 0.01), ("bdeu", 1.0), ("bdeu", 100.0), ("bic", 1.0), ("aic", 1.0), ("ll", 1.0), ("qnml", 1.0)]


def parts(seed, m, n_rows=60, n=5):
    """Rows that come `m` times each, but for some cells; the oracle's rows and the data that stand for them."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(rng.integers(0, rng.integers(1, 4, n), (n_rows, n)), m, axis=0)
    again = rng.random(codes.shape) < 0.1
    codes[again] = rng.permuted(codes, axis=0)[again]
    data = dataset_of(codes)
    return rows_of(data), replace(merged(data), denominator=m)


@pytest.mark.fast_cases(10)
@pytest.mark.nojit
@pytest.mark.parametrize("kind, ess", KINDS)
@pytest.mark.parametrize("m", [2, 7, 40])
def test_scores_of_every_set(m, kind, ess):
    rows, data = parts(m, m)
    expected = oracle.set_score_of_parts(rows, arity_of(data), kind, ess, m)
    scoring = Scoring(kind, ess)
    scorer, every = SetScorer(data, scoring), all_scores(data, scoring, 5)
    assert data.n_rows == len(rows) // m == 60
    for mask in range(1, 32):
        members = [v for v in range(5) if mask >> v & 1]
        assert scorer.score(members) == pytest.approx(expected(members), abs=1e-9, rel=1e-12), members
        assert every[mask] == pytest.approx(expected(members), abs=1e-9, rel=1e-12), members
        assert set_score(data, members, scoring) == pytest.approx(expected(members), abs=1e-9, rel=1e-12), members


@pytest.mark.parametrize("kind, ess", KINDS[:4])
def test_many_rows_in_a_cell(kind, ess):
    """Counts below and above the bound of Stirling's series, in parts of a row."""
    rows, data = parts(3, 5, n_rows=800, n=3)
    expected, scorer = (
        oracle.set_score_of_parts(rows, arity_of(data), kind, ess, 5),
        SetScorer(data, Scoring(kind, ess)),
    )
    for members in [(0,), (0, 1), (1, 2), (0, 1, 2)]:
        assert scorer.score(members) == pytest.approx(expected(members), rel=1e-12)


@pytest.mark.parametrize("kind, ess", KINDS)
def test_gains_on_bit_planes(monkeypatch, kind, ess):
    monkeypatch.setattr(spanning, "MANY_VARIABLES", 2)
    rows, data = parts(11, 3)
    score = oracle.set_score_of_parts(rows, arity_of(data), kind, ess, 3)
    gains = pair_gains(SetScorer(data, Scoring(kind, ess)))
    for u, v in combinations(range(5), 2):
        assert gains[u, v] == pytest.approx(score((u, v)) - score((u,)) - score((v,)), abs=1e-9)


def test_whole_rows_in_parts_are_whole_rows():
    """Three copies of each row, each of weight 1/3, score what the rows score, and give the same probabilities."""
    rows, data = parts(5, 1)
    thrice = replace(data, counts=3 * data.counts, denominator=3)
    for kind, ess in KINDS:
        one, other = (SetScorer(which, Scoring(kind, ess)) for which in (data, thrice))
        for members in [(0,), (1, 3), (0, 2, 4), (0, 1, 2, 3, 4)]:
            assert one.score(members) == pytest.approx(other.score(members), rel=1e-12, abs=1e-9)
    parents = ((), (0,), (0, 1), (2,), (1, 3))
    for table, again in zip(*(fit(which, parents, 2.0).tables().tables for which in (data, thrice)), strict=True):
        assert table == pytest.approx(again, abs=1e-12)
