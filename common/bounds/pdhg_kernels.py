"""Iterations of the primal-dual hybrid gradient method on arrays: see `common.bounds.pdhg`.

The program is: maximise c x, G x = b in the first rows and G x >= b in the others, x >= 0. The matrix is stored twice,
by columns and by rows; the entries of one column or row are start[i] .. start[i + 1]. Cost of an iteration: two
passes over the entries.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import kernel


class SparseProgram(NamedTuple):
    """A linear program; k columns, r rows, e entries.

    gain : float64[k], c
    least : float64[r], b
    equal : int, the number of equations, which come first
    by_column : (int32[k + 1], int32[e], float64[e]), start, row and value
    by_row : (int32[r + 1], int32[e], float64[e]), start, column and value
    """

    gain: np.ndarray
    least: np.ndarray
    equal: int
    by_column: tuple
    by_row: tuple


@kernel
def multiply(matrix, vector, product):
    """The product of a matrix, by rows (or its transpose, by columns), with a vector.

    Parameters
    ----------
    matrix : (int32[r + 1], int32[e], float64[e])
    vector : float64[k]
    product : float64[r], overwritten
    """
    start, index, value = matrix
    for i in range(product.shape[0]):
        total = 0.0
        for e in range(start[i], start[i + 1]):
            total += value[e] * vector[index[e]]
        product[i] = total


@kernel
def iterate(program, weight, x, y, x_start, y_start, done, count, x_next, y_next, price, slack):
    """Steps of the reflected Halpern iteration; returns the last step's squared length, of x and of y.

    Parameters
    ----------
    program : SparseProgram, scaled: its matrix has a norm of at most 1
    weight : float, > 0, the primal weight: the length of steps of y over that of x
    x, y : float64[k] and float64[r], overwritten
    x_start, y_start : of the same sizes, where the iteration began
    done : int, steps since then
    count : int, > 0, steps
    x_next, y_next : float64[k] and float64[r], overwritten: x and y after the last step without reflection
    price, slack : float64[k] and float64[r], overwritten
    """
    in_x = in_y = 0.0
    for t in range(done, done + count):
        multiply(program.by_column, y, price)
        for j in range(x.shape[0]):
            x_next[j] = max(0.0, x[j] + (program.gain[j] + price[j]) / weight)
            price[j] = 2.0 * x_next[j] - x[j]
        multiply(program.by_row, price, slack)
        for i in range(y.shape[0]):
            y_next[i] = y[i] + weight * (program.least[i] - slack[i])
            if i >= program.equal:
                y_next[i] = max(0.0, y_next[i])
        in_x = in_y = 0.0
        share = 1.0 / (t + 2.0)
        for j in range(x.shape[0]):
            in_x += (x_next[j] - x[j]) ** 2
            x[j] = (1.0 - share) * (2.0 * x_next[j] - x[j]) + share * x_start[j]
        for i in range(y.shape[0]):
            in_y += (y_next[i] - y[i]) ** 2
            y[i] = (1.0 - share) * (2.0 * y_next[i] - y[i]) + share * y_start[i]
    return in_x, in_y


@kernel
def scale(matrix, rows, columns):
    """Multiply the entry in row i and column j by rows[i] * columns[j].

    Parameters
    ----------
    matrix : (int32[r + 1], int32[e], float64[e]), by rows; its values are changed
    rows : float64[r]
    columns : float64[k]
    """
    start, index, value = matrix
    for i in range(rows.shape[0]):
        for e in range(start[i], start[i + 1]):
            value[e] *= rows[i] * columns[index[e]]


@kernel
def sums_of(matrix, sums):
    """The sum of the absolute values of each row.

    Parameters
    ----------
    matrix : (int32[r + 1], int32[e], float64[e]), by rows
    sums : float64[r], overwritten
    """
    start, _, value = matrix
    for i in range(sums.shape[0]):
        sums[i] = 0.0
        for e in range(start[i], start[i + 1]):
            sums[i] += abs(value[e])
