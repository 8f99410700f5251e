"""Labels that mean the same, against a comparison of all pairs."""

import itertools
from decimal import Decimal

import numpy as np
import pytest

from cliquewise.common.data.spellings import canonical_labels

MEASURED = ["0.00", "-0.00", "1.50", "12.25", "-3.75", "1.05", "10.05", "01.50", "1.5", "+1.50", "2", "?", ""]


@pytest.mark.parametrize("seed", range(20))
def test_numbers_of_equal_value_are_one_state(seed):
    """Also if all have the same number of decimals, which is decided without a look at the values."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(MEASURED[: rng.integers(5, len(MEASURED) + 1)], 5, replace=False).tolist()
    known = [label for label in labels if label not in ("", "?")]
    equal = {frozenset(pair) for pair in itertools.combinations(known, 2) if Decimal(pair[0]) == Decimal(pair[1])}
    state = canonical_labels(labels, False)
    found = {
        frozenset(pair) for pair in itertools.combinations(known, 2) if len({state.get(one, one) for one in pair}) == 1
    }
    assert found == equal
