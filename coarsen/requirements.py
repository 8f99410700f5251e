"""What candidates need: constraints (2) of the paper as data, and which candidates can be left out for good.

The edge u-v due to S needs, for every s in S, both u-s and v-s, in the graph or added as well. From this follows

* which candidates are possible: those whose needs can be met, again and again until nothing changes. A vertex that
  needs two edges into S which only one and the same separator R can give has no chance either: the two ends in S are
  in one component beside R, and (3) allows one edge to it;
* which are useful: those that gain, and those that a useful one needs. Without the others a solution is still one,
  and no worse.

Cost: O(needs) for each round.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Needs:
    """The edges that candidates need, those in the graph left out.

    Attributes
    ----------
    candidate : int64[q]
        Which candidate.
    end : int64[q]
        At which of its ends.
    edge : int64[q]
        The edge needed, numbered as `Candidates.pair`.
    """

    candidate: np.ndarray
    end: np.ndarray
    edge: np.ndarray


def needs(found):
    """The needs of all candidates.

    Parameters
    ----------
    found : Candidates

    Returns
    -------
    Needs
    """
    n = len(found.adjacent)
    bounds = np.searchsorted(found.due_to, np.arange(len(found.separators) + 1))
    rows = [(np.zeros(0, np.int64),) * 3]
    for i, separator in enumerate(found.separators):
        here = np.arange(bounds[i], bounds[i + 1])
        for end in (found.u[here], found.v[here]):
            for s in separator:
                missing = ~found.adjacent[end, s]
                at = end[missing]
                rows.append((here[missing], at, np.minimum(at, s) * n + np.maximum(at, s)))
    return Needs(*map(np.concatenate, zip(*rows, strict=True)))


def possible(found, wanted):
    """Which candidates can be part of a solution, as far as the two rules tell.

    Parameters
    ----------
    found : Candidates
    wanted : Needs
        Theirs.

    Returns
    -------
    bool[m]
    """
    pairs, of_pair = np.unique(found.pair, return_inverse=True)
    at = np.searchsorted(pairs, wanted.edge)
    known = (at < len(pairs)) & (pairs[np.minimum(at, len(pairs) - 1)] == wanted.edge)
    at[~known] = 0
    alive = np.ones(len(found), bool)
    while True:
        ways = np.bincount(of_pair[alive], minlength=len(pairs))
        only = np.bincount(of_pair[alive], found.due_to[alive], len(pairs))  # the separator, where there is one way
        lost = ~known | (ways[at] == 0)
        single = np.flatnonzero(known & (ways[at] == 1))
        keys = np.stack([wanted.candidate[single], wanted.end[single], only[at[single]].astype(np.int64)])
        _, back, times = np.unique(keys, axis=1, return_inverse=True, return_counts=True)
        lost[single[times[back.ravel()] > 1]] = True
        dead = np.unique(wanted.candidate[lost])
        if not alive[dead].any():
            return alive
        alive[dead] = False


def useful(found, wanted, gains):
    """Which candidates a best solution can need: those that gain, and what such ones need.

    Parameters
    ----------
    found : Candidates
    wanted : Needs
        Theirs.
    gains : float64[m]

    Returns
    -------
    bool[m]
    """
    kept = gains > 0.0
    pair = found.pair
    while True:
        edges = np.unique(wanted.edge[kept[wanted.candidate]])
        more = kept | (np.isin(pair, edges) & (gains > -np.inf))
        if (more == kept).all():
            return kept
        kept = more
