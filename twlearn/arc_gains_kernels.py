"""The gains of all moves of one variable's parents, from scores of sets or from listed families.

Cost: for each candidate two scores of sets, or one family looked up.

`arcs` is an Arcs (`twlearn.arcs_kernels`) and `table` a Lookup everywhere.
"""

import numpy as np

from ..common.compiled.jit import inlined, kernel
from ..common.scores.score_cache_kernels import key_of, score_with
from ..common.sets.bitset_kernels import toggle
from .arcs_kernels import PRESENT, find_best
from .families_lookup_kernels import find


@kernel
def fill_gains(scores, scratch, bits, arcs, v):
    """Find the gains of all moves of v's parents.

    Parameters
    ----------
    scores : SetScores
    scratch : ScoreScratch
    bits : uint64[words], zeros before and after
    arcs : Arcs
    v : int
    """
    for i in range(arcs.count[v]):
        toggle(bits, np.int64(arcs.parents[v, i]))
    key = key_of(scores, bits)
    own = score_with(scores, scratch, bits, key, v, -1) - score_with(scores, scratch, bits, key, -1, -1)
    arcs.own[v] = own
    is_full = arcs.count[v] == arcs.parents.shape[1]
    for k in range(arcs.candidates.shape[1]):
        u = np.int64(arcs.candidates[v, k])
        if u < 0 or (is_full and arcs.state[v, k] & PRESENT == 0):
            arcs.gains[v, k] = -np.inf
        elif arcs.state[v, k] & PRESENT:
            toggle(bits, u)
            less = key_of(scores, bits)
            score = score_with(scores, scratch, bits, less, v, -1) - score_with(scores, scratch, bits, less, -1, -1)
            toggle(bits, u)
            arcs.gains[v, k] = score - own
        else:
            score = score_with(scores, scratch, bits, key, u, -1)
            if score > -np.inf:
                score = score_with(scores, scratch, bits, key, u, v) - score
            arcs.gains[v, k] = score - own
    for i in range(arcs.count[v]):
        toggle(bits, np.int64(arcs.parents[v, i]))
    find_best(arcs, v)


@kernel
def fill_single_gains(arcs, v, gains):
    """The gains for v without parents: those of pairs, float64[n]."""
    for k in range(arcs.candidates.shape[1]):
        u = arcs.candidates[v, k]
        arcs.gains[v, k] = -np.inf if u < 0 else gains[u]
    find_best(arcs, v)


@inlined
def _listed(table, key):
    """The score of the family with a key; minus infinity if there is none."""
    row = find(table, key)
    return table.scores[row] if row >= 0 else -np.inf


@kernel
def fill_listed_gains(table, arcs, v):
    """Find the gains of all moves of v's parents to families of a Lookup, and its own score."""
    key = table.child[v]
    for i in range(arcs.count[v]):
        key ^= table.parent[arcs.parents[v, i]]
    own = _listed(table, key)
    arcs.own[v] = own
    is_full = arcs.count[v] == arcs.parents.shape[1]
    for k in range(arcs.candidates.shape[1]):
        u = arcs.candidates[v, k]
        if u < 0 or (is_full and arcs.state[v, k] & PRESENT == 0):
            arcs.gains[v, k] = -np.inf
        else:
            arcs.gains[v, k] = _listed(table, key ^ table.parent[u]) - own
    find_best(arcs, v)
