"""A chordal network from a fractional solution, by a greedy pool of families.

Each variable in turn gets a family whose parents are complete and placed before it: the one with the largest value in
the solution or, if all values are zero, the one with the largest value by the multipliers. An integral solution that is
a network is returned unchanged.

Sets are identified by their place in the table of families. Cost: O(variables * families).
"""

import numpy as np

from ..compiled.jit import kernel
from .families_kernels import add_subsets


@kernel
def round_to_network(families, value, profit, best, root, complete, placed, chosen):
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
    chosen : int64[n], overwritten: the family of each variable, in their order

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
        family, most, least_loss = -1, 1e-6, -np.inf
        for f in range(value.shape[0]):
            v = families.child[f]
            if placed[v] or not complete[families.parents[f]] or at == 0 and root >= 0 and v != root:
                continue
            loss = profit[f] - best[v]
            if value[f] > most or value[f] == most and loss > least_loss:
                family, most, least_loss = f, value[f], loss
            elif most <= 1e-6 and loss > least_loss:
                family, least_loss = f, loss
            elif family < 0 and families.parents[f] == 0:
                family = f
        chosen[at] = family
        placed[families.child[family]] = True
        total += families.gain[family]
        complete[np.searchsorted(families.start, family, side="right") - 1] = True
        add_subsets(families, complete)
    return total
