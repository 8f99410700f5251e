"""The bound of multipliers over orders: every order of small problems."""

import itertools

import numpy as np
import pytest

from cliquewise.common.bounds.acyclic import AcyclicBound
from cliquewise.common.bounds.families import Choice

N = 4


def orders(choice, required):
    """For every family, the largest worth of an order with it, by enumeration; minus infinity if there is none."""
    child, parents = (part.tolist() for part in choice.masks(np.arange(len(choice.alive))))
    best = np.full(len(child), -np.inf)
    mine = {}
    for f in np.flatnonzero(choice.alive).tolist():
        mine.setdefault(child[f], []).append(f)
    for order in itertools.permutations(range(N)):
        options, before = [], 0
        for v in order:
            need = sum(edge & ~(1 << v) for edge in required if edge >> v & 1) & before
            options.append([f for f in mine[v] if parents[f] & ~before == 0 and need & ~parents[f] == 0])
            before |= 1 << v
        for chosen in itertools.product(*options):
            total = choice.worth[list(chosen)].sum()
            best[list(chosen)] = np.maximum(best[list(chosen)], total)
    return best


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("required", [(), (0b0011,), (0b0101, 0b1100)])
def test_every_order(seed, required):
    """The bound is that of the best order, and the families that remain are those of orders that are good enough."""
    rng = np.random.default_rng(seed)
    choice = Choice(N, np.arange(1 << N, dtype=np.uint64), rng.normal(size=1 << N))
    choice.alive[rng.random(len(choice.alive)) < 0.2] = False
    choice.alive[choice.families.parents == 0] = True
    choice.bound(choice.empty_rows(0), np.zeros(0), np.zeros(0))
    best, bounds = orders(choice, required), AcyclicBound(N)
    bound = bounds.bound(choice, required)
    assert bound == pytest.approx(best.max()) or bound == best.max()
    least = np.median(best[np.isfinite(best)]) + 1e-9
    assert bounds.rule_out(choice, least) == np.count_nonzero(best >= least)
    assert (choice.alive == (best >= least)).all()


def test_without_and_with():
    rng = np.random.default_rng(1)
    choice = Choice(N, np.arange(1 << N, dtype=np.uint64), rng.normal(size=1 << N))
    choice.bound(choice.empty_rows(0), np.zeros(0), np.zeros(0))
    without, held = AcyclicBound(N).without_and_with(choice, (), np.uint64(0b0110))
    assert held == pytest.approx(orders(choice, (0b0110,)).max())
    choice.forbid(np.uint64(0b0110))
    assert without == pytest.approx(orders(choice, ()).max())
