"""Joining classes by mutual information, against the definition."""

import numpy as np
import pytest

from cliquewise.mnmodel.hartemink import join_classes
from tests.oracles import discretization as oracle


def dependent(rng, rows, sizes):
    """Columns of classes that a hidden number moves, int64[rows, p], each class occurring."""
    hidden = rng.normal(size=rows)
    columns = []
    for size in sizes:
        seen = hidden * rng.choice([-1, 0.5, 2]) + rng.normal(size=rows)
        columns.append(np.argsort(np.argsort(seen)) * size // rows)
    return np.column_stack(columns)


@pytest.mark.parametrize("seed", range(12))
def test_joined_classes_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    sizes = [int(rng.integers(2, 9)) for _ in range(rng.integers(2, 5))]
    classes, wanted = dependent(rng, 60, sizes), int(rng.integers(1, 5))
    if seed % 2:
        classes[rng.random(classes.shape) < 0.1] = -1
        classes[: max(sizes)] = np.minimum(np.arange(max(sizes))[:, None], np.array(sizes) - 1)  # each class occurs
    times = rng.integers(1, 4, len(classes)) if seed % 3 else np.ones(len(classes), np.int64)
    rows = np.repeat(classes, times, axis=0)
    columns = [[None if x < 0 else x for x in column] for column in rows.T.tolist()]
    assert join_classes(classes, sizes, times, wanted) == oracle.join_classes(columns, wanted)


def test_classes_with_the_same_distribution_are_joined():
    """Of six classes, the other column tells three pairs apart."""
    first = np.repeat(np.arange(6), 10)
    classes = np.column_stack([first, first // 2])
    assert join_classes(classes, [6, 3], np.ones(60, np.int64), 3) == [[0, 2, 4], [0, 1, 2]]


def test_columns_that_are_never_observed_together():
    classes = np.array([[0, -1], [1, -1], [2, -1], [-1, 0], [-1, 1]])
    assert join_classes(classes, [3, 2], np.ones(5, np.int64), 2) == [[0, 2], [0, 1]]
