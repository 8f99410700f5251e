"""The value of columns under the multipliers of rows (`common.bounds.rows_kernels`)."""

import numpy as np

from ..common.bounds.rows_kernels import coefficient
from ..common.compiled.jit import kernel


@kernel
def add_rows(rows, weight, order, first, child, parents, alive, profit):
    """Add to each column the weights of the rows that contain it, times its coefficients.

    Parameters
    ----------
    rows : Rows
    weight : float64[2, r], for the network's columns and for the k-tree's
    order : int64[some], the rows by the children they can hold; a row is listed once for each of them
    first : int64[2 n + 1], where the rows of each child begin in it
    child : int64[k]
    parents : uint64[k]
    alive : bool[k], the others are left out
    profit : float64[k], changed

    Notes
    -----
    Cost: O(k * rows of a child).
    """
    n = first.shape[0] // 2
    for k in range(child.shape[0]):
        if not alive[k]:
            continue
        part = 0 if child[k] < n else 1
        bit, others, total = np.uint64(1) << np.uint64(child[k]), parents[k], 0.0
        for i in range(first[child[k]], first[child[k] + 1]):
            r = order[i]
            total += weight[part, r] * coefficient(rows.base[r], rows.singles[r], rows.larger[r], bit, others)
        profit[k] += total
