"""Columns with several answers in a cell: sets of answers drawn at random, and columns that only look so."""

from itertools import combinations

import numpy as np
import pytest

from cliquewise.mnmodel.several_answers import SEPARATORS, several_answers


@pytest.mark.parametrize("separator", [";", ", ", ",", "|", "; "])
@pytest.mark.parametrize("seed", range(5))
def test_random_sets_are_found(separator, seed):
    rng = np.random.default_rng(seed)
    answers = [f"answer {k}" for k in range(rng.integers(3, 7))]
    every = [separator.join(one) for size in range(1, len(answers) + 1) for one in combinations(answers, size)]
    seen = [*every[:2], *rng.permutation(every[2:])[: max(6, len(every) // 2)].tolist(), "none of these"]
    found = several_answers([*dict.fromkeys(seen)])
    assert found is not None and found[0] == SEPARATORS[separator.strip()] and found[1] <= len(answers) + 1


@pytest.mark.parametrize(
    "labels",
    [
        ["Bonn, Rhein", "Bonn, Land", "Trier, Mosel", "Trier, Land"],  # a place and its kind
        ["[0,5)", "[5,10)", "[10,20)", "[20,inf)"],
        ["1,5", "2,5", "1,2", "2", "5,1"],  # decimal commas
        ["A;A", "A;G", "G;G", "A"],  # genotypes
        ["yes", "no", "no, never", "it depends"],
        ["tv;web", "web;tv;", ";web", "tv;"],  # empty answers
        ["a", "b", "c", "d"],
        ["Smith, John", "Miller, Ann", "Smith, Ann, Dr.", "Jones, Pat"],
    ],
)
def test_other_columns_are_not(labels):
    assert several_answers(labels) is None
