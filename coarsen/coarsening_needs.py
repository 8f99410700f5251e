"""Requirements of candidates: constraints (2) of the paper as data, and the candidates that can be discarded.

The edge u-v due to S needs, for every s in S, both u-s and v-s, in the graph or also added. This determines

* which candidates are possible: those whose needs can be met; this is repeated until nothing changes. A candidate is
  also impossible if a vertex needs two edges into S that only one separator R can provide: the two ends in S are in one
  component of R, and (3) allows only one edge to it;
* which are useful: an upper bound on the total gain of a candidate is its own gain plus the bounds, where positive, of
  the candidates that need its edge (of candidates of which (3) allows only one, the largest). If the bound is not
  positive, removing the candidate and all that need it loses nothing. The recursion ends: a candidate needs only
  shorter paths of the junction tree.

Cost: O(needs) per round; the number of rounds is the length of the longest edge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .candidates import Candidates


ROUNDING = 1e-12  # relative difference allowed between sums of the same numbers


@dataclass(frozen=True)
class NeededEdges:
    """The edges that candidates need and that are not in the graph.

    Attributes
    ----------
    candidate : int64[q]
        The candidate.
    end : int64[q]
        The end of it, a vertex, that the edge joins to the separator.
    edge : int64[q]
        The edge needed, numbered as `Candidates.pair`.
    rivals : int64[q]
        Equal for needs of the same edge by candidates of which only one can be added by (3): those due to the same
        separator from the same end into the same component.
    """

    candidate: np.ndarray
    end: np.ndarray
    edge: np.ndarray
    rivals: np.ndarray


def needs(found: Candidates, should_continue: Callable = lambda: True) -> NeededEdges | None:
    """The needs of all candidates.

    Parameters
    ----------
    should_continue
        Called for each separator.

    Returns
    -------
    NeededEdges or None
        None once `should_continue` returns False.
    """
    n = len(found.adjacent)
    bounds = np.searchsorted(found.due_to, np.arange(len(found.separators) + 1))
    rows = [(np.zeros(0, np.int64),) * 4]
    for i, separator in enumerate(found.separators):
        if not should_continue():
            return None
        of_separator = np.arange(bounds[i], bounds[i + 1])
        for end, far_component in (
            (found.u[of_separator], found.heads[of_separator]),
            (found.v[of_separator], found.tails[of_separator]),
        ):
            for s in separator:
                missing = ~found.adjacent[end, s]
                at = end[missing]
                rows.append(
                    (of_separator[missing], at, np.minimum(at, s) * n + np.maximum(at, s), far_component[missing])
                )
    candidate, end, edge, far_component = map(np.concatenate, zip(*rows, strict=True))
    _, rivals = np.unique((edge * n + end) * int(found.degrees.sum()) + far_component, return_inverse=True)
    return NeededEdges(candidate, end, edge, rivals)


def possible(found: Candidates, needed: NeededEdges) -> np.ndarray:
    """The candidates that can be part of a solution by the two rules.

    Parameters
    ----------
    needed
        The edges that they need.

    Returns
    -------
    bool[m]
    """
    pairs, of_pair = np.unique(found.pair, return_inverse=True)
    at = np.searchsorted(pairs, needed.edge)
    known = (at < len(pairs)) & (pairs[np.minimum(at, len(pairs) - 1)] == needed.edge)
    at[~known] = 0
    is_possible = np.ones(len(found), bool)
    while True:
        ways = np.bincount(of_pair[is_possible], minlength=len(pairs))
        only = np.bincount(of_pair[is_possible], found.due_to[is_possible], len(pairs))  # the separator if it is one
        lost = ~known | (ways[at] == 0)
        single = np.flatnonzero(known & (ways[at] == 1))
        keys = np.stack([needed.candidate[single], needed.end[single], only[at[single]].astype(np.int64)])
        _, group, counts = np.unique(keys, axis=1, return_inverse=True, return_counts=True)
        lost[single[counts[group.ravel()] > 1]] = True
        impossible = np.unique(needed.candidate[lost])
        if not is_possible[impossible].any():
            return is_possible
        is_possible[impossible] = False


def useful(found: Candidates, needed: NeededEdges, gains: np.ndarray) -> np.ndarray:
    """The candidates that can be useful.

    Parameters
    ----------
    needed
        The edges that they need, each of which one of them adds.
    gains : float64[m]
        Finite.

    Returns
    -------
    bool[m]
    """
    pairs, of_pair = np.unique(found.pair, return_inverse=True)
    edge_of = np.zeros(needed.rivals.max(initial=-1) + 1, np.int64)
    edge_of[needed.rivals] = np.searchsorted(pairs, needed.edge)
    most = gains
    while True:
        made_possible = np.zeros(len(edge_of))
        np.maximum.at(made_possible, needed.rivals, most[needed.candidate])
        more = gains + np.bincount(edge_of, made_possible, len(pairs))[of_pair]
        if (more <= most + ROUNDING * np.abs(most)).all():
            return more > 0.0
        most = more
