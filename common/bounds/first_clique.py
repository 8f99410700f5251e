"""Perfect orders that begin with given variables: fewer families, and a stronger relaxation.

A network has many perfect orders, and the relaxation of `common.bounds.cutting` mixes them. Only some are needed. Let
f_1, ..., f_m be any variables. A perfect order of a chordal graph can begin with any of its cliques, in any order of
their vertices: so let it begin with f_1, ..., f_k for the largest k such that these are all joined. If the parents P of
some f_i contain f_1, ..., f_(i-1), then f_1, ..., f_i are joined, and come first in this order: P is exactly the set of
those before. Hence no family (f_i, P) is needed in which P contains f_1, ..., f_(i-1) and more; f_1 has no parents.
This holds for every network, whether or not it has the edges between these variables.

This helps most for variables that are joined in all good networks: here those of a clique of the best known network,
beginning with a variable that has many heavy edges.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..graphs.graph import Graph
    from .families import FamilyPool


def first_clique(pool: FamilyPool, graph: Graph) -> tuple[int, ...]:
    """The variables to begin with: a maximal clique of a network.

    The first variable has the largest sum, over its edges, of the square root of the weight s(uv) - s(u) - s(v), which
    is a compromise between many edges and heavy ones. Each next variable has the largest gain s(S + v) - s(S) - s(v)
    with S, those before it.

    Parameters
    ----------
    pool
    graph
        The network.

    Returns
    -------
    tuple of int
    """
    neighbours = graph.neighbours()

    def gain(first: tuple[int, ...], v: int) -> float:
        return pool.score_of((*first, v)) - pool.score_of(first) - pool.score_of((v,))

    def strength(u: int) -> float:
        return sum(math.sqrt(max(0.0, gain((u,), v))) for v in sorted(neighbours[u]))

    first: tuple[int, ...] = (max(range(pool.n), key=strength),)
    while left := set.intersection(*(neighbours[u] for u in first)):
        first = (*first, max(sorted(left), key=partial(gain, first)))
    return first
