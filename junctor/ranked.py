"""The N best chordal networks from the filled tables of the dynamic program, each once.

The tables give only the best network, and by many junction trees. Here each network is described in one way, with a
root r. Removing a clique C leaves components; each has a separator, its neighbours in C, and some vertex v that is
joined to all of the separator (a component of a chordal graph always has one). So

* attached(C, M, U): all of U is attached to C, and every separator contains M. Its component with the last vertex of U
  is attached whole to a separator S, M <= S <= C; the rest of U is attached to C in the same way;
* whole(S, R): R is one component with the separator S. For some v in R, the bag S + v has R - v attached to it, by
  separators with v, as R would not be connected otherwise. There may be several v; equal networks are found by their
  edges.

All networks are attached({r}, {}, all others). The components of a network are unique, so the N best of
attached(C, M, U) come from the N best of its parts: if a part is not among these, N others in its place are as good.

First, from the root down, the pairs are found that networks above the floor can have: g(C, U) of the tables bounds the
score that attached(C, M, U) can add, so a pair is left out if it and the best around it score less than `floor`. Then,
from the smallest pairs up, each gets a list of its best networks. A state that is not in the tables occurs in no
network above the floor.

Cost: for each of the first kind of pairs, 2^|U| look-ups, then for each part R of U within the floor |R| look-ups for
each separator in C; and the N best of each pair in memory.
"""

from __future__ import annotations

import heapq
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..common.exact.recurrences import fill
from ..common.exact.tables import all_states, allocate
from ..common.run.monitor import Monitor
from ..common.sets.masks import members as members_of
from .ranked_kernels import splits, value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..common.exact.recurrences_kernels import Tables

    Found = dict[int, float]  # the edges of networks, as masks of pairs, and what they add


class Pair(NamedTuple):
    """A part of a network and the clique it is attached to, as masks; sorted by `order`, its own parts come later.

    order : int, minus twice the vertices of U, less 1 if it is attached
    clique, must, u : int, C, M and U; of a whole part S, S and R
    """

    order: int
    clique: int
    must: int
    u: int

    @property
    def is_whole(self) -> bool:
        """Whether the part is attached whole."""
        return self.order % 2 == 0


def attached(clique: int, must: int, u: int) -> Pair:
    """The Pair attached(C, M, U)."""
    return Pair(-2 * u.bit_count() - 1, clique, must, u)


def whole(separator: int, u: int) -> Pair:
    """The Pair whole(S, R)."""
    return Pair(-2 * u.bit_count(), separator, separator, u)


class Decomposition(NamedTuple):
    """A decomposition of the networks of a Pair into smaller Pairs.

    edges : int, the edges it adds, as a mask of pairs of variables
    gain : float, its score
    parts : tuple of Pair, one or two, or none
    """

    edges: int
    gain: float
    parts: tuple[Pair, ...]


def ranked_networks(
    tables: Tables, most: int, floor: float, should_continue: Callable = lambda: True
) -> list[tuple[tuple[int, int], ...]] | None:
    """The best networks.

    Parameters
    ----------
    tables : Tables, filled
    most
        N, >= 1.
    floor
        No network below this score is wanted, by the scores of the tables.
    should_continue
        Called for each pair.

    Returns
    -------
    list of tuple of (int, int), or None
        The edges of the N best networks of this score or more, or of all if these are fewer; None if stopped.
    """
    n, root = tables.n, 1 << tables.n - 1
    if tables.start[root] < 0:
        return []
    every = attached(root, 0, root - 1)
    if n == 1:
        return [()] if tables.scores[root] >= floor else []
    outside = {every: float(tables.scores[root])}  # the best score around each pair, which it adds to
    ways: dict[Pair, list[Decomposition]] = {}
    waiting = [every]
    while waiting:
        if not should_continue():
            return None
        pair = heapq.heappop(waiting)
        ways[pair] = []
        for way, bounds in _decompositions(tables, pair, floor - outside[pair]):
            ways[pair].append(way)
            total = outside[pair] + way.gain + sum(bounds)
            for part, bound in zip(way.parts, bounds, strict=True):
                if part not in outside:
                    heapq.heappush(waiting, part)
                outside[part] = max(outside.get(part, -np.inf), total - bound)
    lists: dict[Pair, Found] = {}
    for pair in sorted(ways, reverse=True):
        if not should_continue():
            return None
        found: Found = {}
        for way in ways[pair]:
            found.update(_combined(way, [lists[part] for part in way.parts], most, floor - outside[pair]))
        best = heapq.nsmallest(most, found.items(), key=lambda each: (-each[1], each[0]))
        lists[pair] = dict(best)
    return [_edges(network, n) for network in lists[every]]


def _decompositions(tables: Tables, pair: Pair, least: float) -> Iterator[tuple[Decomposition, tuple[float, ...]]]:
    """The decompositions of a Pair that add `least` or more, with bounds on the gains of their parts."""
    _, clique, must, u = pair
    if not pair.is_whole:
        for (part, separator), (own, other) in zip(*_splits(tables, pair, least), strict=True):
            rest = u ^ part
            two = whole(separator, part), attached(clique, must, rest)
            yield Decomposition(0, 0.0, two if rest else two[:1]), ((own, other) if rest else (own,))
        return
    for v in members_of(u):
        bag, rest = clique | 1 << v, u ^ 1 << v
        bound = float(value_of(tables, bag, rest))
        gain = float(tables.scores[bag] - tables.scores[clique])
        if gain + bound >= least:
            edges = sum(1 << max(v, s) * tables.n + min(v, s) for s in members_of(clique))
            yield Decomposition(edges, gain, (attached(bag, 1 << v, rest),) if rest else ()), ((bound,) if rest else ())


def _splits(tables: Tables, pair: Pair, least: float) -> tuple[list, list]:
    """The masks and bounds of `ranked_kernels.splits`."""
    capacity = 1024  # mostly enough; otherwise they are found again
    while True:
        masks, values = np.empty((capacity, 2), np.int64), np.empty((capacity, 2))
        count = int(splits(tables, pair.clique, pair.must, pair.u, least, masks, values))
        if count <= capacity:
            return masks[:count].tolist(), values[:count].tolist()
        capacity = count


def _combined(way: Decomposition, parts: list[Found], most: int, least: float) -> Iterator[tuple[int, float]]:
    """The combinations of listed networks, best first, that gain `least` or more and can be among the `most` best."""
    first, second = (*parts, {0: 0.0}, {0: 0.0})[:2]
    for rank, (one, gain) in enumerate(first.items(), 1):
        for other, more in islice(second.items(), most // rank):  # the pairs before both are as good
            if way.gain + gain + more < least:
                break
            yield way.edges | one | other, way.gain + gain + more


def _edges(network: int, n: int) -> tuple[tuple[int, int], ...]:
    """The edges of a mask of pairs, ascending."""
    return tuple(sorted((at % n, at // n) for at in members_of(network)))


def compile_ranked() -> None:
    """Compile the kernels: for tables of three variables."""
    tables = allocate(np.zeros(8), all_states(3, np.arange(8)))
    with Monitor(threads=1) as monitor:
        fill(tables, monitor)
    ranked_networks(tables, 1, 0.0)
