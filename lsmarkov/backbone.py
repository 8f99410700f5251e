"""The backbone of several networks, the edges that nearly all of them have, and sets that are joined from theirs.

Networks in which independent searches end differ in many edges, but those that nearly all of them have are mostly edges
of the best network, too: its *backbone* (Slaney and Walsh, IJCAI 2001). An integer program in which these edges are
required takes a quarter of the time, so that it can have more sets.

These are *joined* sets: the best network can have a clique that none of the others has. It mostly has the largest size,
and all its vertices but one are complete in one network, all but another in the same or another one. There are as many
of them as other sets; those count for which the edge that joins the two gains most. Their new edges make smaller
cliques possible: sets of three variables with such an edge that are joined in the same way and gain are added.

Cost: two scores for each pair of sets that differ in one vertex.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ..common.sets.masks import members

SMALL = 3  # variables of the sets added for new edges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def backbone(networks: np.ndarray, own: np.ndarray, share: float) -> list[tuple[int, int]]:
    """The edges of a network that at least a share of some networks have.

    Parameters
    ----------
    networks : bool[m, n, n]
        By adjacency.
    own : bool[n, n]
    share

    Returns
    -------
    list of (int, int)
        The smaller vertex first.

    >>> path, edge = np.zeros((2, 3, 3), bool)
    >>> path[[0, 1, 1, 2], [1, 0, 2, 1]] = edge[[0, 1], [1, 0]] = True
    >>> backbone(np.stack([path, path, edge]), path, 0.7)
    [(0, 1)]
    """
    v, w = np.nonzero(np.triu(own & (networks.mean(axis=0) >= share), 1))
    return [*zip(v.tolist(), w.tolist(), strict=True)]


def joined_sets(sets: Iterable[int], size: int, score: Callable, most: int) -> list[int]:
    """The unions of two sets that differ in one vertex, of which the edge between these two gains most.

    If they have more than three vertices, those of three that contain an edge of them that is new, and gain.

    Parameters
    ----------
    sets
        Masks.
    size
        Of the unions: two sets of one less.
    score
        Of a set, by its members, ascending.
    most
        Number of unions.

    Returns
    -------
    list of int
        Masks that are not among the sets, with all their subsets that are not, ascending.

    >>> joined_sets([0, 1, 2, 4, 8, 3, 5, 6, 9], 3, len, 2)
    [7, 10, 11]
    """
    known = set(sets)
    gains = _gains(known, size, score, ())
    best = sorted(gains, key=lambda union: (-gains[union], union))[:most]
    new = {part for union in best for part in _subsets(union)} - known
    pairs = [mask for mask in new if mask.bit_count() == 2]
    if size > SMALL and pairs:
        small = _gains(known | new, SMALL, score, pairs)
        new |= {part for union, gain in small.items() if gain > 0.0 for part in _subsets(union)} - known
    return sorted(new)


def _gains(sets: set[int], size: int, score: Callable, within: Iterable[int]) -> dict[int, float]:
    """The unions of a size of two sets, with the largest gain; of those with one of some sets, if there are any."""
    beyond = dict[int, list[int]]()  # the further members of sets of one less, by the others
    for mask in sorted(sets):
        if mask.bit_count() == size - 1:
            for v in members(mask):
                beyond.setdefault(mask ^ 1 << v, []).append(v)
    gains = dict[int, float]()
    for rest, others in beyond.items():
        for v, w in combinations(others, 2):
            union = rest | 1 << v | 1 << w
            if union not in sets and (not within or any(union & part == part for part in within)):
                parts = union, rest | 1 << v, rest | 1 << w, rest
                whole, one, other, both = (score(tuple(members(mask))) for mask in parts)
                gains[union] = max(gains.get(union, -np.inf), whole - one - other + both)
    return gains


def _subsets(mask: int) -> Iterable[int]:
    """All subsets of a set."""
    part = mask
    while part:
        yield part
        part = (part - 1) & mask
