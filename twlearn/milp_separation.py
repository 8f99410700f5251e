"""Rows that a fractional solution of `twlearn.milp_relaxation` violates: see `twlearn.milp_cutting` for their types."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import numpy as np

from ..common.bounds.cuts_kernels import cluster_growth, separate_violated_clusters
from ..common.bounds.rows_kernels import Rows
from ..common.bounds.violated_rows import SeparationLimits, Solution, empty_rows, join_rows, pick_rows, separate
from ..common.sets.masks import members

if TYPE_CHECKING:
    from .milp_columns import Columns

MIN_VIOLATION = 1e-4  # smallest violation of a row
MAX_ROWS = 60  # largest number of rows returned per kind


def violated_rows(network: Solution, ktree: Solution, is_slow: bool, least: float = MIN_VIOLATION) -> Rows:
    """Rows that a solution violates.

    Parameters
    ----------
    network, ktree
        The values of the two kinds of families, both by the variables' own numbers.
    is_slow
        Whether the cheap kinds had little effect recently: see `common.bounds.violated_rows.separate`. Shared clusters
        are searched then, or if no cluster is violated: while the values are far from a k-tree's, they are weak.
    least
        Smallest violation of a row.

    Returns
    -------
    Rows
        By the numbers of `twlearn.milp_columns`.
    """
    own = separate(ktree, SeparationLimits(least=least), is_slow)
    found = cluster_cuts(network, least)
    if is_slow or not len(found.base):
        found = join_rows([found, shared_clusters(network, ktree, least)])
    return join_rows([violated_links(network, ktree, least), found, _shifted(own, network.n)])


def violated_links(network: Solution, ktree: Solution, least: float) -> Rows:
    """Links: families of the network complete a set that is not complete in the k-tree; most violated first."""
    at = network.keys != 0
    sets, c = network.keys[at], network.values[at]
    order = np.argsort(ktree.keys)
    keys, values = ktree.keys[order], ktree.values[order]
    place = np.minimum(np.searchsorted(keys, sets), len(keys) - 1)
    excess = c - np.where(keys[place] == sets, values[place], 0.0)
    chosen = np.argsort(-excess, kind="stable")[: 2 * MAX_ROWS]
    return links(sets[chosen[excess[chosen] > least]], network.n)


def links(sets: np.ndarray, n: int) -> Rows:
    """The link of each of some sets (uint64[]): Rows."""
    rows = empty_rows(len(sets))
    rows.base[:] = sets
    rows.larger[:, 0] = sets << np.uint64(n)
    return rows


def cluster_cuts(network: Solution, least: float = MIN_VIOLATION) -> Rows:
    """Cluster cuts against cycles of the network (Jaakkola et al. 2010), most violated first.

    They are grown by `common.bounds.cuts_kernels`, which has the formula; at least one cut if the values are 0 and 1
    with a cycle.
    """
    found = _cluster_cuts(network.n, network.child, network.parents, network.x, least)
    return found if len(found.base) else _cycle(network, least)


def _cycle(network: Solution, least: float) -> Rows:
    """The cluster of a cycle of the families that are mostly chosen, if it is violated: growing can miss it."""
    mostly = network.x > 0.5
    families = zip(network.child[mostly].tolist(), network.parents[mostly].tolist(), strict=True)
    try:
        TopologicalSorter({v: members(parents) for v, parents in families}).prepare()
    except CycleError as error:
        cluster = np.uint64(sum(1 << v for v in {*error.args[1]}))
        inside = np.uint64(1) << network.child.astype(np.uint64) & cluster != 0
        if network.x[inside & (network.parents & cluster == 0)].sum() < 1.0 - least:
            rows = empty_rows(1)
            rows.singles[:] = cluster
            return rows
    return empty_rows(0)


def shared_clusters(network: Solution, ktree: Solution, least: float) -> Rows:
    """Shared clusters: fewer of the network's families than of the k-tree's have no parent inside; as above."""
    child, parents = np.append(network.child, ktree.child), np.append(network.parents, ktree.parents)
    rows = _cluster_cuts(network.n, child, parents, np.append(network.x, -ktree.x), 1.0 + least)
    rows.singles[:] |= rows.singles << np.uint64(network.n)
    return rows


def _cluster_cuts(n: int, child: np.ndarray, parents: np.ndarray, x: np.ndarray, least: float) -> Rows:
    """Sets in which the families without parents inside sum to less than 1 - least; the smallest sum first."""
    order = np.argsort(child, kind="stable")
    first = np.searchsorted(child[order], np.arange(n + 1)).astype(np.int64)
    rows, depth = empty_rows(MAX_ROWS), np.zeros(MAX_ROWS)
    growth = cluster_growth(child[order], parents[order], x[order], first)
    count = separate_violated_clusters(growth, least, rows, depth)
    return pick_rows(rows, np.argsort(-depth[:count], kind="stable"))


def are_shared(rows: Rows, n: int) -> np.ndarray:
    """Which rows are shared clusters, with single members of both kinds: bool[r].

    Their right-hand sides are 0, and the k-tree's columns have minus the coefficient there.
    """
    return (rows.singles >> np.uint64(n) != 0) & (rows.singles & np.uint64((1 << n) - 1) != 0)


def _shifted(rows: Rows, n: int) -> Rows:
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
