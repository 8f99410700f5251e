"""Pairwise gains and the forest of maximum weight: the best network with cliques of at most two (Chow and Liu
1968).

An edge u-v alone gains s(uv) - s(u) - s(v); only edges that gain are taken, so the forest may be disconnected.
Cost: n^2 / 2 scores, which stay in the scorer's table, and scipy's spanning tree.
"""

import numpy as np

from common.graph import Graph
from common.spanning_kernels import fill_pair_gains


def pair_gains(scorer, each=map):
    """What every edge gains alone.

    Parameters
    ----------
    scorer : SetScorer
    each : callable
        Like `map`; a thread pool's `map` fills the rows in parallel, one scratch area of the scorer a thread.

    Returns
    -------
    float64[n, n]
        Symmetric, zero on the diagonal; minus infinity where a pair has no score.
    """
    gains = np.zeros((scorer.n, scorer.n))
    threads = len(scorer.scratch)

    def fill(t):
        bits = np.zeros(scorer.words, np.uint64)
        fill_pair_gains(scorer.scores, scorer.scratch[t], bits, t, threads, gains)

    list(each(fill, range(threads)))
    return gains


def maximum_spanning_forest(gains, names=None, losses=False):
    """The forest of maximum weight, edges that do not gain left out.

    Parameters
    ----------
    gains : float64[n, n], symmetric
    names : tuple of str, optional
    losses : bool
        Take edges that do not gain too, so that all that may be joined is: the spanning tree of maximum weight.

    Returns
    -------
    Graph
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    n = gains.shape[0]
    u, v = np.nonzero(np.triu(gains > (-np.inf if losses else 0.0), 1))
    costs = gains[u, v].max(initial=0.0) + 1.0 - gains[u, v]  # positive: to scipy a zero is no edge
    tree = minimum_spanning_tree(coo_array((costs, (u, v)), shape=(n, n))).tocoo()
    edges = sorted((int(min(a, b)), int(max(a, b))) for a, b in zip(*tree.coords, strict=True))
    return Graph(n, tuple(edges), names)
