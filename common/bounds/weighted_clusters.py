"""Weighted clusters: rows over clusters of any number of variables, of which some have weight 1 and others weight 2.

The members of such a row are all sets whose weights sum to 2 or more, and its base is empty: a family (v, P) counts if
P weighs less than 2, but P + v does not. One variable at least has weight 2, so that a single variable is a member, and
the left side is at least 1 in every chordal graph (`common.bounds.cutting`).

If all variables have weight 2, this is the cluster of Jaakkola et al. If v has weight 2 and the variables of C have 1,
the row and the cluster C together imply the k-cluster of Cussens (UAI 2011) for C + v and k = 2: at least two of its
variables have fewer than two parents in it. So, with cliques of at most 3, m variables have at most m - 2 triangles.
Solutions of the relaxation have more among most of a hundred variables, and violate weighted clusters of so many
variables by nearly 1; rows with few members cannot exclude this.

Search: local, from given weights, by single changes. Cost: for each change, two passes over the families of the
solution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..sets.bitset import bit_set
from .violated_rows import pick_rows
from .weighted_clusters_kernels import fill_weights, lower_left_side

if TYPE_CHECKING:
    from .rows_kernels import Rows


def weights_of(rows: Rows, n: int) -> np.ndarray:
    """The weights of n variables in weighted clusters: int8[n, r]."""
    weights = np.zeros((len(rows.base), n), np.int64)
    for r, weight in enumerate(weights):
        fill_weights(rows.support[r], rows.light[r], weight)
    return np.ascontiguousarray(weights.T.astype(np.int8))


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
        The weights from which each search starts: 0, 1 or 2.
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
    is_violated = np.zeros(len(starts), bool)
    for r, weight in enumerate(starts.copy()):
        violation = 1.0 - lower_left_side(families, x, start, row[order], weight, inside)
        rows.support[r] = bit_set(np.flatnonzero(weight), rows.support.shape[1])
        rows.light[r] = bit_set(np.flatnonzero(weight == 1), rows.light.shape[1])
        is_violated[r] = violation > least and rows.light[r].any()
    return pick_rows(rows, is_violated)
