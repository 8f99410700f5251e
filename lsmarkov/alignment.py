"""Alignment: vertices of a network are transposed if that makes it more similar to another one.

If two columns of the data are equal, or nearly, the networks of two attempts can differ only in that these two vertices
are exchanged. Merged as they are (`lsmarkov.merging`), they have twice as many edges around these vertices. So pairs of
vertices are transposed first: each gets the neighbours of the other. The pairs that bring most edges of the other
network come first, and the score may fall by little.

Cost: a product of two n x n matrices for each transposition, and a score for each that is tried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_LOST = 1.0  # log score


def aligned(adjacency: np.ndarray, other: np.ndarray, score: Callable[[np.ndarray], float]) -> np.ndarray:
    """A network with more edges of another one, of nearly the same score.

    Parameters
    ----------
    adjacency, other : bool[n, n]
        Of both networks.
    score
        Of a network, by its adjacency.

    Returns
    -------
    bool[n, n]
        The first network with some vertices transposed, or itself.

    >>> path, turned = np.zeros((2, 4, 4), bool)
    >>> path[[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]] = turned[[1, 0, 0, 2, 2, 3], [0, 1, 2, 0, 3, 2]] = True
    >>> np.array_equal(aligned(path, turned, lambda _: 0.0), turned)
    True
    """
    least = score(adjacency) - MAX_LOST
    while True:
        for v, w in transpositions(adjacency, other):
            swapped = transposed(adjacency, v, w)
            if score(swapped) >= least:
                adjacency = swapped
                break
        else:
            return adjacency


def transpositions(adjacency: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Pairs of vertices whose transposition brings more edges of another network, most first.

    Returns
    -------
    int64[m, 2]
    """
    common = adjacency.astype(np.int64) @ other
    own = common.diagonal()
    gain = common + common.T - own - own[:, None] + 2 * (adjacency & other)
    v, w = np.nonzero(np.triu(gain, 1) > 0)
    return np.stack([v, w], axis=1)[np.argsort(-gain[v, w], kind="stable")]


def transposed(adjacency: np.ndarray, v: int, w: int) -> np.ndarray:
    """The network in which v has the neighbours of w, and w those of v."""
    order = np.arange(len(adjacency))
    order[[v, w]] = w, v
    return adjacency[np.ix_(order, order)]
