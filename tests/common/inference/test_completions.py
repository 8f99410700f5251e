"""Completions of incomplete data: against enumeration, their files, and networks learned from them."""

import itertools
from collections import Counter

import numpy as np
import pytest

from cliquewise.common.data.incomplete import IncompleteData, without_missing_state
from cliquewise.common.errors import DataError, LimitError
from cliquewise.common.files.atomic_write import write_whole
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.inference import completions as module
from cliquewise.common.inference.completions import CompletionPlan, complete, csv_of_completions, read_completed
from cliquewise.common.inference.em import available_fit
from tests.as_oracles import tables_of
from tests.oracles import incomplete as oracle
from tests.random_inputs import random_dataset
from tests.reading import read_csv


def with_missing_cells(seed, n=4, rows=60, share=0.25):
    """Random data with missing cells; one row without any observed cell, and one row that is there three times."""
    rng = np.random.default_rng([seed, 41])
    data = random_dataset(seed, n, rows, 3)
    codes = data.codes.astype(np.int32)
    codes[1:][rng.random((rows - 1, n)) < share] = -1
    codes[2], codes[4] = codes[3], codes[3]
    codes[5] = -1
    codes, counts = np.unique(codes, axis=0, return_counts=True)
    return IncompleteData(data.names, data.states, np.asfortranarray(codes), "-", counts)


@pytest.mark.parametrize("seed", range(4))
def test_draws_are_from_the_conditional_distribution(seed):
    """Each completion of a row as often as enumeration says; each row as often as it should be."""
    data, parents = with_missing_cells(seed), ((), (0,), (0, 1), (2,))
    network = available_fit(data, parents, 1.0)
    arity, tables = data.arity.tolist(), tables_of(network.tables())
    rows = np.argsort((data.codes < 0).sum(axis=1))[-3:]
    times = np.array([6000, 0, 9000])
    logs, drawn = network.draw_rows(data.codes[rows], np.random.default_rng(seed), times)
    assert len(drawn) == times.sum()
    for row, log, many, part in zip(rows, logs, times, np.split(drawn, np.cumsum(times)[:-1]), strict=True):
        known = tuple(None if cell < 0 else cell for cell in data.codes[row].tolist())
        ways = {full: oracle.probability(full, parents, tables) for full in oracle.completions(known, arity)}
        assert log == pytest.approx(np.log(sum(ways.values())), rel=1e-9)
        seen = Counter(map(tuple, part.tolist()))
        assert seen.total() == many and seen.keys() <= ways.keys()
        for full, weight in ways.items() if many else ():
            share = weight / sum(ways.values())
            assert abs(seen[full] - share * many) < 5 * np.sqrt(many * share * (1 - share)) + 1


def test_the_round_with_the_largest_log_likelihood(monkeypatch, caplog):
    """Its completions are taken, and two later rounds are tried."""
    monkeypatch.setattr(module, "MIN_RISE", 0.0)
    earlier = 0
    for seed in range(6):
        caplog.clear()
        with caplog.at_level("INFO", "cliquewise"):
            done = complete(with_missing_cells(seed), CompletionPlan(2, seed, 20))
        logs = [float(record.getMessage().split()[-1]) for record in caplog.records if "round" in record.getMessage()]
        assert done.rounds == 1 + int(np.argmax(logs)) >= len(logs) - module.PATIENCE
        earlier += done.rounds < len(logs)
        assert np.array_equal(
            complete(with_missing_cells(seed), CompletionPlan(2, seed, done.rounds)).drawn, done.drawn
        )
    assert earlier


@pytest.mark.parametrize("seed", range(3))
def test_completions_of_every_row(seed):
    """In order, m for each row of the data; merged, with counts in m-ths; and the same from the same plan."""
    data, plan = with_missing_cells(seed), CompletionPlan(3, seed)
    done = complete(data, plan)
    of_row = np.repeat(data.codes, 3 * data.row_counts, axis=0)
    assert done.drawn.shape == of_row.shape
    assert ((of_row < 0) | (of_row == done.drawn)).all() and (done.drawn >= 0).all()
    assert done.n_rows == data.n_rows and done.denominator == 3 and done.counts.sum() == 3 * data.n_rows
    assert Counter(map(tuple, done.drawn.tolist())) == dict(
        zip(map(tuple, done.codes.tolist()), done.counts.tolist(), strict=True)
    )
    again = complete(data, CompletionPlan(3, seed, done.rounds))
    assert np.array_equal(again.drawn, done.drawn) and again.rounds == done.rounds
    assert not np.array_equal(complete(data, CompletionPlan(3, seed + 1)).drawn, done.drawn)


def test_a_time_limit_in_the_first_round_is_reproducible(monkeypatch):
    """Anywhere: the same rows are drawn again by rounds and steps alone, without a clock."""
    rng, codes = np.random.default_rng(1), np.zeros((300, 5), np.int32)
    for v in range(5):
        codes[:, v] = np.where(rng.random(300) < 0.8, codes[:, v - 1], rng.integers(0, 2, 300))
    codes[rng.random(codes.shape) < 0.2] = -1
    data, found = IncompleteData(tuple("abcde"), (("n", "y"),) * 5, np.asfortranarray(codes)), set()
    for asked in range(0, 60, 3):
        left = iter([True] * asked)
        with monkeypatch.context() as patched:
            patched.setattr(module._Clock, "should_continue", lambda _, left=left: next(left, False))
            done = complete(data, CompletionPlan(3), seconds=1.0)
        again = complete(data, CompletionPlan(3, 1, done.rounds, done.steps))
        assert np.array_equal(again.drawn, done.drawn) and (again.rounds, again.steps) == (done.rounds, done.steps)
        assert done.lines().get("completion-steps") == (None if done.steps is None else str(done.steps))
        found.add(done.steps)
    assert {0, None} < found and len(found) > 3


def test_likelihood_of_the_observed_cells():
    """Of a network that is not chordal, under a cover of it, fitted to the completions."""
    data = with_missing_cells(7)
    done = complete(data, CompletionPlan(2))
    graph = Graph(4, ((0, 1), (0, 3), (1, 2), (2, 3)))
    found = module.likelihood_of_observed(done, graph, 2.0)
    parents = module.parents_of_chordal(module.min_fill_cover(graph))
    rows = [
        tuple(None if cell < 0 else cell for cell in row) for row in np.repeat(data.codes, data.row_counts, 0).tolist()
    ]
    tables = []
    for v, parent_set in enumerate(parents):
        cells, arity = {}, data.arity.tolist()
        q = int(np.prod([arity[u] for u in parent_set]))
        for states in itertools.product(*(range(arity[u]) for u in parent_set)):
            here = [row for row in done.drawn.tolist() if tuple(row[u] for u in parent_set) == states]
            counts = [sum(row[v] == k for row in here) / 2 for k in range(arity[v])]
            cells[states] = [(count + 2.0 / (q * arity[v])) / (len(here) / 2 + 2.0 / q) for count in counts]
        tables.append(cells)
    assert found == pytest.approx(oracle.log_likelihood(rows, data.arity.tolist(), parents, tables), rel=1e-9)


def test_rounds_recover_a_dependence_that_independent_cells_blur():
    """Two columns that are equal stay equal, though a third of their cells is missing."""
    rng = np.random.default_rng(1)
    codes = np.repeat(rng.integers(0, 2, (2000, 1)), 2, axis=1).astype(np.int32)
    codes[rng.random(codes.shape) < 0.33] = -1
    data = IncompleteData(("a", "b"), (("n", "y"), ("n", "y")), codes)
    done = complete(data, CompletionPlan(2))
    assert (done.drawn[:, 0] == done.drawn[:, 1]).mean() > 0.99


def test_a_file_of_completions(tmp_path):
    data = with_missing_cells(3)
    done, path = complete(data, CompletionPlan(4)), str(tmp_path / "completed.csv")
    write_whole(path, csv_of_completions(done))
    found = read_completed(path, data, CompletionPlan(4, 1, done.rounds))
    assert np.array_equal(found.codes, done.codes) and np.array_equal(found.counts, done.counts)
    assert found.states == done.states and found.rounds == done.rounds
    lines = (tmp_path / "completed.csv").read_text().splitlines()
    assert lines[0] == "x0,x1,x2,x3,count"
    table = read_csv(path, "yes", counts="count")
    assert table.n_rows == 4 * data.n_rows


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda lines: lines[:-1], "not 4 completions of each of the 60 rows"),
        (lambda lines: [line.rpartition(",")[0] for line in lines], "other columns|not a count|no column"),
        (lambda lines: [lines[0], *lines[:0:-1]], "not a completion of its row|not 4 completions"),
    ],
)
def test_completions_of_other_rows_are_refused(tmp_path, change, message):
    data, path = with_missing_cells(3), tmp_path / "completed.csv"
    write_whole(str(path), csv_of_completions(complete(data, CompletionPlan(4))))
    path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")
    with pytest.raises(DataError, match=message):
        read_completed(str(path), data, CompletionPlan(4))


def test_too_many_completions(monkeypatch):
    monkeypatch.setattr("cliquewise.common.run.resources.available_memory", lambda: 10_000)
    with pytest.raises(LimitError, match="give fewer --completions"):
        complete(with_missing_cells(1), CompletionPlan(1000))


def test_a_column_without_known_cells(tmp_path):
    path = tmp_path / "blank.csv"
    path.write_text("a,b\n0,?\n1,?\n")
    with pytest.raises(DataError, match="column 'b' has no cell that is not missing; leave it out: --drop b"):
        without_missing_state(read_csv(path, "yes", "state"))
