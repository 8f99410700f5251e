"""Common parts of Metropolis searches: the acceptance rule, the draws, replica exchange."""

import math
from collections import Counter

import numpy as np
import pytest

from cliquewise.common.chains.metropolis_kernels import is_taken, other_end, second_neighbour
from cliquewise.common.chains.replica_exchange import exchange_replicas
from tests.search_parts import random_state, rows_of_edges

pytestmark = pytest.mark.nojit

DRAWS = 3000
EDGES = [(0, 1), (1, 2), (1, 3), (0, 3), (4, 5)]  # 6 stands alone
PARTNERS = np.array([[6, 4], [5, 6], [6, 5], [6, 5], [0, 1], [0, 1], [0, 1]])


def is_near(count, share):
    """Whether this count out of `DRAWS` is within four standard deviations of a share."""
    return abs(count - DRAWS * share) <= 4.0 * math.sqrt(DRAWS * share * (1.0 - share)) + 1e-9


@pytest.mark.parametrize(("gain", "temperature"), [(0.0, 1.0), (3.0, 0.1), (-0.5, 1.0), (-2.0, 4.0), (-1000.0, 1.0)])
def test_a_move_is_taken_as_metropolis_says(gain, temperature):
    random = random_state(3)
    taken = sum(bool(is_taken(gain, temperature, random)) for _ in range(DRAWS))
    assert is_near(taken, min(1.0, math.exp(gain / temperature)))


def draws(v, shares):
    """How often each vertex is drawn as the other end of an edge at v."""
    rows, random, found = rows_of_edges(7, EDGES), random_state(v + 1), np.zeros(1, np.uint64)
    return Counter(int(other_end(rows, PARTNERS, shares, v, random, found)) for _ in range(DRAWS))


def test_the_other_end_of_an_edge_is_drawn_by_shares():
    """At vertex 0: partners 6 and 4, any vertex, the neighbours 1 and 3, of which only 1 has another, 2."""
    assert set(draws(0, (1.0, 1.0, 1.0))) == {4, 6} and set(draws(0, (0.0, 1.0, 1.0))) == {1, 2, 3, 4, 5, 6}
    assert set(draws(0, (0.0, 0.0, 1.0))) == {1, 3} and set(draws(0, (0.0, 0.0, 0.0))) == {2, -1}
    mixed = draws(0, np.array([0.4, 0.4, 0.7]))
    assert is_near(mixed[6] + mixed[4], 0.4) and is_near(mixed[1] + mixed[3], 0.3)
    assert is_near(mixed[2] + mixed[-1], 0.3)
    assert mixed[6] > mixed[4]  # the first partner more often
    assert set(draws(6, (0.0, 0.0, 0.5))) == {-1}
    assert set(draws(4, (0.0, 0.0, 0.0))) == {-1}  # its neighbour has no other


def test_a_neighbours_neighbour_is_never_a_neighbour():
    rows = rows_of_edges(70, [(0, 69), (69, 5), (69, 66), (0, 66), (66, 7)])
    random, found = random_state(2), np.zeros(2, np.uint64)
    assert {int(second_neighbour(rows, 0, random, found)) for _ in range(200)} == {5, 7}


@pytest.mark.parametrize(("first", "second"), [(-10.0, -9.0), (-10.0, -10.5), (-10.0, -14.0)])
def test_replicas_change_places_as_swendsen_and_wang_say(first, second):
    """The colder chain has the first score."""
    temperatures, random, changed = np.array([1.0, 2.0]), random_state(1), 0
    for _ in range(DRAWS):
        chains = ["cold", "hot"]
        exchange_replicas(chains, [first, second], temperatures, random, 0)
        assert sorted(chains) == ["cold", "hot"]
        changed += chains == ["hot", "cold"]
    assert is_near(changed, min(1.0, math.exp((1.0 - 0.5) * (second - first))))


def test_replicas_change_places_in_every_second_pair():
    scores, temperatures = [0.0, 1.0, 2.0, 3.0, 4.0], np.geomspace(0.3, 4.0, 5)  # the hotter the better: all exchange
    for round_number, expected in [(0, [1, 0, 3, 2, 4]), (1, [0, 2, 1, 4, 3]), (6, [1, 0, 3, 2, 4])]:
        chains = [0, 1, 2, 3, 4]
        exchange_replicas(chains, scores, temperatures, random_state(1), round_number)
        assert chains == expected
