"""Joint moves: a small set of vertices is made a clique in one move.

Three columns of which each is the parity of the other two are pairwise independent: no single edge gains anything, and
with thousands of rows a chain has to lose dozens of units before the last edge gains thousands. So sets that are
dependent only jointly are listed (`lsmarkov.joint`), sorted by the smallest gain of an edge of the clique on the set A
when all its other edges are present:

    min over v, w in A of d(v,w|A - v - w) = s(A) + s(A - v - w) - s(A - v) - s(A - w)

and a move makes one of them complete. In half of the draws, one of its vertices first loses all its edges. Then the
missing edges are added one by one, each if it keeps the graph chordal and within the clique bound. The move is accepted
or undone as a whole.

Arguments are named as in `common.chains.moves_kernels` (`scores`, `scratch`, `work`, `adjacency`, `max_clique`); `row`
is a set as int64[MAX_SET_SIZE], padded with -1.
"""

import numpy as np

from ..common.chains.moves_kernels import neighbours_gain
from ..common.compiled.jit import inlined, kernel
from ..common.compiled.random_kernels import below, uniform
from ..common.graphs.chordal_kernels import replace_neighbours
from ..common.scores.edge_gain_kernels import edge_gain, finite, pair_gain
from ..common.sets.bitset_kernels import copy_set, has, toggle

MAX_SET_SIZE = 5  # size of the largest sets listed
ISOLATED_FIRST = 0.5  # of the draws: one vertex loses its edges first


@inlined
def size_in(row):
    """Number of vertices in a `row`."""
    size = 0
    for i in range(row.shape[0]):
        size += row[i] >= 0
    return size


@kernel
def least_gains(scores, scratch, members, sets, first, step, gains, stop):
    """The smallest gain d(v,w|A - v - w) of an edge of each set A.

    Or one of its gains that is not positive, which ends its evaluation.

    Parameters
    ----------
    scores, scratch : SetScores, ScoreScratch
    members : uint64[words], zeros
    sets : int64[m, MAX_SET_SIZE]
    first, step : int
        The sets first, first + step, ... are evaluated.
    gains : float64[m], filled for these; minus infinity without a finite score
    stop : int64[1], the work ends when it is not zero
    """
    for i in range(first, sets.shape[0], step):
        if stop[0] != 0:
            return
        row = sets[i]
        size = size_in(row)
        for a in range(size):
            toggle(members, row[a])
        least = np.inf
        for a in range(size):
            toggle(members, row[a])
            for b in range(a if least > 0.0 else 0):
                toggle(members, row[b])
                least = min(least, finite(pair_gain(scores, scratch, members, row[a], row[b])))
                toggle(members, row[b])
            toggle(members, row[a])
        for a in range(size):
            toggle(members, row[a])
        gains[i] = least


@kernel
def make_complete(scores, scratch, work, adjacency, row, max_clique, random):
    """Make a set complete; `undo_joint` undoes it.

    Parameters
    ----------
    scores, scratch, work : SetScores, ScoreScratch, MoveScratch
        work.wanted and work.added are set to what `undo_joint` needs.
    adjacency : uint64[n, words], a chordal graph, changed
    row : int64[MAX_SET_SIZE]
    max_clique : int
    random : uint64[4], random state, advanced

    Returns
    -------
    (float, int, int)
        The gain, minus infinity if not all edges could be added; the number added; the vertex that lost its edges, or
        -1.
    """
    size, count, isolated, total = size_in(row), 0, np.int64(-1), 0.0
    if uniform(random) < ISOLATED_FIRST:
        isolated = row[below(random, size)]
        copy_set(adjacency[isolated], work.wanted)
        for k in range(work.chosen.shape[0]):
            work.chosen[k] = np.uint64(0)
        total = neighbours_gain(scores, scratch, work, adjacency, isolated, work.chosen, max_clique)
        replace_neighbours(adjacency, isolated, work.chosen)
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
                toggle(adjacency[v], w)
                toggle(adjacency[w], v)
                work.added[2 * count], work.added[2 * count + 1] = v, w
                count += 1
                added += 1
    return -np.inf if missing > 0 else finite(total), count, isolated


@kernel
def undo_joint(work, adjacency, count, isolated):
    """Undo `make_complete`.

    Parameters
    ----------
    work : MoveScratch
    adjacency : uint64[n, words], changed
    count, isolated : int
        As `make_complete` returned them.
    """
    for i in range(count):
        v, w = work.added[2 * i], work.added[2 * i + 1]
        toggle(adjacency[v], w)
        toggle(adjacency[w], v)
    if isolated >= 0:
        replace_neighbours(adjacency, isolated, work.wanted)
