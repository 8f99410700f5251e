"""Backtracking from the filled tables to the network: the cliques, parts and separators that gave the maxima.

Each step evaluates the candidates of a maximum again and takes the largest. If several are equal, the first is taken,
so that the network depends only on the scores.

Cost: O(2^n) for the parts of the first clique, little for the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..graphs.graph import Graph
from ..run.monitor import Monitor
from ..sets.masks import members as members_of
from ..sets.subset_numbers_kernels import with_zero_bit, without_bit
from .recurrences import fill
from .recurrences_kernels import largest_part
from .states_kernels import place_of
from .tables import all_states, allocate, free_vertices

if TYPE_CHECKING:
    from .recurrences_kernels import Tables


def optimal_network(tables: Tables, names: tuple[str, ...] | None = None) -> tuple[Graph | None, float]:
    """An optimal network.

    Parameters
    ----------
    tables : Tables, filled
    names
        Of the variables.

    Returns
    -------
    (Graph or None, float)
        The network and its score; None and minus infinity if no network is allowed.
    """
    root, score = _best_root(tables)
    if score == -np.inf:
        return None, score
    bags, states = [], [(root, _everything(tables, root))]  # a bag may be inside another
    work = np.zeros((3, tables.n), np.int64), np.zeros(tables.n)
    while states:
        bag, u = states.pop()
        bags.append(list(members_of(bag)))
        while u:
            part = int(largest_part(tables, bag, u, *work))
            u ^= part
            states.append(_attached(tables, bag, part))
    return Graph.from_cliques(tables.n, bags, names), score


def _best_root(tables: Tables) -> tuple[int, float]:
    """The best clique that contains the root vertex, with all other vertices attached to it, and that score."""
    masks = np.sort(tables.sets)
    places = [(c, _place(tables, c, _everything(tables, c))) for c in masks[masks >> (tables.n - 1) == 1].tolist()]
    roots, at = [c for c, place in places if place >= 0], [place for _, place in places if place >= 0]
    if not roots:  # no set with the root vertex
        return 0, -np.inf
    totals = tables.scores[roots] + tables.g[at]
    best = int(np.argmax(totals))
    return int(roots[best]), float(totals[best])


def _attached(tables: Tables, members: int, u: int) -> tuple[int, int]:
    """The bag by which h attaches U, a clique with one more vertex or a smaller set; and the part of U below it."""
    score = tables.scores[members]
    states = [(tables.scores[bag] - score, (bag, rest)) for bag, rest in _larger(tables, members, u)]
    states += [(0.0, state) for state in _smaller(tables, members, u)]
    return max(states, key=lambda each: each[0] + tables.g[_place(tables, *each[1])])[1]


def _larger(tables: Any, members: int, u: int) -> Iterator[tuple[int, int]]:
    """The existing states with one vertex of U moved into the set."""
    free = [v for v in range(tables.n - 1) if not members >> v & 1]
    found = [(members | 1 << v, int(without_bit(u, p))) for p, v in enumerate(free) if u >> p & 1]
    return (state for state in found if _place(tables, *state) >= 0)


def _smaller(tables: Any, members: int, u: int) -> Iterator[tuple[int, int]]:
    """The existing states with one vertex of the set left out and the same U."""
    inside = [v for v in range(tables.n) if members >> v & 1]
    place = [v - rank for rank, v in enumerate(inside)]
    same = [u if v == tables.n - 1 else int(with_zero_bit(u, p)) for v, p in zip(inside, place, strict=True)]
    found = [(members ^ 1 << v, number) for v, number in zip(inside, same, strict=True)]
    return (state for state in found if _place(tables, *state) >= 0)


def _everything(tables: Tables, members: int) -> int:
    """All vertices outside the set except the root, as a number."""
    return (1 << int(free_vertices(tables.n, members))) - 1


def _place(tables: Tables, members: int, u: int) -> int:
    """Where the state's values are, or -1."""
    start = int(tables.start[members])
    return int(place_of(tables.blocks, tables.words, start, u)) if start >= 0 else -1


def compile_recurrences() -> None:
    """Compile the kernels of the recurrences and of backtracking: solve a problem whose optimum has no edges."""
    sets = np.arange(8)
    tables = allocate(np.where(np.bitwise_count(sets) > 1, -1.0, 0.0), all_states(3, sets))
    with Monitor(threads=1) as monitor:
        fill(tables, monitor)
    optimal_network(tables)
