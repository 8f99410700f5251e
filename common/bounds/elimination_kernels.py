"""Kernels of `common.bounds.elimination`: the bound of networks with a complete set, and one step of the search.

Sets of variables are masks, bit v for variable v. `base` is int64[2^n]: the entry of the empty subset of X in an array
with one entry for each subset P of each set X; P is written as a number whose bit i stands for the i-th member of X.
`worth` is float64[n, 2^n], minus infinity for families that are ruled out; `near` is int64[n], the required neighbours.

Cost: O(n^2 3^n) time for `best_with_complete` and `list_families`.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import kernel, lowest_bit
from ..sets.subset_numbers_kernels import with_zero_bit
from .families_kernels import Families


class States(NamedTuple):
    """What is left after some variables were eliminated; s states.

    left : int64[s], the mask of the variables that are left
    near : int16[s, n], of a variable that is left its neighbours that are left, of others their parents
    worth, gain : float64[s], sums over the families of the variables eliminated
    barred : int64[s], the mask of the variables that are not the next
    """

    left: np.ndarray
    near: np.ndarray
    worth: np.ndarray
    gain: np.ndarray
    barred: np.ndarray


@kernel
def spread(families: Families, alive, values, table):
    """Write the values of the families that are left to a table of every child and parents.

    Parameters
    ----------
    families : Families
    alive : bool[f]
    values : float64[f]
    table : float64[n, 2^n], overwritten
    """
    table[:] = -np.inf
    for f in range(families.child.shape[0]):
        if alive[f]:
            table[families.child[f], np.int64(families.sets[families.parents[f]])] = values[f]


@kernel
def _sort_down(keys, values, count):
    """Sort the first `count` keys, largest first, and the values with them (Shell 1959)."""
    gap = 1
    while gap < count:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            key, value, j = keys[i], values[i], i
            while j >= gap and keys[j - gap] < key:
                keys[j], values[j] = keys[j - gap], values[j - gap]
                j -= gap
            keys[j], values[j] = key, value
        gap //= 3


@kernel
def _list_subsets(members, subsets):
    """Write the masks of all subsets of a mask, in the order of their numbers; returns the size of the set."""
    subsets[0], size, left = 0, 0, members
    while left:
        bit = left & -left
        for p in range(1 << size):
            subsets[p | 1 << size] = subsets[p] | bit
        size += 1
        left ^= bit
    return size


@kernel
def best_with_complete(root, worth, near, rest, least, base, best, subsets, work):
    """b(X, P): a bound on the worth of the networks on X, in the best order from the root, where P is complete.

    Parameters
    ----------
    root : int
    worth, near, base : see above
    rest : float64[2^n], from `acyclic_kernels.best_parts`
    least : float
        Minus infinity stands for what cannot be worth more with the variables that are not in X.
    best : float64[3^n], overwritten
    subsets : int64[2^n], overwritten
    work : float64[4, 2^n + 1], overwritten
    """
    n = worth.shape[0]
    bounds, worths, best_from, above = work[0], work[1], work[2], work[3]
    best[0] = 0.0
    for x in range(1, 1 << n):
        size = _list_subsets(x, subsets)
        here, half = base[x], 1 << size - 1
        best[here : here + 2 * half] = -np.inf
        if not x >> root & 1 or rest[x] == -np.inf:
            continue
        if size == 1:
            best[here] = best[here + 1] = worth[root, 0]
            continue
        i, first = -1, 0  # first: the place of the root
        for v in range(root):
            first += x >> v & 1
        for v in range(n):
            if not x >> v & 1:
                continue
            i += 1
            if v == root:
                continue
            before, count = base[x ^ 1 << v], 0
            for q in range(half):
                parents = subsets[with_zero_bit(q, i)]
                total = best[before + q] + worth[v, parents]
                above[q] = -np.inf
                if total + rest[x] > least and not near[v] & x & ~parents:
                    bounds[count], worths[count] = best[before + q], worth[v, parents]
                    above[q] = total
                    count += 1
            if count == 0:
                continue
            _sort_down(bounds, worths, count)
            best_from[count] = -np.inf
            for j in range(count - 1, -1, -1):
                best_from[j] = max(best_from[j + 1], bounds[j] + worths[j])
            for j in range(1, count):
                worths[j] = max(worths[j], worths[j - 1])
            for p in range(half):  # v is not in P: the smaller of the bounds of P and of the parents
                bound = best[before + p]
                if bound == -np.inf:
                    continue
                low, high = 0, count
                while low < high:
                    middle = (low + high) // 2
                    if bounds[middle] >= bound:
                        low = middle + 1
                    else:
                        high = middle
                total = best_from[low]
                if low > 0:
                    total = max(total, bound + worths[low - 1])
                if total + rest[x] > least:
                    at = here + with_zero_bit(p, i)
                    best[at] = max(best[at], total)
            step = 1
            while step < half:
                for q in range(half):
                    if not q & step:
                        above[q] = max(above[q], above[q | step])
                step <<= 1
            for q in range(half):  # v is in P: the parents hold the others of P
                p = with_zero_bit(q, i) | 1 << i
                if not p >> first & 1 or p == 2 * half - 1:
                    best[here + p] = max(best[here + p], above[q])


@kernel
def list_families(worth, near, rest, least, base, best, subsets, work, start, parents, bound):
    """The families with which v can come last in X, for each X and v, by falling bound of the best network on X.

    Parameters
    ----------
    worth, near, rest, least, base, best, subsets, work
        As for `best_with_complete`, which has filled `best`.
    start : int64[n 2^n + 1], overwritten: the first family of X and v at n X + v
    parents : int16[k], overwritten
    bound : float64[k], overwritten

    Returns
    -------
    bool
        Whether there is room for all.
    """
    n, at = worth.shape[0], 0
    for x in range(1 << n):
        size = _list_subsets(x, subsets)
        i = -1
        for v in range(n):
            start[n * x + v] = at
            if not x >> v & 1:
                continue
            i += 1
            before, count = base[x ^ 1 << v], 0
            for q in range(1 << size - 1):
                members = subsets[with_zero_bit(q, i)]
                total = best[before + q] + worth[v, members]
                if total + rest[x] > least and not near[v] & x & ~members:
                    work[0, count], work[1, count] = total, members
                    count += 1
            if at + count > parents.shape[0]:
                return False
            _sort_down(work[0], work[1], count)
            for j in range(count):
                bound[at + j], parents[at + j] = work[0, j], np.int16(work[1, j])
            at += count
    start[n << n] = at
    return True


@kernel
def _number_within(members, x):
    """The number of a subset of X."""
    number, i = 0, 0
    while x:
        bit = x & -x
        if members & bit:
            number |= 1 << i
        i += 1
        x ^= bit
    return number


@kernel
def _least_of_cliques(x, near, base, best, enough):
    """The least b(X, P) of some cliques P of a graph on X, or one that is at most `enough`."""
    least, left = np.inf, x
    while left:
        bit = left & -left
        left ^= bit
        for highest in range(2):
            clique, common = bit, np.int64(near[lowest_bit(np.uint64(bit))]) & x
            while common:
                other = common & -common
                u = np.int64(lowest_bit(np.uint64(other)))
                if highest:
                    while common >> u + 1:
                        u += 1
                    other = 1 << u
                clique |= other
                common &= np.int64(near[u])
            least = min(least, best[base[x] + _number_within(clique, x)])
            if least <= enough:
                return least
    return least


@kernel
def eliminate(gains, worth, least, base, best, start, parents, bound, states, count, after, table, near):
    """Eliminate one more variable of each state, in every way that can be worth more than `least`.

    Parameters
    ----------
    gains, worth : float64[n, 2^n]
    least : float
    base, best : as for `best_with_complete`
    start, parents, bound : from `list_families`
    states : States
    count : int
        How many there are.
    after : States, overwritten
    table : int32[power of 2], overwritten: more than twice the room of `after`
    near : int16[n], overwritten

    Returns
    -------
    int
        The number of states afterwards; -1 if there is no room.
    """
    n, made, last = worth.shape[0], 0, table.shape[0] - 1
    table[:] = -1
    for s in range(count):
        x = states.left[s]
        for v in range(n):
            if not x >> v & 1 or states.barred[s] >> v & 1 and x != 1 << v:
                continue
            y = x ^ 1 << v
            for j in range(start[n * x + v], start[n * x + v + 1]):
                if states.worth[s] + bound[j] <= least:
                    break
                members = np.int64(parents[j])
                if np.int64(states.near[s, v]) & ~members:
                    continue
                total, gain = states.worth[s] + worth[v, members], states.gain[s] + gains[v, members]
                for u in range(n):
                    near[u] = states.near[s, u]
                    if y >> u & 1:
                        near[u] = near[u] & y
                        if members >> u & 1:
                            near[u] = near[u] | members & ~(1 << u)
                near[v] = members
                if y and total + _least_of_cliques(y, near, base, best, least - total) <= least:
                    continue
                barred = (states.barred[s] | x & (1 << v) - 1) & ~members & ~(1 << v)
                key = np.uint64(y)
                for u in range(n):
                    if y >> u & 1:
                        key = (key ^ np.uint64(near[u])) * np.uint64(0x9E3779B97F4A7C15)
                        key ^= key >> np.uint64(29)
                at = np.int64(key & np.uint64(last))
                while table[at] >= 0 and not _same(after, table[at], y, near):
                    at = at + 1 & last
                other = table[at]
                if other < 0:
                    if made == after.left.shape[0]:
                        return -1
                    other = table[at] = made
                    after.left[other], after.gain[other], after.barred[other] = y, -np.inf, barred
                    made += 1
                after.barred[other] &= barred
                if gain > after.gain[other]:
                    after.gain[other], after.worth[other] = gain, total
                    for u in range(n):
                        after.near[other, u] = near[u]
    return made


@kernel
def _same(states, s, left, near):
    """Whether a state has these variables and these neighbours."""
    if states.left[s] != left:
        return False
    for u in range(near.shape[0]):
        if left >> u & 1 and states.near[s, u] != near[u]:
            return False
    return True
