"""Parent sets by search, against exhaustive search."""

import math

import numpy as np
import pytest

from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scoring import Scoring
from cliquewise.twlearn.config import Config
from cliquewise.twlearn.learn import learn
from cliquewise.twlearn.parent_search import with_family
from tests.learning import learned
from tests.oracles.families import bdeu_of_family, parent_sets, pruned
from tests.random_inputs import arity_of, dataset_of, random_dataset, rows_of
from tests.twlearn.scored import families_of
from tests.twlearn.test_families import listed


def chained(n, n_rows=400, seed=1):
    """Columns that depend on two earlier ones nearby."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (n_rows, n))
    for v in range(2, n):
        a, b = rng.choice(np.arange(max(0, v - 6), v), 2, replace=False)
        share = rng.beta(0.4, 0.4, 4)
        codes[:, v] = rng.random(n_rows) < share[2 * codes[:, a] + codes[:, b]]
    return dataset_of(codes)


def _search(data, most, sets, scoring, threads):
    """Families of at most this many sets scored for each variable."""
    with Monitor(threads=threads) as monitor:
        return families_of(data, most, scoring, monitor, parent_sets=sets)


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("most", [0, 1, 2, 4])
def test_a_search_of_everything_finds_all_that_is_useful(seed, most):
    data = random_dataset(seed, n_vars=6, n_rows=30)
    found = listed(_search(data, most, 1000, Scoring(ess=2.0), 2))
    for v in range(6):
        scores = {s: bdeu_of_family(rows_of(data), arity_of(data), v, s, 2.0) for s in parent_sets(6, v, most)}
        assert found[v] == pytest.approx(pruned(scores), abs=1e-9)


@pytest.mark.parametrize("score", ["bdeu", "bic", "ll"])
def test_a_short_search_finds_most_of_the_best(score):
    data, scoring = chained(20), Scoring(score, 10.0)
    best = families_of(data, 3, scoring)
    found = _search(data, 3, 150, scoring, 2)
    assert len(found.scores) <= 20 * 151
    worse = found.scores[found.start[:-1]] < best.scores[best.start[:-1]] - 1e-9
    assert np.count_nonzero(worse) <= 3
    for block, every in zip(listed(found), listed(best), strict=True):
        assert {s: every[s] for s in block if s in every} == pytest.approx({s: block[s] for s in block if s in every})


@pytest.mark.parametrize("score", ["bdeu", "bic"])
def test_a_short_search_finds_smaller_sets_besides_the_best(score):
    """Of four parents each pair and triple is useful to a network; each of 19 other columns could be added to them."""
    rng, scoring = np.random.default_rng(1), Scoring(score)
    codes = rng.integers(0, 2, (2000, 24))
    codes[:, 0] = rng.random(2000) < 0.1 + 0.2 * codes[:, 1:5].sum(axis=1)
    best = listed(families_of(dataset_of(codes[:, :5]), 4, scoring))[0]
    found = listed(_search(dataset_of(codes), 4, 60, scoring, 1))[0]
    assert len(best) == 16 and {s: found[s] for s in best} == pytest.approx(best)


def test_a_family_takes_its_place_among_those_of_a_variable():
    block = np.array([[1, 2], [1, -1], [-1, -1]], np.int32), np.array([-1.0, -2.0, -4.0])
    (sets, scores), row = with_family(block, (2,), -3.0)
    assert (sets.tolist(), scores.tolist(), row) == ([[1, 2], [1, -1], [2, -1], [-1, -1]], [-1.0, -2.0, -3.0, -4.0], 2)
    same, row = with_family(block, (1,), -9.0)
    assert same is block and row == 1


def test_searched_sets_are_the_same_on_any_number_of_threads():
    data = chained(90)
    one, two = (_search(data, 3, 60, Scoring(), threads) for threads in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a, b)
    assert (one.parents[one.start[1:] - 1] == -1).all()  # the empty set last


@pytest.mark.parametrize("method", ["kp", "milp"])
def test_an_optimum_of_some_parent_sets_is_no_proof(method):
    """Of the sets that were scored; the best network has others."""
    data = chained(8)
    best, some = (learned(learn, data, Config(2, method, parent_sets=sets)) for sets in (None, 2))
    assert best.status == "optimal" and best.upper_bound == pytest.approx(best.score)
    assert some.score < best.score - 0.1
    assert some.status == "complete" and some.upper_bound == math.inf
