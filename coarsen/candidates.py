"""The edges that may be added to a chordal graph, and their separators (Section 2 of the paper).

An edge u-v is a candidate due to S if S is a minimal separator of u and v. Once both ends are adjacent to all of S,
adding it gains

    d(u,v|S) = s(S+u+v) + s(S) - s(S+u) - s(S+v).

In a chordal graph S separates u and v minimally iff the two lie in different components of the graph without S and
each of these components contains a vertex adjacent to all of S; such a component is called substantial. So no junction
tree is needed: the candidates due to S are the pairs in different substantial components. With cliques of at most K,
S has at most K - 2 vertices, since the edge makes the clique S + u + v. The empty set is such a separator if the graph
is not connected. The length of u-v is its number of minimal separators.

An edge between two components of the graph is due to the empty set and gains the same in every graph. No other
candidate needs it, since u, v and S are always in one component. So unless a step is forced, such a pair matters only
if it gains; these pairs are listed once, not in every step.

Cost: O(n + m) per separator for the components; one comparison for each pair of vertices at a distance of at most the
longest edge allowed plus one, and separator near them (without a bound on the length: for all pairs in a component and
all separators), under a second for a thousand variables; and four scores per candidate.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.graphs.chordal import bit_rows, separators
from ..common.sets.bitset import bit_sets
from .candidates_kernels import PairScratch, VertexSeparators, fill_parts, list_pairs
from .gains_kernels import fill_gains

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..common.graphs.graph import Graph
    from ..common.scores.scorer import SetScorer

PIECE = 1 << 26  # bits or components between two checks of the clock
SLICE = 8192  # candidates between two checks of the capacity of the score cache


@dataclass(frozen=True)
class Candidates:
    """Candidate edges of a chordal graph, m of them, due to k different separators.

    Attributes
    ----------
    adjacent : bool[n, n]
        The graph.
    separators : tuple of tuple of int
        Ascending; all k, with and without candidates.
    parts : int32[k, n]
        The substantial component of each vertex, numbered from 0 per separator; -1 if it is in none.
    u, v : int64[m]
        The ends, u < v.
    due_to : int64[m]
        Index of the separator.
    length : int64[m]
        Length of the edge.
    """

    adjacent: np.ndarray
    separators: tuple
    parts: np.ndarray
    u: np.ndarray
    v: np.ndarray
    due_to: np.ndarray
    length: np.ndarray

    def __len__(self) -> int:
        return len(self.u)

    @property
    def pair(self) -> np.ndarray:
        """A number for the edge of each candidate, int64[m]: equal for equal ends."""
        return self.u * len(self.adjacent) + self.v

    @property
    def key(self) -> np.ndarray:
        """A number for each candidate, int64[m], unique among all candidates of the graph."""
        return self.pair * len(self.separators) + self.due_to

    @cached_property
    def tails(self) -> np.ndarray:
        """The component that contains u, int64[m], numbered consecutively over all separators."""
        return self._first[self.due_to] + self.parts[self.due_to, self.u]

    @cached_property
    def heads(self) -> np.ndarray:
        """As `tails`, for v."""
        return self._first[self.due_to] + self.parts[self.due_to, self.v]

    @cached_property
    def degrees(self) -> np.ndarray:
        """Substantial components of each separator, int64[k]."""
        return self.parts.max(axis=1, initial=-1).astype(np.int64) + 1

    @property
    def _first(self) -> np.ndarray:
        """The number of each separator's first component."""
        return np.cumsum(self.degrees) - self.degrees

    def only(self, kept: np.ndarray) -> Candidates:
        """The candidates marked by `kept` (bool[m])."""
        chosen = (self.u[kept], self.v[kept], self.due_to[kept], self.length[kept])
        return Candidates(self.adjacent, self.separators, self.parts, *chosen)


def candidates(
    graph: Graph,
    max_clique: int | None = None,
    max_length: int | None = None,
    should_continue: Callable = lambda: True,
    joins: tuple[np.ndarray, np.ndarray] | None = None,
) -> Candidates:
    """All candidate edges of a graph.

    Parameters
    ----------
    graph : Graph, chordal
    max_clique
        Largest clique allowed: separators of up to max_clique - 2 vertices count.
    max_length
        Longest edge allowed, >= 1.
    should_continue
        Called several times per second; once it returns False, the rest is skipped.
    joins : (int64[m], int64[m]), optional
        Pairs u < v, ascending: of the pairs between components only these are listed; default all.

    Returns
    -------
    Candidates
        By separator, then by u and v.
    """
    adjacent = np.zeros((graph.n, graph.n), bool)
    u, v = np.array(graph.edges, np.int64).reshape(-1, 2).T
    adjacent[u, v] = adjacent[v, u] = True
    all_separators, rows = sorted({(), *separators(graph)}), bit_rows(graph)
    parts = _parts(adjacent, separator_rows(all_separators, rows.shape[1]), should_continue)
    split = parts.max(axis=1, initial=-1) > 0  # the empty set separates nothing if the graph is connected
    all_separators = [separator for separator, kept in zip(all_separators, split, strict=True) if kept]
    parts = parts[split]
    allowed = np.array([max_clique is None or len(separator) + 2 <= max_clique for separator in all_separators], bool)
    longest = len(all_separators) if max_length is None else max_length
    u, v, due_to, length = _pairs(rows, all_separators, parts, allowed, longest, should_continue, joins)
    return Candidates(adjacent, tuple(all_separators), parts, u, v, due_to, length)


def _parts(adjacent: np.ndarray, sets: np.ndarray, should_continue: Callable) -> np.ndarray:
    """The substantial components of each separator: see `Candidates.parts`."""
    ends, others = map(np.ascontiguousarray, np.nonzero(adjacent))
    starts = np.searchsorted(ends, np.arange(len(adjacent) + 1))
    parts, stack = np.full((len(sets), len(adjacent)), -1, np.int32), np.zeros(len(adjacent), np.int64)
    at_once = max(1, PIECE // (len(adjacent) + len(others)))
    for first in range(0, len(sets), at_once):
        if should_continue():
            fill_parts(starts, others, sets[first : first + at_once], parts[first : first + at_once], stack)
    return parts


def _pairs(
    rows: np.ndarray,
    all_separators: list[Any],
    parts: np.ndarray,
    allowed: np.ndarray,
    longest: int,
    should_continue: Callable,
    joins: tuple[np.ndarray, np.ndarray] | None,
) -> np.ndarray | list[np.ndarray]:
    """Ends, separator and length of each candidate: int64[m] each, by separator, then by the ends."""
    n, words = rows.shape
    connected = all_separators[:1] != [()]
    component = np.zeros(n, np.int64) if connected else parts[0].astype(np.int64)
    of_vertices = VertexSeparators(
        np.ascontiguousarray(parts.T), component, allowed, *_separators_of_vertices(all_separators, n)
    )
    listed, marked = np.zeros(len(all_separators), np.int64), np.zeros(len(all_separators), bool)
    work = PairScratch(np.zeros(words, np.uint64), np.zeros(n, np.int64), listed, marked)
    found, capacity = [np.zeros((4, 0), np.int64)], 1 << 14
    if joins is not None and not connected and allowed[0]:
        u, v = (ends[component[joins[0]] != component[joins[1]]] for ends in joins)
        found.append(np.stack([u, v, np.zeros_like(u), np.ones_like(u)]))
    at_once = max(1, PIECE // (n * (len(all_separators) + 1)))
    for first in range(0, n, at_once):
        if not should_continue():
            break
        while True:
            piece = np.empty((4, capacity), np.int64)
            last = min(n, first + at_once)
            count = list_pairs(rows, of_vertices, joins is None, longest, work, first, last, piece)
            if count <= capacity:
                break
            capacity = 2 * count
        found.append(piece[:, :count].copy())
    numbers = np.uint16 if len(all_separators) < 1 << 16 else np.int64  # the former are sorted in one pass
    order = np.argsort(np.concatenate([piece[2].astype(numbers) for piece in found]), kind="stable")
    sorted_rows: list[np.ndarray] = []
    for row in range(4):
        if not should_continue():  # tens of millions take seconds
            return found[0]
        sorted_rows.append(np.concatenate([piece[row] for piece in found])[order])
    return sorted_rows


def _separators_of_vertices(separators: list[Any], n: int) -> tuple[np.ndarray, np.ndarray]:
    """The separators that contain each vertex, after the empty one: starts and containing, see `VertexSeparators`."""
    members = np.array([v for separator in separators for v in separator or (-1,)], np.int64)
    numbers = np.repeat(np.arange(len(separators)), [max(1, len(separator)) for separator in separators])
    starts = np.cumsum(np.bincount(members + 1, minlength=n + 1))
    return starts, numbers[np.argsort(members, kind="stable")]


def separator_rows(separators: Sequence[tuple[int, ...]], words: int) -> np.ndarray:
    """Separators (tuples of int) as uint64[k, words], see `common.sets.bitset_kernels`."""
    sizes = np.array([len(separator) for separator in separators], np.int64)
    rows = np.repeat(np.arange(len(separators)), sizes)
    return bit_sets(rows, np.array([*itertools.chain(*separators)], np.int64), len(separators), words)


def candidate_gains(
    found: Candidates, scorer: SetScorer, parallel_map: Callable = map, should_continue: Callable = lambda: True
) -> np.ndarray:
    """The gain of each candidate, d(u,v|S).

    Parameters
    ----------
    parallel_map
        Like `map`; a thread pool's `map` shares the work, one scratch area of the scorer per thread.
    should_continue
        Called from time to time; once it returns False, the other gains are 0.

    Returns
    -------
    float64[m]
        Minus infinity where a set has no score.
    """
    sets = separator_rows(found.separators, scorer.words)
    gains = np.zeros(len(found))
    threads = len(scorer.scratch)
    for first in range(0, len(found), SLICE):
        if not should_continue():
            break
        part = slice(first, first + SLICE)
        ends = (found.due_to[part], found.u[part], found.v[part], gains[part])

        def fill(t: int, ends: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] = ends) -> None:
            fill_gains(scorer.scores, scorer.scratch[t], sets, t, threads, *ends)

        scorer.make_room()
        list(parallel_map(fill, range(threads)))
    return gains
