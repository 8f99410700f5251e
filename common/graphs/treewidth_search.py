"""An elimination order within a bound, or the proof that there is none: a search over sets of eliminated vertices.

The graph that remains depends only on the set of eliminated vertices, not on their order, so each set is visited once
(Bodlaender et al. 2012, On exact algorithms for treewidth). A vertex with at most w neighbours that are complete, or
complete without one of them, is eliminated without loss (the simplicial and almost simplicial rules: Bodlaender and
Koster, Information and Computation 208, 2010).

Graphs are masks, so that thousands of small ones can be tested; each set costs the copy of a graph and O(n^2) steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..sets.masks import members

if TYPE_CHECKING:
    from collections.abc import Sequence


def order_within(near: Sequence[int], w: int, most: int) -> tuple[tuple[int, ...] | None, int]:
    """An elimination order in which no vertex has more than w neighbours.

    Parameters
    ----------
    near : sequence of int
        The neighbours of each vertex, as masks.
    w
    most
        The largest number of sets of eliminated vertices to visit.

    Returns
    -------
    (tuple of int or None, int)
        The order, and the number of sets that may still be visited; None with a positive number proves that there is no
        such order.

    >>> complete = [0b1110, 0b1101, 0b1011, 0b0111]
    >>> [order_within(complete, w, 10) for w in (2, 3)]
    [(None, 9), ((3, 2, 1, 0), 9)]
    """
    seen: set[int] = set()
    waiting: list[tuple[list[int], int, tuple[int, ...], int]] = [(list(near), (1 << len(near)) - 1, (), -1)]
    while waiting:
        if most == 0:
            return None, 0
        most -= 1
        before, left, order, v = waiting.pop()
        graph = before.copy()  # shared by all that eliminate another vertex
        if v >= 0:
            left, order = _eliminate(graph, left, v), (*order, v)
        left, order = _eliminate_simplicial(graph, left, order, w)
        if left.bit_count() <= w + 1:
            return (*order, *members(left)), most
        if left not in seen:
            seen.add(left)
            small = [v for v in members(left) if (graph[v] & left).bit_count() <= w and left ^ 1 << v not in seen]
            small.sort(key=lambda v: -_missing(graph, graph[v] & left))
            waiting += [(graph, left, order, v) for v in small]
    return None, most


def is_complete(graph: Sequence[int], some: int) -> bool:
    """Whether the vertices of a set, a mask, are adjacent to each other.

    >>> [is_complete([0b0110, 0b0101, 0b1011, 0b0100], some) for some in (0b0111, 0b1111)]
    [True, False]
    """
    return all(not some & ~graph[u] ^ 1 << u for u in members(some))


def _eliminate_simplicial(graph: list[int], left: int, order: tuple[int, ...], w: int) -> tuple[int, tuple[int, ...]]:
    """Eliminate vertices with at most w neighbours that are complete without one; returns the rest, and the order."""
    waiting = left
    while waiting:
        v = waiting.bit_length() - 1
        waiting ^= 1 << v
        around = graph[v] & left
        if around.bit_count() <= w and _are_nearly_complete(graph, around):
            left, order = _eliminate(graph, left, v), (*order, v)
            waiting |= around
    return left, order


def _are_nearly_complete(graph: Sequence[int], some: int) -> bool:
    """Whether the vertices of a set without one of them are adjacent to each other."""
    for u in members(some):
        others = some & ~graph[u] ^ 1 << u
        if others:  # then it is u or any of these
            return is_complete(graph, some ^ 1 << u) or is_complete(graph, some ^ (others & -others))
    return True


def _eliminate(graph: list[int], left: int, v: int) -> int:
    """Join the neighbours of v, in place, and take it out of `left`."""
    left ^= 1 << v
    around = graph[v] & left
    for u in members(around):
        graph[u] |= around ^ 1 << u
    return left


def _missing(graph: Sequence[int], some: int) -> int:
    """Twice the number of edges that a set lacks to be complete."""
    return sum((some & ~graph[u]).bit_count() - 1 for u in members(some))
