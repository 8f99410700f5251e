"""Kernels of `common.bounds.acyclic`: the best order under given worths of families, and the best with each family.

Arrays of one entry per set are indexed by its mask, bit v for variable v; `gains` is float64[n, 2^(n-1)], the set X of
row v written without the bit of v. Minus infinity is the worth of what cannot be.

Cost: O(n^2 2^n) time for each.
"""

import numpy as np

from ..compiled.jit import kernel
from ..sets.subset_numbers_kernels import without_bit
from .families_kernels import Families


@kernel
def best_within(families: Families, alive, worth, near, gains):
    """g(v, X): the largest worth of a family of v with parents in X that hold all required neighbours of v in X.

    Parameters
    ----------
    families : Families
    alive : bool[f]
    worth : float64[f]
    near : int64[n], masks: the required neighbours of each variable
    gains : float64[n, 2^(n-1)], overwritten
    """
    gains[:] = -np.inf
    for s in range(families.sets.shape[0]):
        for f in range(families.start[s], families.start[s + 1]):
            if alive[f]:
                v = families.child[f]
                gains[v, without_bit(np.int64(families.sets[families.parents[f]]), v)] = worth[f]
    for v in range(gains.shape[0]):
        fixed = without_bit(near[v], v)
        step = 1
        while step < gains.shape[1]:
            if not fixed & step:
                for x in range(gains.shape[1]):
                    if x & step:
                        gains[v, x] = max(gains[v, x], gains[v, x ^ step])
            step <<= 1


@kernel
def best_parts(gains, first, rest):
    """The best worth of the variables of each set when they come first, and of the others when they do.

    Parameters
    ----------
    gains : float64[n, 2^(n-1)], from `best_within`
    first, rest : float64[2^n], overwritten
    """
    n, last = gains.shape[0], first.shape[0] - 1
    first[:] = -np.inf
    first[0] = 0.0
    for x in range(last):
        for v in range(n):
            if not x >> v & 1:
                first[x | 1 << v] = max(first[x | 1 << v], first[x] + gains[v, without_bit(x, v)])
    rest[last] = 0.0
    for x in range(last - 1, -1, -1):
        rest[x] = -np.inf
        for v in range(n):
            if not x >> v & 1:
                rest[x] = max(rest[x], gains[v, without_bit(x, v)] + rest[x | 1 << v])


@kernel
def rule_out_by_orders(families: Families, worth, near, first, rest, least, through, alive):
    """Remove the families whose best order is worth less than `least`; returns how many are left.

    Parameters
    ----------
    families : Families
    worth : float64[f]
    near : int64[n], as for `best_within`
    first, rest : float64[2^n], from `best_parts`
    least : float
    through : float64[n, 2^(n-1)], overwritten: the best worth of the other variables when v has the parents P
    alive : bool[f], changed
    """
    for v in range(through.shape[0]):
        bit = 1 << v
        for x in range(first.shape[0]):
            if not x & bit:
                through[v, without_bit(x, v)] = first[x] + rest[x | bit]
        fixed = without_bit(near[v], v)
        step = 1
        while step < through.shape[1]:
            if not fixed & step:
                for x in range(through.shape[1]):
                    if not x & step:
                        through[v, x] = max(through[v, x], through[v, x | step])
            step <<= 1
    left = 0
    for s in range(families.sets.shape[0]):
        for f in range(families.start[s], families.start[s + 1]):
            v = families.child[f]
            parents = without_bit(np.int64(families.sets[families.parents[f]]), v)
            alive[f] = alive[f] and worth[f] + through[v, parents] >= least
            left += alive[f]
    return left
