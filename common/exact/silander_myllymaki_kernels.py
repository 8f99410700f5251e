"""The best Bayesian network over all orders, by dynamic programming over sets (Silander and Myllymaki 2006).

Let g(v, X) be the score of v's best parents inside the set X, which does not contain v. The best score of a network on
X, and the best score of the other vertices when those of X come first, are

    first(X) = max over v in X of      first(X - v) + g(v, X - v),     first({}) = 0
    rest(X)  = max over v outside X of rest(X + v) + g(v, X),          rest(V) = 0

and first(V) = rest({}) is the score of the best network. g itself is a maximum over subsets: of the scores of the
parent sets inside X (`maxima_over_subsets`). If v has the parents P, it scores s(v, P), and the best of all others is

    around(v, P) = max over X >= P without v of first(X) + rest(X + v).

g is `gains`, float64[n, 2^(n-1)]: the set X of row v is written without the bit of v (`subset_numbers_kernels`).
Everything else is indexed by masks, bit v for vertex v.

Cost: time O(n^2 2^n), memory n 2^(n-1) numbers.
"""

import numpy as np

from ..compiled.jit import kernel
from ..sets.subset_numbers_kernels import with_zero_bit, without_bit


@kernel
def maxima_over_subsets(values):
    """Replace values[X] (float64[2^m]) of every set X by the maximum over the subsets of X, element by element."""
    step = 1
    while step < values.shape[0]:
        for x in range(values.shape[0]):
            if x & step:
                values[x] = max(values[x], values[x ^ step])
        step <<= 1


@kernel
def best_networks(gains, totals, last):
    """first(X): the best network on each set of vertices.

    Parameters
    ----------
    gains : float64[n, 2^(n-1)], g
    totals : float64[2^n], filled: the scores
    last : int64[2^n], filled: a vertex that may come last in it; -1 for no vertices
    """
    totals[0] = 0.0
    last[0] = -1
    for x in range(1, totals.shape[0]):
        totals[x] = -np.inf
        for v in range(gains.shape[0]):
            if x >> v & 1:
                score = totals[x ^ 1 << v] + gains[v, without_bit(x, v)]
                if score > totals[x]:
                    totals[x] = score
                    last[x] = v


@kernel
def best_completions(gains, low, high, rest):
    """rest(X): the best score of all other vertices, when those of X come first; of the sets X of a block.

    Parameters
    ----------
    gains : float64[n, 2^low], g of the sets of the block: numbered by the vertices below `low`, without the bit of v
    low, high : int, the block: sets whose vertices from `low` on are `high`; blocks of larger `high` are done. All sets
        are the block n, 0
    rest : float64[2^n], filled
    """
    n, size = gains.shape[0], 1 << low
    for x in range(size - 1, -1, -1):
        members = high << low | x
        best = -np.inf if members < rest.shape[0] - 1 else 0.0
        for v in range(n):
            if not members >> v & 1:
                gain = gains[v, without_bit(x, v) if v < low else x]
                best = max(best, gain + rest[members | 1 << v])
        rest[members] = best


@kernel
def best_around(v, totals, rest, values):
    """around(v, P): the best score of all other vertices in a network in which v has the parents P.

    Parameters
    ----------
    v : int
    totals, rest : float64[2^n], first and rest
    values : float64[2^(n-1)], overwritten; P is written without the bit of v
    """
    for x in range(values.shape[0]):
        before = with_zero_bit(x, v)
        values[x] = totals[before] + rest[before | 1 << v]
    maxima_over_subsets(values[::-1])  # by complements, whose subsets are the complements of supersets
