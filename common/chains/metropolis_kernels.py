"""Metropolis search over graphs (Metropolis et al. 1953): draws for proposals, and the acceptance rule.

`adjacency` is a graph as bit rows (uint64[n, words], `common.sets.bitset_kernels`), `random` a random state (uint64[4],
advanced, `common.compiled.random_kernels`).
"""

import math

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.random_kernels import another, below, early_entry, uniform
from ..sets.bitset_kernels import element_at, size_of, toggle


@inlined
def is_accepted(gain, temperature, random):
    """Metropolis' rule: accept a move with probability min(1, exp(gain / temperature)).

    A move that loses nothing is always accepted.

    Parameters
    ----------
    gain : float, of log score
    temperature : float > 0
    random : uint64[4], advanced if the move loses
    """
    return gain >= 0.0 or uniform(random) < math.exp(gain / temperature)


@inlined
def exchange_probability(beta, next_beta, score, next_score):
    """The probability with which two chains exchange their states (replica exchange, Swendsen and Wang 1986).

    Parameters
    ----------
    beta, next_beta : float > 0, 1/T of both chains
    score, next_score : float, of their networks
    """
    return math.exp(min(0.0, (beta - next_beta) * (next_score - score)))


@kernel
def second_neighbour(adjacency, v, random, found):
    """A random neighbour of a random neighbour of v that is neither v nor v's own.

    Parameters
    ----------
    adjacency : uint64[n, words]
    v : int
    random : uint64[4], advanced
    found : uint64[words], overwritten

    Returns
    -------
    int
        -1 if v has no neighbour, or the neighbour drawn has no other such neighbour.
    """
    degree = size_of(adjacency[v])
    if degree == 0:
        return -1
    u = element_at(adjacency[v], below(random, degree))
    for k in range(found.shape[0]):
        found[k] = adjacency[u, k] & ~adjacency[v, k]
    toggle(found, v)
    count = size_of(found)
    return -1 if count == 0 else element_at(found, below(random, count))


@kernel
def other_end(adjacency, partners, shares, v, random, found):
    """The other end of an edge to toggle at v.

    Parameters
    ----------
    adjacency : uint64[n, words]
    partners : int64[n, p], for each vertex its likely neighbours, best first
    shares : float64[3] or tuple of float, cumulative shares of the draws of a partner of v (early ones more often), of
        any vertex, and of a neighbour of v; the rest draw a neighbour's neighbour
    v : int
    random : uint64[4], advanced
    found : uint64[words], overwritten

    Returns
    -------
    int
        -1 if the draw finds none.
    """
    share = uniform(random)
    if share < shares[0]:
        return early_entry(random, partners, v)
    if share < shares[1]:
        return another(random, adjacency.shape[0], v)
    if share < shares[2]:
        degree = size_of(adjacency[v])
        return np.int64(-1) if degree == 0 else element_at(adjacency[v], below(random, degree))
    return second_neighbour(adjacency, v, random, found)
