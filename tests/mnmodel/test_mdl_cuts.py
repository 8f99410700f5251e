"""Cut points by a class, against the definition."""

import numpy as np
import pytest

from cliquewise.mnmodel.mdl_cuts import best_cut, mdl_cuts
from tests.oracles import discretization as oracle


@pytest.mark.parametrize("seed", range(20))
def test_cut_points_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    size, kinds = int(rng.integers(1, 120)), int(rng.integers(1, 5))
    classes = rng.integers(0, kinds, size)
    values = np.round(classes * rng.choice([0, 1, 3]) * (-1) ** classes + rng.normal(size=size), rng.integers(0, 3))
    times = rng.integers(1, 4, size) if seed % 2 else np.ones(size, np.int64)
    rows = list(zip(np.repeat(values, times).tolist(), np.repeat(classes, times).tolist(), strict=True))
    assert mdl_cuts(values, classes, times) == pytest.approx(oracle.mdl_cuts(rows))
    assert best_cut(values, classes, times) == pytest.approx(oracle.best_cut(rows))


def test_separated_classes_give_one_cut_and_noise_none():
    values, times = np.arange(40.0), np.ones(40, np.int64)
    assert mdl_cuts(values, (values >= 12).astype(int), times) == (11.5,)
    assert mdl_cuts(values, values.astype(int) % 2, times) == ()


def test_neighbouring_floats_are_cut_apart():
    low, high = 1.0, float(np.nextafter(1.0, 2.0))
    (cut,) = mdl_cuts(np.repeat([low, high], 30), np.repeat([0, 1], 30), np.ones(60, np.int64))
    assert low < cut <= high


def test_a_cut_between_the_largest_numbers_is_finite():
    (cut,) = mdl_cuts(np.repeat([-1e308, 1e308], 30), np.repeat([0, 1], 30), np.ones(60, np.int64))
    assert cut == 0.0


def test_many_classes():
    """3^k is beyond floating point."""
    values = np.repeat(np.arange(2.0), 700)
    assert mdl_cuts(values, np.arange(1400) % 700, np.ones(1400, np.int64)) == ()
