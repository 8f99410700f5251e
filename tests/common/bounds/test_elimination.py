"""The branch and bound over eliminations: the optimum of small problems, by enumeration of all chordal graphs."""

import numpy as np
import pytest

from cliquewise.common.bounds import elimination
from cliquewise.common.bounds.acyclic import AcyclicBound
from cliquewise.common.bounds.elimination import Elimination
from cliquewise.common.bounds.families import Choice
from tests.common.bounds.test_bound_rows import mask, random_row, rows_of
from tests.oracles.learners import scored_graphs

NEAR = 1e-9


def problem(seed, n, tied):
    """A Choice with the multipliers of random rows, its root, required edges, and the best network with these."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, 1 << n).astype(float) if tied else rng.normal(size=1 << n)
    scores[0] = 0.0
    choice, root = Choice(n, np.arange(1 << n, dtype=np.uint64), scores), int(rng.integers(n))
    choice.alive[(choice.families.child == root) & (choice.families.parents != 0)] = False
    forbidden, *required = (tuple(sorted(rng.choice(n, 2, replace=False).tolist())) for _ in range(1 + seed % 3))
    required = [edge for edge in required if edge != forbidden]
    choice.forbid(mask(forbidden))
    rows = rows_of([random_row(rng, n) for _ in range(6)])
    choice.bound(rows, (rows.base == 0).astype(float), 0.3 * rng.random(6) * rng.integers(0, 2, 6))
    best = max(
        score
        for score, edges in scored_graphs(n, lambda members: scores[int(mask(members))])
        if forbidden not in edges and edges.issuperset(required)
    )
    return choice, root, [int(mask(edge)) for edge in required], best


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("tied", [False, True])
def test_every_chordal_graph(seed, tied):
    """The search finds the best network from any threshold below it, and nothing from one above."""
    choice, root, required, best = problem(seed, 3 + seed % 3, tied)
    search = Elimination(AcyclicBound(choice.n))
    for below in (0.01, 1.0, 100.0):
        bound, (near, score) = search.search(choice, root, required, best - below)
        assert bound == score == pytest.approx(best, abs=NEAR)
        assert all(int(near[edge.bit_length() - 1]) & edge for edge in required)
        assert score == pytest.approx(_score(choice, near), abs=NEAR)
    assert search.search(choice, root, required, best + NEAR) == (best + NEAR, None)


def _score(choice, near):
    """The score of a network, from the cliques that each variable has with earlier ones in some perfect order."""
    scores, left, total = choice.families.scores, set(range(choice.n)), 0.0
    rows = near.tolist()
    while left:
        here = sum(1 << v for v in left)
        for v in sorted(left):
            around = rows[v] & here
            if all(around & ~rows[u] == 1 << u for u in left if around >> u & 1):
                total += scores[around | 1 << v] - scores[around]
                left.remove(v)
                break
        else:
            raise AssertionError("not chordal")
    return total


@pytest.mark.parametrize("room", ["MOST_STATES", "MOST_FAMILIES"])
def test_no_room(room, monkeypatch):
    """The bound of the dynamic program is left; it is above the best network, and mostly below that over orders."""
    monkeypatch.setattr(elimination, room, 1)
    tighter = 0
    for seed in range(20):
        choice, root, required, best = problem(seed, 5, False)
        orders = AcyclicBound(choice.n)
        bound, found = Elimination(orders).search(choice, root, required, best - 3.0)
        assert found is None and bound >= best - NEAR
        tighter += bound < orders.bound(choice, required) - NEAR
    assert tighter >= 10


def test_a_stop():
    choice, root, required, best = problem(1, 5, False)
    bound, found = Elimination(AcyclicBound(5), lambda: False).search(choice, root, required, best - 3.0)
    assert found is None and bound >= best - NEAR
