"""The places of states among those that there are, and tables over some of the states, against slow recurrences."""

import numpy as np
import pytest

from cliquewise.common.errors import LimitError
from cliquewise.common.exact import tables as module
from cliquewise.common.exact.recurrences import fill
from cliquewise.common.exact.states_kernels import count_layers, place_of
from cliquewise.common.exact.tables import all_states, allocate, free_vertices, layout, most_states, numbered
from cliquewise.common.run.monitor import Monitor
from tests.as_oracles import all_sets, members_of
from tests.filled_tables import h_of
from tests.oracles import recurrences as oracle

pytestmark = pytest.mark.nojit
NEAR = 1e-9


def some_states(n, seed, share):
    """A random share of the states of all sets, and these as a list of (set, u) in their order."""
    states, rng = layout(n, all_sets(n, n)), np.random.default_rng(seed)
    kept, words = [], []
    for mask in states.sets.tolist():
        for first in range(0, 1 << int(free_vertices(n, mask)), 256):
            inside = range(first, min(first + 256, 1 << int(free_vertices(n, mask))))
            chosen = [u for u in inside if rng.random() < share]
            if chosen:
                states.blocks[states.start[mask] + first // 256] = len(words) // 8
                words += [sum(1 << u % 32 for u in chosen if u % 256 // 32 == w) for w in range(8)]
                kept += [(mask, u) for u in chosen]
    return numbered(states._replace(words=np.array(words, np.int64))), kept


@pytest.mark.parametrize("n, share", [(1, 1.0), (3, 0.5), (7, 0.3), (7, 0.0), (8, 1.0), (10, 0.002), (10, 1.0)])
def test_each_state_has_an_index_of_its_own(n, share):
    states, kept = some_states(n, 1, share)
    assert states.total == len(kept) and states.all_there == (share == 1.0)
    places = {state: at for at, state in enumerate(kept)}
    for mask in states.sets.tolist():
        for u in range(1 << int(free_vertices(n, mask))):
            assert place_of(states.blocks, states.words, states.start[mask], u) == places.get((mask, u), -1)
    sizes = np.zeros(n, np.int64)
    count_layers(states.blocks, states.words, states.start[states.sets], free_vertices(n, states.sets), sizes)
    assert sizes.tolist() == [sum(u.bit_count() == k for _, u in kept) for k in range(n)]


def test_all_states_fit_or_are_refused(monkeypatch):
    states = all_states(6, all_sets(6, 4))
    assert states.all_there and states.total == most_states(6, all_sets(6, 4))
    assert np.bitwise_count(states.sets).tolist() == sorted(np.bitwise_count(all_sets(6, 4)).tolist())
    monkeypatch.setattr(module, "MAX_STATES", 100)
    with pytest.raises(LimitError, match="states of 57 sets; the tables hold at most 100"):
        all_states(6, all_sets(6, 4))


@pytest.mark.parametrize("n, share", [(2, 0.7), (5, 0.5), (5, 0.9), (5, 1.0)])
def test_the_tables_hold_the_recurrences_over_some_states(n, share):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        scores = rng.integers(-3, 3, 1 << n).astype(float) if seed % 2 else rng.normal(size=1 << n)
        states, kept = some_states(n, seed, share)
        tables = allocate(scores, states)
        with Monitor(threads=2) as monitor:
            assert fill(tables, monitor)
        named = [(members_of(mask), spread(n, mask, u)) for mask, u in kept]
        g, h = oracle.transforms(lambda s, scores=scores: scores[sum(1 << v for v in s)], frozenset(named))
        for at, (c, u) in enumerate(named):
            assert not u or h_of(tables, *kept[at]) == pytest.approx(h(c, u), abs=NEAR)
            assert tables.g[at] == pytest.approx(g(c, u), abs=NEAR)


def spread(n, mask, u):
    """U as a frozenset of vertices."""
    free = [v for v in range(n - 1) if not mask >> v & 1]
    return frozenset(free[p] for p in range(len(free)) if u >> p & 1)
