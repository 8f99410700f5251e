"""The chains of mnposterior with the Gibbs move, on few variables: edges against the sum over all networks."""

import pytest

from cliquewise.mnposterior import ladders
from cliquewise.mnposterior.config import PosteriorConfig
from tests.mnposterior.test_chains import sampled, worst
from tests.random_inputs import random_dataset
from tests.slow import slow


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """The move from two variables on, one for twenty others."""
    monkeypatch.setattr(ladders, "MIN_GIBBS_VARIABLES", 2)
    monkeypatch.setattr(ladders, "GIBBS_PER_MOVE", 0.05)


@pytest.mark.parametrize("bound", [None, *slow(2, 3)])
def test_all_graphs_of_five_variables(bound):
    data = random_dataset(4, 5)
    result = sampled(data, PosteriorConfig("chains", max_clique=bound), iterations=1_000_000)
    assert worst(result, data, max_clique=bound) < 0.03


def test_the_same_seed_gives_the_same_whatever_the_threads():
    data = random_dataset(3, 7)
    one, two = (sampled(data, iterations=100_000, threads=threads) for threads in (1, 2))
    assert one == two
