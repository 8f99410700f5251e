"""Finding a family by its variable and parents: a hash table in which most sets looked up are absent.

A family's key is the exclusive or of a random word for the variable and one for each parent, so adding a parent
changes it in one step. The keys of all families differ (checked when the table is made); the probability that a set
without an entry has the key of another is below 2^-40, and a result is certified anyway.

`table` is a Lookup everywhere.
"""

from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import inlined, kernel
from ..common.compiled.records import by_address


@by_address
class Lookup(NamedTuple):
    """The table.

    child, parent : uint64[n], the words of a variable as child and as parent
    keys : uint64[slots], 0 where empty; slots a power of two, at least twice the families
    rows : int32[slots], rows of the ScoredFamilies
    scores : float64[m], of these
    most : int, the size of the largest parent set
    """

    child: np.ndarray
    parent: np.ndarray
    keys: np.ndarray
    rows: np.ndarray
    scores: np.ndarray
    most: int


@inlined
def find(table, key):
    """The row with this key, or -1."""
    mask = np.uint64(table.keys.shape[0] - 1)
    slot = (key ^ (key >> np.uint64(32))) & mask
    while True:
        there = table.keys[slot]
        if there == key:
            return np.int64(table.rows[slot])
        if there == np.uint64(0):
            return np.int64(-1)
        slot = (slot + np.uint64(1)) & mask


@kernel
def fill(table, start, parents):
    """Insert all families (`start`, `parents` as in ScoredFamilies); returns whether their keys differ."""
    mask = np.uint64(table.keys.shape[0] - 1)
    for v in range(start.shape[0] - 1):
        for row in range(start[v], start[v + 1]):
            key = table.child[v]
            for i in range(parents.shape[1]):
                if parents[row, i] >= 0:
                    key ^= table.parent[parents[row, i]]
            if key == np.uint64(0) or find(table, key) >= 0:
                return False
            slot = (key ^ (key >> np.uint64(32))) & mask
            while table.keys[slot] != np.uint64(0):
                slot = (slot + np.uint64(1)) & mask
            table.keys[slot] = key
            table.rows[slot] = row
    return True


@kernel
def best_within(table, row, key, candidates, count, most, place, path):
    """The best family among `row`, the family with `key`, and those with up to `most` of candidates[:count] added.

    Parameters
    ----------
    table : Lookup
    row : int
    key : uint64, of a variable and some of its parents, none of them among the candidates
    candidates : int64[>= count]
    count, most : int, most >= 0
    place : int64[most + 1], overwritten
    path : uint64[most + 1], overwritten

    Returns
    -------
    int
        Its row.
    """
    score = table.scores[row]
    found = find(table, key)
    if found >= 0 and table.scores[found] > score:
        row, score = found, table.scores[found]
    depth = 0
    place[0], path[0] = 0, key
    while depth >= 0 and most:
        i = place[depth]
        if i >= count:
            depth -= 1
            continue
        place[depth] = i + 1
        key = path[depth] ^ table.parent[candidates[i]]
        found = find(table, key)
        if found >= 0 and table.scores[found] > score:
            row, score = found, table.scores[found]
        if depth + 1 < most:
            depth += 1
            place[depth], path[depth] = i + 1, key
    return row
