"""A chordal network from a fractional solution, by a greedy choice of families.

Each variable in turn gets a family whose parents are complete and placed before it: the one with the largest value in
the solution or, if all values are zero, the one with the largest value by the multipliers. An integral solution that is
a network is returned unchanged.

Cost: O(variables * families).
"""

import numpy as np

from ..compiled.jit import kernel
from .families_kernels import number_of


@kernel
def round_off(families, value, profit, best, root, complete, placed, child, parents):
    """Choose a family for each variable.

    Parameters
    ----------
    families : Families
    value : float64[f], of each family in the solution
    profit : float64[f], minus infinity for excluded families
    best : float64[n], finite
    root : int, the first variable, -1 for any
    complete : bool[m], overwritten: the sets that are complete
    placed : bool[n], overwritten
    child : int64[n], overwritten: the variables in their order
    parents : uint64[n], overwritten: the parents of each

    Returns
    -------
    float
        The sum of the gains.
    """
    complete[:] = False
    placed[:] = False
    complete[0] = True
    total, n = 0.0, placed.shape[0]
    for at in range(n):
        chosen, most, least_loss = -1, 1e-6, -np.inf
        for f in range(value.shape[0]):
            v = families.child[f]
            if placed[v] or not complete[families.parents[f]] or at == 0 and root >= 0 and v != root:
                continue
            loss = profit[f] - best[v]
            if value[f] > most or value[f] == most and loss > least_loss:
                chosen, most, least_loss = f, value[f], loss
            elif most <= 1e-6 and loss > least_loss:
                chosen, least_loss = f, loss
            elif chosen < 0 and families.parents[f] == 0:
                chosen = f
        v, members = families.child[chosen], families.sets[families.parents[chosen]]
        child[at], parents[at] = v, members
        placed[v] = True
        total += families.gain[chosen]
        bit, part = np.uint64(1) << np.uint64(v), members
        while True:
            complete[number_of(families.sets, part | bit)] = True
            if part == np.uint64(0):
                break
            part = (part - np.uint64(1)) & members
    return total
