"""Equal rows merged, beside a count of the rows one by one."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from cliquewise.common.data.merging import merged, places
from tests.random_inputs import random_dataset

pytestmark = pytest.mark.nojit


def counted(rows, counts):
    """How many rows are equal to each."""
    found = Counter()
    for row, count in zip(rows, counts, strict=True):
        found[tuple(row)] += count
    return +found  # without zeros


@pytest.mark.parametrize("seed", range(12))
def test_rows_and_counts(seed):
    rng = np.random.default_rng(seed)
    data = replace(random_dataset(seed, n_vars=1 + seed % 4, n_rows=40, max_arity=3), counts=None)
    counts = rng.integers(0, 3, data.n_stored)
    for given, expected in ((None, np.ones(data.n_stored, np.int64)), (counts, counts)):
        found = merged(data, given)
        wanted = counted(data.codes.tolist(), expected.tolist())
        assert counted(found.codes.tolist(), found.counts.tolist()) == wanted and found.n_stored == len(wanted)
        assert sorted(found.counts > 1, reverse=True) == (found.counts > 1).tolist()
    first, number, place = places(data, np.ones(data.n_stored, np.int64))
    assert data.codes[first[place]].tolist() == data.codes.tolist()
    assert np.bincount(place).tolist() == number.tolist()


def test_rows_longer_than_a_word_are_merged():
    """70 columns of 3 states do not fit in one key; rows differ in the first or the last column alone."""
    rows = np.zeros((6, 70), np.int32)
    rows[1::2, 0], rows[3:, 69] = 1, 2
    rows[5] = rows[3]
    data = replace(random_dataset(1, n_vars=70, n_rows=6, max_arity=3), codes=rows, counts=None)
    data = replace(data, states=(("a", "b", "c"),) * 70)
    found = merged(data)
    wanted = Counter(map(tuple, rows.tolist()))
    assert counted(found.codes.tolist(), found.counts.tolist()) == wanted and found.n_stored == len(wanted)
