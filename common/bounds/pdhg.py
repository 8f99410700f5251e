"""Approximate solutions of large linear programs by the primal-dual hybrid gradient method.

The method needs no factorisation, and every step takes two products of the matrix with a vector (Applegate et al.,
NeurIPS 2021). From the last round's solution, some hundred steps bring a program of 5000 rows and columns so near the
optimum that the bound by its multipliers, which need not be exact, is as good as after thousands of pivots of the
simplex method; and its solutions are in the middle of the optimal face instead of in a corner, so that the rows they
violate exclude more.

We use the reflected Halpern iteration: with T(z) the step from the primal and dual values z, and z_0 the start,

    z_(k+1)  =  (k + 1) / (k + 2) (2 T(z_k) - z_k)  +  1 / (k + 2) z_0,

restarted from T(z_k) when |z - T(z)| has fallen far enough (Lu and Yang 2024). The step of each row and column is the
reciprocal of its number of entries, which are all 1 or -1, so that steps are short enough (Pock and Chambolle 2011);
the *primal weight*, by which steps of y are multiplied and steps of x divided, is balanced at every restart. Unlike
theirs, our length of a step neglects the term that couples x and y.

Cost: two passes over the matrix per step.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .pdhg_kernels import SignedEntries, SparseProgram, iterate

if TYPE_CHECKING:
    from collections.abc import Callable

RESTART_TEST_STEPS = 40  # steps between two tests for a restart
SUFFICIENT_DECREASE, NECESSARY_DECREASE = (
    0.2,
    0.8,
)  # length of a step over that of the first: restart below SUFFICIENT_DECREASE; below NECESSARY_DECREASE once it grows
ARTIFICIAL_RESTART = 0.36  # or the steps since the last restart are more than this share of all
TINY = 1e-12


class PDHG:
    """A linear program: maximise c x, G x = b in the first rows and G x >= b in the others, x >= 0.

    Parameters
    ----------
    gain : float64[k]
    least : float64[r]
    equal
        The number of equations, which come first.
    row, column : int32[e]
    value : float64[e]
        The entries of the matrix, each 1 or -1.

    Raises
    ------
    ValueError
        An entry is something else.
    """

    def __init__(
        self, gain: np.ndarray, least: np.ndarray, equal: int, row: np.ndarray, column: np.ndarray, value: np.ndarray
    ) -> None:
        if not (np.abs(value) == 1.0).all():
            raise ValueError("all entries of the matrix must be 1 or -1")
        by_column, by_row = _signed(column, row, value, len(gain)), _signed(row, column, value, len(least))
        column_sizes, row_sizes = (np.maximum(np.diff(part.start), 1.0) for part in (by_column, by_row))
        self._program = SparseProgram(gain, least, equal, column_sizes, row_sizes, by_column, by_row)

    def improve(
        self, x: np.ndarray, y: np.ndarray, weight: float, steps: int, should_continue: Callable = lambda: True
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """Steps from a solution.

        Parameters
        ----------
        x : float64[k]
        y : float64[r]
            The multipliers: those of a solution with the optimum value c x + y (G x - b).
        weight
            The primal weight to begin with.
        steps
        should_continue
            Called every few steps; once it returns False, the remaining steps are skipped.

        Returns
        -------
        (float64[k], float64[r], float)
            The new x, y and weight; not negative, except for the multipliers of equations.
        """
        program = self._program
        x, y, x_next, y_next, x_start, y_start = x.copy(), y.copy(), x.copy(), y.copy(), x.copy(), y.copy()
        reflected, taken, first, last = np.empty_like(x), 0, math.inf, math.inf
        done = 0
        while done < steps and should_continue():
            count = 1 if taken == 0 else RESTART_TEST_STEPS
            part = iterate(program, weight, x, y, x_start, y_start, taken, count, x_next, y_next, reflected)
            taken, done, length = taken + count, done + count, math.sqrt(weight * part[0] + part[1] / weight)
            first = length if taken == 1 else first
            if taken > 1 and (
                length <= SUFFICIENT_DECREASE * first
                or length <= NECESSARY_DECREASE * first
                and length > last
                or taken >= ARTIFICIAL_RESTART * done + 2 * RESTART_TEST_STEPS
            ):
                moved = (
                    np.linalg.norm((x_next - x_start) * np.sqrt(program.column_sizes)),
                    np.linalg.norm((y_next - y_start) * np.sqrt(program.row_sizes)),
                )
                if min(moved) > TINY:
                    weight = math.sqrt(weight * moved[1] / moved[0])
                for at, near in ((x, x_next), (y, y_next)):
                    at[:] = near
                x_start[:], y_start[:], taken = x, y, 0
            last = length if taken else math.inf
        return x_next, y_next, weight


def _signed(outer: np.ndarray, inner: np.ndarray, value: np.ndarray, count: int) -> SignedEntries:
    """The entries of a matrix by rows, or by columns if these are the outer indices."""
    order = np.lexsort((value < 0.0, outer))
    start = np.concatenate([[0], np.cumsum(np.bincount(outer, minlength=count))])
    middle = start[:-1] + np.bincount(outer[value > 0.0], minlength=count)
    return SignedEntries(start, middle, inner[order].astype(np.uint32))
