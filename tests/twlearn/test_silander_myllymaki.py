"""The best networks of any treewidth, and of those with each family, against all networks."""

import numpy as np
import pytest

from cliquewise.twlearn import silander_myllymaki as module
from cliquewise.twlearn.families import ScoredFamilies
from cliquewise.twlearn.silander_myllymaki import (
    best_of_any_treewidth,
    best_of_others,
    best_with_each,
    bounds_fit,
    bytes_of_bounds,
)
from tests.oracles.networks import best_network, networks
from tests.random_inputs import random_dataset
from tests.twlearn.scored import certified, families_of, sum_of_best
from tests.twlearn.test_cutting import all_families
from tests.twlearn.test_families import listed


@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_any_treewidth(seed):
    data = random_dataset(seed, n_vars=5, n_rows=80, max_arity=3)
    families = families_of(data, 3)
    best, _ = best_network(listed(families), 3, 4)
    found, upper = best_of_any_treewidth(families, 4)
    assert upper == pytest.approx(best, abs=1e-9) and certified(data, found, 4).score == upper
    narrow, _ = best_network(listed(families), 3, 1)
    found, again = best_of_any_treewidth(families, 1)
    assert again == upper and (found is None or found.score == pytest.approx(narrow, abs=1e-9))


def test_no_network_scores_more_than_the_best_families(monkeypatch):
    """What bounds the score where there are too many variables for the recurrence."""
    monkeypatch.setattr(module, "MAX_VARIABLES", 3)
    families = families_of(random_dataset(4, n_vars=4), 2)
    found, upper = best_of_any_treewidth(families, 3)
    assert found is None and upper == pytest.approx(sum_of_best(families), abs=1e-9)
    assert upper > best_network(listed(families), 2, 3)[0]


@pytest.mark.parametrize("n", [6, 70])
def test_families_of_one_order_need_no_recurrence(n):
    """The best family of each variable makes the best network; it may be too wide."""
    data = random_dataset(3, n_vars=n, n_rows=60, max_arity=2)
    whole = families_of(data, 1)
    kept = np.flatnonzero(whole.parents[:, 0] < whole.child)
    start = np.searchsorted(whole.child[kept], np.arange(n + 1))
    families = ScoredFamilies(start, whole.parents[kept], whole.scores[kept])
    found, upper = best_of_any_treewidth(families, 1)
    assert found.score == upper == pytest.approx(sum_of_best(families)) and found.graph.order() is not None
    if n == 6:
        families = families._replace(artificial=families.start[1:] - 1)
        assert best_of_others(families) == pytest.approx(best_with_each(families))


@pytest.mark.nojit
@pytest.mark.parametrize("most", [0, 1, 2])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_best_with_each_family(n, most):
    """Against all networks that have it; of all families, and of the better half of each variable's."""
    whole = all_families(n, most, n)
    blocks = np.split(np.arange(len(whole.scores)), whole.start[1:-1])
    empty = [block[(whole.parents[block] < 0).all(axis=1)] for block in blocks]
    halves = [np.unique([*block[: len(block) // 2], *none]) for block, none in zip(blocks, empty, strict=True)]
    rows = np.concatenate(halves)
    half = ScoredFamilies(np.cumsum([0, *map(len, halves)]), whole.parents[rows], whole.scores[rows])
    for families in (whole, half):
        local, total = listed(families), {}
        for network in networks(n, most):
            if all(parents in local[v] for v, parents in enumerate(network)):
                total[network] = sum(local[v][parents] for v, parents in enumerate(network))
        found = best_with_each(families)
        assert (best_of_others(families) >= found - 1e-9).all()
        for row, v in enumerate(families.child):
            parents = frozenset(families.parents[row].tolist()) - {-1}
            best = max(score for network, score in total.items() if network[v] == parents)
            assert found[row] == pytest.approx(best, abs=1e-12)
        assert max(found) == pytest.approx(max(total.values()), abs=1e-12)
    assert best_with_each(whole, should_continue=lambda: False) is None


def test_bounds_are_computed_only_where_they_fit():
    assert bounds_fit(25, 2, 2.0 * bytes_of_bounds(25, 2) + 2.0) and not bounds_fit(26, 2, 1e15)
    assert not bounds_fit(25, 2, 2.0 * bytes_of_bounds(25, 2))
