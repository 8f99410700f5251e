"""For which cliques describe estimates a proof as feasible, beside a list of all sets."""

from itertools import combinations

import pytest

from cliquewise.mnmodel import feasibility
from tests.random_inputs import random_dataset


def slow_proof(n, most_sets, cliques):
    """The largest bound on cliques with so few sets, `any` where all can be listed, and their number."""
    found = ("none", 0)
    for bound in range(2, n + 1):
        sets = sum(1 for size in range(bound + 1) for _ in combinations(range(n), size))
        if sets <= most_sets and (bound <= cliques or bound == n):
            found = ("any" if bound == n else str(bound), sets)
    return found


@pytest.mark.parametrize("n", [2, 5, 7])
def test_the_largest_cliques_for_which_a_proof_is_feasible(monkeypatch, n):
    data = random_dataset(n, n_vars=n, n_rows=20)
    seen = set()
    for cliques in (2, 3, feasibility.CLIQUES):
        for most_sets in (3, 16, 29, 30, 64, 127, 128):
            monkeypatch.setattr(feasibility, "MAX_SETS", most_sets)
            monkeypatch.setattr(feasibility, "CLIQUES", cliques)
            proof, _, _, sets = feasibility._proof(data, n)
            assert (proof, sets) == slow_proof(n, most_sets, cliques)
            seen.add(proof)
    assert {"none", "any"} <= seen
