"""Columns that no score can distinguish, against comparing the rows pairwise."""

from itertools import combinations

import numpy as np
import pytest

from cliquewise.mplearn import duplicate_columns as module
from cliquewise.mplearn.duplicate_columns import duplicate_columns
from tests.random_inputs import dataset_of


def are_duplicates(one, other):
    """Whether any two rows agree in both columns or in neither."""
    return all((one[r] == one[s]) == (other[r] == other[s]) for r, s in combinations(range(len(one)), 2))


@pytest.mark.parametrize("block", [2, 1 << 16])
def test_duplicates_are_columns_that_partition_the_rows_equally(monkeypatch, block):
    monkeypatch.setattr(module, "_BLOCK", block)
    found = set()
    for seed in range(200):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 3, (rng.integers(2, 6), 5))
        data = dataset_of(codes)
        columns = [data.codes[:, v].tolist() for v in range(5)]
        pairs = {p for p in combinations(range(5), 2) if are_duplicates(*(columns[v] for v in p))}
        pairs = {(u, v) for u, v in pairs if data.arity[u] > 1}
        assert {p for group in duplicate_columns(data) for p in combinations(group, 2)} == pairs
        found.add(len(pairs))
    assert len(found) > 3


def test_duplicates_are_reported(run):
    rows = "\n".join(("a,b,c,d,e", *("0,x,3,0,1", "1,y,1,0,1", "2,z,2,0,0", "1,y,1,1,0", "0,x,3,1,1")))
    done = run("mplearn", "-", input=rows.encode())
    assert done.code == 0 and "distinguish, of which the first is used: a = b = c\n" in done.stderr
    assert "distinguish" not in run("mplearn", "-", input=b"a,b\n0,1\n1,1\n").stderr
    binary = b"a,b,c\n0,1,1\n1,0,1\n0,1,0\n1,0,0\n0,1,1\n"
    assert "distinguish" in run("mplearn", "-", input=binary).stderr
    assert "distinguish" not in run("mplearn", "-", "--score", "l1lr", "--lambda", "1", input=binary).stderr
