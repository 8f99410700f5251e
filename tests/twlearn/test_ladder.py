"""The ladder of replica exchange: its ends for a known chain, its rungs for a known barrier."""

import math

import numpy as np
import pytest

from cliquewise.common.chains.ladder import HOTTEST
from cliquewise.common.run.saved import Saved
from cliquewise.twlearn.ladder import COLDEST, HEATING_FACTOR, Ladder, heated_range


def chain(scale, best=0.0, depth=1000.0):
    """A chain whose moves lose `scale`, and which at temperatures far above has lost `depth`."""

    def measure(temperature):
        rate = math.exp(-scale / temperature)
        return rate, best - depth * rate, best

    return measure


@pytest.mark.parametrize("scale", [1.0, 30.0, 2000.0])
def test_ends_grow_with_what_moves_change(scale):
    """A hundredth of the moves is accepted at scale / 4.6, a fifth at scale / 1.6."""
    coldest, hottest = heated_range(chain(scale), -1000.0)
    assert coldest <= max(COLDEST, scale / 4.6) < coldest * HEATING_FACTOR**2
    assert hottest / HEATING_FACTOR < max(scale / 1.6, scale / 1.9) <= hottest


def test_the_hot_end_has_lost_a_part_of_what_is_known():
    """Weak edges come and go at 1, but the network's strong part melts at 500 only."""

    def measure(temperature):
        return 0.3, -1000.0 * (temperature > 500), 0.0

    _, hottest = heated_range(measure, -2000.0)
    assert 500 < hottest <= 500 * HEATING_FACTOR
    assert heated_range(measure, -math.inf)[1] == COLDEST  # without a score of the empty network: by the moves alone


def test_heating_ends():
    assert HOTTEST <= heated_range(lambda temperature: (0.0, 0.0, 0.0), -1.0)[1] < HOTTEST * HEATING_FACTOR


def test_rungs_move_to_equal_parts_of_the_barrier():
    """Only exchanges between 2 and 4 are rejected, half of them: the rungs concentrate there."""
    ladder = Ladder(1.0, 16.0, 5)
    assert ladder.temperatures == pytest.approx([1, 2, 4, 8, 16])
    for i in range(200):
        ladder.count_exchanges(i, [j for j in range(i % 2, 4, 2) if j != 1 or i % 4 == 1])
    assert ladder.exchange_rates == pytest.approx([1, 0.5, 1, 1])
    ladder.end_phase()
    barrier = np.interp(np.log(ladder.temperatures), np.log([1, 2, 4, 8, 16]), np.cumsum([0, 0.05, 0.5, 0.05, 0.05]))
    assert barrier == pytest.approx(np.linspace(0.0, 0.65, 5))
    assert ladder.temperatures[[0, -1]] == pytest.approx([1, 16]) and not ladder.tried.any()


def test_rungs_move_after_a_power_of_two_of_phases():
    ladder, moved = Ladder(1.0, 16.0, 5), []
    for phase in range(1, 20):
        before = ladder.temperatures
        ladder.count_exchanges(1, [])
        ladder.count_exchanges(phase, [2] if phase % 2 == 0 else [])
        ladder.end_phase()
        if ladder.temperatures is not before:
            moved.append(phase)
    assert moved == [1, 2, 4, 8, 16]


def test_stretching_keeps_the_rungs_in_proportion():
    ladder = Ladder(1.0, 16.0, 5)
    ladder.count_exchanges(0, [0, 2])
    ladder.stretch(10.0, 1000.0)
    assert ladder.temperatures == pytest.approx(np.geomspace(10.0, 1000.0, 5))
    assert not ladder.tried.any() and ladder.phases == 0


def test_a_single_rung():
    ladder = Ladder(0.3, 0.3, 1)
    ladder.count_exchanges(1, [])
    ladder.end_phase()
    ladder.stretch(0.5, 0.5)
    assert ladder.temperatures.tolist() == [0.5] and len(ladder.exchange_rates) == 0


def test_equal_rungs_go_on_from_a_checkpoint():
    """Where all networks have one score the ends are equal; rounding must not put a rung below another."""
    for coldest in (0.1, COLDEST, COLDEST * HEATING_FACTOR):
        ladder = Ladder(coldest, coldest, 14)
        for _ in range(2):
            assert Ladder.from_saved(Saved(ladder.state(), "a run"), 14).temperatures == pytest.approx(coldest)
            ladder.end_phase()
