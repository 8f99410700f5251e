"""The linear program of `common.bounds.cutting`, held by HiGHS; every round adds columns and rows.

HiGHS starts each solve from the last basis, which a round of new rows and columns changes little. The library can add
and remove both; the copy of it inside scipy cannot.

For each variable, one row states that its families sum to 1; all others are rows of `common.bounds.rows_kernels` or
require an edge. Each variable has one more column, its *filler*: a costly family without parents that satisfies any
required edge. So the program is feasible even if required edges or ruled-out families leave no solution.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np

from .separation import join_rows, pick_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .families import Choice
    from .rows_kernels import Rows

IDLE = 3  # rounds that move the bound, after which a slack row is dropped
TINY = 1e-9
SLICE = 1.0  # seconds between two checks for a stop
NO_ANSWER = (highspy.HighsModelStatus.kUnknown, highspy.HighsModelStatus.kSolveError)
LOG = logging.getLogger("cliquewise")


class StoppedError(Exception):
    """The run was stopped, or HiGHS gave up, before the linear program was solved."""


class SilentHighs(highspy.Highs):
    """HiGHS with one thread, that writes nothing: not even its name, as 1.16 does when callbacks are enabled."""

    def __init__(self) -> None:
        super().__init__()
        for name, value in (("output_flag", False), ("threads", 1), ("presolve", "off"), ("random_seed", 1)):
            self.setOptionValue(name, value)

    def enableCallbacks(self) -> None:  # noqa: N802  (overrides)
        """As in HiGHS, whose constructor calls this first."""
        self.silent()
        super().enableCallbacks()


def run(highs: Any, may_go_on: Callable) -> int:
    """Solve the program that HiGHS holds; returns the number of pivots.

    Parameters
    ----------
    highs
    may_go_on
        Called every second.

    Returns
    -------
    int

    Raises
    ------
    StoppedError
        It returned False; or HiGHS finds no answer, neither from its last basis nor from nothing, which is logged.
    RuntimeError
        There is no optimum.
    """
    pivots, is_new = 0, False
    while True:
        highs.setOptionValue("time_limit", highs.getRunTime() + SLICE)
        highs.run()
        pivots += highs.getInfo().simplex_iteration_count
        status = highs.getModelStatus()
        if status == highspy.HighsModelStatus.kOptimal:
            return pivots
        if status in NO_ANSWER:
            if is_new:
                LOG.warning("HiGHS finds no answer to a linear program (%s)", highs.modelStatusToString(status))
                raise StoppedError
            highs.clearSolver()  # forgets its basis, which rounding can spoil
            is_new = True
        elif status != highspy.HighsModelStatus.kTimeLimit:
            raise RuntimeError(f"HiGHS ended with {highs.modelStatusToString(status)}")
        if not may_go_on():
            raise StoppedError


class Relaxation:
    """A linear program over some families.

    Parameters
    ----------
    choice
    required
        Masks of the required edges.
    cost
        Cost of one unit of a filler, > 0.
    may_go_on
        Called every second.

    Attributes
    ----------
    columns : int64[k]
        The families, by their number in the choice.
    rows : Rows
    least : float64[r]
        Their right-hand sides.
    x : float64[k]
        Of the last solution, like the following attributes.
    value : float
    prices : float64[n]
        Of the rows that sum to 1.
    multipliers : float64[r]
        Of the rows, not negative.
    missing : float
        The sum of the fillers.
    effort : int
        Of the simplex method: pivots times the thousands of rows and columns.
    """

    def __init__(
        self, choice: Choice, required: Sequence[int] = (), cost: float = 0.0, may_go_on: Callable = lambda: True
    ) -> None:
        n = choice.n
        self.choice, self._may_go_on = choice, may_go_on
        self._highs = SilentHighs()
        self._highs.setOptionValue("simplex_scale_strategy", 0)
        self._highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self._highs.addRows(n, np.ones(n), np.ones(n), 0, np.zeros(n, np.int32), np.zeros(0, np.int32), np.zeros(0))
        self.columns = np.zeros(0, np.int64)
        self.rows, self.least, self._idle = choice.empty_rows(0), np.zeros(0), np.zeros(0, np.int64)
        self._required = len(required)
        self._add_fillers(cost)
        self._add_required(np.array(required, np.uint64))

    def _add_fillers(self, cost: float) -> None:
        """The costly columns: child v without parents, v = 0 .. n - 1."""
        n, ones = self.choice.n, np.ones(self.choice.n)
        gain = np.full(n, self.choice.families.gain.min())
        own = np.arange(n, dtype=np.int32)
        self._highs.addCols(n, gain - cost, 0.0 * ones, highspy.kHighsInf * ones, n, own, own, ones)

    def _add_required(self, edges: np.ndarray) -> None:
        """Rows c(edge) >= 1, which the filler of an end of the edge also satisfies."""
        rows, count = self.choice.empty_rows(len(edges)), len(edges)
        rows.larger[:, 0] = edges
        ends = np.array([(int(edge) & -int(edge)).bit_length() - 1 for edge in edges], np.int32)
        at, ones = np.arange(count, dtype=np.int32), np.ones(count)
        self._highs.addRows(count, ones, highspy.kHighsInf * ones, count, at, ends, ones)
        self.rows, self.least, self._idle = rows, ones, np.zeros(count, np.int64)

    def add_columns(self, numbers: np.ndarray) -> None:
        """Add families."""
        child, parents = self.choice.masks(numbers)
        row, column, value = self.choice.coefficients(self.rows, child, parents)
        order = np.argsort(column, kind="stable")
        own = np.arange(len(numbers), dtype=np.int32)  # of the rows that sum to 1
        column = np.concatenate([own, column[order]])
        order, order_by_row = np.argsort(column, kind="stable"), order
        row = np.concatenate([child, row[order_by_row] + self.choice.n])[order].astype(np.int32)
        value = np.concatenate([np.ones(len(numbers)), value[order_by_row]])[order]
        start = np.searchsorted(column[order], own).astype(np.int32)
        gain, upper = self.choice.families.gain[numbers], np.full(len(numbers), highspy.kHighsInf)
        self._highs.addCols(len(numbers), gain, np.zeros(len(numbers)), upper, len(row), start, row, value)
        self.columns = np.concatenate([self.columns, numbers])

    def add_rows(self, rows: Rows) -> None:
        """Add rows that every network satisfies."""
        child, parents = self.choice.masks(self.columns)
        n = self.choice.n
        child, parents = np.concatenate([np.arange(n), child]), np.concatenate([np.zeros(n, np.uint64), parents])
        row, column, value = self.choice.coefficients(rows, child, parents)
        count = len(rows.base)
        start = np.searchsorted(row, np.arange(count)).astype(np.int32)
        least = (rows.base == 0).astype(float)
        upper = np.full(count, highspy.kHighsInf)
        self._highs.addRows(count, least, upper, len(row), start, column, value)
        self.rows = join_rows([self.rows, rows])
        self.least = np.concatenate([self.least, least])
        self._idle = np.concatenate([self._idle, np.zeros(count, np.int64)])

    def drop_rows(self, moved: bool = True) -> None:
        """Remove the rows that have not been tight for some rounds in which the bound moved.

        While it does not move, solutions are tied: each of them leaves rows slack that exclude the others, which would
        return in turn if these rows were dropped.
        """
        if not moved:
            self._idle[self.multipliers > TINY] = 0
            return
        self._idle = np.where(self.multipliers > TINY, 0, self._idle + 1)
        self._idle[: self._required] = 0
        old = self._idle >= IDLE
        if old.any():
            at = (np.flatnonzero(old) + self.choice.n).astype(np.int32)
            self._highs.deleteRows(len(at), at)
            self.rows, self.least, self._idle = pick_rows(self.rows, ~old), self.least[~old], self._idle[~old]

    def losses(self) -> np.ndarray:
        """What each family loses, by the reduced profit that the choice's last `bound` gave it: float64[k]."""
        return self.prices[self.choice.families.child[self.columns]] - self.choice.profit[self.columns]

    def drop_columns(self, useful: np.ndarray | bool = True) -> None:
        """Remove the families that are fixed to 0 or not useful (bool[k]), and update the numbers of the others."""
        kept = self.choice.alive[self.columns] & useful
        if not kept.all():
            at = (np.flatnonzero(~kept) + self.choice.n).astype(np.int32)
            self._highs.deleteCols(len(at), at)
            self.columns = self.columns[kept]
        moved = self.choice.shrink()
        if moved is not None:
            self.columns = moved[self.columns]

    def solve(self) -> None:
        """Solve the current program.

        Raises
        ------
        StoppedError
            The run was stopped.
        """
        highs, n = self._highs, self.choice.n
        pivots = run(highs, self._may_go_on)
        self.effort = pivots * (highs.getNumRow() + highs.getNumCol()) // 1000
        solution = highs.getSolution()
        values, duals = np.array(solution.col_value), np.array(solution.row_dual)
        self.x, self.missing = values[n:], float(values[:n].sum())
        self.prices, self.multipliers = duals[:n], np.maximum(-duals[n:], 0.0)
        self.value = highs.getInfo().objective_function_value

    def without_and_with(self, edge: int, pivots: int) -> tuple[float, float]:
        """Estimates of the value without an edge (a mask) and with it, after a few pivots of each: (float, float)."""
        highs, n = self._highs, self.choice.n
        child, parents = self.choice.masks(self.columns)
        bit = np.uint64(1) << child.astype(np.uint64)
        holding = (parents | bit) & edge == edge
        at = (np.flatnonzero(holding) + n).astype(np.int32)
        completing = (np.flatnonzero(holding & (bit & edge != 0)) + n).astype(np.int32)
        basis, zeros = highs.getBasis(), np.zeros(len(at))
        highs.changeColsBounds(len(at), at, zeros, zeros)
        without = self._probe(pivots)
        highs.changeColsBounds(len(at), at, zeros, zeros + highspy.kHighsInf)
        highs.setBasis(basis)
        highs.addRow(1.0, highspy.kHighsInf, len(completing), completing, np.ones(len(completing)))
        held = self._probe(pivots)
        highs.deleteRows(1, np.array([highs.getNumRow() - 1], np.int32))
        highs.setBasis(basis)
        return without, held

    def _probe(self, pivots: int) -> float:
        """The value after so many pivots; minus infinity if there is no solution."""
        highs = self._highs
        highs.setOptionValue("time_limit", highspy.kHighsInf)
        highs.setOptionValue("simplex_iteration_limit", pivots)
        highs.run()
        highs.setOptionValue("simplex_iteration_limit", highspy.kHighsIInf)
        if highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            return -np.inf
        return highs.getInfo().objective_function_value
