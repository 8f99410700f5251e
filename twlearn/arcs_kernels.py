"""Hill climbing over the arcs of a network: which arc to add, remove or reverse, within a bound on the treewidth.

For each variable v and each of its candidate parents u the gain of adding u, or of taking it away, is kept; after a
move only those of the variables whose parents changed are recomputed (`twlearn.arc_gains_kernels`). An arc that would
close a cycle, or for which no elimination order was found (`twlearn.elimination_kernels`), is blocked: a network with
more arcs would not have it either. It is tried again when an arc near it was removed.

Cost of a move: O(n w), the insertion into the elimination order (`twlearn.elimination_kernels`) and, for each variable
whose parents change, two scores of sets per candidate.

`arcs` is an Arcs and `elim` an Elimination everywhere.
"""

from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import inlined, kernel
from ..common.compiled.records import by_address
from .elimination_kernels import insert, rebuild, reorder


@by_address
class Arcs(NamedTuple):
    """A network, and the gains of its moves.

    candidates : int32[n, k], possible parents of each variable, ascending, padded with -1
    mirror : int32[n, k], the place of v among the candidates of its candidate; -1 if it is none
    gains : float64[n, k], of adding the candidate, or of taking it away if it is a parent
    state : uint8[n, k], see the constants
    parents : int32[n, most], at : int32[n, most], count : int64[n]: of each variable, and their places among the
        candidates
    own : float64[n], the score of each family
    best : int64[n], value : float64[n], the place of the best move of each variable's parents, and its value
    factor : float64[n], factors on the gains of further parents of each variable
    required : bool[n, k], whether the candidate, once it is a parent, is only removed by a reversal
    seen : int64[n + 1], stack : int64[n], clique : int64[most + 2], overwritten
    changed : int64[2], the variables whose parents the last move changed, -1 for none
    """

    candidates: np.ndarray
    mirror: np.ndarray
    gains: np.ndarray
    state: np.ndarray
    parents: np.ndarray
    at: np.ndarray
    count: np.ndarray
    own: np.ndarray
    best: np.ndarray
    value: np.ndarray
    factor: np.ndarray
    required: np.ndarray
    seen: np.ndarray
    stack: np.ndarray
    clique: np.ndarray
    changed: np.ndarray


FREE, PRESENT, BLOCKED = 0, 1, 2  # states: blocked is added to the others; of a parent it means the reversal
MIN_GAIN = 1e-7  # less is rounding


@kernel
def find_best(arcs, v):
    """Find the best move of v's parents."""
    best, value = -1, -np.inf
    for k in range(arcs.candidates.shape[1]):
        state = arcs.state[v, k]
        if state == FREE:
            gain = arcs.gains[v, k]
            if gain > MIN_GAIN:
                gain *= arcs.factor[v]
        elif state & PRESENT and not arcs.required[v, k]:
            gain = arcs.gains[v, k]
        else:
            continue
        if gain > value:
            best, value = k, gain
    arcs.best[v] = best
    arcs.value[v] = value


@kernel
def is_ancestor(arcs, u, v, without):
    """Whether u is an ancestor of v; the arc from `without` to v itself is ignored."""
    n = arcs.count.shape[0]
    arcs.seen[n] += 1
    stamp = arcs.seen[n]
    height = 1
    arcs.stack[0] = v
    arcs.seen[v] = stamp
    while height > 0:
        height -= 1
        x = arcs.stack[height]
        for i in range(arcs.count[x]):
            p = np.int64(arcs.parents[x, i])
            if x == v and p == without:
                continue
            if p == u:
                return True
            if arcs.seen[p] != stamp:
                arcs.seen[p] = stamp
                arcs.stack[height] = p
                height += 1
    return False


@kernel
def add_parent(arcs, v, k):
    """Make the k-th candidate of v its parent."""
    arcs.parents[v, arcs.count[v]] = arcs.candidates[v, k]
    arcs.at[v, arcs.count[v]] = k
    arcs.count[v] += 1
    arcs.state[v, k] = PRESENT


@kernel
def drop_parents(arcs, v, keeps_required):
    """Remove the parents of v, with `keeps_required` only those that are not required."""
    for i in range(arcs.count[v] - 1, -1, -1):
        k = np.int64(arcs.at[v, i])
        if not (keeps_required and arcs.required[v, k]):
            drop_parent(arcs, v, k)


@kernel
def drop_parent(arcs, v, k):
    """Remove v's parent, its k-th candidate."""
    last = arcs.count[v] - 1
    for i in range(last):
        if arcs.at[v, i] == k:
            arcs.at[v, i], arcs.parents[v, i] = arcs.at[v, last], arcs.parents[v, last]
    arcs.count[v] = last
    arcs.state[v, k] = FREE


@inlined
def _insert_parent(arcs, elim, u, v):
    """Add a parent u of v to the elimination order; returns whether an order within the bound was found."""
    arcs.clique[0], arcs.clique[1] = v, u
    for i in range(arcs.count[v]):
        arcs.clique[i + 2] = arcs.parents[v, i]
    size = arcs.count[v] + 2
    if size > elim.width + 1:
        return False
    return insert(elim, arcs.clique, size) or reorder(elim, arcs, arcs.clique, size)


@kernel
def unblock(arcs, v):
    """Try all moves of v's parents again."""
    for k in range(arcs.candidates.shape[1]):
        arcs.state[v, k] &= PRESENT
    find_best(arcs, v)


@kernel
def _best_reversal(arcs):
    """The best reversal of an arc: its gain, the head, and the place of the tail."""
    best, child, place = MIN_GAIN, -1, -1
    most = arcs.parents.shape[1]
    for v in range(arcs.count.shape[0]):
        for i in range(arcs.count[v]):
            k = arcs.at[v, i]
            u, back = arcs.parents[v, i], arcs.mirror[v, k]
            if back < 0 or arcs.state[v, k] != PRESENT or arcs.count[u] == most:
                continue
            gain = arcs.gains[v, k] + arcs.gains[u, back]
            if gain > best:
                best, child, place = gain, v, np.int64(k)
    return best, child, place


@kernel
def step(arcs, elim):
    """Make the best move that gains, if there is one; `changed` marks the variables whose gains must be recomputed.

    Returns
    -------
    bool
        Whether a move was made.
    """
    arcs.changed[0] = arcs.changed[1] = -1
    while True:
        v, value = -1, MIN_GAIN
        for x in range(arcs.count.shape[0]):
            if arcs.value[x] >= value:
                v, value = x, arcs.value[x]
        gain, child, k = _best_reversal(arcs)
        if v < 0 and child < 0:
            return False
        if gain > value:
            if _reverse(arcs, elim, child, k):
                return True
            arcs.state[child, k] |= BLOCKED
            continue
        k = arcs.best[v]
        if arcs.state[v, k] & PRESENT:
            _remove(arcs, elim, v, k)
            return True
        u = np.int64(arcs.candidates[v, k])
        if not is_ancestor(arcs, v, u, -1) and _insert_parent(arcs, elim, u, v):
            add_parent(arcs, v, k)
            arcs.changed[0] = v
            return True
        arcs.state[v, k] |= BLOCKED
        find_best(arcs, v)


@kernel
def _remove(arcs, elim, v, k):
    """Remove v's parent, its k-th candidate."""
    u = np.int64(arcs.candidates[v, k])
    drop_parent(arcs, v, k)
    rebuild(elim, arcs)
    unblock(arcs, v)
    unblock(arcs, u)
    arcs.changed[0] = v


@kernel
def _reverse(arcs, elim, v, k):
    """Reverse the arc from v's k-th candidate to v, if there is no cycle and an order is found; returns whether."""
    u = np.int64(arcs.candidates[v, k])
    if is_ancestor(arcs, u, v, u):
        return False
    drop_parent(arcs, v, k)
    rebuild(elim, arcs)
    if not _insert_parent(arcs, elim, v, u):
        add_parent(arcs, v, k)
        rebuild(elim, arcs)
        return False
    add_parent(arcs, u, np.int64(arcs.mirror[v, k]))
    unblock(arcs, v)
    unblock(arcs, u)
    arcs.changed[0], arcs.changed[1] = v, u
    return True
