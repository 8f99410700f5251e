"""Kernels of weighted clusters: see `common.bounds.weighted_clusters`.

Variables outside a cluster have weight 0.
"""

import numpy as np

from ..compiled.jit import inlined, kernel
from ..sets.bitset_kernels import has


@kernel
def fill_weights(support, light, weight):
    """The weights of a weighted cluster; returns whether the row is one, otherwise all weights are 0.

    Parameters
    ----------
    support, light : uint64[words], of the row
    weight : int64[n], overwritten
    """
    is_weighted = False
    for w in range(light.shape[0]):
        is_weighted |= light[w] != np.uint64(0)
    weight[:] = 0
    if is_weighted:
        for v in range(weight.shape[0]):
            if has(support, v):
                weight[v] = 1 if has(light, v) else 2
    return is_weighted


@inlined
def _begins(parents, child):
    """Whether a family begins the cluster, by the weights of its parents and of its child."""
    return parents < 2 and parents + child >= 2


@inlined
def _weight_of(weight, members):
    """The sum of the weights of `members`, variables and then -1."""
    total = 0
    for i in range(members.shape[0]):
        if members[i] < 0:
            break
        total += weight[members[i]]
    return total


@kernel
def cluster_coefficient(weight, child, parents):
    """The coefficient of a family in a weighted cluster: 1 or 0.

    Parameters
    ----------
    weight : int64[n]
    child : int
    parents : int16[K], then -1
    """
    return 1.0 if _begins(_weight_of(weight, parents), weight[child]) else 0.0


@kernel
def add_cluster_values(weights, multipliers, members, sets, total, values):
    """Add to the value of each set the multipliers of the weighted clusters of which it contains a member.

    Parameters
    ----------
    weights : int8[n, r], the weight of each variable in each cluster
    multipliers : float64[r]
    members : int16[m, K], of all sets, then -1
    sets : int64[s], their numbers
    total : int8[r], overwritten
    values : float64[s]
    """
    for s in range(sets.shape[0]):
        total[:] = 0
        for i in range(members.shape[1]):
            v = members[sets[s], i]
            if v < 0:
                break
            for r in range(multipliers.shape[0]):
                total[r] += weights[v, r]
        for r in range(multipliers.shape[0]):
            if total[r] >= 2:
                values[s] += multipliers[r]


@kernel
def _change(families, x, of, weight, inside, v, new):
    """What the left side changes by if the weight of v becomes `new`; `of` are the families that contain v."""
    change, old = 0.0, weight[v]
    for e in range(of.shape[0]):
        k = of[e]
        child = families[k, 0]
        if child == v:
            before, after = _begins(inside[k], old), _begins(inside[k], new)
        else:
            before, after = _begins(inside[k], weight[child]), _begins(inside[k] + new - old, weight[child])
        if before != after:
            change += x[k] if after else -x[k]
    return change


@kernel
def lower_left_side(families, x, start, of, weight, inside):
    """Change the weights of a cluster one by one, each time that which lowers its left side most; returns this side.

    Parameters
    ----------
    families : int64[k, K], the child, then its parents, then -1
    x : float64[k], their values
    start : int64[n + 1], where in `of` those of each variable begin
    of : int64[some], the families that contain each variable
    weight : int64[n], 0, 1 or 2, overwritten; at the end, one variable at least has 2
    inside : int64[k], overwritten: the weights of the parents
    """
    value, heavy = 0.0, 0
    for v in range(weight.shape[0]):
        heavy += weight[v] == 2
    for k in range(x.shape[0]):
        inside[k] = _weight_of(weight, families[k, 1:])
        if _begins(inside[k], weight[families[k, 0]]):
            value += x[k]
    while True:
        best, least, weight_then = -1, -1e-9 if heavy > 0 else np.inf, 0
        for v in range(weight.shape[0]):
            if heavy == 1 and weight[v] == 2:
                continue
            for new in range(0 if heavy > 0 else 2, 3):
                if new != weight[v]:
                    change = _change(families, x, of[start[v] : start[v + 1]], weight, inside, v, new)
                    if change < least:
                        best, least, weight_then = v, change, new
        if best < 0:
            return value
        for e in range(start[best], start[best + 1]):
            if families[of[e], 0] != best:
                inside[of[e]] += weight_then - weight[best]
        heavy += (weight_then == 2) - (weight[best] == 2)
        weight[best] = weight_then
        value += least
