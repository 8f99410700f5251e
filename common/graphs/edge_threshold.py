"""The threshold of edge strengths above which edges are significant, after Scutari and Nagarajan (2013).

The strength of an edge is the share of networks that have it. If the structure were known, all strengths would be 0 or
1, and their distribution function would be a constant t between 0 and 1. The threshold comes from the constant with the
smallest area between it and the empirical distribution function F of the strengths of all pairs of variables: a median
of F over the interval, which is F(1/2), since F increases. It is the strength at which F reaches this value, the
largest strength below 1/2. So edges with a strength of at least 1/2 are always significant.
"""

from __future__ import annotations

from collections.abc import Iterable


def automatic_threshold(strengths: Iterable[float]) -> float:
    """The threshold of significant edges: those that are stronger.

    Parameters
    ----------
    strengths
        Of the edges, from 0 to 1; all other pairs have 0.

    Examples
    --------
    >>> automatic_threshold([0.0460, 0.2242, 0.3921, 0.7689, 0.8935, 0.9439])
    0.3921
    """
    return max((strength for strength in strengths if strength < 0.5), default=0.0)
