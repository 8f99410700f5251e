"""Multipliers of rows for the bound of `common.bounds.cutting`, and their interpolation.

The bound is a convex function of the multipliers, so that at the midpoint of two it is at most the mean of their
bounds, and often far below (Wentges 1997, on column generation).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .violated_rows import join_rows, pick_rows

if TYPE_CHECKING:
    from .rows_kernels import Rows

TINY = 1e-7  # smaller multipliers are left out


class Multipliers:
    """Multipliers of rows.

    Parameters
    ----------
    rows
    values : float64[r]
        Not negative.

    Attributes
    ----------
    rows : Rows
        Those with a multiplier.
    values : float64[s]
        Positive.
    """

    def __init__(self, rows: Rows, values: np.ndarray) -> None:
        used = values > TINY
        self.rows, self.values = pick_rows(rows, used), values[used]

    def midpoint(self, other: Multipliers) -> Multipliers:
        """The mean of these and other Multipliers."""
        rows, values = join_rows([self.rows, other.rows]), np.concatenate([self.values, other.values]) / 2.0
        _, first, number = np.unique(np.column_stack(rows), axis=0, return_index=True, return_inverse=True)
        return Multipliers(pick_rows(rows, first), np.bincount(number.ravel(), weights=values, minlength=len(first)))
