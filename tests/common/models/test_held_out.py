"""Rows held out: every row once, whatever form the data have; their probabilities by enumeration."""

from collections import Counter

import numpy as np
import pytest

from cliquewise.common.data.merging import merged
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.models.held_out import folds, held_out_logs, mean_and_error
from cliquewise.common.models.model_fit import fit, parents_of_chordal
from tests.oracles.fitted import chordal_distribution
from tests.random_inputs import arity_of, random_chordal_edges, random_dataset


def times(data):
    """How often each row occurs."""
    counts = 1 if data.counts is None else data.counts
    return Counter(map(tuple, np.repeat(data.codes, counts, axis=0).tolist()))


@pytest.mark.parametrize(("seed", "parts"), [(1, 2), (2, 5), (3, 7), (4, 30)])
def test_every_row_is_held_out_once(seed, parts):
    data = random_dataset(seed, 3, 30, 3)
    made = list(folds(data, parts, seed))
    assert sum((times(test) for _, test in made), Counter()) == times(data)
    for learn, test in made:
        assert times(learn) + times(test) == times(data)
        assert learn.states == test.states == data.states
    sizes = [test.n_rows for _, test in made]
    assert len(made) == parts and max(sizes) - min(sizes) <= 1


def test_parts_depend_on_the_seed_and_not_on_the_form_of_the_data():
    data = random_dataset(5, 4, 60, 2)
    one, other, third = (list(folds(rows, 4, seed)) for rows, seed in ((data, 1), (merged(data), 1), (data, 2)))
    assert [times(test) for _, test in one] == [times(test) for _, test in other]
    assert [times(test) for _, test in one] != [times(test) for _, test in third]


@pytest.mark.parametrize("seed", range(12))
def test_log_probabilities_of_held_out_rows(seed):
    data, edges = random_dataset(seed, 4, 24, 3), random_chordal_edges(seed, 4)
    ess = (0.0, 0.5, 8.0)[seed % 3]
    for learn, test in folds(data, 3, seed):
        truth = chordal_distribution(list(times(learn).elements()), arity_of(data), edges, ess)
        found = held_out_logs(fit(learn, parents_of_chordal(Graph(4, edges)), ess), test.codes)
        assert np.exp(found) == pytest.approx([truth[tuple(row)] for row in test.codes.tolist()], rel=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_means_are_those_of_rows_written_out(seed):
    rng = np.random.default_rng(seed)
    values, counts = rng.normal(-5, 2, 20), rng.integers(0, 4, 20)
    rows = np.repeat(values, counts)
    expected = pytest.approx((rows.mean(), rows.std(ddof=1) / np.sqrt(len(rows))))
    assert mean_and_error(values, counts) == expected and mean_and_error(rows) == expected


def test_means_without_an_error():
    assert mean_and_error(np.array([-2.0])) == (-2.0, 0.0)
    mean, error = mean_and_error(np.array([-2.0, -np.inf]))
    assert mean == -np.inf and np.isnan(error)
