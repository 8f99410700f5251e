"""An example of a link, from the rows: a state that is more frequent where another variable has a certain state.

Of all pairs of states that occur together more often than if they were independent it is that with the largest log
likelihood ratio of the table of these two states and all others (T. Dunning: Accurate methods for the statistics of
surprise and coincidence, Computational Linguistics 19, 1993): the sum over its four cells of observed ln (observed /
expected); of equal ones that of the rarest states. Adjusted residuals would choose two states that occur once, in the
same row. Rows count in which both cells are known. Other variables are not held fixed, so the link can be stronger or
weaker.

Cost: one pass over the rows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..common.counted import percent
from ..common.errors import shortened

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset

TIE = 1e-9  # a relative difference
LONGEST = 40  # letters of a state


def example_of(data: Dataset, u: int, v: int) -> str:
    """The example of a pair of variables; empty if none has a state that is more frequent with one of the other.

    Parameters
    ----------
    data
        Codes below 0 are missing cells.
    """
    table = pair_table(data, u, v)
    place = _largest_ratio(table)
    if place is None:
        return ""
    i, j = place
    here, whole = table[i, j], table.sum()
    shares = [
        (here / among, (table[i].sum() + table[:, j].sum() - among - here) / (whole - among))
        for among in (table[:, j].sum(), table[i].sum())
    ]
    names = [f"{data.names[w]} {shortened(data.states[w][k], LONGEST)}" for w, k in ((u, i), (v, j))]
    first = shares[0][0] - shares[0][1] >= shares[1][0] - shares[1][1]
    (inside, outside), (of, given) = (shares[0], names) if first else (shares[1], names[::-1])
    return f"{of}: {percent(inside)} of the rows with {given}, {percent(outside)} of the others"


def pair_table(data: Dataset, u: int, v: int) -> np.ndarray:
    """float64[states of u, states of v]: how many rows have each pair of states."""
    one, other = data.codes[:, u].astype(np.int64), data.codes[:, v].astype(np.int64)
    known = (one >= 0) & (other >= 0)
    shape = len(data.states[u]), len(data.states[v])
    return np.bincount(one[known] * shape[1] + other[known], data.weights[known], math.prod(shape)).reshape(shape)


def _largest_ratio(table: np.ndarray) -> tuple[int, int] | None:
    """The pair of states with the largest ratio; None if none occur together more often than independent ones."""
    whole = table.sum()
    if whole == 0:
        return None
    rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    ratio = np.zeros(table.shape)
    for observed, here, there in (
        (table, rows, columns),
        (rows - table, rows, whole - columns),
        (columns - table, whole - rows, columns),
        (whole - rows - columns + table, whole - rows, whole - columns),
    ):
        seen = observed > TIE
        expected = here * there / whole
        ratio[seen] += observed[seen] * np.log(observed[seen] / expected[seen])
    ratio[table <= rows * columns / whole * (1 + TIE)] = 0.0
    if not ratio.any():
        return None
    rarity = np.where(ratio >= ratio.max() * (1 - TIE), rows + columns, np.inf)
    i, j = np.unravel_index(rarity.argmin(), rarity.shape)
    return int(i), int(j)
