"""A linear program in HiGHS whose rows are equations and then `Rows`; every round adds columns and rows.

HiGHS starts each solve from the last basis, which a round of new rows and columns changes little. The library can add
and remove both; the copy of it inside scipy cannot. Where programs are large, `RowProgram.improve` improves the last
solution without solving (`common.bounds.pdhg`): approximate multipliers give a valid bound, too.

Columns are families, each of a child, whose values sum to 1 by the first equations; there can be more equations. Every
equation has one more column, its *artificial column*: a costly family without parents, which also satisfies the rows
that require something of its child. So the program is feasible whatever columns are left.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np

from .pdhg import PDHG
from .violated_rows import join_rows, pick_rows, right_sides

if TYPE_CHECKING:
    from collections.abc import Callable

    from .rows_kernels import Rows

PERMANENT = -1  # instead of a number of rounds, for rows that are not dropped
PRICE = 1e-7  # a family is added if its reduced gain is larger; values of x below this count as 0
IDLE_FAMILIES = 0.5  # share of the gap: families of the program with a reduced gain below minus this leave it
TINY = 1e-9
PER_EFFORT = 6_000  # entries of the matrix that `improve` reads in the time of one unit of effort
SLICE = 20_000  # effort between two checks for a stop, about a second: more than most programs take
NO_ANSWER = (highspy.HighsModelStatus.kUnknown, highspy.HighsModelStatus.kSolveError)
LOG = logging.getLogger("cliquewise")


class StoppedError(Exception):
    """The run was stopped, or HiGHS gave up, before the linear program was solved."""


class SilentHighs(highspy.Highs):
    """HiGHS with one thread and no output, not even its name, which 1.16 prints when callbacks are enabled."""

    def __init__(self) -> None:
        super().__init__()
        for name, value in (("output_flag", False), ("threads", 1), ("presolve", "off"), ("random_seed", 1)):
            self.setOptionValue(name, value)

    def enableCallbacks(self) -> None:  # noqa: N802  (overrides)
        """Enable callbacks, as the constructor of HiGHS does first."""
        self.silent()
        super().enableCallbacks()


def run(highs: Any, should_continue: Callable) -> int:
    """Solve the program in HiGHS; returns the number of pivots.

    HiGHS goes on from its basis after a check for a stop, but takes another way then. So the checks are after numbers
    of pivots: the clock does not decide which solution is found.

    Parameters
    ----------
    highs
    should_continue
        Called after every SLICE of effort.

    Returns
    -------
    int

    Raises
    ------
    StoppedError
        It returned False; or HiGHS finds no answer, neither from its last basis nor without one, which is logged.
    RuntimeError
        There is no optimum.
    """
    pivots, is_new = 0, False
    highs.setOptionValue("simplex_iteration_limit", max(1, 1000 * SLICE // (highs.getNumRow() + highs.getNumCol())))
    while True:
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
        elif status != highspy.HighsModelStatus.kIterationLimit:
            raise RuntimeError(f"HiGHS ended with {highs.modelStatusToString(status)}")
        if not should_continue():
            raise StoppedError


def effort_of_pivots(highs: Any, pivots: int) -> int:
    """The effort of pivots in the program in HiGHS: their number times the thousands of rows and columns."""
    return pivots * (highs.getNumRow() + highs.getNumCol()) // 1000


def effort_of_steps(highs: Any, steps: int) -> int:
    """The effort of steps of the first-order method: that of pivots that take as long."""
    return steps * highs.getNumNz() // PER_EFFORT


class RowProgram:
    """A linear program over some families.

    Parameters
    ----------
    artificial : float64[e]
        The gain of each equation's artificial column.
    children
        The number of children; their equations come first.
    rows : Rows
        None, of the kind that the program will have.
    should_continue
        Called about every second between pivots.

    Attributes
    ----------
    slack_rounds : int
        Rounds that move the bound, after which a slack row is dropped.
    rows : Rows
    least : float64[r]
        Their right-hand sides.
    x : float64[k]
        The last solution, as the following attributes; it and the multipliers are 0 for what was added since.
    value : float
        An upper bound on it if the solution was improved.
    prices : float64[e]
        Of the equations.
    multipliers : float64[r]
        Of the rows, not negative.
    pivots : int
        Of the last `solve`.
    effort : int
        Of the last `solve` or `improve`: see `effort_of_pivots`.
    is_approximate : bool
        Whether the last solution was improved, not solved.
    """

    slack_rounds = 3

    def __init__(self, artificial: np.ndarray, children: int, rows: Rows, should_continue: Callable) -> None:
        count, ones = len(artificial), np.ones(len(artificial))
        self._children, self._equations, self._should_continue = children, count, should_continue
        self._highs = SilentHighs()
        self._highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self._highs.addRows(count, ones, ones, 0, np.zeros(count, np.int32), np.zeros(0, np.int32), np.zeros(0))
        own = np.arange(count, dtype=np.int32)
        self._highs.addCols(count, artificial, 0.0 * ones, highspy.kHighsInf * ones, count, own, own, ones)
        self.rows, self.least, self._idle = rows, np.zeros(0), np.zeros(0, np.int64)
        self.x, self.multipliers, self.prices, self._duals = np.zeros(0), np.zeros(0), np.zeros(count), np.zeros(count)
        self.value, self.pivots, self.effort, self.is_approximate = np.inf, 0, 0, False
        self._allowed, self._weight = np.zeros(0, bool), 0.0

    def _families(self) -> tuple[np.ndarray, np.ndarray]:
        """The families of the columns but for artificial ones: child int64[k], parents uint64[k]."""
        raise NotImplementedError

    def _triples(self, rows: Rows, child: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The coefficients of families in rows that are not zero, row by row: row, column and value."""
        raise NotImplementedError

    def _add_families(
        self, child: np.ndarray, parents: np.ndarray, gain: np.ndarray, equations: tuple[np.ndarray, np.ndarray]
    ) -> None:
        """Add columns; `equations` are the number of each equation and the column that is in it."""
        row, column, value = self._triples(self.rows, child, parents)
        row, column = np.concatenate([equations[0], row + self._equations]), np.concatenate([equations[1], column])
        value = np.concatenate([np.ones(len(equations[0])), value])
        order, count = np.lexsort((row, column)), len(child)
        start = np.searchsorted(column[order], np.arange(count)).astype(np.int32)
        row, value, upper = row[order].astype(np.int32), value[order], np.full(count, highspy.kHighsInf)
        self._highs.addCols(count, gain, np.zeros(count), upper, len(row), start, row, value)
        self.x = np.concatenate([self.x, np.zeros(count)])
        self._allowed = np.concatenate([self._allowed, np.ones(count, bool)])

    def _right_sides(self, rows: Rows) -> np.ndarray:
        """The right-hand sides of rows: float64[r]."""
        return right_sides(rows)

    def add_rows(self, rows: Rows) -> None:
        """Add rows."""
        least = self._right_sides(rows)
        child, parents = self._families()
        child = np.concatenate([np.arange(self._children), child])
        parents = np.concatenate([np.zeros(self._children, np.uint64), parents])
        row, column, value = self._triples(rows, child, parents)
        column += (column >= self._children) * np.int32(self._equations - self._children)  # further artificial columns
        count = len(least)
        start = np.searchsorted(row, np.arange(count)).astype(np.int32)
        self._highs.addRows(count, least, np.full(count, highspy.kHighsInf), len(row), start, column, value)
        self.rows, self.least = join_rows([self.rows, rows]), np.concatenate([self.least, least])
        self.multipliers = np.concatenate([self.multipliers, np.zeros(count)])
        self._idle = np.concatenate([self._idle, np.zeros(count, np.int64)])

    def _require(self, rows: Rows, artificial: np.ndarray) -> None:
        """Add rows that are never dropped, each satisfied by an artificial column, given by number: int64[]."""
        first = len(self._idle)
        self.add_rows(rows)
        self._idle[first:] = PERMANENT
        for row, column in enumerate(artificial.tolist(), self._equations + first):
            self._highs.changeCoeff(row, column, 1.0)

    def drop_rows(self, moved: bool = True) -> None:
        """Remove the rows that have not been tight for some rounds in which the bound moved.

        While the bound does not move, solutions are tied: each leaves slack the rows that exclude the others, which
        would return in turn if these rows were dropped.
        """
        idle = np.where(self.multipliers > TINY, 0, self._idle + moved)
        self._idle = np.where(self._idle == PERMANENT, PERMANENT, idle)
        self._delete_rows(self._idle >= self.slack_rounds)

    def _delete_rows(self, old: np.ndarray) -> None:
        """Remove rows: bool[r]."""
        if old.any():
            at = (np.flatnonzero(old) + self._equations).astype(np.int32)
            self._highs.deleteRows(len(at), at)
            self.rows, self.least, self._idle = pick_rows(self.rows, ~old), self.least[~old], self._idle[~old]
            self.multipliers = self.multipliers[~old]

    def _keep_columns(self, useful: np.ndarray) -> None:
        """Remove all columns but these (bool[k]) and artificial ones."""
        if not useful.all():
            at = (np.flatnonzero(~useful) + self._equations).astype(np.int32)
            self._highs.deleteCols(len(at), at)
            self.x, self._allowed = self.x[useful], self._allowed[useful]

    def solve_or_improve(self, left: int, many: float, slow: int, steps: int) -> None:
        """Improve the last solution by some steps if the program takes long to solve; otherwise solve it.

        Parameters
        ----------
        left, many
            The columns left, in the program or not; with at most `many` of them it is solved.
        slow
            A program whose solution took more pivots is improved from then on.
        steps
        """
        self.is_approximate = (self.is_approximate or self.pivots > slow) and left > many
        if self.is_approximate:
            self.improve(steps)
        else:
            self.solve()

    def solve(self) -> None:
        """Solve the current program.

        Raises
        ------
        StoppedError
            The run was stopped.
        """
        highs, count = self._highs, self._equations
        self.pivots = run(highs, self._should_continue)
        self.effort = effort_of_pivots(highs, self.pivots)
        solution = highs.getSolution()
        self.x, duals = np.array(solution.col_value)[count:], np.array(solution.row_dual)
        self.prices, self.multipliers = duals[:count], np.maximum(-duals[count:], 0.0)
        self._duals = -self.prices
        self.value = highs.getInfo().objective_function_value

    def improve(self, steps: int) -> None:
        """Improve the last solution by this number of steps of `common.bounds.pdhg`, instead of solving."""
        count, children, used = self._equations, self._children, self._allowed
        least = np.concatenate([np.ones(count), self.least])
        program = CopiedProgram(self._highs, count, least, self._families()[0], children, used)
        self._weight = self._weight or program.first_weight()
        x, y = np.concatenate([np.zeros(count), self.x[used]]), np.concatenate([self._duals, self.multipliers])
        x, y, self._weight = program.improve(x, y, self._weight, steps, self._should_continue)
        self.x = np.zeros(len(used))
        self.x[used], self._duals, self.multipliers = x[count:], y[:count], y[count:]
        best = program.prices(y)
        best = np.where(np.isfinite(best), best, -y[:children])  # of children with only their artificial column
        self.prices = np.concatenate([best, -y[children:count]])
        self.value = float(self.prices.sum() - self.least @ self.multipliers)
        self.effort = effort_of_steps(self._highs, steps)


class CopiedProgram(PDHG):
    """A copy of the program in HiGHS, to improve its solutions.

    Parameters
    ----------
    highs
        Its first columns are artificial, its first rows one equation for each child.
    equal
        The number of equations, which come first.
    least : float64[r]
        Right-hand sides.
    child : int64[k]
        Of the other columns.
    children
        Their number.
    allowed : bool[k]
        Those that may be used, with all artificial columns.
    """

    def __init__(
        self,
        highs: Any,
        equal: int,
        least: np.ndarray,
        child: np.ndarray,
        children: int,
        allowed: np.ndarray,
    ) -> None:
        lp = highs.getLp()
        gain, (row, column, value) = np.array(lp.col_cost_), entries_of(lp.a_matrix_)
        if not allowed.all():
            there = np.concatenate([np.ones(len(gain) - len(child), bool), allowed])
            kept, number = there[column], np.cumsum(there) - 1
            row, column, value = row[kept], number[column[kept]].astype(np.int32), value[kept]
            gain, child = gain[there], child[allowed]
        self._gain, self._child, self._entries = gain, child, (row, column, value)
        self._artificial, self._children = len(gain) - len(child), children
        super().__init__(gain, least, equal, row, column, value)

    def first_weight(self) -> float:
        """A primal weight to begin with, > 0: the mean loss of a column."""
        gain = self._gain[self._artificial :]
        return TINY + float((_largest(gain, self._child, self._children)[self._child] - gain).mean())

    def prices(self, y: np.ndarray) -> np.ndarray:
        """The largest reduced profit of each child's columns, without artificial ones, under multipliers y of the rows.

        Parameters
        ----------
        y : float64[r]
            Those of the children's equations are not used.

        Returns
        -------
        float64[children]
        """
        row, column, value = self._entries
        weight = value * np.where(row < self._children, 0.0, y[row])
        profit = self._gain + np.bincount(column, weight, len(self._gain))
        return _largest(profit[self._artificial :], self._child, self._children)


def entries_of(matrix: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The entries of a matrix of HiGHS, column by column: row int32[e], column int32[e] and value float64[e]."""
    start, inner, value = np.array(matrix.start_), np.array(matrix.index_, np.int32), np.array(matrix.value_)
    outer = np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start))
    if matrix.format_ == highspy.MatrixFormat.kColwise:
        return inner, outer, value
    order = np.argsort(inner, kind="stable")
    return outer[order], inner[order], value[order]


def _largest(value: np.ndarray, child: np.ndarray, n: int) -> np.ndarray:
    """The largest value of each child's families: float64[n]."""
    best = np.full(n, -np.inf)
    np.maximum.at(best, child, value)
    return best


def useful_columns(x: np.ndarray, loss: np.ndarray, gap: float, kept: int) -> np.ndarray:
    """The columns of a program with a value or a small loss.

    Parameters
    ----------
    x, loss : float64[k]
    gap
        The bound less the best score known.
    kept
        The largest number of columns without a value to keep.

    Returns
    -------
    bool[k]
    """
    limit = IDLE_FAMILIES * gap
    if len(loss) > kept:
        limit = min(limit, np.partition(loss, kept)[kept])
    return (x > PRICE) | (loss <= limit)
