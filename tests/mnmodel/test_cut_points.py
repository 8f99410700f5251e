"""Cut points of a column by itself: against the oracle, and at least two classes of two values, however near."""

import numpy as np
import pytest

from cliquewise.mnmodel.cut_points import METHODS, cut_points
from tests.oracles import discretization

ORACLES = {"quantile": discretization.quantile_cuts, "uniform": discretization.uniform_cuts,
           "kmeans": discretization.lloyd_cuts}  # fmt: skip


def classes(values, cuts):
    """The class of each value."""
    return np.searchsorted(np.array(cuts), values, side="right").tolist()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(60))
def test_cut_points_are_those_of_the_oracle(method, seed):
    rng = np.random.default_rng(seed)
    size, bins = int(rng.integers(2, 60)), int(rng.integers(2, 9))
    values = rng.integers(-8, 9, size) if seed % 2 else np.round(rng.exponential(size=size) ** 3 * 64) / 64
    values = np.append(values, [-9.0, 12.0])
    distinct, weights = np.unique(values.astype(float), return_counts=True)
    found = cut_points(distinct, weights, bins, method)
    expected = ORACLES[method](values.tolist(), bins)
    assert found == pytest.approx(expected, abs=1e-9)
    assert all(low < high for low, high in zip(found, found[1:], strict=False))


HARD = {
    "zeros in most rows": [0.0] * 75 + list(range(100, 125)),
    "all but the last": [0.0] * 3 + [1.0] * 7,
    "one above": [5.0] * 999 + [6.0],
    "one below": [6.0] * 999 + [5.0],
    "near": [i * 1e-10 for i in range(60)],
    "nearest": [1.0, np.nextafter(1.0, 2)] * 20,
    "near and far from zero": [1e9 + i * 1e-6 for i in range(60)],
    "far": [0.0] * 59 + [100.0],
    "huge": [-1.7e308, 1.7e308, 0.0],
    "tiny": [5e-324, 0.0, 1e-323],
    "signed zero": [-1.0, 0.0, 1.0],
    "two": [3.0, 4.0],
    "outlier": [*range(20), 1e12],
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("bins", [2, 4, 21])
def test_two_values_make_two_classes(method, name, bins):
    values, weights = np.unique(HARD[name], return_counts=True)
    cuts = cut_points(values, weights, bins, method)
    found = classes(values, cuts)
    assert found[0] == 0 and found[-1] == len(cuts) >= 1 and len(cuts) < bins
    assert all(values[0] < cut <= values[-1] for cut in cuts)
    assert all(low < high for low, high in zip(cuts, cuts[1:], strict=False))


def test_one_value_has_no_cut():
    assert all(cut_points(np.array([2.0]), np.array([9]), 3, method) == () for method in METHODS)


def test_classes_of_published_cases():
    values, weights = np.unique(HARD["zeros in most rows"], return_counts=True)
    assert cut_points(values, weights, 4, "quantile") == (50.0,)  # 75 % end exactly between 0 and 100
    values, weights = np.unique([0.0] * 76 + list(range(100, 124)), return_counts=True)
    assert cut_points(values, weights, 4, "quantile") == (100.0,)
    assert cut_points(np.array([0.0, 1.0]), np.array([3, 7]), 2, "quantile") == (1.0,)
