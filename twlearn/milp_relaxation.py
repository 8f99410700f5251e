"""The linear program of `twlearn.milp_cutting`: families of a network, and of a k-tree around it.

An equation makes the families of each child sum to 1, and also those of each number of parents from 1 to w - 1 in the
k-tree. All other rows are of the kind of `common.bounds.rows_kernels`, or require an edge of the k-tree; in shared
clusters the k-tree's families have minus the coefficients of that kind. The artificial column of a number of parents
(`common.bounds.row_program`) stands for the missing family; one of the k-tree also satisfies the rows that require
edges of which its child is the larger end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import highspy
import numpy as np

from ..common.bounds.families import masks_of_variables, triples_of
from ..common.bounds.row_program import PERMANENT, RowProgram
from ..common.bounds.violated_rows import empty_rows, pick_rows
from .milp_columns_kernels import add_rows
from .milp_separation import are_shared

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.bounds.rows_kernels import Rows
    from .milp_columns import Columns


class MilpRelaxation(RowProgram):
    """A linear program over some columns.

    Parameters
    ----------
    columns
    children, sizes
        2 n and w - 1.
    cost
        Of an artificial column, > 0.
    should_continue
        Called about every second between pivots.

    Attributes
    ----------
    used : int64[c]
        The columns in the program.
    """

    slack_rounds = 5

    def __init__(
        self, columns: Columns, children: int, sizes: int, cost: float, should_continue: Callable = lambda: True
    ) -> None:
        self.columns, self.used = columns, np.zeros(0, np.int64)
        gain = np.where(np.arange(children + sizes) < children, columns.gain.min(), 0.0)
        super().__init__(gain - cost, children, empty_rows(0), should_continue)

    def _families(self) -> tuple[np.ndarray, np.ndarray]:
        return self.columns.child[self.used], self.columns.parents[self.used]

    def _triples(self, rows: Rows, child: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        row, column, value = triples_of(rows, child, parents)
        n = self._children // 2
        value[are_shared(rows, n)[row] & (child[column] >= n)] *= -1.0
        return row, column, value

    def _right_sides(self, rows: Rows) -> np.ndarray:
        """Those of shared clusters are 0, too."""
        return np.where(are_shared(rows, self._children // 2), 0.0, super()._right_sides(rows))

    def add_columns(self, numbers: np.ndarray) -> None:
        """Add columns."""
        child, parents, gain, size = self.columns.pick(numbers)
        sized = np.flatnonzero(size)
        equations = np.concatenate([child, self._children + size[sized] - 1])
        self._add_families(child, parents, gain, (equations, np.concatenate([np.arange(len(numbers)), sized])))
        self.used = np.concatenate([self.used, numbers])

    def allow(self, alive: np.ndarray) -> None:
        """Allow only some columns, bool[k]."""
        self._allowed = alive[self.used]
        upper = np.where(self._allowed, highspy.kHighsInf, 0.0)
        at = np.arange(len(upper), dtype=np.int32) + np.int32(self._equations)
        self._highs.changeColsBounds(len(at), at, np.zeros(len(at)), upper)

    def require(self, rows: Rows) -> None:
        """Replace the rows of required edges by these; the artificial column of the larger end satisfies each."""
        self._delete_rows(self._idle == PERMANENT)
        pairs = rows.larger[:, 0].tolist()
        self._require(rows, np.array([pair.bit_length() - 1 for pair in pairs], np.int64))

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
        self._keep_columns(useful)
        self.used = self.used[useful]

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
        active = self.multipliers > 0.0
        rows = pick_rows(self.rows, active)
        weight = self.multipliers[active]
        prices = np.concatenate([[0.0], self.prices[children:]])
        profit = columns.gain - prices[columns.size]
        everything = masks_of_variables(rows)
        listed = [np.flatnonzero(everything >> np.uint64(v) & np.uint64(1)) for v in range(children)]
        first = np.concatenate([[0], np.cumsum([len(part) for part in listed])])
        weights = np.stack([weight, np.where(are_shared(rows, children // 2), -weight, weight)])
        listed_rows = np.concatenate(listed)
        add_rows(rows, weights, listed_rows, first, columns.child, columns.parents, alive, profit)
        profit[~alive] = -np.inf
        best = np.full(children, -np.inf)
        np.maximum.at(best, columns.child, profit)
        return profit, best, float(best.sum() + prices.sum() - self.least[active] @ weight)
