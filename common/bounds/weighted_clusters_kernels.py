"""Kernels of weighted clusters: see `common.bounds.weighted_clusters`.

The *limit* of a cluster is its largest weight. Variables outside have weight 0.
"""

import numpy as np

from ..compiled.jit import inlined, kernel


@kernel
def limit_of(weight):
    """The largest weight, its limit, of a cluster; 0 of another row: int."""
    limit = 0
    for v in range(weight.shape[0]):
        limit = max(limit, weight[v])
    return limit


@inlined
def _begins(limit, parents, child):
    """Whether a family begins the cluster, by the weights of its parents and of its child."""
    return parents < limit and parents + child >= limit


@inlined
def _weight_of(weight, members):
    """The sum of the weights of `members`, variables and then -1."""
    total = np.int64(0)  # not of the type of the weights, bytes
    for i in range(members.shape[0]):
        if members[i] < 0:
            break
        total += weight[members[i]]
    return total


@kernel
def cluster_coefficient(weight, limit, child, parents):
    """The coefficient of a family in a weighted cluster: 1 or 0.

    Parameters
    ----------
    weight : uint8[n]
    limit : int
    child : int
    parents : int16[K], then -1
    """
    return 1.0 if _begins(limit, _weight_of(weight, parents), weight[child]) else 0.0


@inlined
def _equal_above_lowest(members, others):
    """Whether two sets are the same without their lowest variables."""
    for i in range(1, members.shape[0]):
        if members[i] != others[i]:
            return False
    return True


@kernel
def add_cluster_values(weights, limits, reached, members, sets, lowest, total, values):
    """Add to the value of each set the multipliers of the weighted clusters of which it contains a member.

    Sets in colex order that differ in their lowest variable follow one another: the weight of the others is computed
    once for all of them.

    Parameters
    ----------
    weights : uint8[r, n], of the variables in each cluster
    limits : uint8[r]
    reached : float64[r, w, n], the multiplier of a cluster if the variable weighs w or more in it, otherwise 0
    members : int16[m, K], of all sets, then -1
    sets : int64[s], their numbers, in colex order; first the empty set
    lowest : int64[n], overwritten
    total : float64[n], overwritten
    values : float64[s]
    """
    s = 1
    while s < sets.shape[0]:
        first, count = members[sets[s]], 0
        while s + count < sets.shape[0] and _equal_above_lowest(members[sets[s + count]], first):
            lowest[count], total[count] = members[sets[s + count], 0], 0.0
            count += 1
        for r in range(limits.shape[0]):
            missing = max(0, limits[r] - _weight_of(weights[r], first[1:]))
            for i in range(count):
                total[i] += reached[r, missing, lowest[i]]
        for i in range(count):
            values[s + i] += total[i]
        s += count


@kernel
def _change(families, x, of, limit, weight, inside, v, new):
    """What the left side changes by if the weight of v becomes `new`; `of` are the families that contain v."""
    change, old = 0.0, weight[v]
    for e in range(of.shape[0]):
        k = of[e]
        child = families[k, 0]
        if child == v:
            before, after = _begins(limit, inside[k], old), _begins(limit, inside[k], new)
        else:
            before = _begins(limit, inside[k], weight[child])
            after = _begins(limit, inside[k] + new - old, weight[child])
        if before != after:
            change += x[k] if after else -x[k]
    return change


@kernel
def lower_left_side(families, x, start, of, limit, weight, inside):
    """Change the weights of a cluster one by one, each time that which lowers its left side most; returns this side.

    Parameters
    ----------
    families : int64[k, K], the child, then its parents, then -1
    x : float64[k], their values
    start : int64[n + 1], where in `of` those of each variable begin
    of : int64[some], the families that contain each variable
    limit : int
    weight : int64[n], 0 to `limit`, overwritten; at the end, one variable at least has `limit`
    inside : int64[k], overwritten: the weights of the parents
    """
    value, heavy = 0.0, 0
    for v in range(weight.shape[0]):
        heavy += weight[v] == limit
    for k in range(x.shape[0]):
        inside[k] = _weight_of(weight, families[k, 1:])
        if _begins(limit, inside[k], weight[families[k, 0]]):
            value += x[k]
    while True:
        best, least, weight_then = -1, -1e-9 if heavy > 0 else np.inf, 0
        for v in range(weight.shape[0]):
            if heavy == 1 and weight[v] == limit:
                continue
            for new in range(0 if heavy > 0 else limit, limit + 1):
                if new != weight[v]:
                    change = _change(families, x, of[start[v] : start[v + 1]], limit, weight, inside, v, new)
                    if change < least:
                        best, least, weight_then = v, change, new
        if best < 0:
            return value
        for e in range(start[best], start[best + 1]):
            if families[of[e], 0] != best:
                inside[of[e]] += weight_then - weight[best]
        heavy += (weight_then == limit) - (weight[best] == limit)
        weight[best] = weight_then
        value += least
