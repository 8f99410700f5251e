"""The dynamic program over the sets that a proof leaves: the optimum of small problems, by enumeration."""

import numpy as np
import pytest

from cliquewise.common.bounds import finish as module
from cliquewise.common.bounds.families import FamilyPool
from cliquewise.common.bounds.finish import finish
from cliquewise.common.bounds.incumbent import Incumbent
from cliquewise.common.bounds.row_program import StoppedError
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.monitor import Monitor
from tests.as_oracles import mask_of
from tests.oracles.graphs import all_pairs
from tests.oracles.learners import best_chordal

NEAR = 1e-9


def problem(seed, n, tied):
    """Scores of all sets, a FamilyPool without a forbidden edge, that edge, and required edges."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, 1 << n).astype(float) if tied else rng.normal(size=1 << n)
    scores[0] = 0.0
    pool = FamilyPool(n, np.arange(1 << n, dtype=np.uint64), scores)
    forbidden, *required = (tuple(sorted(rng.choice(n, 2, replace=False).tolist())) for _ in range(1 + seed % 3))
    pool.forbid(mask_of(forbidden))
    return scores, pool, forbidden, [edge for edge in required if edge != forbidden]


def optimum(n, scores, forbidden, required):
    """The best score of a network without the forbidden edge and with the required ones."""
    allowed = {*all_pairs(n)} - {forbidden}
    return best_chordal(n, lambda members: scores[int(mask_of(members))], None, allowed, required)[0]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("tied", [False, True])
def test_the_best_of_all_chordal_graphs_is_found(seed, tied):
    """The best network without the forbidden edge and with the required ones, and its score."""
    n = 3 + seed % 3
    scores, pool, forbidden, required = problem(seed, n, tied)
    best = optimum(n, scores, forbidden, required)
    known = Incumbent(n, required=tuple(int(mask_of(edge)) for edge in required))
    with Monitor(threads=1) as monitor:
        assert finish(pool, known, 4, monitor)
    assert known.score == pytest.approx(best, abs=NEAR)
    for u, v in required:
        assert (u, v) in known.graph.edges
    assert forbidden not in known.graph.edges


def test_a_better_network_stays():
    scores, pool, _, _ = problem(1, 4, False)
    known = Incumbent(4, Graph(4, ()), score=1e6)
    with Monitor(threads=1) as monitor:
        assert finish(pool, known, 4, monitor)
    assert known.score == 1e6


@pytest.mark.parametrize("seed", range(6))
def test_a_known_score_leaves_what_is_as_good(seed):
    """The part's best network is found if its score is known, and also if a worse one is."""
    n = 5
    scores, pool, forbidden, required = problem(seed, n, False)
    best = optimum(n, scores, forbidden, required)
    for less in (0.5, 1e-6):
        known = Incumbent(n, Graph(n, ()), best - less, required=tuple(int(mask_of(edge)) for edge in required))
        with Monitor(threads=1) as monitor:
            assert finish(pool, known, 4, monitor)
        assert known.score == pytest.approx(best, abs=NEAR)


@pytest.mark.parametrize("limit", ["FIRST_STEPS", "FIRST_STATES", "MAX_BYTES", "MAX_VARIABLES"])
def test_problems_that_would_take_long_are_not_tried(limit, monkeypatch):
    _, pool, _, _ = problem(2, 5, False)
    monkeypatch.setattr(module, limit, 4)
    known = Incumbent(5)
    with Monitor(threads=1) as monitor:
        assert not finish(pool, known, 1, monitor)
        assert known.graph is None
        assert finish(pool, known, 100, monitor) == (
            limit in ("FIRST_STEPS", "FIRST_STATES")
        )  # after many rounds it is tried


def test_a_stop_ends_the_dynamic_program():
    _, pool, _, _ = problem(3, 5, False)
    with Monitor(threads=1) as monitor:
        monitor.interrupt()
        with pytest.raises(StoppedError):
            finish(pool, Incumbent(5), 4, monitor)
