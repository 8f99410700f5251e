"""Rows that a fractional solution of `twlearn.milp_relaxation` violates: see `twlearn.milp_cutting` for their types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..common.bounds.cuts_kernels import broken_clusters
from ..common.bounds.rows_kernels import Rows
from ..common.bounds.separation import SeparationLimits, Solution, empty_rows, join_rows, pick_rows, separate

if TYPE_CHECKING:
    from .milp_columns import Columns

LEAST = 1e-4  # smallest violation of a row
EACH = 60  # largest number of rows returned per kind
MOST = 20_000  # largest number of violated clusters considered


def broken_rows(
    network: Solution, ktree: Solution, is_slow: bool = False, least: float = LEAST
) -> tuple[Rows, np.ndarray]:
    """Rows that a solution violates.

    Parameters
    ----------
    network, ktree
        The values of the two kinds of families, both by the variables' own numbers.
    is_slow
        Whether the cheap kinds had little effect recently; see `common.bounds.separation.separate`.
    least
        Smallest violation of a row.

    Returns
    -------
    (Rows, float64[r])
        By the numbers of `twlearn.milp_columns`, and their right-hand sides.
    """
    own = separate(ktree, SeparationLimits(least=least), is_slow)
    rows = join_rows([broken_links(network, ktree, least), clusters(network, ktree, least), _raised(own, network.n)])
    return rows, ((rows.base == 0) & ~are_shared(rows, network.n)).astype(float)


def broken_links(network: Solution, ktree: Solution, least: float = LEAST) -> Rows:
    """Links: families of the network complete a set that is not complete in the k-tree; most violated first."""
    at = network.keys != 0
    sets, c = network.keys[at], network.values[at]
    order = np.argsort(ktree.keys)
    keys, values = ktree.keys[order], ktree.values[order]
    place = np.minimum(np.searchsorted(keys, sets), len(keys) - 1)
    excess = c - np.where(keys[place] == sets, values[place], 0.0)
    chosen = np.argsort(-excess, kind="stable")[: 2 * EACH]
    return links(sets[chosen[excess[chosen] > least]], network.n)


def links(sets: np.ndarray, n: int) -> Rows:
    """The link of each of some sets (uint64[]): Rows."""
    rows = empty_rows(len(sets))
    rows.base[:] = sets
    rows.larger[:, 0] = sets << np.uint64(n)
    return rows


def clusters(network: Solution, ktree: Solution, least: float = LEAST) -> Rows:
    """Shared clusters: the network has fewer families without parents inside than the k-tree; most violated first."""
    child = np.concatenate([network.child, ktree.child])
    order = np.argsort(child, kind="stable")
    child, first = child[order], np.searchsorted(child[order], np.arange(network.n + 1)).astype(np.int64)
    parents = np.concatenate([network.parents, ktree.parents])[order]
    x = np.concatenate([network.x, -ktree.x])[order]
    rows, depth = empty_rows(MOST), np.zeros(MOST)
    scratch = np.zeros(network.n), np.zeros(network.n)
    count = broken_clusters(child, parents, x, first, 1.0 + least, *scratch, rows, depth)
    rows = pick_rows(rows, np.argsort(-depth[:count], kind="stable")[:EACH])
    rows.singles[:] |= rows.singles << np.uint64(network.n)
    return rows


def are_shared(rows: Rows, n: int) -> np.ndarray:
    """Which rows are shared clusters, those with members of both kinds: bool[r].

    Their right-hand sides are 0, and the k-tree's columns have minus the coefficient there.
    """
    return (rows.singles >> np.uint64(n) != 0) & (rows.singles & np.uint64((1 << n) - 1) != 0)


def _raised(rows: Rows, n: int) -> Rows:
    """Rows of the k-tree, by the numbers of its columns."""
    return Rows(*(part << np.uint64(n) for part in rows))


def solution_of(columns: Columns, x: np.ndarray, n: int) -> tuple[Solution, Solution]:
    """The two Solutions, of the network's families and of the k-tree's.

    Parameters
    ----------
    columns
    x : float64[k], positive
    n
    """
    own = columns.child < n
    ktree = columns.pick(~own)
    return (
        Solution(n, columns.child[own], columns.parents[own], x[own]),
        Solution(n, ktree.child - n, ktree.parents >> np.uint64(n), x[~own]),
    )
