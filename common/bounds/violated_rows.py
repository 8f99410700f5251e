"""Rows that a fractional solution of `common.bounds.relaxation` violates: see `common.bounds.cutting` for their types.

A round searches all kinds: immoralities and flags by inspecting every set with c > 0; clusters grown greedily from
pairs; rows with members of any size, grown greedily from clusters and flags that are at most slightly violated. The
last kind takes a few per cent of the time of the linear programs and lowers the bound more than the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..graphs.chordal import graph_of, is_chordal
from .cuts_kernels import (
    cluster_growth,
    complete_sets,
    separate_violated_clusters,
    separate_violated_flags,
    separate_violated_immoralities,
    separate_violated_pairs,
)
from .row_growth_kernels import Growth, grow_rows, list_inner_sets
from .rows_kernels import WIDTH, Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

OPEN_FROM = 1e-6  # an edge is open, and can be branched over, if its value is farther than this from 0 and 1
NEARLY_VIOLATED = -0.3  # clusters and flags that have this excess at least are enlarged
PAIR_EXCESS = -0.05  # rows of two members that have this excess at least are enlarged
ENOUGH_ROWS = 10  # this many violated rows are enough for another round


@dataclass(frozen=True)
class SeparationLimits:
    """Limits of the search for rows.

    Attributes
    ----------
    least : float
        Smallest violation of a row.
    each : int
        Largest number of rows returned per kind.
    grown : int
        Number of rows that are enlarged; 0 for none.
    steps : int
        Largest number of members added to such a row.
    larger : int
        Largest number of its members of two or more variables, at most WIDTH.
    """

    least: float = 1e-4
    each: int = 60
    grown: int = 150
    steps: int = 12
    larger: int = 8


class EdgeValues:
    """The edges of a fractional solution, and how far they are from integral."""

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """The sets of two with c > 0 and their c: (uint64[e], float64[e]), ascending."""
        raise NotImplementedError

    def openness(self, required: tuple[int, ...] = ()) -> np.ndarray:
        """The distance of each edge's value from 0 and 1, 0 for required edges: float64[e]."""
        edges, c = self.edges()
        return np.where(np.isin(edges, np.array(required, np.uint64)), 0.0, np.minimum(c, 1.0 - c))

    def branching_candidates(self, required: tuple[int, ...], most: int) -> np.ndarray:
        """The candidates for branching: the most open edges; if none is open, the edges that are not required.

        Branching over an integral edge separates the tied solutions with it from those without.

        Parameters
        ----------
        required
            Edges, named as those of the solution.
        most

        Returns
        -------
        uint64[e]
            At most `most`.
        """
        edges, openness = self.edges()[0], self.openness(required)
        likely = np.argsort(-openness, kind="stable")
        chosen = likely[openness[likely] >= OPEN_FROM]
        if not len(chosen):
            chosen = likely[~np.isin(edges[likely], np.array(required, np.uint64))]
        return edges[chosen[:most]]


class Solution(EdgeValues):
    """A fractional solution in the form of the kernels.

    Parameters
    ----------
    n
    child : int64[k]
    parents : uint64[k]
    x : float64[k]
        Positive.
    """

    def __init__(self, n: int, child: np.ndarray, parents: np.ndarray, x: np.ndarray) -> None:
        order = np.argsort(child, kind="stable")
        self.n, self.child, self.parents, self.x = n, child[order], parents[order], x[order]
        size = 1 << 12
        while True:
            self.keys, self.values = np.zeros(size, np.uint64), np.zeros(size)
            if complete_sets(self.child, self.parents, self.x, self.keys, self.values) >= 0:
                break
            size *= 2
        self.first = np.searchsorted(self.child, np.arange(n + 1)).astype(np.int64)

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """The sets of two and their c: (uint64[e], float64[e]), ascending."""
        chosen = np.flatnonzero(np.bitwise_count(self.keys) == 2)
        order = chosen[np.argsort(self.keys[chosen])]
        return self.keys[order], self.values[order]

    def near(self) -> np.ndarray:
        """The variables with an edge to each variable: uint64[n]."""
        near = np.zeros(self.n, np.uint64)
        for edge in map(int, self.edges()[0]):
            low, high = edge & -edge, edge & (edge - 1)
            near[low.bit_length() - 1] |= np.uint64(high)
            near[high.bit_length() - 1] |= np.uint64(low)
        return near


def empty_rows(count: int, support: int = 0, weights: int = 0) -> Rows:
    """Rows of zeros, with this number of words for the support and for the weights of each."""
    base, singles, *wide = (np.zeros((count, *more), np.uint64) for more in ((), (), (WIDTH,), (support,), (weights,)))
    return Rows(base, singles, *wide)


def join_rows(parts: Sequence[Rows]) -> Rows:
    """Several Rows as one."""
    return Rows(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def pick_rows(rows: Rows, chosen: np.ndarray | slice) -> Rows:
    """Some of the rows, by number or by bool[r]."""
    return Rows(*(part[chosen] for part in rows))


def right_sides(rows: Rows) -> np.ndarray:
    """The right-hand sides of rows: 1 without a base, otherwise 0: float64[r]."""
    return (rows.base == 0).astype(float)


def rows_of_table(table: np.ndarray) -> Rows:
    """Rows without a support of their own, from a table: uint64[r, 2 + WIDTH], base, singles and larger."""
    none = table[:, :0].copy()
    return Rows(table[:, 0].copy(), table[:, 1].copy(), table[:, 2:].copy(), none, none)


def table_of_rows(rows: Rows) -> np.ndarray:
    """The table of Rows without a support of their own, as for `rows_of_table`."""
    return np.column_stack([rows.base, rows.singles, rows.larger])


def separate(solution: Solution, limits: SeparationLimits | None = None, is_slow: bool = True) -> Rows:
    """Rows that the solution violates.

    Parameters
    ----------
    solution
    limits
    is_slow
        Whether the last kind is searched even if the others find enough.

    Returns
    -------
    Rows
        Without duplicates, most violated first within a kind.
    """
    limits = limits or SeparationLimits()
    sets, near, most = (solution.keys, solution.values), solution.near(), max(limits.each, limits.grown)
    found = [_most_violated(partial(separate_violated_immoralities, *sets), limits.least, limits.each)[0]]
    clusters = cluster_growth(solution.child, solution.parents, solution.x, solution.first)
    starts = []
    for search in (partial(separate_violated_flags, *sets, near), partial(separate_violated_clusters, clusters)):
        rows, violations = _most_violated(search, NEARLY_VIOLATED, most)
        found.append(pick_rows(rows, slice(0, min(int((violations > limits.least).sum()), limits.each))))
        starts.append(pick_rows(rows, slice(0, limits.grown)))
    found.append(_cycle_row(solution))
    if limits.grown and (is_slow or sum(len(part.base) for part in found) < ENOUGH_ROWS):
        found.append(_grown(solution, join_rows(starts[::-1]), limits))
        pairs, _ = _most_violated(partial(separate_violated_pairs, *sets, near), PAIR_EXCESS, limits.grown)
        found.append(_grown(solution, pairs, limits))
    return _unique(join_rows(found))


def _cycle_row(solution: Solution) -> Rows:
    """The row of a chordless cycle, if the edges are integral and their graph is not chordal."""
    edges, c = solution.edges()
    edges = edges[c > 0.5]
    if np.minimum(c, 1.0 - c).max(initial=0.0) > 1e-6:
        return empty_rows(0)
    graph = graph_of(solution.near()[:, np.newaxis])
    if is_chordal(graph):  # the search for a cycle takes fifty times as long
        return empty_rows(0)
    rows = empty_rows(1)
    rows.singles[:] = sum(1 << v for v in chordless_cycle(graph.neighbours()))
    return rows


def chordless_cycle(near: list[set[int]]) -> list[int]:
    """A chordless cycle of four or more vertices, as a list; empty if the graph is chordal.

    Parameters
    ----------
    near : list of set of int
        The neighbours of each vertex.
    """
    for middle in range(len(near)):
        for first in sorted(near[middle]):
            if path := _path_around(near, middle, first):
                return [middle, *path]
    return []


def _path_around(near: list[set[int]], middle: int, first: int) -> list[int]:
    """A shortest path to a neighbour of a vertex from one that is not adjacent to it, by no others; or empty."""
    before: dict[int, int | None] = {first: None}
    waiting = [first]
    for u in waiting:
        for w in sorted(near[u] - before.keys() - {middle}):
            if w not in near[middle]:
                before[w] = u
                waiting.append(w)
            elif w not in near[first]:
                path = [w, u]
                while (previous := before[path[-1]]) is not None:
                    path.append(previous)
                return path
    return []


def _most_violated(search: Callable, least: float, most: int) -> tuple[Rows, np.ndarray]:
    """The rows that a search finds, at most so many: (Rows, float64[r]), with their violations, largest first."""
    rows, violations = empty_rows(most), np.zeros(most)
    count = search(least, rows, violations)
    order = np.argsort(-violations[:count], kind="stable")
    return pick_rows(rows, order), violations[order]


def _grown(solution: Solution, rows: Rows, limits: SeparationLimits) -> Rows:
    """Rows enlarged while this increases their violation; returns those that are violated."""
    mine, used = (solution.child, solution.parents, solution.x), solution.keys != 0
    sets = np.concatenate([np.uint64(1) << np.arange(solution.n, dtype=np.uint64), solution.keys[used]])
    alone = np.concatenate([np.bincount(solution.child, solution.x, solution.n), solution.values[used]])
    families, most_inner = len(solution.child), int((2 << np.bitwise_count(solution.parents).astype(np.int64)).sum())
    sizes = 2 * families + 1, most_inner, families, families, len(sets), len(sets)
    start, inner, state, kind, concerned, left = (np.zeros(size, np.int64) for size in sizes)
    growth = Growth(*mine, start, inner, sets, alone, concerned, state, kind, np.zeros(len(sets)), left)
    list_inner_sets(growth, solution.keys, solution.n - 1 + np.cumsum(used))
    violations = np.zeros(len(rows.base))
    grow_rows(growth, limits.steps, limits.larger, rows, violations)
    good = np.flatnonzero(violations > limits.least)
    return pick_rows(rows, good[np.argsort(-violations[good], kind="stable")][: limits.each])


def _unique(rows: Rows) -> Rows:
    """Every row once, its members in decreasing order."""
    rows = rows._replace(larger=np.ascontiguousarray(np.sort(rows.larger, axis=1)[:, ::-1]))
    _, first = np.unique(np.column_stack(rows), axis=0, return_index=True)
    return pick_rows(rows, np.sort(first))
