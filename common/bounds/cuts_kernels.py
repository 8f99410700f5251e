"""Separation: find the rows of each type of `common.bounds.cutting` that a fractional solution violates most.

`common.bounds.rows_kernels` defines the rows. A solution is given by its families with positive value: child, parents
(uint64 masks) and value x. The degree c(S) to which a set S is complete is the sum of the values of the families that
make it complete: a member v of S is the child and the others are among its parents. Sets with c > 0 are kept in a hash
table with open addressing: keys (uint64[2^j], a set or 0 for a free slot) and values (float64[2^j], c). Sets and
members are masks unless stated otherwise.

Cost: the scans are linear in the sets of the table times their neighbours; growing a cluster takes two passes over the
parents of all families and n over the variables.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import kernel, lowest_bit, popcount

EMPTY = np.uint64(0)  # no set of interest is empty
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def slot_of(keys, members):
    """The slot of a set in a table, or a free slot if the set is not there: int."""
    last = np.uint64(keys.shape[0] - 1)
    word = members * GOLDEN
    slot = (word ^ (word >> np.uint64(29))) & last
    while keys[slot] != EMPTY and keys[slot] != members:
        slot = (slot + np.uint64(1)) & last
    return slot


@kernel
def value_of(keys, values, members):
    """c of a set from the table; 1 for a single variable, 0 for a set that is not there."""
    if popcount(members) == 1:
        return 1.0
    slot = slot_of(keys, members)
    return values[slot] if keys[slot] == members else 0.0


@kernel
def complete_sets(child, parents, x, keys, values):
    """c of every set of two or more variables with c > 0; returns the number of sets, or -1 if the table is full.

    Parameters
    ----------
    child : int64[k]
    parents : uint64[k]
    x : float64[k], > 0
    keys : uint64[2^j], zeros; filled with the sets
    values : float64[2^j], filled with their c
    """
    count = 0
    for k in range(child.shape[0]):
        bit = np.uint64(1) << np.uint64(child[k])
        part = parents[k]
        while part != np.uint64(0):  # all subsets but the empty one
            slot = slot_of(keys, part | bit)
            if keys[slot] == EMPTY:
                keys[slot] = part | bit
                values[slot] = 0.0
                count += 1
                if 2 * count > keys.shape[0]:
                    return -1
            values[slot] += x[k]
            part = (part - np.uint64(1)) & parents[k]
    return count


@kernel
def _lowest(values):
    """The place of the least value, the first if there are several."""
    lowest = 0
    for k in range(1, values.shape[0]):
        if values[k] < values[lowest]:
            lowest = k
    return lowest


@kernel
def _keep(violations, count, excess, least):
    """Keep the violation of a row that was found, in place of the least one if there is no room.

    Returns
    -------
    (int, int, float)
        The place of the row, the number of rows, and the violation that a further row must exceed.
    """
    at = count if count < violations.shape[0] else _lowest(violations)
    violations[at] = excess
    count = max(count, at + 1)
    return at, count, least if count < violations.shape[0] else violations[_lowest(violations)]


@kernel
def separate_violated_immoralities(keys, values, least, rows, violations):
    """Immoralities, sets T and members w with c(T) > c(T - w): rows with base T and member T - w; returns their number.

    Parameters
    ----------
    keys, values : from `complete_sets`
    least : float, > 0, the smallest violation to report
    rows : Rows, of zeros, overwritten
    violations : float64[some], overwritten: the violation; the rows violated most are kept if there are more
    """
    count, wanted = 0, least
    for slot in range(keys.shape[0]):
        members, c = keys[slot], values[slot]
        if members == EMPTY or popcount(members) < 3 or c <= least:
            continue
        left = members
        while left != np.uint64(0):
            bit = left & (~left + np.uint64(1))
            left ^= bit
            excess = c - value_of(keys, values, members ^ bit)
            if excess > wanted:
                at, count, wanted = _keep(violations, count, excess, least)
                rows.base[at] = members
                rows.larger[at, 0] = members ^ bit
    return count


@kernel
def separate_violated_pairs(keys, values, near, least, rows, violations):
    """Rows with members T - u, T - v and base {w}; returns their number.

    With d(S) = c(S) - c(S + w), which no violated face makes negative, such a row states d(T - u) + d(T - v) >= d(T).
    For each T and w, only the u and v with the smallest sum are tried.

    Parameters
    ----------
    keys, values : from `complete_sets`
    near : uint64[n], the variables that have an edge of positive c to each variable
    least : float, the smallest violation to report; it may be negative
    rows : Rows, of zeros, overwritten
    violations : float64[some], overwritten: the violation; the rows violated most are kept if there are more
    """
    count, wanted = 0, least
    for slot in range(keys.shape[0]):
        whole = keys[slot]
        if whole == EMPTY or values[slot] <= least:
            continue
        others, left = EMPTY, whole
        while left != EMPTY:
            others |= near[lowest_bit(left)]
            left &= left - np.uint64(1)
        others &= ~whole
        while others != EMPTY:
            w = others & (~others + np.uint64(1))
            others ^= w
            excess = values[slot] - value_of(keys, values, whole | w)
            if excess <= least:
                continue
            first, second, lowest, next_lowest = EMPTY, EMPTY, np.inf, np.inf
            left = whole
            while left != EMPTY:
                bit = left & (~left + np.uint64(1))
                left ^= bit
                part = whole ^ bit
                d = value_of(keys, values, part) - value_of(keys, values, part | w)
                if d < lowest:
                    first, second, lowest, next_lowest = part, first, d, lowest
                elif d < next_lowest:
                    second, next_lowest = part, d
            excess -= lowest + next_lowest
            if excess > wanted:
                at, count, wanted = _keep(violations, count, excess, least)
                rows.base[at], rows.singles[at] = w, EMPTY
                rows.larger[at, 0], rows.larger[at, 1] = first, second
                if first & (first - np.uint64(1)) == EMPTY:
                    rows.singles[at], rows.larger[at, 0], rows.larger[at, 1] = whole, EMPTY, EMPTY
    return count


@kernel
def separate_violated_flags(keys, values, near, least, rows, violations):
    """Rows with members {k}, {l} and T: c(kl) + c(T+k) + c(T+l) - c(T) - c(T+k+l) > 1; returns their number.

    Parameters
    ----------
    keys, values : from `complete_sets`
    near : uint64[n], the variables that have an edge of positive c to each variable
    least : float, > 0
    rows : Rows, of zeros, overwritten
    violations : float64[some], overwritten: the violation; the rows violated most are kept if there are more
    """
    count, wanted = 0, least
    for slot in range(keys.shape[0]):
        first, c = keys[slot], values[slot]
        if first == EMPTY or c <= least:
            continue
        left = first
        while left != np.uint64(0):
            k = lowest_bit(left)
            bit = np.uint64(1) << np.uint64(k)
            left ^= bit
            rest = first ^ bit
            single = rest & (rest - np.uint64(1)) == np.uint64(0)
            base = value_of(keys, values, rest)
            others = near[k] & ~first & ~((bit << np.uint64(1)) - np.uint64(1))  # l > k
            while others != np.uint64(0):
                other = others & (~others + np.uint64(1))
                others ^= other
                second = value_of(keys, values, rest | other)
                edge = value_of(keys, values, bit | other)
                excess = edge + c + second - base - 1.0
                if excess > least:
                    excess -= value_of(keys, values, first | other)
                if excess > wanted:
                    at, count, wanted = _keep(violations, count, excess, least)
                    rows.singles[at] = bit | other | (rest if single else EMPTY)
                    rows.larger[at, 0] = EMPTY if single else rest
    return count


class ClusterGrowth(NamedTuple):
    """A solution, and work space for clusters in it; k families of n variables.

    child : int64[k], ascending
    parents : uint64[k]
    x : float64[k], negative for families that are subtracted
    first : int64[n + 1], the first family of each child
    start : int64[n + 1], where in `of_parent` those of each variable begin
    of_parent : int64[some], the families that have each variable as a parent
    is_open : bool[k], whether no parent of the family is in the cluster
    change : float64[n], what each variable adds to the cluster's sum: of open families with their child inside
    """

    child: np.ndarray
    parents: np.ndarray
    x: np.ndarray
    first: np.ndarray
    start: np.ndarray
    of_parent: np.ndarray
    is_open: np.ndarray
    change: np.ndarray


def cluster_growth(child, parents, x, first):
    """The ClusterGrowth of a solution.

    Parameters
    ----------
    child : int64[k], ascending
    parents : uint64[k]
    x : float64[k]
    first : int64[n + 1], the first family of each child
    """
    n = len(first) - 1
    is_parent = parents >> np.arange(n, dtype=np.uint64)[:, None] & np.uint64(1)
    variable, of_parent = np.nonzero(is_parent)
    start, of_parent = np.searchsorted(variable, np.arange(n + 1)), np.ascontiguousarray(of_parent)
    return ClusterGrowth(child, parents, x, first, start, of_parent, np.zeros(len(child), np.bool_), np.zeros(n))


@kernel
def _begin_cluster(growth):
    """Begin with an empty cluster."""
    for v in range(growth.change.shape[0]):
        growth.change[v] = 0.0
    for k in range(growth.child.shape[0]):
        growth.is_open[k] = True
        growth.change[growth.child[k]] += growth.x[k]


@kernel
def _change_by_parents(growth, k, value):
    """Add a value to what each parent of a family changes."""
    left = growth.parents[k]
    while left != np.uint64(0):
        growth.change[lowest_bit(left)] += value
        left &= left - np.uint64(1)


@kernel
def _add_to_cluster(growth, cluster, v):
    """Add variable v to a cluster; returns the change of the sum and the larger cluster."""
    added = growth.change[v]
    for e in range(growth.start[v], growth.start[v + 1]):
        k = growth.of_parent[e]
        if growth.is_open[k]:
            growth.is_open[k] = False
            if cluster >> np.uint64(growth.child[k]) & np.uint64(1) != np.uint64(0):
                _change_by_parents(growth, k, growth.x[k])
            else:
                growth.change[growth.child[k]] -= growth.x[k]
    for k in range(growth.first[v], growth.first[v + 1]):
        if growth.is_open[k]:
            _change_by_parents(growth, k, -growth.x[k])
    return added, cluster | np.uint64(1) << np.uint64(v)


@kernel
def _is_parent(growth, u, v):
    """Whether a family of v has the parent u."""
    for k in range(growth.first[v], growth.first[v + 1]):
        if growth.parents[k] >> np.uint64(u) & np.uint64(1) != np.uint64(0):
            return True
    return False


@kernel
def separate_violated_clusters(growth, least, rows, violations):
    """Cluster cuts (Jaakkola et al. 2010), rows whose members are single variables; returns their number.

    In each set C of variables some variable has no parent in C, the first one in an order: the values of the families
    with a child and no parent in C sum to at least 1. Each cluster C is grown greedily from a pair of variables of
    which one is a parent of the other; the most violated cluster of each pair is kept.

    Parameters
    ----------
    growth : ClusterGrowth
    least : float, the smallest violation to report
    rows : Rows, of zeros, overwritten
    violations : float64[some], overwritten: 1 minus the sum; the rows violated most are kept if there are more
    """
    n, count, wanted = growth.change.shape[0], 0, least
    for i in range(n):
        for j in range(i):
            if not _is_parent(growth, i, j) and not _is_parent(growth, j, i):
                continue
            _begin_cluster(growth)
            first, cluster = _add_to_cluster(growth, np.uint64(0), i)
            second, cluster = _add_to_cluster(growth, cluster, j)
            value = first + second
            best, lowest = cluster, value
            for _ in range(2, n):
                w, change = -1, np.inf
                for v in range(n):
                    if cluster >> np.uint64(v) & np.uint64(1) == np.uint64(0) and growth.change[v] < change:
                        w, change = v, growth.change[v]
                added, cluster = _add_to_cluster(growth, cluster, w)
                value += added
                if value < lowest - 1e-9:
                    best, lowest = cluster, value
            known = 1.0 - lowest <= wanted
            for k in range(count):
                known |= rows.singles[k] == best
            if not known:
                at, count, wanted = _keep(violations, count, 1.0 - lowest, least)
                rows.singles[at] = best
    return count
