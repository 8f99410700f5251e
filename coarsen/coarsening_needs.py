"""What candidates need: constraints (2) of the paper as data, and which candidates can be left out for good.

The edge u-v due to S needs, for every s in S, both u-s and v-s, in the graph or added as well. From this follows

* which candidates are possible: those whose needs can be met, again and again until nothing changes. A vertex that
  needs two edges into S which only one and the same separator R can give has no chance either: the two ends in S are
  in one component beside R, and (3) allows one edge to it;
* which are useful: those that can bring something, counted with all that they make possible. What a candidate brings
  is at most its own gain and, of the candidates that need its edge, what these bring at most (where that is positive;
  of candidates of which (3) allows one only, the most). If that is not positive, a solution loses nothing without
  the candidate and all that needs it. The sum is finite: a candidate needs shorter paths of the junction tree only.

Cost: O(needs) for each round; as many rounds as an edge is long.
"""

from dataclasses import dataclass

import numpy as np

ROUNDING = 1e-12  # sums of the same numbers may differ by so much, relatively


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
    rivals : int64[q]
        The same for needs of the same edge by candidates of which only one can be added: those due to the same
        separator from the same end into the same component beside it, by (3).
    """

    candidate: np.ndarray
    end: np.ndarray
    edge: np.ndarray
    rivals: np.ndarray


def needs(found, may_go_on=lambda: True):
    """The needs of all candidates.

    Parameters
    ----------
    found : Candidates
    may_go_on : callable
        Asked for each separator.

    Returns
    -------
    Needs or None
        None once `may_go_on` has said no.
    """
    n = len(found.adjacent)
    bounds = np.searchsorted(found.due_to, np.arange(len(found.separators) + 1))
    rows, tails, heads = [(np.zeros(0, np.int64),) * 4], found.tails, found.heads
    for i, separator in enumerate(found.separators):
        if not may_go_on():
            return None
        here = np.arange(bounds[i], bounds[i + 1])
        for end, far in ((found.u[here], heads[here]), (found.v[here], tails[here])):
            for s in separator:
                missing = ~found.adjacent[end, s]
                at = end[missing]
                rows.append((here[missing], at, np.minimum(at, s) * n + np.maximum(at, s), far[missing]))
    candidate, end, edge, far = map(np.concatenate, zip(*rows, strict=True))
    _, rivals = np.unique((edge * n + end) * int(found.degrees.sum()) + far, return_inverse=True)
    return Needs(candidate, end, edge, rivals)


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
    """Which candidates can bring something.

    Parameters
    ----------
    found : Candidates
    wanted : Needs
        Theirs, each of an edge that one of them adds.
    gains : float64[m]
        Finite.

    Returns
    -------
    bool[m]
    """
    pairs, of_pair = np.unique(found.pair, return_inverse=True)
    edge_of = np.zeros(wanted.rivals.max(initial=-1) + 1, np.int64)
    edge_of[wanted.rivals] = np.searchsorted(pairs, wanted.edge)
    most = gains
    while True:
        made_possible = np.zeros(len(edge_of))
        np.maximum.at(made_possible, wanted.rivals, most[wanted.candidate])
        more = gains + np.bincount(edge_of, made_possible, len(pairs))[of_pair]
        if (more <= most + ROUNDING * np.abs(most)).all():
            return more > 0.0
        most = more
