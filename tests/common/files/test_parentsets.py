"""Parent-set-score files: read, written, refused."""

import io
import sys

import numpy as np
import pytest

from cliquewise.common.errors import DataError
from cliquewise.common.files.parentsets import ParentSets, fit_names, read_parent_sets
from cliquewise.common.learning.load import load_input
from tests.score_files import write_parent_sets

GOOD = "# made by hand\n3\n# a comment\na 3\n-1.5 0\n-1 1 b\n\n-0.5 2 c b\nb 1\n-inf 0\nc 2\n-3 0\n-2 1 a\n"
NUMBERED = "2\n1 2\n-1 0\n-0.5 1 0\n0 1\n-2 0\n"


def sets_of(sets):
    """[{parents: score}] of a ParentSets."""
    return [
        {tuple(u for u in row if u >= 0): float(x) for row, x in zip(parents.tolist(), scores, strict=True)}
        for parents, scores in zip(sets.parents, sets.scores, strict=True)
    ]


def test_reads_names_comments_and_any_order_of_parents(tmp_path):
    (tmp_path / "x.jkl").write_text(GOOD)
    sets = read_parent_sets(tmp_path / "x.jkl")
    assert (sets.names, sets.n, sets.source) == (("a", "b", "c"), 3, str(tmp_path / "x.jkl"))
    assert sets_of(sets) == [{(): -1.5, (1,): -1, (1, 2): -0.5}, {(): -np.inf}, {(): -3, (0,): -2}]


def test_parent_sets_are_read_only_where_they_are_allowed(tmp_path):
    (tmp_path / "x.jkl").write_text(GOOD)
    assert load_input(tmp_path / "x.jkl", parent_sets=True).names == ("a", "b", "c")
    with pytest.raises(DataError, match="parent-set scores; expected data or clique scores"):
        load_input(tmp_path / "x.jkl")


def test_numbers_are_indices_whatever_the_order(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NUMBERED.encode())))
    sets = read_parent_sets("-")
    assert sets.names == ("0", "1") and sets_of(sets) == [{(): -2}, {(): -1, (0,): -0.5}]


@pytest.mark.parametrize("precision, lost", [(None, 0), (6, 1e-6)])
def test_what_is_written_is_read_back(tmp_path, precision, lost):
    rng = np.random.default_rng(3)
    names = tuple(f"x{v}" for v in range(70))
    parents = tuple(np.array([[-1, -1], [(v + 1) % 70, -1], sorted([(v + 1) % 70, (v + 2) % 70])]) for v in range(70))
    scores = tuple(1000 * rng.standard_normal(3) for _ in range(70))
    write_parent_sets(tmp_path / "x.jkl", ParentSets(names, parents, scores), precision)
    back = read_parent_sets(tmp_path / "x.jkl")
    assert back.names == names
    for v in range(70):
        assert (back.parents[v] == parents[v]).all()
        assert np.abs(back.scores[v] - scores[v]).max() <= lost


def test_the_samples_are_read(shared):
    counts = {"bnslim_alarm-5000": (37, 2528), "bnslim_child-5000": (20, 1021), "pygobnilp_asia_10000.dat.3": (8, 512)}
    for name, (n, count) in counts.items():
        sets = read_parent_sets(shared / f"data/twlearn/{name}.jkl")
        assert (sets.n, sum(map(len, sets.scores))) == (n, count)


def test_names_that_the_layout_cannot_hold():
    assert fit_names(["a", "b"]) == ("a", "b")
    assert fit_names(["a", "b c"]) == fit_names(["#a", "b"]) == fit_names(["a\tb", "c"]) == ("0", "1")


REFUSED = {
    "empty": ("", None, "empty file"),
    "only comments": ("# 1\n\n", None, "empty file"),
    "n is text": (GOOD.replace("3\n# a", "three\n# a"), 2, "expected the number of variables, found 'three'"),
    "n is zero": ("0\n", 1, "expected the number of variables, found '0'"),
    "a score file": ("DMST\n3\n", 1, "expected the number of variables, found 'DMST'"),
    "no count": (GOOD.replace("b 1\n", "b\n"), 9, "expected 'variable count', found 'b'"),
    "count is text": (GOOD.replace("b 1\n", "b one\n"), 9, "expected 'variable count', found 'b one'"),
    "count too low": (GOOD.replace("a 3\n", "a 2\n"), 8, "expected 'variable count', found '-0.5 2 c b'"),
    "count too high": (GOOD.replace("a 3\n", "a 4\n"), 9, "expected a score, found 'b'"),
    "twice": (GOOD.replace("b 1\n", "a 1\n"), 9, "variable 'a' has its parent sets already"),
    "truncated": (GOOD.removesuffix("-2 1 a\n"), 12, "the file ends here; expected 2 parent sets of 'c'"),
    "a variable too few": (GOOD.replace("3\n# a", "4\n# a"), 13, "the file ends here; expected 'variable count'"),
    "too many": (GOOD + "-1 1 b\n", 14, "too many lines: the parent sets are complete, found '-1 1 b'"),
    "score is text": (GOOD.replace("-1.5", "-1,5"), 5, "expected a score, found '-1,5'"),
    "underscore": (GOOD.replace("-1.5", "-1_5"), 5, "expected a score, found '-1_5'"),
    "NaN": (GOOD.replace("-1.5", "nan"), 5, "expected a score, found 'nan'"),
    "infinity": (GOOD.replace("-inf", "inf"), 10, "expected a score, found 'inf'"),
    "too large for sums": (GOOD.replace("-inf", "-1e308"), 10, "expected a score, found '-1e308'"),
    "no size": (GOOD.replace("-1.5 0", "-1.5"), 5, "expected 'score k p1 ... pk', found '-1.5'"),
    "wrong size": (GOOD.replace("-1 1 b", "-1 2 b"), 6, "expected 'score k p1 ... pk', found '-1 2 b'"),
    "unknown": (GOOD.replace("-1 1 b", "-1 1 d"), 6, "unknown variable 'd'"),
    "own parent": (GOOD.replace("-1 1 b", "-1 1 a"), 6, "variable 'a' is its own parent"),
    "parent twice": (GOOD.replace("2 c b", "2 c c"), 8, "variable 'a' has a parent twice"),
    "the first variable twice": (GOOD.replace("-2 1 a", "-2 2 a a"), 13, "variable 'c' has a parent twice"),
    "set twice": (GOOD.replace("2 c b", "1 b"), 8, "variable 'a' has this parent set already"),
    "empty set twice": (GOOD.replace("-1 1 b", "-1 0").replace("-0.5 2 c b", "-2 0"), 6, "has this parent set already"),
    "no parents at all, twice": ("1\na 2\n-1 0\n-2 0\n", 4, "variable 'a' has this parent set already"),
    "binary": ("\x00\x01\n", 1, r"found '\\x00\\x01'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_files_are_refused(tmp_path, name):
    text, line, message = REFUSED[name]
    file = tmp_path / "x.jkl"
    file.write_text(text)
    with pytest.raises(DataError, match=message) as refusal:
        read_parent_sets(file)
    assert str(refusal.value).startswith(f"{file}:{line}: " if line else f"{file}: ")
    assert "\n" not in str(refusal.value)


def test_files_that_cannot_be_opened_are_refused(tmp_path):
    with pytest.raises(DataError, match="x.jkl: cannot be read: No such file"):
        read_parent_sets(tmp_path / "x.jkl")
