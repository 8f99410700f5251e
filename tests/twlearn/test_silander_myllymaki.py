"""The best networks of any treewidth, and of those with each family, against all networks."""

import numpy as np
import pytest

from cliquewise.twlearn.families import ScoredFamilies
from cliquewise.twlearn.silander_myllymaki import best_of_any_treewidth, best_with_each, bounds_fit, bytes_of_bounds
from tests.oracles.networks import best_network, networks
from tests.random_inputs import random_dataset
from tests.twlearn.scored import families_of
from tests.twlearn.test_cutting import all_families
from tests.twlearn.test_exact import certified
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
        for row, v in enumerate(families.child):
            parents = frozenset(families.parents[row].tolist()) - {-1}
            best = max(score for network, score in total.items() if network[v] == parents)
            assert found[row] == pytest.approx(best, abs=1e-12)
        assert max(found) == pytest.approx(max(total.values()), abs=1e-12)
    assert best_with_each(whole, should_continue=lambda: False) is None


def test_bounds_are_computed_only_where_they_fit():
    assert bounds_fit(25, 2, 2.0 * bytes_of_bounds(25, 2) + 2.0) and not bounds_fit(26, 2, 1e15)
    assert not bounds_fit(25, 2, 2.0 * bytes_of_bounds(25, 2))
