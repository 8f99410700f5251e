"""Joint moves: a whole small set of vertices is made a clique at once.

Three columns of which each is the parity of the other two look independent by twos: no single edge gains anything, and
on thousands of rows a chain has to lose dozens of units before the last edge gains thousands. So sets that gain only
together are listed (`lsmarkov.joint`), by what the least needed edge of the clique on the set A gains when all the
others are there:

    min over v, w in A of d(v,w|A - v - w) = s(A) + s(A - v - w) - s(A - v) - s(A - w)

and a move makes one of them complete: in half of the draws after one of its vertices is cut loose from all it had, the
missing edges come one by one, each where it keeps the graph chordal and the bound. The move is taken or undone as a
whole.

Arguments are named as in `lsmarkov.moves_kernels` (`scores`, `scratch`, `work`, `adjacency`, `max_clique`); `row` is a
set as int64[LARGEST], filled up with -1.
"""

import numpy as np

from cliquewise.common.graphs.chordal_kernels import replace_neighbours
from cliquewise.common.jit import inlined, kernel
from cliquewise.common.scores.edge_gain_kernels import edge_gain, finite, pair_gain
from cliquewise.common.search.random_kernels import below, uniform
from cliquewise.common.sets.bitset_kernels import copy_set, flip, has
from cliquewise.lsmarkov.moves_kernels import neighbours_gain

LARGEST = 5  # sets that are listed
LOOSE = 0.5  # of the draws: one vertex is cut loose first


@inlined
def size_in(row):
    """How many vertices a `row` holds."""
    size = 0
    for i in range(row.shape[0]):
        size += row[i] >= 0
    return size


@kernel
def least_gains(scores, scratch, members, sets, first, step, gains, stop):
    """What the least needed edge of each set gains.

    Parameters
    ----------
    scores, scratch : SetScores, ScoreScratch
    members : uint64[words], zeros
    sets : int64[m, LARGEST]
    first, step : int
        The sets first, first + step, ... are looked at.
    gains : float64[m], filled there; minus infinity without a finite score
    stop : int64[1], watched: what is left is not looked at
    """
    for i in range(first, sets.shape[0], step):
        if stop[0] != 0:
            return
        row = sets[i]
        size = size_in(row)
        for a in range(size):
            flip(members, row[a])
        least = np.inf
        for a in range(size):
            flip(members, row[a])
            for b in range(a):
                flip(members, row[b])
                least = min(least, finite(pair_gain(scores, scratch, members, row[a], row[b])))
                flip(members, row[b])
            flip(members, row[a])
        for a in range(size):
            flip(members, row[a])
        gains[i] = least


@kernel
def make_complete(scores, scratch, work, adjacency, row, max_clique, random):
    """Make a set complete; `undo_joint` takes it back.

    Parameters
    ----------
    scores, scratch, work : SetScores, ScoreScratch, MoveScratch
        work.wanted and work.added are set to what `undo_joint` needs.
    adjacency : uint64[n, words], a chordal graph, changed
    row : int64[LARGEST]
    max_clique : int
    random : uint64[4], random state, advanced

    Returns
    -------
    (float, int, int)
        The gain, minus infinity if not all edges could be added; how many were; the vertex cut loose, or -1.
    """
    size, count, loose, total = size_in(row), 0, np.int64(-1), 0.0
    if uniform(random) < LOOSE:
        loose = row[below(random, size)]
        copy_set(adjacency[loose], work.wanted)
        for k in range(work.chosen.shape[0]):
            work.chosen[k] = np.uint64(0)
        total = neighbours_gain(scores, scratch, work, adjacency, loose, work.chosen, max_clique)
        replace_neighbours(adjacency, loose, work.chosen)
    missing, added = 1, 1
    while missing > 0 and added > 0:
        missing, added = 0, 0
        for i in range(size):
            for j in range(i):
                v, w = row[i], row[j]
                if has(adjacency[v], w):
                    continue
                gain = edge_gain(scores, scratch, work, adjacency, v, w, max_clique)
                if gain == -np.inf:
                    missing += 1
                    continue
                total += gain
                flip(adjacency[v], w)
                flip(adjacency[w], v)
                work.added[2 * count], work.added[2 * count + 1] = v, w
                count += 1
                added += 1
    return -np.inf if missing > 0 else finite(total), count, loose


@kernel
def undo_joint(work, adjacency, count, loose):
    """Take back what `make_complete` did.

    Parameters
    ----------
    work : MoveScratch
    adjacency : uint64[n, words], changed
    count, loose : int
        As `make_complete` returned them.
    """
    for i in range(count):
        v, w = work.added[2 * i], work.added[2 * i + 1]
        flip(adjacency[v], w)
        flip(adjacency[w], v)
    if loose >= 0:
        replace_neighbours(adjacency, loose, work.wanted)
