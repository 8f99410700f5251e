"""Replica exchange: which states change places, and its driver, with chains whose moves are numbers."""

import math

import numpy as np
import pytest

from cliquewise.common.compiled.random_kernels import random_states
from cliquewise.common.errors import DataError
from cliquewise.common.graphs.chordal import bit_rows
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.saved import Saved
from cliquewise.twlearn.chordal import _chain, problem_of
from cliquewise.twlearn.chordal_choice_kernels import ACCEPTED, BEST, DRAWN, SCORE, TRIED
from cliquewise.twlearn.families import ScoredFamilies
from cliquewise.twlearn.replica_exchange import (
    FIRST_COLDEST,
    FIRST_HOTTEST,
    HEATING_MOVES,
    ROUND_MOVES,
    ReplicaExchange,
    exchange_replicas,
)
from tests.search_parts import is_near, random_state

GOOD = 100.0  # above the score without arcs, which is 0
DRAWS = 3000


class Numbers(ReplicaExchange):
    """A chain loses its temperature from the best score, and accepts a share of its moves that grows with it."""

    def __init__(self, left=10**9, count=4):
        families = ScoredFamilies(np.arange(3), np.full((2, 1), -1, np.int32), np.zeros(2))
        problem = problem_of(families, 1)
        chains = [_chain(problem, bit_rows(Graph(2, ())), range(2), state) for state in random_states(2, count)]
        super().__init__(problem, chains, random_states(1, 1)[0], Monitor())
        self.left = left
        chains[0].numbers[BEST] = GOOD

    def _walk(self, chains, temperatures, moves):
        own = min(moves, self.left // len(chains))
        for chain, temperature in zip(chains, temperatures, strict=True):
            chain.counts[[DRAWN, TRIED]] += own
            chain.counts[ACCEPTED] += int(own * min(1.0, temperature / 50))
            chain.numbers[SCORE] = self.best.numbers[BEST] - temperature
        self.left -= own * len(chains)
        return own == moves


def test_the_ends_are_measured_again_when_the_gain_has_grown():
    replicas = Numbers()
    replicas.chains[0].numbers[SCORE] = 7.0
    assert replicas.fit() and replicas.measured == GOOD
    coldest, hottest = replicas.ladder.temperatures[[0, -1]]
    assert 0.3 <= coldest < 1.0 and 10.0 <= hottest < 13.0  # 1 in 100 accepted; 1 in 5, with a twentieth of it lost
    assert replicas.chains[0].numbers[SCORE] == 7.0  # where the heated chain was
    before = replicas.left
    replicas.best.numbers[BEST] *= 1.05
    assert replicas.fit() and replicas.left == before
    replicas.best.numbers[BEST] *= 1.1
    assert replicas.fit() and replicas.left < before and replicas.measured == replicas.best.numbers[BEST]


def test_a_measurement_cut_short_is_reported_and_changes_nothing():
    replicas = Numbers(2 * HEATING_MOVES + 1)
    replicas.chains[0].numbers[SCORE] = 7.0
    before = ladder_of(replicas.state())
    assert not replicas.fit() and replicas.ladder.temperatures[[0, -1]] == pytest.approx([FIRST_COLDEST, FIRST_HOTTEST])
    assert replicas.chains[0].numbers[SCORE] == 7.0
    assert ladder_of(replicas.state()) == before
    replicas.left = 10**9
    assert replicas.fit() and replicas.measured == GOOD
    assert replicas.ladder.temperatures[0] < 1.0 < replicas.ladder.temperatures[-1] < FIRST_HOTTEST


def ladder_of(state):
    """What a state has besides the chains."""
    return {name: str(value) for name, value in state.items() if name.startswith(("exchange-", "ladder-"))}


def test_rounds_count_moves_and_exchanges():
    replicas = Numbers()
    replicas.rounds = 1
    replicas.fit()

    def drawn():
        return sorted(int(chain.counts[DRAWN]) for chain in replicas.chains)

    before = drawn()
    replicas.left = 4 * ROUND_MOVES + 8
    assert replicas.round() and replicas.rounds == 2
    assert drawn() == [count + ROUND_MOVES for count in before] and replicas.ladder.tried.tolist() == [0, 1, 0]
    assert not replicas.round()
    assert drawn() == [count + ROUND_MOVES + 2 for count in before] and replicas.ladder.tried.tolist() == [1, 1, 1]


def test_another_run_continues_with_the_same_rounds():
    first, second = Numbers(), Numbers()
    assert first.fit()
    first.round()
    second.restore(Saved(first.state(), "some.checkpoint"))
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
    replicas = Numbers()
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
