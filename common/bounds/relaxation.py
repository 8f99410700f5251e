"""The linear program of `common.bounds.cutting`, held by HiGHS; every round adds columns and rows.

HiGHS starts each solve from the last basis, which a round of new rows and columns changes little. The library can add
and remove both; the copy of it inside scipy cannot. Where programs are large, `Relaxation.improve` makes the last
solution better without solving: approximate multipliers give a valid bound (`common.bounds.cutting`).

For each variable, one row states that its families sum to 1; all others are rows of `common.bounds.rows_kernels` or
require an edge. Each variable has one more column, its *filler*: a costly family without parents that satisfies any
required edge. So the program is feasible even if required edges or ruled-out families leave no solution.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NamedTuple

import highspy
import numpy as np

from .hybrid_gradient import HybridGradient
from .separation import join_rows, pick_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .families import Choice
    from .rows_kernels import Rows

IDLE = 3  # rounds that move the bound, after which a slack row is dropped
TINY = 1e-9
PER_EFFORT = 6_000  # entries that `improve` passes, in a round as long as one with a unit of the simplex method
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


def effort_of_pivots(highs: Any, pivots: int) -> int:
    """What pivots in the program that HiGHS holds cost: their number times the thousands of rows and columns."""
    return pivots * (highs.getNumRow() + highs.getNumCol()) // 1000


def effort_of_steps(highs: Any, steps: int) -> int:
    """The same for steps of the first-order method: the effort of pivots that take as long."""
    return steps * highs.getNumNz() // PER_EFFORT


class WarmStart(NamedTuple):
    """Where `Relaxation.improve` begins.

    child : int64[k]
    parents : uint64[k]
    x : float64[k], of these families
    equations : float64[n], multipliers of the equations
    multipliers : float64[r], of the rows
    weight : float, the primal weight
    """

    child: np.ndarray
    parents: np.ndarray
    x: np.ndarray
    equations: np.ndarray
    multipliers: np.ndarray
    weight: float


class Relaxation:
    """A linear program over some families.

    Parameters
    ----------
    choice
    required
        The required edges, named like sets.
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
        Of the last solution, like the following attributes; it and the multipliers are 0 for what was added since.
    value : float
    prices : float64[n]
        Of the rows that sum to 1.
    multipliers : float64[r]
        Of the rows, not negative.
    pivots : int
        Of the last `solve`.
    effort : int
        Of the last `solve` or `improve`: see `effort_of_pivots`.
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
        self._required, self.pivots = len(required), 0
        self.x, self.multipliers, self._equations, self._weight = np.zeros(0), np.zeros(0), np.zeros(n), 0.0
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
        rows, count = self.choice.edge_rows(edges), len(edges)
        ends = self.choice.ends(edges)[:, 0].astype(np.int32)
        at, ones = np.arange(count, dtype=np.int32), np.ones(count)
        self._highs.addRows(count, ones, highspy.kHighsInf * ones, count, at, ends, ones)
        self.rows, self.least, self._idle = rows, ones, np.zeros(count, np.int64)
        self.multipliers = np.zeros(count)

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
        self.x = np.concatenate([self.x, np.zeros(len(numbers))])

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
        self.multipliers = np.concatenate([self.multipliers, np.zeros(count)])
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
            self.multipliers = self.multipliers[~old]

    def losses(self) -> np.ndarray:
        """What each family loses, by the reduced profit that the choice's last `bound` gave it: float64[k]."""
        return self.prices[self.choice.families.child[self.columns]] - self.choice.profit[self.columns]

    def drop_columns(self, useful: np.ndarray | bool = True) -> None:
        """Remove the families that are fixed to 0 or not useful (bool[k]), and update the numbers of the others."""
        kept = self.choice.alive[self.columns] & useful
        if not kept.all():
            at = (np.flatnonzero(~kept) + self.choice.n).astype(np.int32)
            self._highs.deleteCols(len(at), at)
            self.columns, self.x = self.columns[kept], self.x[kept]
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
        self.pivots = run(highs, self._may_go_on)
        self.effort = effort_of_pivots(highs, self.pivots)
        solution = highs.getSolution()
        self.x, duals = np.array(solution.col_value)[n:], np.array(solution.row_dual)
        self.prices, self.multipliers = duals[:n], np.maximum(-duals[n:], 0.0)
        self._equations = -self.prices
        self.value = highs.getInfo().objective_function_value

    def improve(self, steps: int) -> None:
        """Improve the last solution by so many steps of `common.bounds.hybrid_gradient`, instead of solving.

        The value is that of the multipliers, over the families of the program: an upper bound on the solution's.
        """
        n, child = self.choice.n, self.choice.families.child[self.columns]
        program = CopiedProgram(self._highs, n, np.concatenate([np.ones(n), self.least]), child, n)
        self._weight = self._weight or program.first_weight()
        x, y = np.concatenate([np.zeros(n), self.x]), np.concatenate([self._equations, self.multipliers])
        x, y, self._weight = program.improve(x, y, self._weight, steps, self._may_go_on)
        self._equations, self.multipliers, self.x = y[:n], y[n:], x[n:]
        self.prices = program.prices(y)
        self.value = float(self.prices.sum() - self.least @ self.multipliers)
        self.effort = effort_of_steps(self._highs, steps)

    def start(self, rows: np.ndarray) -> WarmStart:
        """Where `improve` can begin for another program, with some of the rows, by number."""
        return WarmStart(
            *self.choice.masks(self.columns), self.x, self._equations, self.multipliers[rows], self._weight
        )

    def begin(self, start: WarmStart) -> None:
        """Begin with the WarmStart of another program, whose rows come after the required edges here."""
        numbers = self.choice.find(start.child, start.parents)
        order = np.argsort(self.columns)
        at = order[np.searchsorted(self.columns, numbers, sorter=order).clip(max=len(order) - 1)]
        there = self.columns[at] == numbers
        self.x[at[there]] = start.x[there]
        self._equations, self.multipliers[self._required :] = start.equations, start.multipliers
        self._weight = start.weight

    def without_and_with(self, edge: int, pivots: int) -> tuple[float, float]:
        """Estimates of the value without an edge and with it, after a few pivots of each: (float, float)."""
        highs, n = self._highs, self.choice.n
        holds = self.choice.holds(np.uint64(edge), *self.choice.masks(self.columns))
        at, completing = ((np.flatnonzero(part) + n).astype(np.int32) for part in holds)
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


class CopiedProgram(HybridGradient):
    """A copy of the program that HiGHS holds, to improve solutions of it.

    Parameters
    ----------
    highs
        Its first columns are fillers, its first rows one equation for each child.
    equal
        So many rows are equations.
    least : float64[r]
        Right-hand sides.
    child : int64[k]
        Of the other columns.
    children
        Their number.
    allowed : bool[k] or None
        Those that may be used, with all fillers; None for all.
    """

    def __init__(
        self,
        highs: Any,
        equal: int,
        least: np.ndarray,
        child: np.ndarray,
        children: int,
        allowed: np.ndarray | None = None,
    ) -> None:
        lp = highs.getLp()
        gain, (row, column, value) = np.array(lp.col_cost_), entries_of(lp.a_matrix_)
        if allowed is not None:
            there = np.concatenate([np.ones(len(gain) - len(child), bool), allowed])
            kept, number = there[column], np.cumsum(there) - 1
            row, column, value = row[kept], number[column[kept]].astype(np.int32), value[kept]
            gain, child = gain[there], child[allowed]
        self._gain, self._child, self._entries = gain, child, (row, column, value)
        self._fillers, self._children = len(gain) - len(child), children
        super().__init__(gain, least, equal, row, column, value)

    def first_weight(self) -> float:
        """A primal weight to begin with, > 0: what a column loses in the mean."""
        gain = self._gain[self._fillers :]
        return TINY + float((_largest(gain, self._child, self._children)[self._child] - gain).mean())

    def prices(self, y: np.ndarray) -> np.ndarray:
        """The largest reduced profit of each child's columns, but for fillers, under the other rows' multipliers y.

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
        return _largest(profit[self._fillers :], self._child, self._children)


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
