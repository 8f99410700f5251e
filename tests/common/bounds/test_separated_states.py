"""The bound of states, against every order; optima keep their states, and the tables over them are optimal."""

import tracemalloc

import numpy as np
import pytest

from cliquewise.common.bounds import separated_states as module
from cliquewise.common.bounds.orders import bytes_of_bounds, compile_order_bounds, order_bounds
from cliquewise.common.bounds.separated_states import MAX_LOSS, separated_states, steps
from cliquewise.common.errors import LimitError
from cliquewise.common.exact.backtrack import optimal_network
from cliquewise.common.exact.recurrences import fill
from cliquewise.common.exact.states_kernels import place_of
from cliquewise.common.exact.tables import all_states, allocate, free_vertices, most_states
from cliquewise.common.run.monitor import Monitor
from tests.as_oracles import all_sets, dense, members_of
from tests.oracles.graphs import is_complete, neighbours
from tests.oracles.learners import best_chordal
from tests.oracles.recurrences import best_separated
from tests.random_inputs import random_set_scores

NEAR = 1e-7


def states_left(n, scores, masks, known):
    with Monitor(threads=2) as monitor:
        return separated_states(n, scores, masks, known, monitor)


def listed(states):
    """The states as pairs of frozensets."""
    n = states.n
    for mask in states.sets.tolist():
        free = [v for v in range(n - 1) if not mask >> v & 1]
        for u in range(1 << len(free)):
            if place_of(states.blocks, states.words, states.start[mask], u) >= 0:
                yield members_of(mask), frozenset(free[p] for p in range(len(free)) if u >> p & 1)


def best(scores, states):
    """The optimum over some states, and the network."""
    tables = allocate(scores, states)
    with Monitor(threads=1) as monitor:
        assert fill(tables, monitor)
    return optimal_network(tables)


@pytest.mark.nojit
@pytest.mark.parametrize("n, width", [(1, 1), (2, 2), (4, 4), (5, 5), (5, 3)])
def test_the_bound_is_that_of_the_best_orders(n, width):
    """No state of at least the known score is left out, and none that is worse by more than the rounding of losses."""
    for seed in range(2):
        scores = random_set_scores(seed, n, width)
        masks, of = all_sets(n, width), scores.__getitem__
        bounds = {state: best_separated(n, of, *state, width) for state in listed(all_states(n, masks))}
        for known in np.quantile(list(bounds.values()), [0.0, 0.5, 0.9]):
            left = set(listed(states_left(n, dense(scores, n), masks, known)))
            assert left >= {state for state, bound in bounds.items() if bound >= known}
            slack = (n + 2) * 60.0 * n / MAX_LOSS  # units: the range of losses is some tens for each vertex
            assert all(bounds[state] >= known - slack for state in left)


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(8))
def test_every_state_of_every_optimum_stays(seed):
    n = 5
    scores = random_set_scores(seed, n)
    if seed % 2:
        scores = {s: float(round(score / 10)) for s, score in scores.items()}  # ties
    highest, graphs = best_chordal(n, scores.__getitem__)
    masks = order_bounds(n, dense(scores, n), all_sets(n, n), highest)[0]
    states = states_left(n, dense(scores, n), masks, highest)
    left = set(listed(states))
    for edges in graphs:
        near = neighbours(n, edges)
        for c, u in listed(all_states(n, all_sets(n, n))):
            rest = set(range(n)) - c - u
            if is_complete(c, near) and not any(near[v] & rest for v in u):
                assert (c, u) in left
    assert states.total < most_states(n, all_sets(n, n))
    assert best(dense(scores, n), states)[1] == pytest.approx(highest, abs=NEAR)


def scores_of_kind(seed, n, kind):
    """Scores of all sets: at random, small integers (ties), or nearly those of a chain; 0 for the empty set."""
    rng = np.random.default_rng(seed)
    size = np.bitwise_count(np.arange(1 << n)).astype(float)
    if kind == "ties":
        scores = rng.integers(-2, 3, 1 << n) - size
    elif kind == "random":
        scores = rng.normal(size=1 << n) - size
    else:
        pairs = sum((np.arange(1 << n) >> v & 3 == 3).astype(float) for v in range(n - 1))
        scores = 3.0 * pairs - 0.7 * size * size + 0.3 * rng.normal(size=1 << n)
    scores[0] = 0.0
    return scores


@pytest.mark.fast_cases(7)
@pytest.mark.parametrize("kind", ["random", "ties", "chain"])
@pytest.mark.parametrize("n", [2, 6, 8, 9, 10])
def test_tables_over_the_states_that_are_left(n, kind):
    """The optimum of all states, whatever the known score that is at most it; nothing where all are worse."""
    for seed in range(4):
        scores, masks = scores_of_kind(seed, n, kind), all_sets(n, n)
        highest = best(scores, all_states(n, masks))[1]
        for known in (highest, highest - 1.0, -np.inf):
            left = order_bounds(n, scores, masks, known)[0] if known > -np.inf else masks
            states = states_left(n, scores, left, known)
            network, found = best(scores, states)
            assert found == pytest.approx(highest, abs=NEAR) and network is not None
        network, found = best(scores, states_left(n, scores, masks, highest + 1000.0))
        assert network is None and found == -np.inf


def test_the_states_do_not_depend_on_where_blocks_are_stored(monkeypatch):
    scores, masks = scores_of_kind(1, 11, "chain"), all_sets(11, 11)
    known = best(scores, all_states(11, masks))[1] - 3.0
    states = states_left(11, scores, masks, known)
    monkeypatch.setattr(module, "CAPACITY", 1)  # so the four blocks of the empty set are a run
    others = states_left(11, scores, masks, known)
    assert 0 < states.total == others.total < most_states(11, masks)
    assert list(listed(states)) == list(listed(others))


def test_too_many_blocks_are_refused():
    scores, masks = scores_of_kind(1, 11, "chain"), all_sets(11, 11)
    with Monitor(threads=1) as monitor, pytest.raises(LimitError, match="states of 2048 sets of 11 variables need"):
        separated_states(11, scores, masks, -1e9, monitor, memory=200_000)


@pytest.mark.nojit
def test_steps_are_the_sets_outside_each():
    masks = all_sets(5, 3)
    assert steps(5, masks) == sum(2 ** (5 - len(members_of(mask))) for mask in masks)
    assert free_vertices(5, masks).sum() > 0


@pytest.mark.parametrize("n", [4, 14])
def test_the_bounds_of_orders_take_the_memory_estimated(n):
    compile_order_bounds()
    scores, masks = np.zeros(1 << n), np.arange(n + 1)
    tracemalloc.start()
    try:
        order_bounds(n, scores, masks, -1.0)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    overhead = 20_000  # of Python's objects
    assert 0.9 * bytes_of_bounds(n) < taken < bytes_of_bounds(n) + overhead
