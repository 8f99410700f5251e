"""Families on arrays: their table, their price under the multipliers of a linear program, and reduced-cost fixing.

Sets are uint64 masks in ascending order, so that every set comes after its subsets; the list contains all subsets of
each of its sets (the empty set first). A *family* of the set S is one member v as the child of the others, P = S - v.
The families of set number s are start[s] .. start[s + 1], one per member, members ascending.

The sum of a function over the subsets of every set takes one pass per variable over the sets that contain it (Yates);
this works on any list that is closed under subsets. Cost of every function here: O(families * members), and one test
per pair of a family and a cluster with the same child.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import kernel, lowest_bit
from .rows_kernels import coefficient


class Families(NamedTuple):
    """Sets and families; m sets, f families of n variables.

    sets : uint64[m], masks, ascending
    scores : float64[m]
    start : int64[m + 1], the first family of each set
    child : int64[f]
    parents : int64[f], the number of the set P
    gain : float64[f], s(P + v) - s(P)
    """

    sets: np.ndarray
    scores: np.ndarray
    start: np.ndarray
    child: np.ndarray
    parents: np.ndarray
    gain: np.ndarray


@kernel
def number_of(sets, members):
    """The place of a mask in ascending `sets` (uint64[m]); -1 if it is not there."""
    low, high = 0, sets.shape[0]
    while low < high:
        middle = (low + high) // 2
        if sets[middle] < members:
            low = middle + 1
        else:
            high = middle
    return low if low < sets.shape[0] and sets[low] == members else -1


@kernel
def fill_families(families):
    """Fill start, child, parents and gain.

    Parameters
    ----------
    families : Families, with sets and scores
    """
    sets, at = families.sets, 0
    for s in range(sets.shape[0]):
        families.start[s] = at
        left = sets[s]
        while left != np.uint64(0):
            bit = left & (~left + np.uint64(1))
            families.child[at] = lowest_bit(left)
            families.parents[at] = number_of(sets, sets[s] ^ bit)
            families.gain[at] = families.scores[s] - families.scores[families.parents[at]]
            left ^= bit
            at += 1
    families.start[sets.shape[0]] = at


@kernel
def price(families, first, last, alive, set_terms, group, weight, rows, profit):
    """Pricing: the value of families under multipliers of rows (`common.bounds.rows_kernels`), their reduced profit.

    That of v with the parents P is the gain s(P + v) - s(P) and, for every row, the multiplier times the coefficient
    of the family. For rows that are summed by sets (`common.bounds.terms_kernels`) these add up to
    set_terms[P + v] - set_terms[P].

    Parameters
    ----------
    families : Families
    first, last : int, families of the sets first .. last - 1
    alive : bool[f]
    set_terms : float64[m], what is added for each complete set, from `common.bounds.terms_kernels`
    group : int64[2 n + 1], families of child v can be in the clusters, rows of single members without a base,
        group[2 v] .. group[2 v + 1], and in the rows group[2 v + 1] .. group[2 v + 2]
    weight : float64[...], what is added times the coefficient
    rows : Rows
    profit : float64[f], overwritten: reduced, gain and additions; minus infinity for families that are not alive
    """
    sets, start, child, parents = families.sets, families.start, families.child, families.parents
    for s in range(first, last):
        for f in range(start[s], start[s + 1]):
            if not alive[f]:
                profit[f] = -np.inf
                continue
            others, v = sets[parents[f]], child[f]
            bit = np.uint64(1) << np.uint64(v)
            value = families.gain[f] + set_terms[s] - set_terms[parents[f]]
            for k in range(group[2 * v], group[2 * v + 1]):
                if others & rows.singles[k] == np.uint64(0):
                    value += weight[k]
            for k in range(group[2 * v + 1], group[2 * v + 2]):
                value += weight[k] * coefficient(rows.base[k], rows.singles[k], rows.larger[k], bit, others)
            profit[f] = value


@kernel
def best_of_children(families, profit, best):
    """The largest reduced profit of any family of each child.

    Parameters
    ----------
    families : Families
    profit : float64[f]
    best : float64[n], overwritten
    """
    best[:] = -np.inf
    for f in range(profit.shape[0]):
        if profit[f] > best[families.child[f]]:
            best[families.child[f]] = profit[f]


@kernel
def best_of_each(child, alive, profit, price, least, chosen, value):
    """The families of each child with the largest reduced gain: the profit less the price of the child.

    Parameters
    ----------
    child : int64[f]
    alive : bool[f], the others are left out
    profit : float64[f]
    price : float64[n]
    least : float, only families whose reduced gain is more than this
    chosen : int64[n, k], overwritten: best first, then -1
    value : float64[n, k], overwritten: their reduced gains
    """
    last = chosen.shape[1] - 1
    chosen[:] = -1
    value[:] = least
    for f in range(profit.shape[0]):
        v = child[f]
        gain = profit[f] - price[v]
        if alive[f] and gain > value[v, last]:
            at = last
            while at > 0 and value[v, at - 1] < gain:
                chosen[v, at], value[v, at] = chosen[v, at - 1], value[v, at - 1]
                at -= 1
            chosen[v, at], value[v, at] = f, gain


@kernel
def least_losses(families, profit, best, through, loss):
    """Lower bound on the loss, against the best family of every child, of any solution in which a set is complete.

    In a perfect order the parents of each member of a complete set S include all members before it. So if S is complete
    and v is its last member, the loss is at least the least loss of S - v plus the loss of some family of v whose
    parents contain S - v.

    Parameters
    ----------
    families : Families
    profit : float64[f]
    best : float64[n], finite
    through : float64[f], overwritten: minus the least loss of a family of the same child whose parents contain P
    loss : float64[m], overwritten: minus the least loss if the set is complete
    """
    sets, start, child, parents = families.sets, families.start, families.child, families.parents
    for f in range(profit.shape[0]):
        through[f] = profit[f] - best[child[f]]
    for s in range(sets.shape[0] - 1, 0, -1):
        size = start[s + 1] - start[s]
        for i in range(size):
            value = through[start[s] + i]
            for j in range(size):
                if j != i:  # the family of the same child in the set without member j
                    smaller = start[parents[start[s] + j]] + (i if i < j else i - 1)
                    if through[smaller] < value:
                        through[smaller] = value
    loss[0] = 0.0
    for s in range(1, sets.shape[0]):
        loss[s] = -np.inf
        for f in range(start[s], start[s + 1]):
            value = loss[parents[f]] + through[f]
            if value > loss[s]:
                loss[s] = value


@kernel
def fix_families(families, profit, best, loss, gap, alive):
    """Reduced-cost fixing: remove the families with which a solution would lose more than `gap`; how many are left.

    Parameters
    ----------
    families : Families
    profit : float64[f]
    best : float64[n]
    loss : float64[m], from `least_losses`
    gap : float, >= 0
    alive : bool[f], changed
    """
    left = 0
    for f in range(profit.shape[0]):
        lost = loss[families.parents[f]] + profit[f] - best[families.child[f]]
        alive[f] = alive[f] and lost >= -gap
        left += alive[f]
    return left


@kernel
def add_subsets(families, chosen):
    """Choose all subsets of chosen sets.

    Parameters
    ----------
    families : Families
    chosen : bool[m], changed
    """
    for s in range(chosen.shape[0] - 1, 0, -1):
        if chosen[s]:
            for f in range(families.start[s], families.start[s + 1]):
                chosen[families.parents[f]] = True
