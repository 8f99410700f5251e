"""The best network over orders, from both ends, against all orders."""

from itertools import permutations

import numpy as np
import pytest

from cliquewise.common.exact.silander_myllymaki_kernels import (
    best_around,
    best_completions,
    best_networks,
    maxima_over_subsets,
)

pytestmark = pytest.mark.nojit


def without(mask, v):
    """A set as a number without the bit of v."""
    return mask & (1 << v) - 1 | mask >> v + 1 << v


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_both_directions_find_the_best_order(n):
    rng = np.random.default_rng(n)
    local = rng.normal(size=(n, 1 << n - 1)).round(1)  # ties
    gains = local.copy()
    for v in range(n):
        maxima_over_subsets(gains[v])
        for x in range(1 << n - 1):
            assert gains[v, x] == max(local[v, y] for y in range(1 << n - 1) if y & ~x == 0)
    totals, last, rest = np.empty(1 << n), np.empty(1 << n, np.int64), np.empty(1 << n)
    best_networks(gains, totals, last)
    best_completions(gains, n, 0, rest)

    def best_from(first, members):
        """The best orders of some vertices after the set `first`."""
        sums = []
        for order in permutations(members):
            before, total = first, 0.0
            for v in order:
                total += gains[v, without(before, v)]
                before |= 1 << v
            sums.append(total)
        return max(sums)

    for x in range(1 << n):
        inside = [v for v in range(n) if x >> v & 1]
        assert totals[x] == pytest.approx(best_from(0, inside), abs=1e-12)
        assert rest[x] == pytest.approx(best_from(x, [v for v in range(n) if not x >> v & 1]), abs=1e-12)
        assert last[x] in inside if inside else last[x] == -1
    around = np.empty(1 << n - 1)
    for v in range(n):
        best_around(v, totals, rest, around)
        for parents in range(1 << n):
            if not parents >> v & 1:
                supersets = [x for x in range(1 << n) if not x >> v & 1 and parents & ~x == 0]
                assert around[without(parents, v)] == max(totals[x] + rest[x | 1 << v] for x in supersets)
    mask, total = (1 << n) - 1, 0.0
    while mask:
        v = int(last[mask])
        mask ^= 1 << v
        total += gains[v, without(mask, v)]
    assert total == pytest.approx(totals[-1], abs=1e-12)
