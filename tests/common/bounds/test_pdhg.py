"""Approximate solutions of linear programs by a first-order method."""

import numpy as np
import pytest
from scipy.optimize import linprog

from cliquewise.common.bounds.pdhg import PDHG
from cliquewise.common.bounds.pdhg_kernels import SignedEntries, SparseProgram, iterate, row_product
from tests.oracles.gradients import halpern_steps


def random_program(seed):
    """c, b, equations and G: some variables sum to 1, others to 1, and rows that a solution satisfies."""
    rng = np.random.default_rng(seed)
    groups, each, rows = 3, 6, 8
    equations = np.kron(np.eye(groups), np.ones(each))
    others = rng.integers(-1, 2, (rows, groups * each)).astype(float)
    x = rng.dirichlet(np.ones(each), groups).ravel()
    least = np.concatenate([np.ones(groups), others @ x - rng.choice([0.0, 0.2], rows)])
    return rng.normal(0.0, 10.0, groups * each), least, groups, np.vstack([equations, others])


def entries(matrix):
    """Row, column and value, column by column."""
    column, row = np.nonzero(matrix.T)
    return row.astype(np.int32), column.astype(np.int32), matrix[row, column]


def signed_entries(matrix):
    """The matrix by rows: of each row the columns of 1, then those of -1."""
    columns = [[*np.flatnonzero(row > 0), *np.flatnonzero(row < 0)] for row in matrix]
    start = np.cumsum([0, *map(len, columns)])
    return SignedEntries(start, start[:-1] + (matrix > 0).sum(axis=1), np.concatenate(columns).astype(np.uint32))


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(5))
def test_steps_are_as_defined(seed):
    gain, least, equal, matrix = random_program(seed)
    rng = np.random.default_rng(seed)
    x, y, x_start, y_start = (rng.random(size) for size in (matrix.shape[1], len(matrix)) * 2)
    by_column, by_row = signed_entries(matrix.T), signed_entries(matrix)
    assert [row_product(by_row, i, x) for i in range(len(matrix))] == pytest.approx(matrix @ x)
    column_sizes, row_sizes = (np.maximum(np.abs(matrix).sum(axis=axis), 1.0) for axis in (0, 1))
    program = SparseProgram(gain, least, equal, column_sizes, row_sizes, by_column, by_row)
    columns, rows = np.sqrt(column_sizes), np.sqrt(row_sizes)
    scaled = matrix / np.outer(rows, columns)
    plain = (gain / columns).tolist(), (least / rows).tolist(), equal, scaled.tolist()
    start = x_start * columns, y_start * rows
    before = halpern_steps(plain, 3.0, (x * columns, y * rows), start, seed, 3)
    expected = halpern_steps(plain, 3.0, before[0], start, seed + 3, 1)
    scratch = [np.zeros_like(part) for part in (x, y, x)]
    length = iterate(program, 3.0, x, y, x_start, y_start, seed, 4, *scratch)
    for found, (one, other) in zip(((x, y), scratch[:2]), expected, strict=True):
        assert found[0] * columns == pytest.approx(one) and found[1] * rows == pytest.approx(other)
    moved = [((np.array(new) - np.array(old)) ** 2).sum() for new, old in zip(expected[1], before[0], strict=True)]
    assert length == pytest.approx(moved)


@pytest.mark.parametrize("seed", range(8))
def test_many_steps_lead_to_the_optimum(seed):
    gain, least, equal, matrix = random_program(seed)
    exact = linprog(-gain, -matrix[equal:], -least[equal:], matrix[:equal], least[:equal], method="highs")
    method = PDHG(gain, least, equal, *entries(matrix))
    x, y, weight = np.zeros(len(gain)), np.zeros(len(least)), 1.0
    for _ in range(4):  # each from where the last one ended
        x, y, weight = method.improve(x, y, weight, 2000)
    assert (x >= 0.0).all() and (y[equal:] >= 0.0).all()
    assert gain @ x == pytest.approx(-exact.fun, abs=1e-4)
    assert x @ (gain + matrix.T @ y) - least @ y == pytest.approx(-exact.fun, abs=1e-4)
    assert matrix[:equal] @ x == pytest.approx(least[:equal], abs=1e-5)
    assert (matrix[equal:] @ x >= least[equal:] - 1e-5).all()


def test_a_stop_ends_the_solver():
    gain, least, equal, matrix = random_program(1)
    asked = []

    def should_continue():
        asked.append(None)
        return len(asked) < 5

    PDHG(gain, least, equal, *entries(matrix)).improve(
        np.zeros(len(gain)), np.zeros(len(least)), 1.0, 10_000, should_continue
    )
    assert len(asked) == 5


def test_other_entries_are_refused():
    gain, least, equal, matrix = random_program(1)
    with pytest.raises(ValueError, match="1 or -1"):
        PDHG(gain, least, equal, *entries(2.0 * matrix))
