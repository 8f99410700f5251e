"""The driver of replica exchange, with chains that are numbers."""

from types import SimpleNamespace

import numpy as np
import pytest

from cliquewise.common.chains.replica_exchange import HEATING, MOVES, ReplicaExchange
from cliquewise.common.compiled.random_kernels import random_states
from cliquewise.common.errors import DataError
from cliquewise.common.run.saved import Saved

BEST = 100.0


class Kernel:
    """A chain loses its temperature from the best score, and accepts a share of its moves that grows with it."""

    def __init__(self, left=10**9):
        self.left, self.best = left, BEST

    def run(self, chains, temperatures, moves):
        own = min(moves, self.left // len(chains))
        for chain, temperature in zip(chains, temperatures, strict=True):
            chain.moves += own, int(own * min(1.0, temperature / 50))
            chain.score[:] = self.best - temperature
        self.left -= own * len(chains)
        return own == moves

    def counts(self, chain):
        return tuple(chain.moves.tolist())

    def score(self, chain):
        return chain.score[0]

    def best_score(self):
        return self.best

    def present(self, chain):
        return [chain.score]

    def put_at_best(self, chain):
        chain.score[:] = self.best


def replicas_of(kernel, count=4, **kept):
    chains = [SimpleNamespace(score=np.zeros(1), moves=np.zeros(2, np.int64)) for _ in range(count)]
    return ReplicaExchange(kernel, chains, random_states(1, 1)[0], 0.0, **kept)


def test_the_ends_are_measured_again_when_the_gain_has_grown():
    replicas = replicas_of(Kernel())
    replicas.chains[0].score[:] = 7.0
    assert replicas.fit() and replicas.measured == BEST
    coldest, hottest = replicas.ladder.temperatures[[0, -1]]
    assert 0.3 <= coldest < 1.0 and 10.0 <= hottest < 13.0  # 1 in 100 accepted; 1 in 5, with a twentieth of it lost
    assert replicas.chains[0].score[0] == 7.0  # where the heated chain was
    before = replicas.kernel.left
    replicas.kernel.best *= 1.05
    assert replicas.fit() and replicas.kernel.left == before
    replicas.kernel.best *= 1.1
    assert replicas.fit() and replicas.kernel.left < before and replicas.measured == replicas.kernel.best


def test_a_measurement_cut_short_is_reported_and_changes_nothing():
    replicas = replicas_of(Kernel(2 * HEATING + 1))
    replicas.chains[0].score[:] = 7.0
    before = replicas.state()
    assert not replicas.fit() and replicas.ladder is None
    assert replicas.chains[0].score[0] == 7.0
    assert {name: str(value) for name, value in replicas.state().items()} == {k: str(v) for k, v in before.items()}
    replicas.kernel.left = 10**9
    assert replicas.fit() and replicas.measured == BEST
    assert replicas.ladder.temperatures[0] < 1.0 < replicas.ladder.temperatures[-1]


def test_rounds_count_moves_and_exchanges():
    replicas = replicas_of(Kernel(), rounds=1)
    replicas.fit()
    replicas.kernel.left = 4 * MOVES + 8
    assert replicas.round() and replicas.rounds == 2
    assert replicas.ladder.drawn.tolist() == [MOVES] * 4 and replicas.ladder.tried.tolist() == [0, 1, 0]
    assert not replicas.round()
    assert replicas.ladder.drawn.tolist() == [MOVES + 2] * 4 and replicas.ladder.tried.tolist() == [1, 1, 1]


def test_another_run_continues_with_the_same_rounds():
    first, second = replicas_of(Kernel()), replicas_of(Kernel())
    assert first.fit() and replicas_of(Kernel()).state().keys() < first.state().keys()
    first.round()
    state = first.state()
    second.restore(Saved(state, "some.checkpoint"))
    for chain, other in zip(first.chains, second.chains, strict=True):
        other.score[:] = chain.score
    assert all(replicas.round() for replicas in (first, second))
    assert first.random.tolist() == second.random.tolist() and first.rounds == second.rounds == 2
    assert first.ladder.drawn.tolist() == second.ladder.drawn.tolist() == [2 * MOVES] * 4


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rounds", -1),
        ("measured", 1),
        ("random", np.ones(4)),
    ],
)
def test_a_state_that_is_none_is_refused(name, value):
    replicas = replicas_of(Kernel())
    replicas.fit()
    state = replicas.state() | {f"exchange-{name}": value}
    with pytest.raises(DataError, match=f"whose 'exchange-{name}' is not valid"):
        replicas.restore(Saved(state, "some.checkpoint"))
