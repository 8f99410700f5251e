"""Scores of all sets of up to `largest` variables, each prefix counted once.

The sets are visited depth first: a set is its parent plus one later variable (later in `order`). Every level of the
walk has the partition of the rows by its set, as one class number per row, and a child refines it by one column: one
pass over the rows counts the child, another renumbers its classes for its own children. A row that is alone in its
class is alone for every superset, so it is removed from the partition and only the number of such rows is kept: deep in
the walk few rows are left.

A set has one path from the empty set, and the operations on it do not depend on where the walk started. So a score is
the same double in every thread.

Near the end of the order few variables are left, and rows of one class that agree on these need not be distinguished:
they are merged into one row with a weight.

Cost: time O(rows not alone in their class) per set, memory O(largest * rows) per thread.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.records import by_address
from ..sets.set_orders_kernels import colex_rank, insert_sorted
from .counting_kernels import CountingScratch, CountingTable, renumber_by_hash
from .score_kernels import Formula, score_of_counts

ENTRIES_PER_ROW = 4  # rows are merged if the table needed has at most this many entries per row


@by_address
class Walk(NamedTuple):
    """Data shared by all threads.

    table : CountingTable
    formula : Formula, see `common.scores.score_kernels`
    order : int64[n], the variables in the order of the walk
    ln_arity : float64[n]
    counts_below : int64[n, largest + 1], see `common.sets.set_orders.set_counts`
    suffixes : int64[n], number of different rows on the last 0, 1, ... variables; 0 for too many
    suffix : int32[some, n_distinct_rows], the number of each row of the table among these
    example : int32[some, most suffixes], a row of the table for each
    scores : float64[sets], in colex order; every thread writes its own
    """

    table: CountingTable
    formula: Formula
    order: np.ndarray
    ln_arity: np.ndarray
    counts_below: np.ndarray
    suffixes: np.ndarray
    suffix: np.ndarray
    example: np.ndarray
    scores: np.ndarray


@by_address
class Levels(NamedTuple):
    """The stack of one thread, one level per set size from 0 to largest; the caller sets up level 0.

    rows : int32[largest + 1, n_distinct_rows + 1], rows of the table, one for all that are merged here
    code : int32[largest + 1, n_distinct_rows + 1], their classes
    weight : int[largest + 1, n_distinct_rows + 1], the number of rows of the data that each stands for
    held_by : int64[largest + 1], the level whose `rows` and `weight` a level uses: its own, or its parent's
    active : int64[largest + 1], the number of rows
    cells : int64[largest + 1], the number of their classes
    singles : int64[largest + 1], the number of rows removed as alone in their class
    following : int64[largest + 1], the place in `order` of the next child
    members : int64[largest + 1, largest + 1], the set, ascending; its size is the level
    ln_q : float64[largest + 1], logarithm of the product of its arities
    """

    rows: np.ndarray
    code: np.ndarray
    weight: np.ndarray
    held_by: np.ndarray
    active: np.ndarray
    cells: np.ndarray
    singles: np.ndarray
    following: np.ndarray
    members: np.ndarray
    ln_q: np.ndarray


@kernel
def walk_sets(walk, levels, scratch, prefix, size, alone):
    """Score the set at the places `prefix[:size]` of the order and, unless `alone`, all its descendants.

    Parameters
    ----------
    walk : Walk
    levels : Levels, overwritten above level 0
    scratch : CountingScratch, overwritten
    prefix : int64[>= size], ascending places in walk.order
    size : int, 1 <= size <= largest
    alone : bool
    """
    n, largest = walk.counts_below.shape[0], walk.counts_below.shape[1] - 1
    for d in range(size):
        cells = _count_child(walk, levels, scratch, d, prefix[d])
        if d == size - 1:
            _score_child(walk, levels, scratch, d, cells)
        _enter_child(walk, levels, scratch, d, prefix[d], cells)
    if alone or size == largest:
        return
    d = size
    levels.following[d] = prefix[size - 1] + 1
    while d >= size:
        place = levels.following[d]
        if place == n:
            d -= 1
            continue
        levels.following[d] = place + 1
        cells = _count_child(walk, levels, scratch, d, place)
        _score_child(walk, levels, scratch, d, cells)
        if d + 1 < largest and place + 1 < n:
            _enter_child(walk, levels, scratch, d, place, cells)
            d += 1
            levels.following[d] = place + 1


@kernel
def _count_child(walk, levels, scratch, d, place):
    """Refine level d by one variable: class numbers to level d + 1, counts to scratch; returns their number."""
    v = walk.order[place]
    column, radix = walk.table.columns[v], walk.table.arity[v]
    holder = levels.held_by[d]
    rows, weight, code, new = levels.rows[holder], levels.weight[holder], levels.code[d], levels.code[d + 1]
    counts, active = scratch.counts, levels.active[d]
    insert_sorted(levels.members[d], d, v, levels.members[d + 1])
    levels.ln_q[d + 1] = levels.ln_q[d] + walk.ln_arity[v]
    cells = levels.cells[d] * radix
    if cells > counts.shape[0]:
        for k in range(active):
            new[k] = code[k]
        same = scratch.remap, scratch.opened, scratch.of_count, scratch.patterns, scratch.states
        here = CountingScratch(new, rows, counts, *same)
        cells = renumber_by_hash(column, active, here)
        for c in range(cells):
            counts[c] = 0
        for k in range(active):
            counts[new[k]] += weight[k]
        return cells
    for c in range(cells):
        counts[c] = 0
    for k in range(active):  # unsigned indices: no test for negative ones
        cell = code[k] * np.int32(radix) + np.int32(column[np.uint64(rows[k])])
        new[k] = cell
        counts[np.uint64(cell)] += weight[k]
    return cells


@inlined
def _score_child(walk, levels, scratch, d, cells):
    """Score the set of level d + 1, just counted, and store the score."""
    members = levels.members[d + 1]
    rank = colex_rank(walk.counts_below, members, d + 1, -1, walk.counts_below.shape[1] - 1)
    ln_q = levels.ln_q[d + 1]
    walk.scores[rank] = score_of_counts(walk.formula, members, d + 1, ln_q, cells, levels.singles[d], scratch)


@kernel
def _enter_child(walk, levels, scratch, d, place, cells):
    """Make level d + 1, just counted, a parent: drop the rows that are alone, renumber the shared classes."""
    counts, remap, active = scratch.counts, scratch.remap, levels.active[d]
    after = walk.order.shape[0] - 1 - place
    if after == 1 and cells <= active:  # not worth it for one more set
        levels.held_by[d + 1] = levels.held_by[d]
        levels.active[d + 1], levels.cells[d + 1], levels.singles[d + 1] = active, cells, levels.singles[d]
        return
    used, dropped = 0, 0
    for c in range(cells):
        remap[c] = used if counts[c] > 1 else -1
        used += counts[c] > 1
        dropped += counts[c] == 1
    levels.held_by[d + 1] = d + 1
    levels.singles[d + 1] = levels.singles[d] + dropped
    levels.cells[d + 1] = max(used, 1)
    likes = walk.suffixes[after]
    if 0 < likes and likes * (used + 1) <= min(ENTRIES_PER_ROW * active, counts.shape[0]):
        levels.active[d + 1] = _merge(walk, levels, scratch, d, after, used)
        return
    holder = levels.held_by[d]
    rows, weight = levels.rows[holder], levels.weight[holder]
    new_rows, new_weight, code = levels.rows[d + 1], levels.weight[d + 1], levels.code[d + 1]
    kept = np.uint64(0)
    for k in range(active):
        cell = remap[np.uint64(code[k])]
        new_rows[kept] = rows[k]
        new_weight[kept] = weight[k]
        code[kept] = cell
        kept += np.uint64(cell >= 0)  # no branch: it would be unpredictable
    levels.active[d + 1] = kept


@kernel
def _merge(walk, levels, scratch, d, after, used):
    """Fill level d + 1 with one row for all that share a `used` class and agree on the last `after` variables.

    They are stored suffix by suffix, so that rows of one class are not adjacent: each addition to a count
    would wait for the one before. Returns the number of rows.
    """
    holder = levels.held_by[d]
    rows, weight, code = levels.rows[holder], levels.weight[holder], levels.code[d + 1]
    suffix, example, remap, counts = walk.suffix[after], walk.example[after], scratch.remap, scratch.counts
    width = used + 1  # the first entry is for dropped rows
    for c in range(walk.suffixes[after] * width):
        counts[c] = 0
    for k in range(levels.active[d]):
        likeness = suffix[np.uint64(rows[k])] * width + remap[np.uint64(code[k])] + 1
        counts[np.uint64(likeness)] += weight[k]
    rows, weight = levels.rows[d + 1], levels.weight[d + 1]
    kept = np.uint64(0)
    for s in range(walk.suffixes[after]):
        row = example[s]
        for c in range(1, width):
            count = counts[s * width + c]
            rows[kept] = row
            code[kept] = c - 1
            weight[kept] = count
            kept += np.uint64(count > 0)
    return kept
