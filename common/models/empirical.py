"""The empirical distribution of rows: each distinct row has its share of them, and all others have probability zero.

It is the maximum-likelihood fit of the network in which all variables are joined: a chordal network with one clique,
whose table has only the states that were seen. By itself it predicts no new row. In a mixture it tells rows that come
back from those that are alike only by chance, which no network with small cliques can.

Memory: that of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..graphs.graph import Graph


@dataclass(frozen=True)
class Empirical:
    """An empirical distribution.

    Attributes
    ----------
    names : tuple of str, length n
        Of the variables, all different.
    states : tuple of tuple of str
        Labels of each variable's states.
    rows : int32[m, n]
        All different.
    chances : float64[m]
        Their probabilities, which sum to 1.
    """

    names: tuple
    states: tuple
    rows: np.ndarray
    chances: np.ndarray

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.names)

    def moral_graph(self) -> Graph:
        """The Graph with all edges."""
        return Graph(self.n, tuple(combinations(range(self.n), 2)), self.names)

    def draw(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """Draw independent rows: int32[rows, n]."""
        return self.rows[rng.choice(len(self.rows), rows, p=self.chances)]
