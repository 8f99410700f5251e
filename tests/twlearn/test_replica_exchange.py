"""Replica exchange: which states change places, and its driver, with chains that are numbers."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from cliquewise.common.compiled.random_kernels import random_states
from cliquewise.common.errors import DataError
from cliquewise.common.run.saved import Saved
from cliquewise.twlearn.ladder import Ladder
from cliquewise.twlearn.replica_exchange import HEATING_MOVES, ROUND_MOVES, ReplicaExchange, exchange_replicas
from tests.search_parts import is_near, random_state

BEST = 100.0
DRAWS = 3000
RUNGS = [2.0, 4.0]  # the ends before they are measured


class Walks:
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

    def current_arrays(self, chain):
        return [chain.score]

    def put_at_best(self, chain):
        chain.score[:] = self.best


def replicas_of(walks, count=4):
    chains = [SimpleNamespace(score=np.zeros(1), moves=np.zeros(2, np.int64)) for _ in range(count)]
    return ReplicaExchange(walks, chains, random_states(1, 1)[0], 0.0, Ladder(*RUNGS, count))


def test_the_ends_are_measured_again_when_the_gain_has_grown():
    replicas = replicas_of(Walks())
    replicas.chains[0].score[:] = 7.0
    assert replicas.fit() and replicas.measured == BEST
    coldest, hottest = replicas.ladder.temperatures[[0, -1]]
    assert 0.3 <= coldest < 1.0 and 10.0 <= hottest < 13.0  # 1 in 100 accepted; 1 in 5, with a twentieth of it lost
    assert replicas.chains[0].score[0] == 7.0  # where the heated chain was
    before = replicas.walks.left
    replicas.walks.best *= 1.05
    assert replicas.fit() and replicas.walks.left == before
    replicas.walks.best *= 1.1
    assert replicas.fit() and replicas.walks.left < before and replicas.measured == replicas.walks.best


def test_a_measurement_cut_short_is_reported_and_changes_nothing():
    replicas = replicas_of(Walks(2 * HEATING_MOVES + 1))
    replicas.chains[0].score[:] = 7.0
    before = replicas.state()
    assert not replicas.fit() and replicas.ladder.temperatures[[0, -1]] == pytest.approx(RUNGS)
    assert replicas.chains[0].score[0] == 7.0
    assert {name: str(value) for name, value in replicas.state().items()} == {k: str(v) for k, v in before.items()}
    replicas.walks.left = 10**9
    assert replicas.fit() and replicas.measured == BEST
    assert replicas.ladder.temperatures[0] < 1.0 < replicas.ladder.temperatures[-1]


def test_rounds_count_moves_and_exchanges():
    replicas = replicas_of(Walks())
    replicas.rounds = 1
    replicas.fit()

    def drawn():
        return sorted(int(chain.moves[0]) for chain in replicas.chains)

    before = drawn()
    replicas.walks.left = 4 * ROUND_MOVES + 8
    assert replicas.round() and replicas.rounds == 2
    assert drawn() == [count + ROUND_MOVES for count in before] and replicas.ladder.tried.tolist() == [0, 1, 0]
    assert not replicas.round()
    assert drawn() == [count + ROUND_MOVES + 2 for count in before] and replicas.ladder.tried.tolist() == [1, 1, 1]


def test_another_run_continues_with_the_same_rounds():
    first, second = replicas_of(Walks()), replicas_of(Walks())
    assert first.fit()
    first.round()
    state = first.state()
    second.restore(Saved(state, "some.checkpoint"))
    for chain, other in zip(first.chains, second.chains, strict=True):
        other.score[:] = chain.score
    assert all(replicas.round() for replicas in (first, second))
    assert first.random.tolist() == second.random.tolist() and first.rounds == second.rounds == 2
    assert first.ladder.tried.tolist() == second.ladder.tried.tolist() == [1, 1, 1]
    assert first.ladder.temperatures.tolist() == second.ladder.temperatures.tolist()
    assert first.ladder.exchanged.tolist() == second.ladder.exchanged.tolist()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rounds", -1),
        ("measured", 1),
        ("random", np.ones(4)),
    ],
)
def test_an_invalid_state_is_refused(name, value):
    replicas = replicas_of(Walks())
    replicas.fit()
    state = replicas.state() | {f"exchange-{name}": value}
    with pytest.raises(DataError, match=f"whose 'exchange-{name}' is not valid"):
        replicas.restore(Saved(state, "some.checkpoint"))


@pytest.mark.nojit
@pytest.mark.parametrize(("first", "second"), [(-10.0, -9.0), (-10.0, -10.5), (-10.0, -14.0)])
def test_replicas_are_exchanged_with_the_probability_of_swendsen_and_wang(first, second):
    """The colder chain has the first score."""
    temperatures, random, changed = np.array([1.0, 2.0]), random_state(1), 0
    for _ in range(DRAWS):
        chains = ["cold", "hot"]
        exchange_replicas(chains, [first, second], temperatures, random, 0)
        assert sorted(chains) == ["cold", "hot"]
        changed += chains == ["hot", "cold"]
    assert is_near(changed, DRAWS, min(1.0, math.exp((1.0 - 0.5) * (second - first))))


@pytest.mark.nojit
def test_replicas_are_exchanged_in_every_second_pair():
    scores, temperatures = [0.0, 1.0, 2.0, 3.0, 4.0], np.geomspace(0.3, 4.0, 5)  # the hotter the better: all exchange
    for round_number, expected in [(0, [1, 0, 3, 2, 4]), (1, [0, 2, 1, 4, 3]), (6, [1, 0, 3, 2, 4])]:
        chains = [0, 1, 2, 3, 4]
        exchange_replicas(chains, scores, temperatures, random_state(1), round_number)
        assert chains == expected
