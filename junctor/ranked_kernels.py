"""The splits of the vertices attached to a clique, for `junctor.ranked`, read from the filled tables."""

import numpy as np

from ..common.compiled.jit import inlined, kernel, lowest_bit, popcount
from ..common.exact.states_kernels import place_of
from ..common.sets.subset_numbers_kernels import last_element


@inlined
def value_of(tables, members, u):
    """g(C, U) of the masks C = `members` and U = `u` in `tables`, or minus infinity without that state."""
    start = tables.start[members]
    if start < 0:
        return -np.inf
    number, left = 0, u
    while left:
        v = lowest_bit(np.uint64(left))
        left &= left - 1
        number |= 1 << (v - popcount(np.uint64(members & ((1 << v) - 1))))
    place = place_of(tables.blocks, tables.words, start, number)
    return tables.g[place] if place >= 0 else -np.inf


@inlined
def whole_value(tables, separator, part):
    """A bound on the gain of R = `part` in `tables` if it is attached whole, by all of a separator; both are masks."""
    best, left = -np.inf, part
    while left:
        v = lowest_bit(np.uint64(left))
        left &= left - 1
        bag = separator | 1 << v
        if tables.start[bag] >= 0:
            gain = tables.scores[bag] - tables.scores[separator]
            best = max(best, gain + value_of(tables, bag, part ^ 1 << v))
    return best


@kernel
def splits(tables, members, must, u, least, masks, values):
    """The splits of U into a part that is attached whole, with the last vertex of U, and the rest.

    Parameters
    ----------
    tables : Tables, filled
    members, must, u : int
        Masks: the clique C, what every separator in it has, and U, not empty.
    least : float
        Only splits with at least this bound.
    masks : int64[m, 2], filled
        The part and its separator.
    values : float64[m, 2], filled
        Bounds on the gains of the part and the rest.

    Returns
    -------
    int
        Their number; only the first m are filled in.
    """
    top = 1 << last_element(u)
    free, below, count = members ^ must, u ^ top, 0
    rest = below
    while True:
        other = value_of(tables, members, rest)
        part = u ^ rest
        if other > -np.inf and value_of(tables, members, part) + other >= least:
            more = free
            while True:
                whole = whole_value(tables, must | more, part)
                if whole + other >= least:
                    if count < masks.shape[0]:
                        masks[count, 0], masks[count, 1] = part, must | more
                        values[count, 0], values[count, 1] = whole, other
                    count += 1
                if more == 0:
                    break
                more = (more - 1) & free
        if rest == 0:
            return count
        rest = (rest - 1) & below
