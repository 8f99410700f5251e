"""The linear program of `common.bounds.cutting`: families of one perfect order, and rows that all networks satisfy.

For each variable, one equation states that its families sum to 1. All other rows are those of
`common.bounds.rows_kernels`, or require an edge, which the artificial column of its first end satisfies, too
(`common.bounds.row_program`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import highspy
import numpy as np

from .row_program import RowProgram

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .families import FamilyPool
    from .rows_kernels import Rows


class WarmStart(NamedTuple):
    """The last solution of a program, where `RowProgram.improve` of another begins.

    child : int64[k]
    parents : uint64[k]
    x : float64[k], of these families
    equations : float64[n], multipliers of the equations
    multipliers : float64[r], of the rows
    weight : float, the primal weight
    is_approximate : bool, whether it was improved, not solved
    """

    child: np.ndarray
    parents: np.ndarray
    x: np.ndarray
    equations: np.ndarray
    multipliers: np.ndarray
    weight: float
    is_approximate: bool


class Relaxation(RowProgram):
    """A linear program over some families.

    Parameters
    ----------
    pool
    required
        The required edges, named like sets.
    cost
        Cost of one unit of an artificial column, > 0.
    should_continue
        Called about every second between pivots.

    Attributes
    ----------
    pool : FamilyPool
    columns : int64[k]
        The families, by their number in the pool.
    """

    def __init__(
        self,
        pool: FamilyPool,
        required: Sequence[int] = (),
        cost: float = 0.0,
        should_continue: Callable = lambda: True,
    ) -> None:
        self.pool, self.columns, self._required = pool, np.zeros(0, np.int64), len(required)
        artificial = np.full(pool.n, pool.families.gain.min() - cost)
        super().__init__(artificial, pool.n, pool.empty_rows(0), should_continue)
        self._highs.setOptionValue("simplex_scale_strategy", 0)
        edges = np.array(required, np.uint64)
        self._require(pool.edge_rows(edges), pool.ends(edges)[:, 0])

    def _families(self) -> tuple[np.ndarray, np.ndarray]:
        return self.pool.masks(self.columns)

    def _triples(self, rows: Rows, child: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.pool.coefficients(rows, child, parents)

    def add_columns(self, numbers: np.ndarray) -> None:
        """Add families."""
        child, parents = self.pool.masks(numbers)
        self._add_families(child, parents, self.pool.families.gain[numbers], (child, np.arange(len(numbers))))
        self.columns = np.concatenate([self.columns, numbers])

    def move_to(self, pool: FamilyPool) -> None:
        """Go on with the families of another pool, which has those of all columns."""
        child, parents = self._families()
        self.pool, self.columns = pool, pool.find(child, parents)

    def losses(self) -> np.ndarray:
        """The loss of each family, by its reduced profit after the pool's last `bound`: float64[k]."""
        return self.prices[self.pool.families.child[self.columns]] - self.pool.profit[self.columns]

    def drop_columns(self, useful: np.ndarray | bool = True) -> None:
        """Remove the families that are fixed to 0 or not useful (bool[k]), and update the numbers of the others."""
        kept = self.pool.alive[self.columns] & useful
        self._keep_columns(kept)
        self.columns = self.columns[kept]
        moved = self.pool.shrink()
        if moved is not None:
            self.columns = moved[self.columns]

    def start(self, rows: np.ndarray) -> WarmStart:
        """A start for `improve` of another program that has some of the rows, by number."""
        duals = self._duals, self.multipliers[rows]
        return WarmStart(*self._families(), self.x, *duals, self._weight, self.is_approximate)

    def begin(self, start: WarmStart) -> None:
        """Begin with the WarmStart of another program, whose rows come after the required edges here."""
        numbers = self.pool.find(start.child, start.parents)
        order = np.argsort(self.columns)
        at = order[np.searchsorted(self.columns, numbers, sorter=order).clip(max=len(order) - 1)]
        there = self.columns[at] == numbers
        self.x[at[there]] = start.x[there]
        self._duals, self.multipliers[self._required :] = start.equations, start.multipliers
        self._weight, self.is_approximate = start.weight, start.is_approximate

    def without_and_with(self, edge: int, pivots: int) -> tuple[float, float]:
        """Estimates of the value without an edge and with it, after a few pivots of each: (float, float)."""
        highs, n = self._highs, self.pool.n
        parts = self.pool.with_edge(np.uint64(edge), *self._families())
        at, completing = ((np.flatnonzero(part) + n).astype(np.int32) for part in parts)
        basis, zeros = highs.getBasis(), np.zeros(len(at))
        highs.changeColsBounds(len(at), at, zeros, zeros)
        without = self._probe(pivots)
        highs.changeColsBounds(len(at), at, zeros, zeros + highspy.kHighsInf)
        highs.setBasis(basis)
        highs.addRow(1.0, highspy.kHighsInf, len(completing), completing, np.ones(len(completing)))
        with_edge = self._probe(pivots)
        highs.deleteRows(1, np.array([highs.getNumRow() - 1], np.int32))
        highs.setBasis(basis)
        return without, with_edge

    def _probe(self, pivots: int) -> float:
        """The value after this number of pivots; minus infinity if there is no solution."""
        highs = self._highs
        highs.setOptionValue("simplex_iteration_limit", pivots)
        highs.run()
        if highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            return -np.inf
        return highs.getInfo().objective_function_value
