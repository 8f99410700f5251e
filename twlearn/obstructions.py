"""Obstructions: few cliques that already make a graph too wide.

The family of a vertex v, v and its parents, is a clique of the moral graph. An obstruction is a set of such cliques, or
of parts of them with v, whose graph has treewidth larger than w, none of which can be left out or lose another vertex.
It proves that a network is too wide, and excludes all others with the same obstruction (`twlearn.networks_scip`).

A simplicial vertex with at most w neighbours is in no obstruction but as the child of a family, so parts of these are
left out at once; the rest is one test for each clique and vertex, by `common.graphs.treewidth_search`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.graphs.treewidth_search import is_complete, order_within
from ..common.sets.masks import members

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

MAX_SETS = 20_000  # of eliminated vertices, for one graph


def is_wider(near: Sequence[int], w: int, most: int = MAX_SETS) -> bool | None:
    """Whether a graph has treewidth larger than w.

    Parameters
    ----------
    near : sequence of int
        The neighbours of each vertex, as masks.
    w
    most
        The largest number of sets of eliminated vertices to visit.

    Returns
    -------
    bool or None
        None if they were not enough.

    >>> [is_wider([0b1110, 0b1101, 0b1011, 0b0111], w) for w in (2, 3)]
    [True, False]
    """
    order, left = order_within(near, w, most)
    return None if order is None and left == 0 else order is None


def obstruction(cliques: dict[int, int], w: int, order: Sequence[int], random: Random) -> dict[int, int]:
    """An obstruction among the families of a network that is too wide.

    Parameters
    ----------
    cliques : dict of int to int
        The family of each vertex, as a mask; their graph has treewidth larger than w.
    w
    order
        All these vertices: the families of the first ones are left out if they can be.
    random
        For the order in which vertices are left out of a clique.

    Returns
    -------
    dict of int to int
        Parts of some families, each with its vertex.
    """
    cliques = _core(cliques, w)
    for v in order:
        if v in cliques:
            cliques = _if_wider({u: clique for u, clique in cliques.items() if u != v}, w) or cliques
    for v in order:
        parents = list(members(cliques.get(v, 0) & ~(1 << v)))
        random.shuffle(parents)
        for u in parents:
            if cliques.get(v, 0) >> u & 1:
                cliques = _if_wider({**cliques, v: cliques[v] ^ 1 << u}, w) or cliques
    return cliques


def graph_of_cliques(cliques: dict[int, int]) -> list[int]:
    """The neighbours of each vertex in the graph of some cliques, as masks."""
    near = [0] * max((clique.bit_length() for clique in cliques.values()), default=0)
    for clique in cliques.values():
        for v in members(clique):
            near[v] |= clique ^ 1 << v
    return near


def _if_wider(cliques: dict[int, int], w: int) -> dict[int, int] | None:
    """The core of these cliques, if their graph has treewidth larger than w."""
    return _core(cliques, w) if is_wider(graph_of_cliques(cliques), w) else None


def _core(cliques: dict[int, int], w: int) -> dict[int, int]:
    """The cliques without simplicial vertices of at most w neighbours, one after another; each keeps its own vertex."""
    near = graph_of_cliques(cliques)
    left, before = (1 << len(near)) - 1, 0
    while left != before:
        before = left
        for v in members(left):
            around = near[v] & left
            if around.bit_count() <= w and is_complete(near, around):
                left ^= 1 << v
    inside = {v: clique & left for v, clique in cliques.items()}
    return {v: clique | 1 << v for v, clique in inside.items() if clique.bit_count() > 1}
