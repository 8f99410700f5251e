"""Terms of sets: the value that multipliers of rows add to families, by inclusion and exclusion.

The left side of a row (`common.bounds.rows_kernels`) is the sum over sets B of members of (-1)^(|B|+1) c(union of B),
the right side the same with the base in each union. So multipliers of rows give every set S a term t(S), and add to the
value of the family (v, P) the sum of the terms of the subsets of P + v less that of the subsets of P.
Terms are computed row by row, and summed over subsets in one pass per member. A set that is not in the list has no
supersets there, so that its term does not count, nor do theirs.

Cost: per row O(sets of members whose union is in the list), times its members; O(families) per pass, K passes.
"""

import numpy as np

from ..compiled.jit import inlined, kernel, lowest_bit, popcount
from .families_kernels import number_of
from .set_kernels import number_of_set, unpack_support


@inlined
def _add_to(members, change, sets, variables, counts, terms):
    """Add to the term of a set, if it is in the list; whether it is."""
    name = np.uint64(number_of_set(members, variables, counts)) if counts.shape[0] > 0 else members
    at = number_of(sets, name) if sets.shape[0] > 0 else np.int64(name)
    if at >= 0:
        terms[at] += change
    return at >= 0


@kernel
def _add_term(members, base, change, sets, variables, counts, terms):
    """Add to the term of a set, and subtract from that of the set together with the base, if there is one.

    Whether the set itself is in the list; otherwise no set that contains it is.
    """
    is_listed = _add_to(members, change, sets, variables, counts, terms)
    whole = members | base
    if is_listed and base != np.uint64(0) and popcount(whole) < counts.shape[1]:
        _add_to(whole, -change, sets, variables, counts, terms)
    return is_listed


@kernel
def add_terms(rows, weight, sets, counts, variables, at, union, terms):
    """Add the terms of rows.

    Parameters
    ----------
    rows : Rows, without support if sets are named by their masks
    weight : float64[r], the multipliers
    sets : uint64[m], ascending; not looked up, if these are all sets of up to K variables by their places: uint64[0]
    counts : int64[n, K + 1], from `set_counts`, if `sets` are places in colex order; int64[0, K + 1] if they are masks
    variables : int64[64], overwritten
    at : int64[K + 1], overwritten
    union : uint64[K + 1], overwritten
    terms : float64[m], of all sets
    """
    largest, width = counts.shape[1] - 1, rows.larger.shape[1]
    for r in range(rows.base.shape[0]):
        unpack_support(rows.support[r], variables)
        base, singles, larger, count = rows.base[r], rows.singles[r], rows.larger[r], 0
        while count < width and larger[count] != np.uint64(0):
            count += 1
        chosen = 0  # bits of B: these larger members and, below, some of the single ones
        while chosen < 1 << count:
            members, sign, t = np.uint64(0), -weight[r], count
            while t > 0 and popcount(members) <= largest and members & singles == np.uint64(0):
                t -= 1
                if chosen >> t & 1 == 1:
                    members |= larger[t]
                    sign = -sign
            if popcount(members) > largest or members & singles != np.uint64(0):
                chosen = ((chosen >> t) + 1) << t  # past all with these members; with a single one inside, terms cancel
                continue
            depth = 0
            at[0], union[0] = 0, members
            if chosen > 0 and not _add_term(members, base, sign, sets, variables, counts, terms):
                depth = -1
            while depth >= 0:
                left = singles >> np.uint64(at[depth]) if at[depth] < 64 else np.uint64(0)
                if left == np.uint64(0) or popcount(union[depth]) == largest:
                    depth -= 1
                    continue
                place = at[depth] + lowest_bit(left)
                at[depth] = place + 1
                depth += 1
                at[depth], union[depth] = place + 1, union[depth - 1] | np.uint64(1) << np.uint64(place)
                change = sign if depth & 1 == 0 else -sign
                if not _add_term(union[depth], base, change, sets, variables, counts, terms):
                    depth -= 1
            chosen += 1


@kernel
def sum_over_subsets(families, largest, terms):
    """Replace the term of every set by the sum over its subsets.

    After pass j a set has the sum over its subsets that contain all of its members after the j-th; pass j adds those
    without the j-th, which the set without it has from the passes before.

    Parameters
    ----------
    families : Families
    largest : int, size of the largest sets
    terms : float64[m], overwritten
    """
    start, parents = families.start, families.parents
    for j in range(largest):
        for s in range(terms.shape[0] - 1, 0, -1):
            if start[s + 1] - start[s] > j:
                terms[s] += terms[parents[start[s] + j]]
