"""A prior on the edges of a network, as part of the scores of sets.

Let every pair {u, v} have a probability p(u, v), independently. A network's prior probability is proportional to the
product of p / (1 - p) over its edges. An edge lies in one clique more than in separators, so the logarithm of that
product is the sum over cliques, less the sum over separators, of

    w(C)  =  sum over pairs {u, v} in C of  ln( p(u, v) / (1 - p(u, v)) ),

and s(C) + w(C) takes the place of s(C) in every search, bound and posterior. A family's score s(P + v) - s(P) grows by
the terms of the pairs of v with P: for directed networks it is a prior on the skeleton. p = 0 forbids an edge and p = 1
requires it; that is no part of a score.

The extended BIC (Foygel and Drton, NIPS 2010) is BIC with the same number for all pairs, -2 g ln n: their criterion is
minus twice a score, and grows by 4 g ln n for each edge among n variables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class EdgePrior:
    """Probabilities of edges.

    Attributes
    ----------
    probability
        Of every pair that `pairs` does not have, in (0, 1).
    pairs : dict of (int, int) to float
        Other probabilities, in (0, 1); the smaller variable first.
    forbidden, required : tuple of (int, int)
        The pairs of probability 0 and 1.
    digest
        SHA-256 of the file that they come from, empty if there is none.
    """

    probability: float = 0.5
    pairs: dict = field(default_factory=dict)
    forbidden: tuple[tuple[int, int], ...] = ()
    required: tuple[tuple[int, int], ...] = ()
    digest: str = ""

    def added(self, masks: np.ndarray) -> np.ndarray:
        """w of sets of at most 64 variables.

        Parameters
        ----------
        masks : uint64[m]

        Returns
        -------
        float64[m]
        """
        sizes = np.bitwise_count(masks).astype(np.int64)
        total = log_odds(self.probability) * (sizes * (sizes - 1) // 2)
        for (u, v), p in self.pairs.items():
            pair = np.uint64(1 << u | 1 << v)
            total[masks & pair == pair] += log_odds(p) - log_odds(self.probability)
        return total


NO_PRIOR = EdgePrior()


def log_odds(probability: float) -> float:
    """ln(p / (1 - p)) of a probability in (0, 1)."""
    return math.log(probability) - math.log1p(-probability)
