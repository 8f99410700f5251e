"""The columns of the cutting-plane program (`twlearn.milp_cutting`): families of a network and of a k-tree.

Both kinds are a child with parents. To share rows and kernels (`common.bounds.rows_kernels`), the network's variable v
has number v and its copy in the k-tree number n + v, so that all masks fit into one word up to n = 32.

Every graph of treewidth at most w on n > w vertices is part of a k-tree, k = w, which has a perfect order from any
root: its first w + 1 vertices are joined to all before them, the others to w before them, which are complete. The first
w can be sorted, but for the root. So the k-tree has one family without parents, that of the root, one with each number
of parents from 1 to w - 1, where the parents are the root and smaller vertices, and n - w with w parents.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .silander_myllymaki import masks_of

if TYPE_CHECKING:
    from .families import ScoredFamilies

MAX_VARIABLES = 32
MAX_COLUMNS = 300_000


class Columns(NamedTuple):
    """The columns.

    child : int64[k], 0 to 2 n - 1
    parents : uint64[k]
    gain : float64[k], the score of a family of the network, 0 in the k-tree
    size : int64[k], number of parents in the k-tree if it is 1 to w - 1, otherwise 0
    """

    child: np.ndarray
    parents: np.ndarray
    gain: np.ndarray
    size: np.ndarray

    def pick(self, chosen: np.ndarray) -> Columns:
        """Some of the columns, by number or by bool[k].

        Parameters
        ----------
        chosen : int64[] or bool[k]

        Returns
        -------
        Columns
        """
        return Columns(*(part[chosen] for part in self))


def suits(n: int, w: int) -> bool:
    """Whether the program is small enough for n variables and treewidth w."""
    return n <= MAX_VARIABLES and n * comb(n - 1, w) <= MAX_COLUMNS


def columns_of(families: ScoredFamilies, w: int, root: int) -> Columns:
    """All columns.

    Parameters
    ----------
    families
        Of at most 32 variables.
    w
        Bound on the treewidth, 1 <= w < n.
    root
        The first vertex of the k-tree.

    Returns
    -------
    Columns
    """
    n = families.n
    bits = np.uint64(1) << np.arange(n, dtype=np.uint64)
    masks = masks_of(families.parents).astype(np.uint64)
    found = [(families.child, masks, families.scores, np.zeros(len(masks), np.int64))]
    blocks = [(np.array([root]), np.zeros(1, np.uint64), 0)]
    for size in range(1, w):
        sets = _subsets(n, size - 1, bits) | bits[root]
        sets = sets[np.bitwise_count(sets) == size]
        blocks += [(np.full(len(sets), v), sets, size) for v in range(n) if v != root]
    sets = _subsets(n, w, bits)
    blocks += [(np.full(len(sets), v), sets, 0) for v in range(n) if v != root]
    for child, parents, size in blocks:
        own = bits[child]
        later = parents & ~bits[root] & ~(own - np.uint64(1))
        good = later == 0 if size else parents & own == 0
        child = child[good] + n
        parents = parents[good] << np.uint64(n)
        found.append((child, parents, np.zeros(len(child)), np.full(len(child), size)))
    return Columns(*(np.concatenate(part) for part in zip(*found, strict=True)))


def _subsets(n: int, size: int, bits: np.ndarray) -> np.ndarray:
    """The masks of all sets of a size: uint64[]."""
    chosen = np.array(list(combinations(range(n), size)), np.int64).reshape(comb(n, size), size)
    return bits[chosen].sum(axis=1, dtype=np.uint64)
