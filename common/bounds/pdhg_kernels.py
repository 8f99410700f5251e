"""Iterations of the primal-dual hybrid gradient method on arrays: see `common.bounds.pdhg`.

The program is: maximise c x, G x = b in the first rows and G x >= b in the others, x >= 0; all entries of G are 1, -1
or 0. The matrix is stored twice, by columns and by rows, as `SignedEntries`. Cost of an iteration: two passes over the
entries.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import kernel


class SignedEntries(NamedTuple):
    """A matrix of r rows with e entries, all 1 or -1, or its transpose.

    Row i has 1 in columns index[start[i] : middle[i]] and -1 in columns index[middle[i] : start[i + 1]].

    start : int64[r + 1]
    middle : int64[r]
    index : uint32[e]
    """

    start: np.ndarray
    middle: np.ndarray
    index: np.ndarray


class SparseProgram(NamedTuple):
    """A linear program; k columns, r rows.

    gain : float64[k], c
    least : float64[r], b
    equal : int, the number of equations, which come first
    column_sizes, row_sizes : float64[k] and float64[r], the numbers of their entries, at least 1
    by_column, by_row : SignedEntries
    """

    gain: np.ndarray
    least: np.ndarray
    equal: int
    column_sizes: np.ndarray
    row_sizes: np.ndarray
    by_column: SignedEntries
    by_row: SignedEntries


@kernel
def row_product(matrix, i, vector):
    """The product of row i of a matrix with a vector, in four sums: additions that wait for each other take longer.

    Parameters
    ----------
    matrix : SignedEntries
    i : int
    vector : float64[k]
    """
    index, e, middle, end = matrix.index, matrix.start[i], matrix.middle[i], matrix.start[i + 1]
    first = second = third = fourth = 0.0
    while e + 4 <= middle:
        first += vector[index[e]]
        second += vector[index[e + 1]]
        third += vector[index[e + 2]]
        fourth += vector[index[e + 3]]
        e += 4
    while e < middle:
        first += vector[index[e]]
        e += 1
    while e < end:
        second -= vector[index[e]]
        e += 1
    return (first + second) + (third + fourth)


@kernel
def iterate(program, weight, x, y, x_start, y_start, done, count, x_next, y_next, reflected):
    """Steps of the reflected Halpern iteration; returns the last step's squared length, of x and of y.

    Lengths are those of scaled variables: the squares of changes are multiplied by `column_sizes` and `row_sizes`.

    Parameters
    ----------
    program : SparseProgram
    weight : float, > 0, the primal weight, by which steps of y are multiplied and steps of x divided
    x, y : float64[k] and float64[r], overwritten
    x_start, y_start : of the same sizes, where the iteration began
    done : int, steps since then
    count : int, > 0, steps
    x_next, y_next : float64[k] and float64[r], overwritten: x and y after the last step without reflection
    reflected : float64[k], overwritten
    """
    in_x = in_y = 0.0
    for t in range(done, done + count):
        in_x = in_y = 0.0
        share = 1.0 / (t + 2.0)
        for j in range(x.shape[0]):
            slope = program.gain[j] + row_product(program.by_column, j, y)
            x_next[j] = max(0.0, x[j] + slope / (program.column_sizes[j] * weight))
            reflected[j] = 2.0 * x_next[j] - x[j]
            in_x += (x_next[j] - x[j]) ** 2 * program.column_sizes[j]
            x[j] = (1.0 - share) * reflected[j] + share * x_start[j]
        for i in range(y.shape[0]):
            slope = program.least[i] - row_product(program.by_row, i, reflected)
            y_next[i] = y[i] + slope * weight / program.row_sizes[i]
            if i >= program.equal:
                y_next[i] = max(0.0, y_next[i])
            in_y += (y_next[i] - y[i]) ** 2 * program.row_sizes[i]
            y[i] = (1.0 - share) * (2.0 * y_next[i] - y[i]) + share * y_start[i]
    return in_x, in_y
