"""Counts of the joint states of a set of variables: the counting kernel that every score uses.

The rows' joint codes are built variable by variable in mixed radix. If the next factor would exceed the capacity for a
dense count, the codes are renumbered over the cells that occur; a cell of weight 1 cannot be split further, so its row
is dropped and only the number of such rows is kept. The counts depend only on the set (members ascending), not on what
was counted before, so that equal sets get equal floating-point scores in every thread.

If there are few cells, rows of weight 1 are counted on bit planes, with a bit per row for each state of a variable: the
planes of a cell's states are intersected 64 rows at a time.

Cost: O(rows) per variable; O(rows) per set in the common case that the product of the arities is within the capacity;
never O(q). On bit planes O(cells x rows / 64): three binary variables of a million rows take a tenth of the time.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel, popcount
from ..compiled.records import by_address


@by_address
class CountingTable(NamedTuple):
    """Data in the form the kernels use; equal rows are merged.

    columns : uint8 or int32[n_vars, n_distinct_rows]
    weights : int32 or int64[n_heavy], the number of rows of the data (or parts of them) that each of the first n_heavy
        rows stands for; each other row stands for one
    arity : int64[n_vars]
    planes : uint64[n_planes, words]
        For each state of a variable with few states, the rows of weight 1 that have it; other bits are 0.
    first_plane : int64[n_vars], a variable's plane of state 0, the first of its planes; -1 if it has none
    """

    columns: np.ndarray
    weights: np.ndarray
    arity: np.ndarray
    planes: np.ndarray
    first_plane: np.ndarray


@by_address
class CountingScratch(NamedTuple):
    """Work space of one thread; every array is overwritten.

    code : int32[n_distinct_rows]
    rows : int32[n_distinct_rows]
    counts : int[capacity], of the dtype of weights
    remap : int32[slots], slots a power of two, at least 2 * n_distinct_rows and room
    opened : int32[n_distinct_rows]
    of_count : int64[64], four histograms of the small counts
    patterns : uint64[LEVELS, PATTERN], rows that have the first states of a cell
    states : int64[LEVELS]
    """

    code: np.ndarray
    rows: np.ndarray
    counts: np.ndarray
    remap: np.ndarray
    opened: np.ndarray
    of_count: np.ndarray
    patterns: np.ndarray
    states: np.ndarray


LEVELS = 8  # largest number of variables of a set that is counted on bit planes
PATTERN = 256  # words of a plane processed together: all levels stay in the first-level cache
MAX_CELLS = 128  # largest number of cells of such a set
ROWS_A_CELL = 8  # smallest number of rows per cell: with fewer, counting row by row is faster


@kernel
def joint_counts(table, members, size, scratch):
    """Count the joint states of `members[:size]`.

    Parameters
    ----------
    table : CountingTable
    members : int64[>= size], ascending variable indices
    size : int, 1 <= size <= n_vars
    scratch : CountingScratch, overwritten

    Returns
    -------
    (int, int)
        `cells` and `singles`: scratch.counts[:cells] contains counts (zeros allowed), to which `singles` cells
        of count 1 must be added.
    """
    columns, weights, arity = table.columns, table.weights, table.arity
    code, rows, counts = scratch.code, scratch.rows, scratch.counts
    capacity = counts.shape[0]
    active = columns.shape[1]
    first = 0  # variables already in the codes
    cells = 1
    while first < size and cells * arity[members[first]] <= capacity:
        cells *= arity[members[first]]
        first += 1
    if first == size:
        if _suits_planes(table, members, size, cells):
            _count_planes(table, members, size, cells, scratch)
        else:
            _count_dense(table, members, size, cells, scratch)
        return cells, 0
    _code_rows(table, members, first, code)
    everything = True  # rows[:active] is still the identity
    singles = 0
    for m in range(first, size):
        column = columns[members[m]]
        radix = arity[members[m]]
        if cells * radix > capacity:
            active, cells, dropped = _renumber(weights, everything, active, cells, scratch)
            everything = False
            singles += dropped
        if cells * radix > capacity:
            cells = renumber_by_hash(column, active, scratch)
        else:
            for k in range(active):
                code[k] = code[k] * np.int32(radix) + np.int32(column[rows[k]])
            cells *= radix
    for c in range(cells):
        counts[c] = 0
    for k in range(active):
        counts[code[k]] += _weight(weights, np.int64(rows[k]))
    return cells, singles


@inlined
def _weight(weights, row):
    return weights[row] if row < weights.shape[0] else np.int32(1)


@kernel
def _code_rows(table, members, size, code):
    """Joint codes of all rows in mixed radix; the product of the arities must fit."""
    columns = table.columns
    for r in range(columns.shape[1]):
        code[r] = columns[members[0], r]
    for m in range(1, size):
        column = columns[members[m]]
        radix = np.int32(table.arity[members[m]])
        for r in range(columns.shape[1]):
            code[r] = code[r] * radix + np.int32(column[r])


@inlined
def _suits_planes(table, members, size, cells):
    """Whether counting on bit planes is faster."""
    alone = table.columns.shape[1] - table.weights.shape[0]
    if cells > MAX_CELLS or size > LEVELS or alone < ROWS_A_CELL * cells:
        return False
    for m in range(size):
        if table.first_plane[members[m]] < 0:
            return False
    return True


@kernel
def _count_planes(table, members, size, cells, scratch):
    """Count over the full product of arities, `cells`: rows of weight 1 on planes, the others one by one."""
    columns, weights, arity, planes = table.columns, table.weights, table.arity, table.planes
    counts, patterns, states = scratch.counts, scratch.patterns, scratch.states
    for c in range(cells):
        counts[c] = 0
    for r in range(weights.shape[0]):
        cell = np.int64(0)
        for m in range(size):
            cell = cell * arity[members[m]] + np.int64(columns[members[m], r])
        counts[cell] += weights[r]
    last, words = members[size - 1], planes.shape[1]
    for start in range(0, words, PATTERN):
        length = min(PATTERN, words - start)
        for m in range(size):
            states[m] = 0
        cell, level = np.int64(0), np.int64(0)
        while level >= 0:
            for m in range(level, size - 1):  # the rows with the states of members[: m + 1]
                plane = planes[table.first_plane[members[m]] + states[m], start : start + length]
                pattern = patterns[m]
                if m == 0:
                    for k in range(length):
                        pattern[k] = plane[k]
                else:
                    before = patterns[m - 1]
                    for k in range(length):
                        pattern[k] = before[k] & plane[k]
            pattern = patterns[max(size - 2, 0)]
            for state in range(arity[last]):
                plane = planes[table.first_plane[last] + state, start : start + length]
                found = np.int64(0)
                if size == 1:
                    for k in range(length):
                        found += popcount(plane[k])
                else:
                    for k in range(length):
                        found += popcount(pattern[k] & plane[k])
                counts[cell] += np.int32(found)
                cell += 1
            level = size - 2
            while level >= 0 and states[level] + 1 == arity[members[level]]:
                states[level] = 0
                level -= 1
            if level >= 0:
                states[level] += 1


BLOCK = 1024


@kernel
def _count_dense(table, members, size, cells, scratch):
    """Count over the full product of arities, `cells`, in blocks whose codes stay in the first-level cache.

    Consecutive rows often fall into the same cell, and each addition would wait for the one
    before: if there is room, four rows are counted into four tables.
    """
    columns, weights, counts = table.columns, table.weights, scratch.counts
    n_rows = columns.shape[1]
    lanes = 4 if 4 * cells <= counts.shape[0] else 1
    one, two, three = np.uint64(cells), np.uint64(2 * cells), np.uint64(3 * cells)
    for c in range(lanes * cells):
        counts[c] = 0
    code = scratch.code
    for start in range(0, n_rows, BLOCK):
        length = min(BLOCK, n_rows - start)
        column = columns[members[0], start : start + length]
        for r in range(length):
            code[r] = column[r]
        for m in range(1, size):
            column = columns[members[m], start : start + length]
            radix = np.int32(table.arity[members[m]])
            for r in range(length):
                code[r] = code[r] * radix + np.int32(column[r])
        heavy = max(0, min(length, weights.shape[0] - start))
        for r in range(heavy):
            counts[code[r]] += weights[start + r]
        whole = heavy + (length - heavy) // 4 * 4 if lanes == 4 else heavy
        for r in range(heavy, whole, 4):
            counts[np.uint64(code[r])] += 1
            counts[one + np.uint64(code[r + 1])] += 1
            counts[two + np.uint64(code[r + 2])] += 1
            counts[three + np.uint64(code[r + 3])] += 1
        for r in range(whole, length):
            counts[np.uint64(code[r])] += 1
    for lane in range(1, lanes):
        for c in range(cells):
            counts[c] += counts[lane * cells + c]


@kernel
def _renumber(weights, everything, active, cells, scratch):
    """Renumber the occurring cells in code order, and drop rows of weight 1 that are alone."""
    code, rows, counts, remap = scratch.code, scratch.rows, scratch.counts, scratch.remap
    for c in range(cells):
        counts[c] = 0
    for k in range(active):
        counts[code[k]] += _weight(weights, k if everything else rows[k])
    used = 0
    for c in range(cells):
        if counts[c] > 1:
            remap[c] = used
            used += 1
        else:
            remap[c] = -1
    kept = 0
    for k in range(active):
        new = remap[code[k]]
        if new >= 0:
            rows[kept] = k if everything else rows[k]
            code[kept] = new
            kept += 1
    return kept, max(used, 1), active - kept


@kernel
def renumber_by_hash(column, active, scratch):
    """Refine the codes by a variable with too many states for a dense count; numbered by first occurrence.

    Parameters
    ----------
    column : uint8 or int32[n_distinct_rows], the variable's states
    active : int, number of rows left
    scratch : CountingScratch; code[:active], of the rows rows[:active], is refined, the rest is overwritten

    Returns
    -------
    int
        Number of codes now, at least 1.
    """
    code, rows, counts, remap = scratch.code, scratch.rows, scratch.counts, scratch.remap
    slots = 64
    while slots < 2 * active:  # remap has room for twice the rows
        slots *= 2
    for s in range(slots):
        remap[s] = -1
    used = 0
    # counts is unused until the final count: it stores the row that opened each cell, to compare keys
    for k in range(active):
        state = np.int64(column[rows[k]])
        slot = ((np.int64(code[k]) * 2654435761 + state * 40503) ^ (state << 7)) & (slots - 1)
        while True:
            new = remap[slot]
            if new < 0:
                remap[slot] = used
                counts[used] = k
                scratch.opened[used] = code[k]
                code[k] = used
                used += 1
                break
            if scratch.opened[new] == code[k] and np.int64(column[rows[counts[new]]]) == state:
                code[k] = new
                break
            slot = (slot + 1) & (slots - 1)
    return max(used, 1)
