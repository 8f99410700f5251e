"""Approximate solutions of linear programs by a first-order method."""

import numpy as np
import pytest
from scipy.optimize import linprog

from cliquewise.common.bounds.pdhg import PDHG
from cliquewise.common.bounds.pdhg_kernels import SparseProgram, iterate, multiply
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


def sparse(matrix):
    """Start, index and value, row by row."""
    row, column = np.nonzero(matrix)
    start = np.searchsorted(row, np.arange(len(matrix) + 1))
    return start, column.astype(np.int32), matrix[row, column]


@pytest.mark.nojit
@pytest.mark.parametrize("seed", range(5))
def test_steps_are_as_defined(seed):
    gain, least, equal, matrix = random_program(seed)
    rng = np.random.default_rng(seed)
    x, y, x_start, y_start = (rng.random(size) for size in (matrix.shape[1], len(matrix)) * 2)
    program = SparseProgram(gain, least, equal, sparse(matrix.T), sparse(matrix))
    product = np.zeros(len(matrix))
    multiply(program.by_row, x, product)
    assert product == pytest.approx(matrix @ x)
    plain = gain.tolist(), least.tolist(), equal, matrix.tolist()
    before = halpern_steps(plain, 3.0, (x, y), (x_start, y_start), seed, 3)
    expected = halpern_steps(plain, 3.0, before[0], (x_start, y_start), seed + 3, 1)
    scratch = [np.zeros_like(part) for part in (x, y) * 2]
    length = iterate(program, 3.0, x, y, x_start, y_start, seed, 4, *scratch)
    for found, (one, other) in zip(((x, y), scratch[:2]), expected, strict=True):
        assert found[0] == pytest.approx(one) and found[1] == pytest.approx(other)
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
