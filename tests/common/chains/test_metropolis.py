"""Common parts of Metropolis searches: the acceptance rule and the draws."""

import math
from collections import Counter

import numpy as np
import pytest

from cliquewise.common.chains.metropolis_kernels import is_accepted, other_end, second_neighbour
from tests.search_parts import is_near, random_state, rows_of_edges

pytestmark = pytest.mark.nojit

DRAWS = 3000
EDGES = [(0, 1), (1, 2), (1, 3), (0, 3), (4, 5)]  # 6 stands alone
PARTNERS = np.array([[6, 4], [5, 6], [6, 5], [6, 5], [0, 1], [0, 1], [0, 1]])


@pytest.mark.parametrize(("gain", "temperature"), [(0.0, 1.0), (3.0, 0.1), (-0.5, 1.0), (-2.0, 4.0), (-1000.0, 1.0)])
def test_a_move_is_accepted_with_the_probability_of_metropolis_rule(gain, temperature):
    random = random_state(3)
    taken = sum(bool(is_accepted(gain, temperature, random)) for _ in range(DRAWS))
    assert is_near(taken, DRAWS, min(1.0, math.exp(gain / temperature)))


def draws(v, shares):
    """How often each vertex is drawn as the other end of an edge at v."""
    rows, random, found = rows_of_edges(7, EDGES), random_state(v + 1), np.zeros(1, np.uint64)
    return Counter(int(other_end(rows, PARTNERS, shares, v, random, found)) for _ in range(DRAWS))


def test_the_other_end_of_an_edge_is_drawn_by_shares():
    """At vertex 0: partners 6 and 4, any vertex, the neighbours 1 and 3, of which only 1 has another, 2."""
    assert set(draws(0, (1.0, 1.0, 1.0))) == {4, 6} and set(draws(0, (0.0, 1.0, 1.0))) == {1, 2, 3, 4, 5, 6}
    assert set(draws(0, (0.0, 0.0, 1.0))) == {1, 3} and set(draws(0, (0.0, 0.0, 0.0))) == {2, -1}
    mixed = draws(0, np.array([0.4, 0.4, 0.7]))
    assert is_near(mixed[6] + mixed[4], DRAWS, 0.4) and is_near(mixed[1] + mixed[3], DRAWS, 0.3)
    assert is_near(mixed[2] + mixed[-1], DRAWS, 0.3)
    assert mixed[6] > mixed[4]  # the first partner more often
    assert set(draws(6, (0.0, 0.0, 0.5))) == {-1}
    assert set(draws(4, (0.0, 0.0, 0.0))) == {-1}  # its neighbour has no other


def test_a_neighbours_neighbour_is_never_a_neighbour():
    rows = rows_of_edges(70, [(0, 69), (69, 5), (69, 66), (0, 66), (66, 7)])
    random, found = random_state(2), np.zeros(2, np.uint64)
    assert {int(second_neighbour(rows, 0, random, found)) for _ in range(200)} == {5, 7}
