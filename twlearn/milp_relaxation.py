"""The linear program of `twlearn.milp_cutting`, held by HiGHS, which continues from the last basis.

Each child has a row that says that its families sum to 1, and so has each number of parents from 1 to w - 1 in the
k-tree. All other rows are of the kind of `common.bounds.rows_kernels`, or require an edge of the k-tree; in shared
clusters the k-tree's families have minus the coefficients of that kind. Each child has one more column, its *filler*, a
costly family without parents, and each number of parents one that stands for the missing family; a filler of the k-tree
also satisfies the rows that require edges of which its child is the larger end. With them the program is feasible
whatever columns are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import highspy
import numpy as np

from ..common.bounds.families import triples_of
from ..common.bounds.relaxation import CopiedProgram, SilentHighs, effort_of_pivots, effort_of_steps, run
from ..common.bounds.separation import empty_rows, join_rows, pick_rows
from .milp_columns_kernels import add_rows
from .milp_separation import are_shared

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.bounds.rows_kernels import Rows
    from .milp_columns import Columns

IDLE = 5  # rounds after which a slack row is dropped
PERMANENT = -1  # instead of that number, for rows that are not dropped
TINY = 1e-9


class MilpRelaxation:
    """A linear program over some columns.

    Parameters
    ----------
    columns
    children, sizes
        2 n and w - 1.
    cost
        Of a filler, > 0.
    may_go_on
        Called every second.

    Attributes
    ----------
    used : int64[c]
        The columns in the program.
    rows : Rows
    least : float64[r]
        Their right-hand sides.
    x : float64[c]
        Of the last solution, like the following attributes.
    prices : float64[children + sizes]
        Of the rows that sum to 1.
    multipliers : float64[r]
        Of the rows, not negative.
    pivots : int
        Of the last `solve`.
    effort : int
        Of the last `solve` or `improve`, see `common.bounds.relaxation.effort_of_pivots`.
    """

    def __init__(
        self, columns: Columns, children: int, sizes: int, cost: float, may_go_on: Callable = lambda: True
    ) -> None:
        self.columns, self._may_go_on = columns, may_go_on
        self._children, self._sums = children, children + sizes
        self._highs = SilentHighs()
        self._highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        sums, ones = self._sums, np.ones(self._sums)
        self._highs.addRows(sums, ones, ones, 0, np.zeros(sums, np.int32), np.zeros(0, np.int32), np.zeros(0))
        least = np.where(np.arange(sums) < children, columns.gain.min(), 0.0)
        own = np.arange(sums, dtype=np.int32)
        self._highs.addCols(sums, least - cost, 0.0 * ones, highspy.kHighsInf * ones, sums, own, own, ones)
        self.used = np.zeros(0, np.int64)
        self.rows, self.least, self._idle = empty_rows(0), np.zeros(0), np.zeros(0, np.int64)
        self.x, self.prices, self.multipliers, self._weight = np.zeros(0), np.zeros(sums), np.zeros(0), 0.0
        self.pivots = self.effort = 0
        self._allowed, self._equations = np.zeros(0, bool), np.zeros(sums)

    def add_columns(self, numbers: np.ndarray) -> None:
        """Add columns."""
        child, parents, gain, size = self.columns.pick(numbers)
        row, column, value = self._triples(self.rows, child, parents)
        own, sized = np.arange(len(numbers)), np.flatnonzero(size)
        row = np.concatenate([child, self._children + size[sized] - 1, row + self._sums])
        column, value = np.concatenate([own, sized, column]), np.concatenate([0.0 * own + 1, 0.0 * sized + 1, value])
        order = np.lexsort((row, column))
        start = np.searchsorted(column[order], own).astype(np.int32)
        upper = np.full(len(numbers), highspy.kHighsInf)
        row, value = row[order].astype(np.int32), value[order]
        self._highs.addCols(len(numbers), gain, np.zeros(len(numbers)), upper, len(row), start, row, value)
        self.used, self.x = np.concatenate([self.used, numbers]), np.concatenate([self.x, np.zeros(len(numbers))])
        self._allowed = np.concatenate([self._allowed, np.ones(len(numbers), bool)])

    def add_rows(self, rows: Rows, least: np.ndarray) -> None:
        """Add rows with their right-hand sides."""
        child = np.concatenate([np.arange(self._children), self.columns.child[self.used]])
        parents = np.concatenate([np.zeros(self._children, np.uint64), self.columns.parents[self.used]])
        row, column, value = self._triples(rows, child, parents)
        column += (column >= self._children) * np.int32(self._sums - self._children)
        count = len(least)
        start = np.searchsorted(row, np.arange(count)).astype(np.int32)
        self._highs.addRows(count, least, np.full(count, highspy.kHighsInf), len(row), start, column, value)
        self.rows, self.least = join_rows([self.rows, rows]), np.concatenate([self.least, least])
        self.multipliers = np.concatenate([self.multipliers, np.zeros(count)])
        self._idle = np.concatenate([self._idle, np.zeros(count, np.int64)])

    def _triples(self, rows: Rows, child: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The nonzero coefficients of families in rows, as (row, column, value)."""
        row, column, value = triples_of(rows, child, parents)
        n = self._children // 2
        value[are_shared(rows, n)[row] & (child[column] >= n)] *= -1.0
        return row, column, value

    def allow(self, alive: np.ndarray) -> None:
        """Allow only some columns, bool[k]."""
        self._allowed = alive[self.used]
        upper = np.where(self._allowed, highspy.kHighsInf, 0.0)
        at = np.arange(len(upper), dtype=np.int32) + np.int32(self._sums)
        self._highs.changeColsBounds(len(at), at, np.zeros(len(at)), upper)

    def require(self, rows: Rows) -> None:
        """Replace the rows of required edges by these, right-hand sides 1; an end's filler satisfies them."""
        self._drop(self._idle == PERMANENT)
        first = self._sums + len(self._idle)
        self.add_rows(rows, np.ones(len(rows.base)))
        self._idle[len(self._idle) - len(rows.base) :] = PERMANENT
        for row, pair in enumerate(rows.larger[:, 0].tolist(), first):
            self._highs.changeCoeff(row, pair.bit_length() - 1, 1.0)

    def drop_rows(self) -> None:
        """Remove the rows that have not been tight for some rounds."""
        self._idle = np.where(self._idle == PERMANENT, PERMANENT, np.where(self.multipliers > TINY, 0, self._idle + 1))
        self._drop(self._idle >= IDLE)

    def _drop(self, old: np.ndarray) -> None:
        if old.any():
            at = (np.flatnonzero(old) + self._sums).astype(np.int32)
            self._highs.deleteRows(len(at), at)
            self.rows, self.least, self._idle = pick_rows(self.rows, ~old), self.least[~old], self._idle[~old]
            self.multipliers = self.multipliers[~old]

    def drop_columns(self, columns: Columns, moved: np.ndarray) -> None:
        """Keep only some columns.

        Parameters
        ----------
        columns
            Those that are left.
        moved : int64[k]
            The new number of each column, -1 if it is not left.
        """
        numbers = moved[self.used]
        self.keep(numbers >= 0)
        self.columns, self.used = columns, numbers[numbers >= 0]

    def keep(self, useful: np.ndarray) -> None:
        """Keep only some columns in the program, bool[c]."""
        gone = (np.flatnonzero(~useful) + self._sums).astype(np.int32)
        if len(gone):
            self._highs.deleteCols(len(gone), gone)
        self.used, self.x, self._allowed = self.used[useful], self.x[useful], self._allowed[useful]

    def solve(self) -> None:
        """Solve the current program.

        Raises
        ------
        StoppedError
            The run was stopped.
        """
        highs = self._highs
        self.pivots = run(highs, self._may_go_on)
        self.effort = effort_of_pivots(highs, self.pivots)
        solution = highs.getSolution()
        duals = np.array(solution.row_dual)
        self.x = np.array(solution.col_value)[self._sums :]
        self.prices, self.multipliers = duals[: self._sums], np.maximum(-duals[self._sums :], 0.0)
        self._equations = -self.prices

    def improve(self, steps: int) -> None:
        """Improve the last solution by so many steps of `common.bounds.hybrid_gradient`, instead of solving."""
        sums, children, kept = self._sums, self._children, self._allowed
        least = np.concatenate([np.ones(sums), self.least])
        program = CopiedProgram(self._highs, sums, least, self.columns.child[self.used], children, kept)
        self._weight = self._weight or program.first_weight()
        x, y = np.concatenate([np.zeros(sums), self.x[kept]]), np.concatenate([self._equations, self.multipliers])
        x, y, self._weight = program.improve(x, y, self._weight, steps, self._may_go_on)
        self.effort = effort_of_steps(self._highs, steps)
        self.x[:], self._equations, self.multipliers = 0.0, y[:sums], y[sums:]
        self.x[kept] = x[sums:]
        best = program.prices(y)
        best = np.where(np.isfinite(best), best, -y[:children])  # of children that have only their fillers left
        self.prices = np.concatenate([best, -y[children:sums]])

    def price(self, alive: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Reduced profits of all columns under the multipliers, and a bound by weak duality: valid for any multipliers.

        Parameters
        ----------
        alive : bool[k]
            The columns that a solution may use.

        Returns
        -------
        (float64[k], float64[children], float)
            Of each column, minus infinity unless it is alive; the largest of each child; the bound.
        """
        columns, children = self.columns, self._children
        held = self.multipliers > 0.0
        rows, weight = pick_rows(self.rows, held), self.multipliers[held]
        prices = np.concatenate([[0.0], self.prices[children:]])
        profit = columns.gain - prices[columns.size]
        everything = rows.base | rows.singles | np.bitwise_or.reduce(rows.larger, axis=1)
        listed = [np.flatnonzero(everything >> np.uint64(v) & np.uint64(1)) for v in range(children)]
        first = np.concatenate([[0], np.cumsum([len(part) for part in listed])])
        weights = np.stack([weight, np.where(are_shared(rows, children // 2), -weight, weight)])
        listed_rows = np.concatenate(listed)
        add_rows(rows, weights, listed_rows, first, columns.child, columns.parents, alive, profit)
        profit[~alive] = -np.inf
        best = np.full(children, -np.inf)
        np.maximum.at(best, columns.child, profit)
        return profit, best, float(best.sum() + prices.sum() - self.least[held] @ weight)
