"""The rows of the linear programs of `common.bounds.cutting`, all of one kind, and their coefficients.

A row has *members*, sets of variables, and a *base*, the empty set or a set that holds a member. It states

    sum of x[v, P] over families with a member inside P + v but none inside P   >=   c(base),

where c(S) is the sum of x[v, P] with v in S and S - v inside P, and c of the empty set is 1 (then one of the members
must be a single variable, which is complete in every network). `common.bounds.cutting` says what a row means and why it
holds for every chordal network. Members of one variable are stored together as one mask.

Sets are uint64 masks; a family is its parents and the child's bit.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel

WIDTH = 8  # members of two or more variables that a row may have


class Rows(NamedTuple):
    """Rows of a linear program.

    base : uint64[r]
    singles : uint64[r], the union of the members of one variable
    larger : uint64[r, WIDTH], the other members, then zeros
    """

    base: np.ndarray
    singles: np.ndarray
    larger: np.ndarray


@inlined
def completes(members, bit, parents):
    """Does the family make the set complete: is the child in it, and are the others parents?"""
    return members & bit != np.uint64(0) and (members ^ bit) & ~parents == np.uint64(0)


@inlined
def begins(singles, larger, bit, parents):
    """Is a member of the row, in `singles` or `larger`, inside the family but none inside its parents?"""
    if parents & singles != np.uint64(0):
        return False
    inside = singles & bit != np.uint64(0)
    for t in range(larger.shape[0]):
        members = larger[t]
        if members == np.uint64(0):
            break
        missing = members & ~parents
        if missing == np.uint64(0):
            return False
        inside |= missing == bit
    return inside


@kernel
def coefficients(rows, child, parents, row, column, value):
    """The nonzero coefficients; returns how many there are, even if not all of them fit.

    Parameters
    ----------
    rows : Rows
    child : int64[k]
    parents : uint64[k]
    row, column : int32[some], overwritten, row by row
    value : float64[some], overwritten
    """
    count = 0
    for r in range(rows.base.shape[0]):
        base, singles, larger = rows.base[r], rows.singles[r], rows.larger[r]
        for k in range(child.shape[0]):
            bit = np.uint64(1) << np.uint64(child[k])
            number = 1.0 if begins(singles, larger, bit, parents[k]) else 0.0
            if completes(base, bit, parents[k]):
                number -= 1.0
            if number != 0.0:
                if count < value.shape[0]:
                    row[count], column[count], value[count] = r, k, number
                count += 1
    return count
