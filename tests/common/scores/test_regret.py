"""The regret of a multinomial: by its definition, by the recursion, by the formula, and in the check's own code."""

from itertools import product
from math import exp, inf, log, prod

import numpy as np
import pytest

from cliquewise.common.certify.set_scores import set_score as checked_score
from cliquewise.common.scores.all_scores import all_scores
from cliquewise.common.scores.parent_scores import families
from cliquewise.common.scores.regret import RECURSION, log_regrets
from cliquewise.common.scores.score_kernels import _log_regret
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from tests.oracles import scores as oracle
from tests.random_inputs import arity_of, dataset_of, random_dataset, rows_of


def by_sequences(n_rows, states):
    """The definition, sequence by sequence."""
    total = 0.0
    for sequence in product(range(states), repeat=n_rows):
        counts = [sequence.count(state) for state in range(states)]
        total += prod((count / n_rows) ** count for count in counts if count)
    return log(total)


@pytest.mark.parametrize("states", [1, 2, 3, 4])
@pytest.mark.parametrize("n_rows", [1, 2, 3, 5, 7, 8])
def test_the_regret_is_the_sum_over_all_data_sets(n_rows, states):
    expected = by_sequences(n_rows, states)
    assert log_regrets(n_rows)[states] == pytest.approx(expected, abs=1e-11)
    assert oracle.log_regret(n_rows, states) == pytest.approx(expected, abs=1e-11)
    assert oracle.log_regret_of_many(n_rows, states) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("n_rows, states", [(20, 2), (20, 5), (40, 4), (200, 2), (200, 3)])
def test_the_recursion_equals_the_sum(n_rows, states):
    assert log_regrets(n_rows)[states] == pytest.approx(oracle.log_regret(n_rows, states), abs=1e-10)


@pytest.mark.parametrize("n_rows", [1, 10, 1000, 100_000])
def test_the_formula_continues_the_recursion(n_rows):
    logs = log_regrets(n_rows)
    assert _log_regret(logs[:10], n_rows, log(RECURSION)) == pytest.approx(logs[RECURSION], abs=1e-4)
    assert (np.diff(logs[1:]) > 0).all() and logs[0] == -inf


@pytest.mark.parametrize("ln_q", [40.0, 800.0, 5000.0])
def test_more_states_than_a_float_can_count(ln_q):
    """Nearly all sequences have different values: R is close to (q / N)^N."""
    assert _log_regret(log_regrets(10), 10, ln_q) == pytest.approx(10 * (ln_q - log(10)), rel=1e-9)


@pytest.mark.parametrize("score_type", ["aic", "ebic", "qnml"])
@pytest.mark.parametrize("columns", [4, 17, 70])
def test_the_check_finds_the_same(score_type, columns):
    """Sets of few and of very many states, scored by two programs that share nothing."""
    data = random_dataset(columns, n_vars=columns, n_rows=60, max_arity=4)
    by = Scoring(score_type, gamma=0.7)
    score = SetScorer(data, by).score
    for size in range(1, min(columns, 20), 3):
        members = list(range(columns - size, columns))
        assert score(members) == pytest.approx(checked_score(data, members, by), rel=1e-9, abs=2e-4)


def family_score(data, v, parents, regrets):
    """qNML of a family by its definition: the quotient of the distributions of two sets, each with its own regret."""
    likelihood, arity = oracle.set_score(rows_of(data), arity_of(data), "ll"), arity_of(data)
    family = {v, *parents}
    penalty = regrets[prod(arity[u] for u in family)] - regrets[prod(arity[u] for u in parents)]
    return likelihood(family) - likelihood(parents) - penalty


def reversed_arcs(rng, parents):
    """An equivalent network: covered arcs u -> v, with the parents of v those of u and u, are reversed (Chickering)."""
    parents = [set(parent_set) for parent_set in parents]
    for _ in range(7):  # an odd number: one arc turned twice is as before
        covered = [(u, v) for v, parent_set in enumerate(parents) for u in parent_set if parent_set == parents[u] | {u}]
        if covered:
            u, v = covered[rng.integers(len(covered))]
            parents[v].remove(u)
            parents[u].add(v)
    return parents


@pytest.mark.parametrize("seed", range(20))
def test_score_equivalence(seed):
    """Networks with the same independences score alike, from the family scores of all commands: ten pairs each."""
    rng = np.random.default_rng(seed)
    data = dataset_of(rng.integers(0, rng.integers(2, 5), (rng.integers(2, 40), 5)))
    scores = all_scores(data, Scoring("qnml"), 5)
    local = {}
    for v, (sets, values) in enumerate(families(5, 4, scores)):
        for row, value in zip(sets.tolist(), values.tolist(), strict=True):
            local[v, frozenset(u for u in row if u >= 0)] = value
    regrets = log_regrets(data.n_rows)
    changed = 0
    for _ in range(10):
        order = rng.permutation(5).tolist()
        one = [{u for u in order[: order.index(v)] if rng.random() < 0.6} for v in range(5)]
        other = reversed_arcs(rng, one)
        changed += one != other
        totals = [sum(local[v, frozenset(parent_set)] for v, parent_set in enumerate(net)) for net in (one, other)]
        assert totals[0] == pytest.approx(totals[1], abs=1e-9)
        v = int(rng.integers(5))
        if prod(arity_of(data)[u] for u in (v, *one[v])) < len(regrets):
            expected = family_score(data, v, one[v], regrets)
            assert local[v, frozenset(one[v])] == pytest.approx(expected, abs=1e-9)
    assert changed >= 5


def test_the_distribution_sums_to_one():
    """exp(ll - ln R) over all data sets of five rows of a variable of three states."""
    total = 0.0
    for column in product(range(3), repeat=5):
        counts = [column.count(state) for state in range(3)]
        likelihood = sum(count * log(count / 5) for count in counts if count)
        total += exp(likelihood - log_regrets(5)[3])
    assert total == pytest.approx(1.0, abs=1e-12)
