"""Counts before nouns, and shares."""

import pytest

from cliquewise.common.counted import counted, percent


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 edges"),
        (1, "1 edge"),
        (2, "2 edges"),
        (1234, "1,234 edges"),
        (1.0, "1 edge"),
        (1.5, "1.5 edges"),
        (2**62, "4,611,686,018,427,387,904 edges"),
    ],
)
def test_a_noun_is_singular_for_one_alone(count, text):
    assert counted(count, "edge") == text


def test_an_irregular_plural_is_given():
    assert [counted(count, "family", "families") for count in (1, 2)] == ["1 family", "2 families"]


@pytest.mark.parametrize(
    ("share", "whole", "tenths"),
    [
        (0.0, "0 %", "0.0 %"),
        (1 / 3, "33 %", "33.3 %"),
        (0.996, "over 99 %", "99.6 %"),
        (0.9996, "over 99 %", "over 99.9 %"),
        (0.0004, "under 1 %", "under 0.1 %"),
        (1 - 1e-15, "100 %", "100.0 %"),
    ],
)
def test_nearly_all_are_not_all(share, whole, tenths):
    assert [percent(share), percent(share, 1)] == [whole, tenths]
