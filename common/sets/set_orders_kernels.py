"""Sets as ascending lists, in colex order: the next set, and the rank of a set, computed without a search.

Lists are used instead of masks because a word has bits for at most 64 variables.
"""

from ..compiled.jit import inlined


@inlined
def colex_rank(counts_below, members, size, left_out, max_size):
    """The number of sets of at most `max_size` elements with a smaller mask.

    Go through the elements from the largest down. Each element c adds the sets that agree above c, lack c and are
    arbitrary below: the subsets of c elements up to the remaining size.

    Parameters
    ----------
    counts_below : int64[n, >= max_size + 1], see `common.sets.set_orders.set_counts`
    members : int64[>= size], the set, ascending
    size : int
    left_out : int, index of an element to ignore; -1 for none
    max_size : int

    Returns
    -------
    int
    """
    rank = 0
    left = max_size + 1 - size + (left_out >= 0)
    for i in range(size):
        if i != left_out:
            rank += counts_below[members[i], left]
            left += 1
    return rank


@inlined
def next_set(members, size, largest):
    """Make members[:size] the next set of at most `largest` elements in colex order; returns its size.

    As a mask, this adds one, or the value of its lowest bit if the set is full.
    """
    fresh = 0 if size < largest else members[0]
    carried = 0
    while carried < size and members[carried] == fresh + carried:
        carried += 1
    fresh += carried
    if carried == 0:
        for i in range(size, 0, -1):
            members[i] = members[i - 1]
    else:
        for i in range(carried, size):
            members[i - carried + 1] = members[i]
    members[0] = fresh
    return size - carried + 1


@inlined
def without(v, other):
    """The variable with number `other` among those that are not v."""
    return other + 1 if other >= v else other


@inlined
def insert_sorted(members, size, v, out):
    """Fill out[: size + 1] with the ascending members[:size] and v."""
    place = size
    while place > 0 and members[place - 1] > v:
        out[place] = members[place - 1]
        place -= 1
    out[place] = v
    for i in range(place):
        out[i] = members[i]
