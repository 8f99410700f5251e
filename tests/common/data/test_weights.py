"""Weights of rows: scores against exact fractions, whole weights against counts, parts of the rows, what is refused."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from cliquewise.common.certify.set_scores import set_score
from cliquewise.common.data.resampling import resampled
from cliquewise.common.errors import DataError, UsageError
from cliquewise.common.files.fingerprint import data_digest
from cliquewise.common.models.held_out import folds
from cliquewise.common.scores import spanning
from cliquewise.common.scores.all_scores import all_scores
from cliquewise.common.scores.scorer import SetScorer, counting_table
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.scores.spanning import pair_gains
from tests.oracles import scores as oracle
from tests.random_inputs import arity_of, rows_of
from tests.reading import read_csv

KINDS = [("bdeu", 0.01), ("bdeu", 1.0), ("bdeu", 50.0), ("bic", 1.0), ("aic", 1.0), ("ll", 1.0), ("qnml", 1.0)]
FORMS = {  # how weights are written
    "halves": lambda rng: str(rng.integers(1, 9) / 2),
    "digits": lambda rng: f"{3 * rng.random() + 0.001:.3f}",
    "floats": lambda rng: repr(5 * rng.random() + 1e-3),
    "huge": lambda rng: f"{1e4 * rng.random() + 1:.7f}",
    "powers": lambda rng: f"{rng.random() + 0.1:.2e}",
    "alike": lambda rng: "0.25",
}


@pytest.fixture
def table(tmp_path):
    """Writes random rows with weights; returns the file, the rows, and the weights as fractions."""

    def write(form, seed=1, n_rows=70, n=4, zeros=0):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, [2, 3, 2, 4][:n], (n_rows, n))
        codes[0], codes[1:5] = 0, np.minimum(codes[0] + np.arange(1, 5)[:, None], np.array([1, 2, 1, 3])[:n])
        again = rng.random(n_rows) < 0.4
        codes[again] = codes[rng.integers(0, n_rows, again.sum())]
        weights = [FORMS[form](rng) for _ in range(n_rows)]
        for row in range(5, 5 + zeros):
            weights[row] = "0.0"
        lines = [",".join(map(str, [*row[:1], weight, *row[1:]])) for row, weight in zip(codes, weights, strict=True)]
        path = tmp_path / f"{form}{seed}.csv"
        path.write_text("\n".join(["a,w,b,c,d"[: 2 * n + 1], *lines]) + "\n")
        kept = [row for row, weight in enumerate(weights) if float(weight) > 0]
        return path, [tuple(codes[row].tolist()) for row in kept], [Fraction(weights[row]) for row in kept]

    return write


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("scale", ["rows", "none"])
@pytest.mark.parametrize("form", FORMS)
def test_scores_of_every_set(table, form, scale):
    path, rows, weights = table(form, zeros=3)
    data = read_csv(path, weights="w", weight_scale=scale)
    if scale == "rows":
        weights = [weight * len(rows) / sum(weights) for weight in weights]
    assert data.names == ("a", "b", "c", "d") and data.n_rows == len(rows) == 67
    assert data.total == pytest.approx(float(sum(weights)), rel=1e-14)
    for kind, ess in KINDS:
        if kind == "qnml" and sum(weights) > 500:
            continue
        expected = oracle.set_score(rows, arity_of(data), kind, ess, weights)
        scoring = Scoring(kind, ess)
        scorer, every = SetScorer(data, scoring), all_scores(data, scoring, 4)
        for mask in range(1, 16):
            members = [v for v in range(4) if mask >> v & 1]
            known = pytest.approx(expected(members), abs=2e-8, rel=1e-12)
            assert scorer.score(members) == known, (kind, members)
            assert every[mask] == known, (kind, members)
            assert set_score(data, members, scoring) == known, (kind, members)


@pytest.mark.parametrize("form", ["digits", "floats"])
def test_gains_of_many_variables(table, monkeypatch, form):
    monkeypatch.setattr(spanning, "MANY_VARIABLES", 2)
    path, rows, weights = table(form)
    data = read_csv(path, weights="w", weight_scale="none")
    score = oracle.set_score(rows, arity_of(data), "bdeu", 1.0, weights)
    gains = pair_gains(SetScorer(data))
    for u, v in combinations(range(4), 2):
        assert gains[u, v] == pytest.approx(score((u, v)) - score((u,)) - score((v,)), abs=1e-8)


def test_decimals_are_exact(table):
    """Units are parts of the last decimal; only what is beyond all exact sums is rounded, to 2^52 of all."""
    data = read_csv(table("digits")[0], weights="w", weight_scale="none")
    assert data.denominator == 1000 and counting_table(data).weights.dtype == np.int32
    data = read_csv(table("floats")[0], weights="w", weight_scale="none")
    assert counting_table(data).weights.dtype == np.int64
    assert data.counts.sum() == pytest.approx(2**52, abs=70)


@pytest.mark.parametrize("scale", ["rows", "none"])
def test_equal_weights_have_no_effect_if_they_are_scaled(table, scale):
    path, rows, _ = table("alike")
    with_weights, without = read_csv(path, weights="w", weight_scale=scale), read_csv(path, drop="w")
    members = (0, 1, 3)
    same = SetScorer(with_weights).score(members) == SetScorer(without).score(members)
    assert same == (scale == "rows")
    assert (with_weights.denominator == 1) == (scale == "rows")
    assert with_weights.total == (len(rows) if scale == "rows" else len(rows) / 4)


def test_parts_of_the_rows_are_tables_of_these_rows(table, tmp_path):
    """Cross-validation and bootstrap take whole rows: each part is what a file of these rows would be."""
    for scale in ("rows", "none"):
        path, _, _ = table("digits", seed=3)
        head, *lines = path.read_text().splitlines()
        data = read_csv(path, weights="w", weight_scale=scale)
        seen = []
        sets = [*combinations(range(4), 2), (0, 1, 2, 3)]
        for learned, test in folds(data, 5, 2):
            assert learned.n_rows == 56 and test.n_rows == 14
            assert sorted([*learned.rows.units.tolist(), *test.rows.units.tolist()]) == sorted(data.rows.units.tolist())
            seen += test.rows.units.tolist()
        assert sorted(seen) == sorted(data.rows.units.tolist())
        words = np.random.PCG64(2).random_raw(70)
        part = np.empty(70, np.int64)
        part[np.argsort(words, kind="stable")] = np.arange(70) % 5
        learned, test = next(iter(folds(data, 5, 2)))
        for found, chosen in ((learned, part != 0), (test, part == 0)):
            few = tmp_path / "few.csv"
            few.write_text(
                "\n".join([head, *(line for line, is_in in zip(lines, chosen, strict=True) if is_in)]) + "\n"
            )
            alone = read_csv(few, weights="w", weight_scale=scale)
            if alone.states != data.states:
                continue
            for members in sets:
                assert SetScorer(found).score(members) == pytest.approx(SetScorer(alone).score(members), abs=1e-9)
        sample = resampled(data, 4)
        assert sample.n_rows == 70 and len(set(sample.rows.place.tolist())) < 70
        assert sample.total == pytest.approx(70) or scale == "none"
        assert data_digest(sample) == data_digest(resampled(data, 4)) != data_digest(resampled(data, 5))


def test_the_fingerprint_knows_the_weights(tmp_path):
    digests = set()
    for weights in (("0.1", "0.2"), ("0.2", "0.1"), ("1.5", "3"), ("0.15", "0.3")):
        (tmp_path / "t.csv").write_text(f"a,b,w\n0,1,{weights[0]}\n1,0,{weights[1]}\n")
        digests.add(data_digest(read_csv(tmp_path / "t.csv", weights="w", weight_scale="none")))
    assert len(digests) == 4
    (tmp_path / "t.csv").write_text("a,b,w\n0,1,0.1\n1,0,0.2\n")
    same = read_csv(tmp_path / "t.csv", weights="w", weight_scale="rows")
    (tmp_path / "t.csv").write_text("a,b,w\n0,1,50\n1,0,100\n")
    assert data_digest(same) == data_digest(read_csv(tmp_path / "t.csv", weights="w"))


@pytest.mark.parametrize(
    "cells, message",
    [
        (("1", "-0.5"), ":3, column 'w': '-0.5' is negative; expected a number, 0 or more"),
        (("", "1"), ":2, column 'w': the weight is missing; give it, or remove the row"),
        (("1", "NA"), ":3, column 'w': the weight is missing"),
        (("1", "x"), ":3, column 'w': 'x' is not a weight"),
        (("1", "1_0"), ":3, column 'w': '1_0' is not a weight"),
        (("1", "0x10"), ":3, column 'w': '0x10' is not a weight"),
        (("1", "inf"), ":3, column 'w': 'inf' is not a weight"),
        (("1", "1e999"), ":3, column 'w': '1e999' is not a weight"),
        (("0", "0.0"), ":2, column 'w': all weights are 0"),
        (("-0", "0e5"), ":2, column 'w': all weights are 0"),
    ],
)
def test_what_is_refused(tmp_path, cells, message):
    (tmp_path / "t.csv").write_text(f"a,b,w\n0,1,{cells[0]}\n1,0,{cells[1]}\n")
    with pytest.raises(DataError, match=message):
        read_csv(tmp_path / "t.csv", weights="w")


def test_options_that_do_not_go_together(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,w\n0,1,1\n1,0,2\n")
    with pytest.raises(UsageError, match="--counts and --weights: give one of them"):
        read_csv(tmp_path / "t.csv", weights="w", counts="w")
    with pytest.raises(UsageError, match="--weight-scale needs --weights"):
        read_csv(tmp_path / "t.csv", weight_scale="none")
    with pytest.raises(DataError, match="no column 'v' of weights"):
        read_csv(tmp_path / "t.csv", weights="v")


@pytest.mark.parametrize(
    "text",
    [
        "a;b;w\n0;1;0,5\n1;0;1,25\n1;1;2\n",
        'a,b,w\n0,1,"0,5"\n1,0,"1,25"\n1,1,"2"\n',
        "a,b,w\n0,1,50 %\n1,0,125 %\n1,1,200 %\n",
        "w,a,b\n5e-1,0,1\n.125e1,1,0\n+2.0,1,1\n",
        "w\ta\tb\n0.50\t0\t1\n01.25\t1\t0\n2\t1\t1\n",
        "a,w,b\n0,0.5,1\n1,1.25,0\n1,2,1\n0,0,0\n",
    ],
)
def test_weights_in_several_forms_of_numbers(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    data = read_csv(tmp_path / "t.csv", weights="w")
    assert data.names == ("a", "b") and rows_of(data) == [(0, 1), (1, 0), (1, 1)]
    assert data.weights[data.rows.place].tolist() == pytest.approx([0.4, 1.0, 1.6])


def test_rows_with_missing_cells_that_are_left_out_have_no_share(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,w\n0,1,1\n1,,7\n1,0,3\n")
    data = read_csv(tmp_path / "t.csv", weights="w", missing="drop")
    assert data.total == 2 and sorted(data.weights.tolist()) == pytest.approx([0.5, 1.5])
