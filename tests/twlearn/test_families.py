"""Parent sets: what is kept, with which score, in which order; from data and from files."""

import numpy as np
import pytest

from cliquewise.common.errors import DataError, LimitError
from cliquewise.common.files.parentsets import ParentSets, read_parent_sets
from cliquewise.common.scores.scoring import Scoring
from cliquewise.twlearn.config import Config
from cliquewise.twlearn.learn import learn
from tests.learning import learned, run
from tests.oracles.families import bdeu_of_family, parent_sets, pruned
from tests.oracles.networks import best_network
from tests.random_inputs import arity_of, dataset_of, random_dataset, rows_of
from tests.twlearn.scored import families_of


def listed(families):
    """[{frozenset: score}] of a Families."""
    blocks = []
    for v in range(families.n):
        rows = range(families.start[v], families.start[v + 1])
        blocks.append({frozenset(families.parents[r].tolist()) - {-1}: float(families.scores[r]) for r in rows})
        assert len(blocks[-1]) == len(rows)
    return blocks


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("most", [0, 1, 2, 4])
def test_scores_and_pruning(seed, most):
    data = random_dataset(seed, n_vars=5, n_rows=30)
    found = listed(run(families_of, data, most, Scoring(ess=2.0)))
    for v in range(5):
        scores = {s: bdeu_of_family(rows_of(data), arity_of(data), v, s, 2.0) for s in parent_sets(5, v, most)}
        assert found[v] == pytest.approx(pruned(scores), abs=1e-9)


@pytest.mark.slow
def test_more_than_sixty_four_variables():
    data = random_dataset(5, n_vars=70, n_rows=20, max_arity=2)
    found = families_of(data, 2)
    for v in (0, 63, 64):
        scores = {s: bdeu_of_family(rows_of(data), arity_of(data), v, s, 1.0) for s in parent_sets(70, v, 2)}
        assert listed(found)[v] == pytest.approx(pruned(scores), abs=1e-9)


def test_best_first_and_the_empty_set_last():
    found = families_of(random_dataset(1, n_vars=8), 3)
    for v in range(8):
        block = slice(found.start[v], found.start[v + 1])
        assert (np.diff(found.scores[block]) <= 0).all()
        assert (found.parents[found.start[v + 1] - 1] == -1).all()


def test_threads_change_nothing():
    data = random_dataset(2, n_vars=9)
    found = [run(families_of, data, 3, Scoring(), threads=threads) for threads in (1, 2)]
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)


def sets_of(*blocks):
    """ParentSets from {tuple: score} for each variable."""
    width = max(len(s) for block in blocks for s in block)
    parents = [np.array([(*s, *[-1] * (width - len(s))) for s in b], np.int32).reshape(-1, width) for b in blocks]
    scores = tuple(np.array(list(b.values()), float) for b in blocks)
    return ParentSets(tuple("abc"[: len(blocks)]), tuple(parents), scores, "some.jkl")


def test_a_file_is_pruned_and_bounded():
    blocks = {(1, 2): -1.0, (): -3.0, (1,): -1.0, (2,): -4.0}, {(): 0.0, (0,): -np.inf}, {(0, 1): -1.0, (): -2.0}
    wanted = (
        {frozenset({1}): -1.0, frozenset(): -3.0},
        {frozenset(): 0.0},
        {frozenset({0, 1}): -1.0, frozenset(): -2.0},
    )
    for found, block in zip(listed(families_of(sets_of(*blocks), 2)), wanted, strict=True):
        assert found == pytest.approx(block)  # less the price of arcs
    assert listed(families_of(sets_of(*blocks), 1))[2] == {frozenset(): -2.0}


def test_minus_infinity_forbids_one_parent_set_as_if_it_were_not_listed():
    """A set that contains it keeps its score: a variable has one set of parents, and the others play no part."""
    all_sets = {(): -9.0, (1,): -np.inf, (2,): -5.0, (1, 2): -1.0}, {(): -4.0, (0,): -2.0}, {(): -3.0, (0, 1): -np.inf}
    finite = [{s: score for s, score in block.items() if score > -np.inf} for block in all_sets]
    for one, two in zip(families_of(sets_of(*all_sets), 2), families_of(sets_of(*finite), 2), strict=True):
        assert np.array_equal(one, two)
    result = learned(learn, sets_of(*all_sets), Config(2))
    best, _ = best_network([{frozenset(s): score for s, score in block.items()} for block in finite], 2, 2)
    assert result.score == best == -8.0 and set(result.graph.arcs) == {(1, 0), (2, 0)}


@pytest.mark.parametrize("worst", [{}, {(): -np.inf}])
def test_a_variable_without_a_score_of_its_own_is_refused(worst):
    sets = sets_of({(1,): -1.0, **worst}, {(): -1.0})
    with pytest.raises(DataError, match="some.jkl: variable 'a' has no finite score without parents; add the line"):
        families_of(sets, 2)


def test_too_many_sets_are_refused_with_the_memory_they_need():
    for most in (2, 3):
        with pytest.raises(LimitError, match=rf"sets up to {most + 1} need --cache-mb \d+, or a smaller --max-p"):
            families_of(random_dataset(1, n_vars=60, n_rows=5), most, cache_mb=1)
    assert families_of(random_dataset(1, n_vars=60, n_rows=5), 50, cache_mb=1).n == 60  # so many are not all scored


def test_interrupted_before_the_scores_are_known():
    assert run(families_of, random_dataset(1), 2, Scoring(), stopped=True) is None


@pytest.mark.parametrize("name", ["bnslim_alarm-5000", "bnslim_child-5000", "pygobnilp_asia_10000.dat.3"])
def test_parent_set_files_of_other_programs(shared, name):
    sets = read_parent_sets(shared / f"data/twlearn/{name}.jkl")
    families = families_of(sets, 4)
    assert families.n == sets.n and np.isfinite(families.scores).all()


@pytest.mark.parametrize("seed", range(6))
def test_the_empty_set_is_last_beside_constants(seed):
    """A constant parent changes a score by rounding alone, and the price of its arc takes more than that."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (97 + seed, 12))
    codes[:, rng.choice(12, 3, replace=False)] = 0
    codes[:, 1] = (codes[:, 0] + (rng.random(len(codes)) < 0.2)) % 3
    for found in (
        families_of(dataset_of(codes), 3, Scoring("bdeu", 10.0)),
        families_of(dataset_of(codes), 2, parent_sets=60),
    ):
        assert (found.parents[found.start[1:] - 1] < 0).all()
