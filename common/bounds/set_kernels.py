"""Kernels for families of more than 64 variables, whose sets do not fit in a word.

Sets of up to K of n variables are listed in colex order, the order of masks as numbers, and named by their number in
the list; the empty set is 0, and every set comes after its subsets. Rows have masks over their support
(`common.bounds.rows_kernels`).

Cost: O(families) to list them.
"""

import numpy as np

from ..compiled.jit import kernel, lowest_bit, popcount
from .families_kernels import number_of
from .rows_kernels import coefficient
from .weighted_clusters_kernels import cluster_coefficient, limit_of


@kernel
def list_sets(members):
    """The sets in colex order.

    Parameters
    ----------
    members : int16[m, K], overwritten: ascending, then -1
    """
    largest = members.shape[1]
    members[0] = -1
    for s in range(1, members.shape[0]):
        size = 0
        while size < largest and members[s - 1, size] >= 0:
            size += 1
        run, first = 0, 0  # as a number plus one: the lowest run of elements is replaced by the element after it
        if size == largest or size > 0 and members[s - 1, 0] == 0:
            first = members[s - 1, 0]
            while run < size and members[s - 1, run] == first:
                first += 1
                run += 1
        members[s] = -1
        members[s, 0] = first
        for i in range(run, size):
            members[s, i - run + 1] = members[s - 1, i]


@kernel
def fill_listed_families(members, counts, places, families):
    """Fill start, child, parents and gain.

    Parameters
    ----------
    members : int16[m, K], of the sets, in colex order: ascending, then -1
    counts : int64[n, K + 1], from `set_counts`
    places : uint64[m], of the sets in colex order; uint64[0] if they are all sets
    families : Families, with scores
    """
    largest, at = members.shape[1], 0
    for s in range(members.shape[0]):
        families.start[s] = at
        size = 0
        while size < largest and members[s, size] >= 0:
            size += 1
        for i in range(size):
            number, larger = 0, size - 2
            for j in range(size):
                if j != i:
                    number += counts[members[s, j], largest - larger]
                    larger -= 1
            if places.shape[0] > 0:
                number = number_of(places, np.uint64(number))
            families.child[at] = members[s, i]
            families.parents[at] = number
            families.gain[at] = families.scores[s] - families.scores[number]
            at += 1
    families.start[members.shape[0]] = at


@kernel
def unpack_support(support, variables):
    """The variables of a support, ascending; returns their number.

    Parameters
    ----------
    support : uint64[words]
    variables : int64[64], overwritten
    """
    count = 0
    for w in range(support.shape[0]):
        left = support[w]
        while left != np.uint64(0):
            variables[count] = 64 * w + lowest_bit(left)
            left &= left - np.uint64(1)
            count += 1
    return count


@kernel
def number_of_set(members, variables, counts):
    """The place in colex order of `members`, a mask over `variables` (int64[64]); `counts` are from `set_counts`."""
    largest, number = counts.shape[1] - 1, 0
    larger = popcount(members) - 1
    while members != np.uint64(0):
        number += counts[variables[lowest_bit(members)], largest - larger]
        members &= members - np.uint64(1)
        larger -= 1
    return number


@kernel
def mask_in(place, members):
    """The mask of those of `members` (int16[K], then -1) that have a bit in `place` (int64[n], -1 for none): uint64."""
    mask = np.uint64(0)
    for i in range(members.shape[0]):
        if members[i] < 0:
            break
        if place[members[i]] >= 0:
            mask |= np.uint64(1) << np.uint64(place[members[i]])
    return mask


@kernel
def long_coefficients(rows, child, parents, members, place, variables, row, column, value):
    """The nonzero coefficients; returns how many there are, even if not all of them fit.

    Parameters
    ----------
    rows : Rows, with support
    child : int64[k]
    parents : uint64[k], the numbers of the sets P
    members : int16[m, K], of all sets
    place : int64[n], overwritten
    variables : int64[64], overwritten
    row, column : int32[some], overwritten, row by row
    value : float64[some], overwritten
    """
    count, weights = 0, rows.weights.view(np.uint8)
    for r in range(rows.base.shape[0]):
        limit = limit_of(weights[r])
        if limit == 0:
            place[:] = -1
            for i in range(unpack_support(rows.support[r], variables)):
                place[variables[i]] = i
        for k in range(child.shape[0]):
            if limit > 0:
                number = cluster_coefficient(weights[r], limit, child[k], members[parents[k]])
            elif place[child[k]] < 0:
                continue
            else:
                bit, others = np.uint64(1) << np.uint64(place[child[k]]), mask_in(place, members[parents[k]])
                number = coefficient(rows.base[r], rows.singles[r], rows.larger[r], bit, others)
            if number != 0.0:
                if count < value.shape[0]:
                    row[count], column[count], value[count] = r, k, number
                count += 1
    return count


@kernel
def restrict(parents, members, place, masks):
    """The parents of families inside a window.

    Parameters
    ----------
    parents : uint64[k], the numbers of the sets P
    members : int16[m, K], of all sets
    place : int64[n], the place of each variable in the window, -1 if it is outside
    masks : uint64[k], overwritten: over the places
    """
    for k in range(parents.shape[0]):
        masks[k] = mask_in(place, members[parents[k]])


@kernel
def _packed(mask, support):
    """The bits of `mask` at the bits of `support`, closed up: uint64."""
    packed, place = np.uint64(0), np.uint64(0)
    while support != np.uint64(0):
        bit = support & (~support + np.uint64(1))
        if mask & bit != np.uint64(0):
            packed |= np.uint64(1) << place
        place += np.uint64(1)
        support ^= bit
    return packed


@kernel
def add_support(window, rows, found):
    """Rows over the places of a window as rows over their support.

    Parameters
    ----------
    window : int64[k], its variables, ascending
    rows : Rows
    found : Rows, of zeros, with support, overwritten
    """
    for r in range(rows.base.shape[0]):
        support = rows.base[r] | rows.singles[r]
        for t in range(rows.larger.shape[1]):
            support |= rows.larger[r, t]
        found.base[r], found.singles[r] = _packed(rows.base[r], support), _packed(rows.singles[r], support)
        for t in range(rows.larger.shape[1]):
            found.larger[r, t] = _packed(rows.larger[r, t], support)
        while support != np.uint64(0):
            v = window[lowest_bit(support)]
            found.support[r, v >> 6] |= np.uint64(1) << np.uint64(v & 63)
            support &= support - np.uint64(1)
