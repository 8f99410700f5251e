"""Gains of all pairs of variables, tile by tile: from set scores, or from counts on bit planes."""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import kernel, popcount
from ..sets.bitset_kernels import has
from .score_cache_kernels import key_of, score_with


class Planes(NamedTuple):
    """Data as bits, and the score contributions of counts.

    bits : uint64[m, words], one plane per state of each variable with few states, in parts
    ends : int64[parts], the word where each part ends
    shifts : int64[parts], a row of the part stands for 1 << shift rows
    first : int64[n], a variable's first plane; -1 for a variable with many states
    arity : int64[n]
    marginal : int64[m], rows in each plane
    n_rows : int
    terms : float64[k, n_rows + 1], the contribution of a cell with this number of rows to the score of a pair
    kind_of : int64[most arities' product + 1], the row of `terms` for a pair with this many cells
    base : float64[k], the part of a pair's score that does not depend on the cells
    alone : float64[n], score of each variable
    allowed : uint64[n, words of n], see `SetScores`
    """

    bits: np.ndarray
    ends: np.ndarray
    shifts: np.ndarray
    first: np.ndarray
    arity: np.ndarray
    marginal: np.ndarray
    n_rows: int
    terms: np.ndarray
    kind_of: np.ndarray
    base: np.ndarray
    alone: np.ndarray
    allowed: np.ndarray


@kernel
def fill_pair_gains(scores, scratch, empty, counted, tile, gains):
    """Fill a tile of gains (and its mirror image) with s(uv) - s(u) - s(v).

    Parameters
    ----------
    scores : SetScores
    scratch : ScoreScratch
    empty : uint64[words], zeros
    counted : bool[n], pairs of two of these are left to `count_pair_gains`
    tile : int64[4], the pairs v < u with tile[0] <= u < tile[1] and tile[2] <= v < tile[3]
    gains : float64[n, n]
    """
    key = key_of(scores, empty)
    for u in range(tile[0], tile[1]):
        for v in range(tile[2], min(tile[3], u)):
            if counted[u] and counted[v]:
                continue
            gain = score_with(scores, scratch, empty, key, u, v) - score_with(scores, scratch, empty, key, u, -1)
            gain -= score_with(scores, scratch, empty, key, v, -1)
            gains[u, v] = gain if gain < np.inf else -np.inf
            gains[v, u] = gains[u, v]


@kernel
def count_pair_gains(planes, counts, tile, gains):
    """The same from bit planes, for pairs of variables that have them.

    Parameters
    ----------
    planes : Planes
    counts : int64[most states of a variable, same], overwritten
    tile : int64[4], see `fill_pair_gains`
    gains : float64[n, n]
    """
    for u in range(tile[0], tile[1]):
        if planes.first[u] < 0:
            continue
        for v in range(tile[2], min(tile[3], u)):
            if planes.first[v] < 0:
                continue
            gain = -np.inf
            if has(planes.allowed[u], v):
                gain = _counted(planes, counts, u, v) - planes.alone[u] - planes.alone[v]
            gains[u, v] = gain
            gains[v, u] = gain


@kernel
def _counted(planes, counts, u, v):
    """Score of a pair. The last entry of each line of its table is the marginal minus the other entries."""
    rows, columns = planes.arity[u] - 1, planes.arity[v] - 1
    left = planes.n_rows
    for t in range(columns):
        counts[rows, t] = planes.marginal[planes.first[v] + t]
        left -= counts[rows, t]
    counts[rows, columns] = left
    for s in range(rows):
        one = planes.bits[planes.first[u] + s]
        left = planes.marginal[planes.first[u] + s]
        for t in range(columns):
            other = planes.bits[planes.first[v] + t]
            both, start = 0, 0
            for part in range(planes.ends.shape[0]):
                rows_here = 0
                for k in range(start, planes.ends[part]):
                    rows_here += popcount(one[k] & other[k])
                both += rows_here << planes.shifts[part]
                start = planes.ends[part]
            counts[s, t] = both
            counts[rows, t] -= both
            left -= both
        counts[s, columns] = left
        counts[rows, columns] -= left
    kind = planes.kind_of[(rows + 1) * (columns + 1)]
    terms = planes.terms[kind]
    total = planes.base[kind]
    for s in range(rows + 1):
        for t in range(columns + 1):
            total += terms[counts[s, t]]
    return total
