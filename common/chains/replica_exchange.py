"""Replica exchange: chains at fixed temperatures that exchange their states (Swendsen and Wang 1986; Geyer 1991).

Chain i draws Metropolis moves at temperature T_i: for networks of score s, its distribution p_i(G) is proportional to
exp(s(G) / T_i). Exchanging the states G, H of the chains i and j is a Metropolis move of the joint chain, accepted
with probability

    min(1, p_i(H) p_j(G) / (p_i(G) p_j(H))) = min(1, exp((1/T_i - 1/T_j) (s(H) - s(G)))).

So good networks move to the cold end while the hot end keeps finding new ones. Only adjacent temperatures are
tried, the pairs (0, 1), (2, 3), ... and (1, 2), (3, 4), ... in turn, which are independent of each other.

The exchange is done between the rounds of moves, by one thread and with separate random numbers: the same seed gives
the same exchanges whatever the number of threads.
"""

import math

from ..compiled.random_kernels import uniform


def exchange_replicas(chains, scores, temperatures, random, round_number):
    """Try to exchange every second pair of adjacent chains in a list.

    Parameters
    ----------
    chains : list
        chains[i] is the chain at temperatures[i]; reordered in place.
    scores : sequence of float
        Of the chains' current networks, in the same order.
    temperatures : float64[k]
        Positive, ascending; in units of log score.
    random : uint64[4]
        Random state, advanced.
    round_number : int
        Even: the pairs (0, 1), (2, 3), ...; odd: (1, 2), (3, 4), ...

    Returns
    -------
    list of int
        The i for which the chains i and i + 1 were exchanged.
    """
    inverse = 1.0 / temperatures
    exchanged = []
    for i in range(round_number % 2, len(chains) - 1, 2):
        log_ratio = (inverse[i] - inverse[i + 1]) * (scores[i + 1] - scores[i])
        if uniform(random) < math.exp(min(0.0, log_ratio)):
            chains[i], chains[i + 1] = chains[i + 1], chains[i]
            exchanged.append(i)
    return exchanged
