"""The threshold of edge strengths above which edges are significant, after Scutari and Nagarajan (2013).

If the structure were known, all strengths, the shares of networks that have an edge, would be 0 or 1: a distribution
function that is constant, t, between. The estimated distribution function F of the strengths of all pairs of variables
is compared with these: t is what minimises the area between F and the constant. This is a median of F over the interval
from 0 to 1, and since F rises, its value at 1/2. The threshold is the strength at which F reaches it: the largest one
below 1/2. So edges of at least 1/2 are significant.
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
