"""The example of a link, compared with a count of the rows one by one."""

import math
import random
import re
from collections import Counter

import pytest

from cliquewise.common.data.incomplete import without_missing_state
from cliquewise.workflow.link_example import example_of
from tests.reading import read_csv


def ratios(rows):
    """By pair of states that occur together too often: the log likelihood ratio, from its definition."""
    known = [row for row in rows if "?" not in row]
    found = {}
    for pair in set(known):
        cells = Counter((row[0] == pair[0], row[1] == pair[1]) for row in known)
        first, second = (Counter(row[place] == pair[place] for row in known) for place in (0, 1))
        if cells[True, True] * len(known) > first[True] * second[True]:
            found[pair] = sum(
                count * math.log(count * len(known) / (first[is_a] * second[is_b]))
                for (is_a, is_b), count in cells.items()
            )
    return found


def shares(rows, place, state, other):
    """The share of a state among the known rows with the state of the other variable, and among the other rows."""
    known = [row for row in rows if "?" not in row]
    inside = [row[place] == state for row in known if row[1 - place] == other]
    outside = [row[place] == state for row in known if row[1 - place] != other]
    return 100 * sum(inside) / len(inside), 100 * sum(outside) / len(outside)


def read(tmp_path, rows, **options):
    path = tmp_path / "t.csv"
    path.write_text("u,v,w\n" + "".join(",".join(row) + f",{k % 2}\n" for k, row in enumerate(rows)))
    return without_missing_state(read_csv(path, missing="state", warn=False, **options))


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_example_is_that_of_the_largest_ratio(tmp_path, seed, merge):
    rng = random.Random(seed)
    rows = []
    for _ in range(rng.choice((8, 60, 300))):
        a = rng.choice("abc")
        b = rng.choice("xyz") if rng.random() < 0.6 else "xyz"["abc".index(a)]
        rows.append(tuple("?" if rng.random() < 0.1 else cell for cell in (a, b)))
    expected = ratios(rows)
    for pair in ((0, 1), (1, 0)):
        text = example_of(read(tmp_path, rows, merge=merge), *pair)
        of, state, inside, given, other, outside = re.fullmatch(
            r"(.) (.): ([0-9]+) % of the rows with (.) (.), ([0-9]+) % of the others", text
        ).groups()
        place = "uv".index(of)
        assert "uv".index(given) == 1 - place
        best = (state, other) if place == 0 else (other, state)
        assert expected[best] == pytest.approx(max(expected.values()), rel=1e-9)
        here, elsewhere = shares(rows, place, state, other)
        assert (float(inside), float(outside)) == pytest.approx((here, elsewhere), abs=0.51)
        turned = shares(rows, 1 - place, other, state)
        assert here - elsewhere >= turned[0] - turned[1] - 1e-9  # the clearer of the two ways to say it


def test_one_exception_is_not_none(tmp_path):
    rows = [("no", "0")] * 300 + [("yes", "1")] * 299 + [("no", "1")]
    assert example_of(read(tmp_path, rows), 0, 1) == "v 1: 100 % of the rows with u yes, under 1 % of the others"
    rows += [("yes", "0")]
    assert re.search("over 99 % of .*, under 1 % of ", example_of(read(tmp_path, rows), 0, 1))


def test_the_rarer_of_equal_examples(tmp_path):
    """Two variables of two states have two."""
    rows = [("no", "0")] * 6 + [("yes", "1")] * 3 + [("no", "1")]
    assert example_of(read(tmp_path, rows), 0, 1) == "v 1: 100 % of the rows with u yes, 14 % of the others"


def test_states_of_a_single_row_are_no_example(tmp_path):
    """Their adjusted residual is the largest possible one."""
    rows = [("rare", "odd"), *[("a", "x")] * 60, *[("a", "y")] * 20, *[("b", "x")] * 20, *[("b", "y")] * 60]
    assert example_of(read(tmp_path, rows), 0, 1) == "u a: 75 % of the rows with v x, 25 % of the others"


def test_pairs_without_an_example(tmp_path):
    for rows in (
        [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")] * 3,  # independent
        [("a", "x"), ("a", "y"), ("b", "?"), ("?", "x")] * 3,  # one state where both are known
        [("a", "?"), ("b", "?"), ("?", "x"), ("?", "y")] * 3,
    ):
        assert example_of(read(tmp_path, rows), 0, 1) == ""


def test_long_states_are_shortened(tmp_path):
    rows = [("a" * 100, "x"), ("b", "y")] * 9
    assert len(example_of(read(tmp_path, rows), 0, 1)) < 110


def test_weights_count(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("u,v,n\na,x,30\na,y,10\nb,x,5\nb,y,35\n")
    text = example_of(read_csv(path, counts="n"), 0, 1)
    assert text == "u a: 86 % of the rows with v x, 22 % of the others"
