"""The memory of mplearn: not states times rows, estimated first, and refused if the machine has less."""

import tracemalloc

import numpy as np
import pytest

from cliquewise.common.run import resources
from cliquewise.common.scores.scorer import counting_table
from cliquewise.mplearn import extensions
from cliquewise.mplearn.blanket_scoring import BlanketScoring
from cliquewise.mplearn.config import Config
from cliquewise.mplearn.extensions import Extensions, affordable_planes
from cliquewise.mplearn.learn import learn
from cliquewise.mplearn.local import LocalScores
from cliquewise.mplearn.size import memory_needed
from tests.commands import ROOT
from tests.learning import learned
from tests.mplearn.test_scores import check_extensions
from tests.random_inputs import dataset_of


def with_identifiers(n_rows):
    """A column of identifiers and three others."""
    rng = np.random.default_rng(3)
    return dataset_of(np.column_stack([np.arange(n_rows), rng.integers(0, [2, 3, 20], (n_rows, 3))]))


@pytest.mark.parametrize("n_rows", [5000, 20_000])
def test_a_column_of_identifiers_takes_no_more_memory(n_rows):
    data = with_identifiers(n_rows)
    learned(
        learn, with_identifiers(300), Config(), BlanketScoring(), threads=1
    )  # compiles for columns of this many states
    tracemalloc.start()
    learned(learn, data, Config(), BlanketScoring(), threads=2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    cache = 24 << 16
    assert peak < memory_needed(data, 2) + cache + 2_000_000
    assert memory_needed(data, 2) < 400 * n_rows  # a bit for each state and row was n_rows / 8 per row


def test_planes_take_a_few_bytes_a_row_and_variable():
    for n_rows in (1, 63, 1000, 10_000_000):
        for arity in ([2] * 50, [1, 2, 3], [250] * 40, [10_000_000, 2], [*range(1, 300)]):
            arity = np.array(arity)
            first, count = affordable_planes(arity, n_rows)
            assert count * 8 * -(-n_rows // 64) <= max(1 << 26, 4 * n_rows * len(arity))
            expected = 0
            for v in range(len(arity)):
                if first[v] >= 0:
                    assert first[v] == expected
                    expected += arity[v]
            assert expected == count
            assert all(first[arity == 2] >= 0) and all(first[arity > 257] == -1)


def test_variables_without_planes_have_the_same_scores(monkeypatch):
    """Some have planes, some none; the blankets' own scores say what is right."""
    rng = np.random.default_rng(5)
    columns = rng.integers(0, [2, 2, 3, 2, 9, 5], (5000, 6))
    data = dataset_of(np.column_stack([columns, np.arange(5000)]))  # no two rows are equal
    local = LocalScores(data, BlanketScoring())
    monkeypatch.setattr(extensions, "SMALL_PLANES", 0)
    for per_cell, none in ((4, 0), (0.2, 2), (0, 6)):
        monkeypatch.setattr(extensions, "PLANE_BYTES", per_cell)
        found = Extensions(counting_table(data), "bdeu", 1.0, threads=1)
        assert np.count_nonzero(found.table.first_plane[:6] == -1) == none
        check_extensions(found, local, [(0, []), (1, [0]), (4, [0, 2]), (2, [1, 3, 4, 5])])


def test_what_does_not_fit_is_refused(run, tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "available_memory", lambda: 5000)
    votes = ROOT / "data/votes.csv"
    done = run("mplearn", votes, "--missing", "state", "--threads", 2, "-q", "-o", tmp_path / "x")
    assert done.code == 1 and list(tmp_path.iterdir()) == []
    assert done.stderr.startswith("mplearn: the tables need 0.")
    assert done.stderr.endswith(" GB, 5e-06 GB may be used (--memory); use fewer --threads, rows or columns\n")
