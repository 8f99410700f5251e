"""The odds ratio of the ends of an edge, two variables of two states each, given other variables.

Mantel and Haenszel (1959) add up over the joint states of the other variables, each a table of n rows with a, b in the
first and c, d in the second:

    ratio = (sum of R) / (sum of S),   R = a d / n,   S = b c / n.

The interval is that of Robins, Breslow and Greenland (1986): with P = (a + d) / n and Q = (b + c) / n, ln ratio has the
variance

    sum(P R) / (2 sum(R)^2) + sum(P S + Q R) / (2 sum(R) sum(S)) + sum(Q S) / (2 sum(S)^2).

Without other variables this is a d / (b c) with Woolf's interval. Cost: one pass over the different rows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.data.dataset import Dataset

NORMAL = 1.959964  # quantile of the normal distribution for 95 %


def odds_ratio(data: Dataset, edge: tuple[int, int], given: Sequence[int]) -> tuple[float, float, float] | None:
    """The odds ratio, and the ends of its 95 % interval.

    Parameters
    ----------
    edge
        Two variables.
    given
        Others, whose joint states are the strata.

    Returns
    -------
    (float, float, float) or None
        The odds of the first state of one end, in the first state of the other, relative to those in its second state.
        None if an end has more or fewer states, or no stratum has rows on both diagonals.
    """
    if any(data.arity[v] != 2 for v in edge):
        return None
    strata = np.zeros(len(data.codes), np.int64)
    if given:
        strata = np.unique(data.codes[:, list(given)], axis=0, return_inverse=True)[1].ravel()
    cell = 4 * strata + 2 * data.codes[:, edge[0]] + data.codes[:, edge[1]]
    a, b, c, d = np.bincount(cell, weights=data.weights, minlength=4 * (strata.max() + 1)).reshape(-1, 4).T
    n = a + b + c + d
    p, q, r, s = (a + d) / n, (b + c) / n, a * d / n, b * c / n
    if not (r.sum() > 0 and s.sum() > 0):
        return None
    variance = (
        (p * r).sum() / (2 * r.sum() ** 2)
        + (p * s + q * r).sum() / (2 * r.sum() * s.sum())
        + (q * s).sum() / (2 * s.sum() ** 2)
    )
    ratio, width = r.sum() / s.sum(), math.exp(NORMAL * math.sqrt(variance))
    return float(ratio), float(ratio / width), float(ratio * width)


def in_words(data: Dataset, edge: tuple[int, int], given: Sequence[int]) -> str | None:
    """The odds ratio as a sentence; None if there is none."""
    found = odds_ratio(data, edge, given)
    if found is None:
        return None
    (u, (first, second)), (v, (state, _)) = ((data.names[w], data.states[w]) for w in edge)
    ratio, low, high = (f"{value:.3g}" for value in found)
    others = f"given {', '.join(data.names[w] for w in given)}, " if given else ""
    comparison = f"the odds of {v}={state} for {u}={first} are {ratio} times those for {u}={second}"
    return f"{others}{comparison} (95 % interval {low} to {high})"
