"""The exact second phase as data: candidate blankets and their local scores (Section 5.2 of the paper).

The candidates of a variable are all subsets of its neighbours in G_or, 2^d of them; a graph is a choice of one
candidate per variable such that i is in j's blanket iff j is in i's.

Cost: one local score per candidate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .run import BlanketRun


@dataclass(frozen=True)
class BlanketCandidates:
    """The candidates of one variable: every subset of its d neighbours.

    Attributes
    ----------
    variable : int
    neighbours : list of int
        Its neighbours in G_or, ascending.
    numbers : list of int
        The numbers of the edges to these, in this order.
    scores : float64[2^d]
        Local scores; bit b of the index says whether neighbours[b] is in the blanket.
    """

    variable: int
    neighbours: list
    numbers: list
    scores: np.ndarray

    @property
    def losses(self) -> np.ndarray:
        """float64[2^d]: the best score minus each score."""
        return self.scores.max() - self.scores

    def chosen_by(self, graph: set[tuple[int, int]]) -> int:
        """The candidate of this variable in a graph (a set of edges): an index."""
        v = self.variable
        return sum(1 << b for b, u in enumerate(self.neighbours) if (min(u, v), max(u, v)) in graph)


def count_candidates(n: int, edges: list[tuple[int, int]]) -> int:
    """Total number of candidate blankets of n variables for the eligible edges (pairs)."""
    degrees = [0] * n
    for edge in edges:
        for v in edge:
            degrees[v] += 1
    return sum(1 << degree for degree in degrees)


def candidates(run: BlanketRun, edges: list[tuple[int, int]]) -> list[BlanketCandidates] | None:
    """All candidate blankets of all variables.

    Parameters
    ----------
    edges
        The eligible ones.

    Returns
    -------
    list of BlanketCandidates or None
        None after an interruption.
    """
    edges_at: list[list] = [[] for _ in range(run.local.n)]
    for number, (u, v) in enumerate(edges):
        edges_at[u].append((v, number))
        edges_at[v].append((u, number))

    def one(variable: int) -> BlanketCandidates | None:
        near, numbers = zip(*sorted(edges_at[variable]), strict=True) if edges_at[variable] else ((), ())
        scores = np.empty(1 << len(near))
        with run.thread() as thread:
            for k in range(len(scores)):
                if not run.monitor.should_continue():
                    return None
                members = [u for b, u in enumerate(near) if k >> b & 1]
                scores[k] = run.local.score(variable, members, thread)
        return BlanketCandidates(variable, list(near), list(numbers), scores)

    found = list(run.monitor.map(one, range(run.local.n)))
    return None if None in found else found
