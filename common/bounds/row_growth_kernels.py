"""Growth of rows: members are added to a row one by one, each time the set that makes the left side smallest.

The left side of a row (`common.bounds.rows_kernels`) is a sum over the families of a solution. Without a base, or if
its one variable is not in P + v, a family (v, P) counts x if it *begins* the members: one of them is inside P + v and
none inside P. If the child is the base, it counts -x if a member is inside P. If the base is inside P, it never counts.
So another member inside P takes x away from a family that began the members, or completes the base, unless P had one
already; another member that contains v adds x if no member was inside P + v.

Sets that can be added are inside a family and have c > 0 or one variable; each has a number. What each of them would
change is kept while members come, and is corrected for the sets inside a family whose state changes, at most twice.

Cost of a row: the sets inside the families that its members reach, and for each member one pass over the families and
over the sets that can be added.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel, lowest_bit
from .cuts_kernels import EMPTY, slot_of

# the state of a family: no member inside P + v; one, but none inside P; one inside P
UNTOUCHED, PARTIAL, CONTAINED = 0, 1, 2
PLAIN, COMPLETING, NEVER = 0, 1, 2  # counts if it begins the members; completes the base; never counts


class Growth(NamedTuple):
    """A solution, the sets inside its families, and work space; k families of n variables, m sets that can be added.

    child : int64[k]
    parents : uint64[k]
    x : float64[k]
    start : int64[2 k + 1], where in `inner` the sets inside P begin, and then the sets inside P + v that contain v
    inner : int64[some], the numbers of these sets
    sets : uint64[m], the set of each number
    alone : float64[m], what each set changes while there is no member and no base
    concerned : int64[m], how many families it concerns then
    state : int64[k], UNTOUCHED, PARTIAL or CONTAINED
    kind : int64[k], PLAIN, COMPLETING or NEVER
    change : float64[m], the change of the left side if the set is added
    left : int64[m], how many families that concerns
    """

    child: np.ndarray
    parents: np.ndarray
    x: np.ndarray
    start: np.ndarray
    inner: np.ndarray
    sets: np.ndarray
    alone: np.ndarray
    concerned: np.ndarray
    state: np.ndarray
    kind: np.ndarray
    change: np.ndarray
    left: np.ndarray


@inlined
def _is_single(members):
    """Whether a set that is not empty has one variable."""
    return members & (members - np.uint64(1)) == EMPTY


@kernel
def list_inner_sets(growth, keys, numbers):
    """List the sets inside each family: fills start, inner and concerned, and returns the number of sets listed.

    Parameters
    ----------
    growth : Growth, with concerned 0
    keys : uint64[slots], from `complete_sets`
    numbers : int64[slots], of these sets; that of one variable is the variable
    """
    child, parents, inner = growth.child, growth.parents, growth.inner
    count = 0
    for k in range(child.shape[0]):
        bit = np.uint64(1) << np.uint64(child[k])
        for part in range(2):
            growth.start[2 * k + part] = count
            added = bit if part == 1 else EMPTY
            subset = parents[k]
            while True:
                members = subset | added
                if members != EMPTY and count < inner.shape[0]:
                    number = lowest_bit(members)
                    if not _is_single(members):
                        slot = slot_of(keys, members)
                        number = -1 if keys[slot] == EMPTY else numbers[slot]  # c = 0: cannot help
                    if number >= 0:
                        growth.concerned[number] += part
                        inner[count] = number
                        count += 1
                if subset == EMPTY:
                    break
                subset = (subset - np.uint64(1)) & parents[k]
    growth.start[2 * child.shape[0]] = count
    return count


@kernel
def _count(growth, k, sign):
    """Add to the changes what the present state of a family makes of them, or subtract it (sign -1)."""
    if growth.state[k] == CONTAINED or growth.kind[k] == NEVER:
        return
    first, last, own = growth.start[2 * k + 1], growth.start[2 * k + 2], growth.x[k]
    if growth.kind[k] == COMPLETING or growth.state[k] == PARTIAL:
        first, last, own = growth.start[2 * k], first, -own
    for e in range(first, last):
        growth.change[growth.inner[e]] += sign * own
        growth.left[growth.inner[e]] += sign


@kernel
def _begin(growth, base):
    """Remove all members, and find how each family counts in a row with this base of at most one variable."""
    for s in range(growth.sets.shape[0]):
        growth.change[s], growth.left[s] = growth.alone[s], growth.concerned[s]
    for k in range(growth.child.shape[0]):
        growth.state[k], growth.kind[k] = UNTOUCHED, PLAIN
        completing = base == np.uint64(1) << np.uint64(growth.child[k])
        if completing or growth.parents[k] & base != EMPTY:
            _count(growth, k, -1)
            growth.kind[k] = COMPLETING if completing else NEVER
            _count(growth, k, 1)


@kernel
def _add_member(growth, members):
    """Add a member."""
    child, parents, state = growth.child, growth.parents, growth.state
    for k in range(child.shape[0]):
        missing = members & ~parents[k]
        begins = state[k] == UNTOUCHED and missing == np.uint64(1) << np.uint64(child[k])
        if begins or state[k] != CONTAINED and missing == EMPTY:
            _count(growth, k, -1)
            state[k] = PARTIAL if begins else CONTAINED
            _count(growth, k, 1)


@kernel
def _left_side(growth):
    """The left side of the row: float."""
    x, state, kind, value = growth.x, growth.state, growth.kind, 0.0
    for k in range(x.shape[0]):
        if kind[k] == PLAIN and state[k] == PARTIAL:
            value += x[k]
        elif kind[k] == COMPLETING and state[k] == CONTAINED:
            value -= x[k]
    return value


@kernel
def _best_member(growth, base, singles, is_full):
    """The set whose addition reduces the left side most, and the change: (int, float), -1 for none.

    Parameters
    ----------
    growth : Growth
    base, singles : uint64, of the row
    is_full : bool, whether only single variables can be added
    """
    sets, change = growth.sets, growth.change
    best, least = -1, np.inf
    for s in range(sets.shape[0]):
        if change[s] < least - 1e-12 and growth.left[s] > 0 and sets[s] & base == EMPTY:
            is_single = _is_single(sets[s])
            if not (is_full and not is_single or is_single and singles & sets[s] != EMPTY):
                best, least = s, change[s]
    return best, least


@kernel
def grow_rows(growth, steps, most_larger, rows, violations):
    """Grow rows member by member; keep the most violated.

    Parameters
    ----------
    growth : Growth, with its sets listed
    steps : int, number of members to add
    most_larger : int, number of larger members that a row may have, at most the width of rows.larger
    rows : Rows, the start, with a base of at most one variable; replaced by larger rows that are violated more
    violations : float64[r], overwritten: the right side minus the left side
    """
    width = rows.larger.shape[1]
    for r in range(rows.base.shape[0]):
        base, singles, count = rows.base[r], rows.singles[r], 0
        most = 1.0 if base == EMPTY else 0.0
        _begin(growth, base)
        for v in range(64):
            if singles >> np.uint64(v) & np.uint64(1) != EMPTY:
                _add_member(growth, np.uint64(1) << np.uint64(v))
        while count < width and rows.larger[r, count] != EMPTY:
            _add_member(growth, rows.larger[r, count])
            count += 1
        lowest = _left_side(growth)
        value, kept = lowest, count
        for _ in range(steps):
            best, change = _best_member(growth, base, singles, count >= most_larger)
            if best < 0 or value + change >= most:
                break
            members = growth.sets[best]
            value += change
            _add_member(growth, members)
            if _is_single(members):
                singles |= members
            else:
                rows.larger[r, count] = members
                count += 1
            if value < lowest - 1e-9:
                lowest, kept = value, count
                rows.singles[r] = singles
        for t in range(kept, width):
            rows.larger[r, t] = EMPTY
        violations[r] = most - lowest
