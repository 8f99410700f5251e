"""Families: each is a variable with its earlier neighbours in a perfect order of a chordal network.

`FamilyPool` contains the sets that can be complete in a network better than the best known, and which families of them
can be part of one. Both shrink: `FamilyPool.fix_families` removes families by reduced costs, `FamilyPool.shrink` drops
sets without families.
"""

from __future__ import annotations

import copy
from functools import partial
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from ..graphs.graph import Graph
from .families_kernels import (
    Families,
    add_subsets,
    best_of_children,
    best_of_each,
    fill_families,
    fix_families,
    least_losses,
    price,
)
from .rows_kernels import Rows, coefficients
from .terms_kernels import add_terms, sum_over_subsets
from .violated_rows import empty_rows, pick_rows, right_sides

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PIECE = 2_000_000  # families times rows that one thread prices at a time
LOOK_UP_COST = 20  # the time of a look-up over that of a coefficient
LARGE_LIST, LARGE_LOOK_UP_COST = 1_000_000, 100  # the same in a list of more sets, which no cache of a processor holds


def families_of(sets: np.ndarray, scores: np.ndarray) -> Families:
    """The families of sets.

    Parameters
    ----------
    sets : uint64[m]
        Masks, ascending; closed under subsets.
    scores : float64[m]

    Returns
    -------
    Families
    """
    count = int(np.bitwise_count(sets).sum())
    start, child, parents = (np.zeros(size, np.int64) for size in (len(sets) + 1, count, count))
    families = Families(sets, scores, start, child, parents, np.zeros(count))
    fill_families(families)
    return families


class FamilyPool:
    """The remaining families.

    Parameters
    ----------
    n
        At most 64 variables.
    sets : uint64[m]
        As `families_of`.
    scores : float64[m]
        Finite.
    parallel_map
        Like `map`; a thread pool's `map` shares the work.

    Attributes
    ----------
    n, largest : int
        Variables; the size of the largest set.
    families : Families
    alive : bool[f]
        The families that can be part of a better network.
    profit : float64[f]
        Of each family, by the multipliers of the last `bound`.
    best : float64[n]
        The largest reduced profit of each child.
    first : tuple of int
        The variables that the orders begin with, up to the first that is not joined to all before it
        (`common.bounds.first_clique`).
    """

    def __init__(self, n: int, sets: np.ndarray, scores: np.ndarray, parallel_map: Callable = map) -> None:
        self.n, self._map = n, parallel_map
        self.families = families_of(sets, scores)
        self.alive = np.ones(len(self.families.child), bool)
        self.best = np.empty(n)
        self.largest = int(np.bitwise_count(sets).max(initial=0))
        self._subsets = np.array([sum(comb(size, k) for k in range(self.largest + 1)) for size in range(65)], float)
        self.profit: Any = None
        self._through: Any = None
        self._loss: Any = None
        self.first: tuple[int, ...] = ()

    def copy(self) -> FamilyPool:
        """A copy that shares the families but not `alive`."""
        other = copy.copy(self)
        other.alive, other.best, other.profit = self.alive.copy(), self.best.copy(), None
        return other

    def _make_room(self) -> None:
        """Allocate work space for all families and sets."""
        self.profit, self._through = np.empty((2, len(self.alive)))
        self._loss = np.empty(len(self.families.sets))

    def release(self) -> None:
        """Release the work space until the next `bound`: many parts of a problem may be waiting."""
        self.profit = self._through = self._loss = None

    def masks(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Child and parents of families: (int64[k], uint64[k])."""
        families = self.families
        return families.child[numbers], families.sets[families.parents[numbers]]

    def empty_rows(self, count: int) -> Rows:
        """Rows of zeros, in the form that `bound` takes."""
        return empty_rows(count)

    def coefficients(
        self, rows: Rows, child: np.ndarray, parents: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The coefficients of rows, as (row, column, value); columns are families by child and parents, see `masks`."""
        return triples_of(rows, child, parents)

    def find(self, child: np.ndarray, parents: np.ndarray) -> np.ndarray:
        """The numbers of families, -1 if the set is not in the list.

        Parameters
        ----------
        child : int64[k]
        parents : uint64[k]

        Returns
        -------
        int64[k]
        """
        sets = self.families.sets
        bit = np.uint64(1) << child.astype(np.uint64)
        at = np.minimum(np.searchsorted(sets, parents | bit), len(sets) - 1)
        below = np.bitwise_count(parents & (bit - np.uint64(1)))
        return np.where(sets[at] == parents | bit, self.families.start[at] + below, -1).astype(np.int64)

    def bound(self, rows: Rows, multipliers: np.ndarray) -> float:
        """A bound on every solution of the remaining families, by weak duality: valid for any multipliers.

        Parameters
        ----------
        rows
        multipliers : float64[r]
            Not negative.

        Returns
        -------
        float
            Minus infinity if a child has no family left.
        """
        if self.profit is None:
            self._make_room()
        self.cost = float(right_sides(rows) @ multipliers)
        used = multipliers > 0.0
        rows, weight = pick_rows(rows, used), multipliers[used]
        as_terms = self._have_few_terms(rows)
        set_terms = self._set_terms(pick_rows(rows, as_terms), weight[as_terms])
        groups = self._groups(pick_rows(rows, ~as_terms), weight[~as_terms])
        count = len(self.families.sets)
        pieces = min(count, 1 + len(self.alive) * (1 + len(groups[1]) // self.n) // PIECE)
        edges = np.linspace(0, count, pieces + 1).astype(np.int64).tolist()
        where = pairwise(edges)
        list(self._map(lambda piece: price(self.families, *piece, self.alive, set_terms, *groups, self.profit), where))
        return self.bound_again()

    def bound_again(self) -> float:
        """The bound of the same multipliers for the families that are left now."""
        self.profit[~self.alive] = -np.inf
        best_of_children(self.families, self.profit, self.best)
        return float(self.best.sum() - self.cost)

    def _have_few_terms(self, rows: Rows) -> np.ndarray:
        """The rows for which terms of sets take less time than coefficients of families: bool[r]."""
        larger, size = (rows.larger != 0).sum(axis=1), np.bitwise_count(masks_of_variables(rows)).astype(np.int64)
        terms = np.minimum(self._subsets[size], self._subsets[np.bitwise_count(rows.singles)] * 2.0**larger)
        cost = LOOK_UP_COST if len(self.families.sets) <= LARGE_LIST else LARGE_LOOK_UP_COST
        return terms * cost <= len(self.alive) / self.n * size

    def _set_terms(self, rows: Rows, weight: np.ndarray) -> np.ndarray:
        """The terms that rows add to the value of each complete set."""
        sets = self.families.sets
        set_terms = terms_of(rows, weight, sets, np.zeros((0, self.largest + 1), np.int64), len(sets))
        sum_over_subsets(self.families, self.largest, set_terms)
        return set_terms

    def _groups(self, rows: Rows, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, Rows]:
        """Rows sorted by the children that they concern, and clusters before others: bounds, weights, Rows."""
        everything, is_other = masks_of_variables(rows), (rows.base != 0) | (rows.larger[:, 0] != 0)
        kinds = [np.where(kind, everything, 0) for kind in (~is_other, is_other)]
        chosen = [np.flatnonzero(kind >> np.uint64(v) & np.uint64(1)) for v in range(self.n) for kind in kinds]
        group = np.concatenate([[0], np.cumsum([len(part) for part in chosen])])
        order = np.concatenate(chosen)
        return group, weight[order], pick_rows(rows, order)

    def best_families(self, each: int, prices: np.ndarray | None = None, least: float = -np.inf) -> np.ndarray:
        """The best remaining families of each child by the last `bound`.

        Parameters
        ----------
        each
            Largest number for each child.
        prices : float64[n], optional
            Of the children, in a linear program. [default: 0]
        least
            Only families whose reduced profit is above the price by more than this.

        Returns
        -------
        int64[k]
            Their numbers.
        """
        chosen, value = np.empty((self.n, each), np.int64), np.empty((self.n, each))
        prices = np.zeros(self.n) if prices is None else prices
        best_of_each(self.families.child, self.alive, self.profit, prices, least, chosen, value)
        return chosen[chosen >= 0]

    def fix_families(self, gap: float) -> int:
        """Reduced-cost fixing: remove families that lose more than `gap` of the last bound in every network.

        Returns
        -------
        int
            How many families are left.
        """
        if not np.isfinite(self.best).all() or gap < 0.0:
            self.alive[:] = False
            return 0
        least_losses(self.families, self.profit, self.best, self._through, self._loss)
        return fix_families(self.families, self.profit, self.best, self._loss, gap, self.alive)

    def least_losing(self, most: int) -> np.ndarray:
        """The `most` remaining families that lose the least by the last `bound`, and those tied with them: bool[f]."""
        loss = np.where(self.alive, self.best[self.families.child] - self.profit, np.inf)
        return loss <= np.partition(loss, most)[most]

    def score_of(self, members: Iterable[int]) -> float:
        """The score of a set of variables; minus infinity if it is not in the list."""
        sets, number = self.families.sets, np.uint64(self.number(members))
        at = min(int(np.searchsorted(sets, number)), len(sets) - 1)
        return float(self.families.scores[at]) if sets[at] == number else -np.inf

    def number(self, members: Iterable[int]) -> int:
        """The name of a set: its mask."""
        return sum(1 << v for v in members)

    def begin_with(self, first: tuple[int, ...]) -> None:
        """Remove the families that are not needed if these variables come first (`common.bounds.first_clique`)."""
        self.first = first
        for i, v in enumerate(first):
            own = np.flatnonzero(self.alive & (self.families.child == v))
            size, among = self._parents_among(own, first[:i])
            self.alive[own[(among == i) & (size > i)]] = False

    def _parents_among(self, numbers: np.ndarray, members: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """The number of parents of families, and how many of these are among some variables: int[k] each."""
        parents = self.families.sets[self.families.parents[numbers]]
        return np.bitwise_count(parents), np.bitwise_count(parents & np.uint64(self.number(members)))

    def sets_left(self) -> tuple[np.ndarray, np.ndarray]:
        """The sets of the remaining families and all subsets of these, and their scores: (uint64[k], float64[k])."""
        needed, _ = self._needed(self.alive)
        return self.families.sets[needed], self.families.scores[needed]

    def open_edges(self, required: tuple[int, ...]) -> np.ndarray:
        """The edges of the remaining families that are not required; networks differ only in these: uint64[k]."""
        sets, _ = self.sets_left()
        edges = sets[np.bitwise_count(sets) == 2]
        return edges[~np.isin(edges, np.array(required, np.uint64))]

    def _needed(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sets that contain a chosen family (bool[f]), with their subsets: bool[m]; and the set of each family."""
        families = self.families
        needed = np.zeros(len(families.sets), bool)
        needed[0] = True
        owner = np.repeat(np.arange(len(families.sets)), np.diff(families.start))
        needed[owner[chosen]] = True
        add_subsets(families, needed)
        return needed, owner

    def forbid(self, edge: np.uint64) -> None:
        """Remove the families that contain an edge, named like sets."""
        numbers = np.flatnonzero(self.alive)
        self.alive[numbers[self.with_edge(edge, *self.masks(numbers))[0]]] = False

    def with_edge(self, edge: np.uint64, child: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which families contain an edge, and which of these have one of its ends as the child: bool[k] each."""
        bit = np.uint64(1) << child.astype(np.uint64)
        contains = (parents | bit) & edge == edge
        return contains, contains & (bit & edge != 0)

    def edge_rows(self, edges: np.ndarray) -> Rows:
        """Rows whose left side is c of an edge: uint64[e], named like sets."""
        rows = self.empty_rows(len(edges))
        rows.larger[:, 0] = edges
        return rows

    def ends(self, edges: np.ndarray) -> np.ndarray:
        """The ends of edges (uint64[e], named like sets), ascending: int64[e, 2]."""
        pairs = [((edge & -edge).bit_length() - 1, edge.bit_length() - 1) for edge in edges.tolist()]
        return np.array(pairs, np.int64).reshape(-1, 2)

    def network(self, chosen: np.ndarray) -> Graph:
        """The network of some families, by number, one of each variable."""
        child, parents = self.masks(chosen)
        pairs = zip(child.tolist(), map(self.members_of, parents.tolist()), strict=True)
        return Graph(self.n, tuple(sorted({(min(u, v), max(u, v)) for v, others in pairs for u in others})))

    def members_of(self, number: int) -> list[int]:
        """The variables of a set by its name, ascending."""
        return [v for v in range(self.n) if number >> v & 1]

    def shrink(self) -> np.ndarray | None:
        """Drop the sets without remaining families, and renumber the families.

        Returns
        -------
        int64[f] or None
            The new number of each family, -1 if it was dropped; None if nothing was done, because most sets are left.
        """
        if 2 * np.count_nonzero(self.alive) >= len(self.alive):
            return None
        needed, owner = self._needed(self.alive)
        if 2 * needed.sum() >= len(needed):
            return None
        kept = needed[owner]
        self._keep_sets(needed, kept)
        return np.where(kept, np.cumsum(kept) - 1, -1)

    def part(self, chosen: np.ndarray) -> FamilyPool:
        """The pool of some families, and of others inside their sets: its families have numbers of their own.

        Parameters
        ----------
        chosen : bool[f]
            At least one of each child.

        Returns
        -------
        FamilyPool
        """
        needed, owner = self._needed(chosen)
        other = copy.copy(self)
        other.best = self.best.copy()
        other._keep_sets(needed, needed[owner])
        return other

    def _keep_sets(self, needed: np.ndarray, kept: np.ndarray) -> None:
        """Drop all sets but those needed (bool[m]), and keep their families (bool[f])."""
        families, number = self.families, np.cumsum(needed) - 1
        start = np.concatenate([[0], np.cumsum(np.diff(families.start)[needed])])
        own = families.sets[needed], families.scores[needed], start, families.child[kept]
        self.families = Families(*own, number[families.parents[kept]], families.gain[kept])
        self.alive = self.alive[kept]
        self.release()


def masks_of_variables(rows: Rows) -> np.ndarray:
    """The variables that rows concern, as masks: uint64[r]."""
    return rows.base | rows.singles | np.bitwise_or.reduce(rows.larger, axis=1)


def terms_of(rows: Rows, weight: np.ndarray, sets: np.ndarray, counts: np.ndarray, size: int) -> np.ndarray:
    """The terms of `size` sets, by `add_terms`: float64[size]."""
    terms, largest = np.zeros(size), counts.shape[1] - 1
    scratch = np.empty(64, np.int64), np.empty(largest + 1, np.int64), np.empty(largest + 1, np.uint64)
    add_terms(rows, weight, sets, counts, *scratch, terms)
    return terms


def triples_of(rows: Rows, child: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The coefficients of rows that are not zero.

    Parameters
    ----------
    rows
    child : int64[k]
    parents : uint64[k], masks

    Returns
    -------
    (int32[c], int32[c], float64[c])
        Row, column and value, row by row.
    """
    return triples_by(partial(coefficients, rows, child, parents), len(child) * len(rows.base) // 8)


def triples_by(fill: Callable, capacity: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The triples that `fill` writes into three arrays, as far as they fit; it returns how many there are."""
    capacity = max(1000, capacity)
    while True:
        triples = np.empty(capacity, np.int32), np.empty(capacity, np.int32), np.empty(capacity)
        count = fill(*triples)
        if count <= capacity:
            row, column, value = (part[:count] for part in triples)
            return row, column, value
        capacity = count
