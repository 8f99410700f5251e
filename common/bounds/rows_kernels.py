"""The rows of the linear programs of `common.bounds.cutting`, all of one kind, and their coefficients.

A row has *members*, sets of variables, and a *base*, further variables or none. A family (v, P) *begins* some sets if
one of them is inside P + v but none is inside P. The row states

    sum of x[v, P] over families that begin the members   >=   the same for the members, each together with the base,

or >= 1 if the base is empty and one of the members is a single variable, which is complete in every network. With one
member inside the base, the right side is c(base), the sum of x[v, P] with v in the base and the others inside P.
`common.bounds.cutting` says why this holds for every chordal network. Members of one variable are stored together as
one mask, `singles`, the other members in `larger`.

For families whose parents contain the base, both sides are equal; if they lack the child and others of the base,
nothing begins on the right. So only families that complete the base count there: those whose parents contain a member,
and if the parents contain none, both sides are equal again.

Sets are uint64 masks; a family is its parents and the child's bit. With more than 64 variables, the masks of a row are
over the few variables that it concerns, its *support*, at most 64. There, a row can also be a *weighted cluster* of any
number of variables (`common.bounds.weighted_clusters`): they have weights, and its members are all sets whose weights
sum to the largest weight or more.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel

WIDTH = 16  # members of two or more variables that a row may have


class Rows(NamedTuple):
    """Rows of a linear program.

    base : uint64[r], 0 for none
    singles : uint64[r], the union of the members of one variable
    larger : uint64[r, WIDTH], the other members, then zeros
    support : uint64[r, words], the variables that bits stand for: bit i of a mask is the i-th of them, bit j of word w
        here is variable 64 w + j; no words if bit i is variable i
    weights : uint64[r, words], byte v is the weight of variable v in a weighted cluster, whose masks and support are 0;
        all 0 in other rows
    """

    base: np.ndarray
    singles: np.ndarray
    larger: np.ndarray
    support: np.ndarray
    weights: np.ndarray


@inlined
def coefficient(base, singles, larger, bit, parents):
    """The coefficient of the family of the child `bit` in a row: 1, 0 or -1.

    With one member, the right side is c(base) even if it is not inside the base, as in `twlearn.milp_separation`.
    """
    contained, reached = parents & singles != np.uint64(0), singles & bit != np.uint64(0)
    for t in range(larger.shape[0]):
        members = larger[t]
        if members == np.uint64(0) or contained:
            break
        missing = members & ~parents
        contained = missing == np.uint64(0)
        reached |= missing == bit
    lacking = base & ~parents
    if lacking == bit:  # the family completes the base
        if singles == np.uint64(0) and larger[1] == np.uint64(0):
            return 0.0 if reached and not contained else -1.0
        return -1.0 if contained else 0.0
    if contained or not reached or base != np.uint64(0) and lacking == np.uint64(0):
        return 0.0
    return 1.0


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
            number = coefficient(base, singles, larger, bit, parents[k])
            if number != 0.0:
                if count < value.shape[0]:
                    row[count], column[count], value[count] = r, k, number
                count += 1
    return count
