"""Weighted clusters: rows over clusters of any number of variables, which have weights.

The members of such a row are all sets whose weights sum to the *limit* or more, the largest weight of a variable; its
base is empty: a family (v, P) counts if P weighs less than the limit, but P + v does not. A variable of the largest
weight is a member, so the left side is at least 1 in every chordal graph (`common.bounds.cutting`). With cliques of at
most K, the limit is K - 1.

If all variables have the largest weight, this is the cluster of Jaakkola et al. If v has weight k and the variables of
C have 1, the row and the (k - 1)-cluster of C together imply the k-cluster of Cussens (UAI 2011) for C + v: at least k
of its variables have fewer than k parents in it; the 1-cluster is that of Jaakkola et al. So, with cliques of at most
K, m variables contain at most m - K + 1 cliques of K. Solutions of the relaxation for K = 3 have more among most of a
hundred variables, and violate weighted clusters of so many variables by nearly 1; rows with few members cannot exclude
this.

Search: local, from given weights, by single changes. Cost: for each change, two passes over the families of the
solution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .violated_rows import pick_rows
from .weighted_clusters_kernels import lower_left_side

if TYPE_CHECKING:
    from .rows_kernels import Rows


def separate_weighted_clusters(
    families: np.ndarray, x: np.ndarray, starts: np.ndarray, least: float, rows: Rows
) -> Rows:
    """Weighted clusters that a solution violates.

    Parameters
    ----------
    families : int64[k, K]
        The child, then its parents, then -1.
    x : float64[k]
        Their values.
    starts : int64[r, n]
        The weights from which each search starts, from 0 to the limit, K - 1 or 1.
    least
        The smallest violation of a row.
    rows : Rows
        r of zeros; overwritten.

    Returns
    -------
    Rows
        Some of them.
    """
    row, column = np.nonzero(families >= 0)
    variable = families[row, column]
    order, n = np.argsort(variable, kind="stable"), starts.shape[1]
    start, inside = np.searchsorted(variable[order], np.arange(n + 1)), np.empty(len(x), np.int64)
    is_violated, limit = np.zeros(len(starts), bool), max(1, families.shape[1] - 1)
    for r, weight in enumerate(starts.copy()):
        violation = 1.0 - lower_left_side(families, x, start, row[order], limit, weight, inside)
        rows.weights.view(np.uint8)[r, :n] = weight
        is_violated[r] = violation > least
    return pick_rows(rows, is_violated)
