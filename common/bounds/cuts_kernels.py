"""Separation: find the rows of each type of `common.bounds.cutting` that a fractional solution violates most.

`common.bounds.rows_kernels` defines the rows. A solution is given by its families with positive value: child, parents
(uint64 masks) and value x. The degree c(S) to which a set S is complete is the sum of the values of the families that
make it complete: a member v of S is the child and the others are among its parents. Sets with c > 0 are kept in a hash
table with open addressing: keys (uint64[2^j], a set or 0 for a free slot) and values (float64[2^j], c). Sets and
members are masks unless stated otherwise.

Cost: the scans are linear in the sets of the table times their neighbours; growing a cluster takes O(n) passes over
the solution.
"""

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
def separate_violated_faces(keys, values, least, rows, violations):
    """Immoralities, sets T and members w with c(T) > c(T - w): rows with base T and member T - w; returns their number.

    Parameters
    ----------
    keys, values : from `complete_sets`
    least : float, > 0, the smallest violation to report
    rows : Rows, of zeros, overwritten
    violations : float64[some], overwritten: the violation
    """
    count = 0
    for slot in range(keys.shape[0]):
        members, c = keys[slot], values[slot]
        if members == EMPTY or popcount(members) < 3 or c <= least:
            continue
        left = members
        while left != np.uint64(0):
            bit = left & (~left + np.uint64(1))
            left ^= bit
            excess = c - value_of(keys, values, members ^ bit)
            if excess > least and count < violations.shape[0]:
                rows.base[count] = members
                rows.larger[count, 0] = members ^ bit
                violations[count] = excess
                count += 1
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
    violations : float64[some], overwritten: the violation
    """
    count = 0
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
            if excess > least and count < violations.shape[0]:
                rows.base[count] = w
                if first & (first - np.uint64(1)) == EMPTY:
                    rows.singles[count] = whole
                else:
                    rows.larger[count, 0], rows.larger[count, 1] = first, second
                violations[count] = excess
                count += 1
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
    violations : float64[some], overwritten: the violation
    """
    count = 0
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
                if excess > least and count < violations.shape[0]:
                    rows.singles[count] = bit | other | (rest if single else EMPTY)
                    if not single:
                        rows.larger[count, 0] = rest
                    violations[count] = excess
                    count += 1
    return count


@kernel
def _grow(child, parents, x, cluster, value, first, lost, added):
    """Add to a cluster the variable that gives the smallest value; returns both, unchanged if none fits."""
    n = lost.shape[0]
    for w in range(n):
        lost[w] = 0.0
        added[w] = 0.0
    for k in range(first[n]):
        if parents[k] & cluster != np.uint64(0):
            continue
        if cluster >> np.uint64(child[k]) & np.uint64(1) != np.uint64(0):
            left = parents[k]
            while left != np.uint64(0):
                lost[lowest_bit(left)] += x[k]
                left &= left - np.uint64(1)
        else:
            added[child[k]] += x[k]
    best, change = -1, np.inf
    for w in range(n):
        if cluster >> np.uint64(w) & np.uint64(1) == np.uint64(0) and added[w] - lost[w] < change:
            best, change = w, added[w] - lost[w]
    if best < 0:
        return cluster, value
    return cluster | np.uint64(1) << np.uint64(best), value + change


@kernel
def separate_violated_clusters(child, parents, x, first, least, lost, added, rows, violations):
    """Cluster rows, whose members are single variables; returns their number.

    Each cluster is grown greedily from a pair of variables of which one is a parent of the other; the most violated
    cluster of each pair is kept.

    Parameters
    ----------
    child : int64[k], ascending
    parents : uint64[k]
    x : float64[k], negative for families that are subtracted
    first : int64[n + 1], the first family of each child
    least : float, the smallest violation to report
    lost, added : float64[n], overwritten
    rows : Rows, of zeros, overwritten
    violations : float64[some], overwritten: 1 minus the sum
    """
    n, count = lost.shape[0], 0
    for i in range(n):
        for j in range(i):
            cluster = np.uint64(1) << np.uint64(i) | np.uint64(1) << np.uint64(j)
            value, joined = 0.0, False
            for v in (i, j):
                for k in range(first[v], first[v + 1]):
                    inside = parents[k] & cluster != np.uint64(0)
                    joined |= inside
                    value += 0.0 if inside else x[k]
            if not joined:
                continue
            best, lowest = cluster, value
            for _ in range(2, n):
                cluster, value = _grow(child, parents, x, cluster, value, first, lost, added)
                if value < lowest - 1e-9:
                    best, lowest = cluster, value
            known = lowest >= 1.0 - least or count == violations.shape[0]
            for k in range(count):
                known |= rows.singles[k] == best
            if not known:
                rows.singles[count] = best
                violations[count] = 1.0 - lowest
                count += 1
    return count
