"""Families of more than 64 variables: sets by their number in a list in colex order, rows over their support.

`ColexFamilyPool` is a `common.bounds.families.FamilyPool` in which a uint64 is the number of a set instead of its mask.
The list is of all sets of up to K variables, or of some of them, with their places in that of all.

Up to 64 variables have a pool of their own, because one form for all is slower for them. By places, with one window of
all variables, proofs with cliques of at most 4 take 2.7 (soybean), 2.1 (wdbc) and 0.7 (alarm10000) times the processor
time, with cliques of at most 3 1.3 times (lung-cancer), and a table of all sets of up to K variables is needed. With
arrays of words as masks, of one word each, coefficients take 3.0 times and prices 2.4 times as long.

Cost: see `common.bounds.terms_kernels`; 41 bytes per family, and 16 per set of up to K variables.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..sets.bitset import bit_set
from ..sets.bitset_kernels import words_for
from ..sets.set_orders import set_counts
from .families import FamilyPool, terms_of, triples_by
from .families_kernels import Families
from .row_program import StoppedError
from .set_kernels import (
    add_support,
    fill_listed_families,
    list_sets,
    long_coefficients,
    restrict,
)
from .terms_kernels import sum_over_subsets
from .violated_rows import empty_rows, pick_rows
from .weighted_clusters_kernels import add_cluster_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .rows_kernels import Rows

RELEVANT_CHANGE = 0.05  # share of the gap, and of the families


class ColexFamilyPool(FamilyPool):
    """The remaining families of any number of variables.

    Parameters
    ----------
    n, largest
        Variables, and the size of the largest sets.
    scores : float64[m]
        Of the sets in colex order, finite.
    should_continue
        Called before every `bound`.
    members : int16[m, largest], optional
        The sets in colex order, each ascending, then -1; closed under subsets, with all single variables. [default: all
        sets]

    Attributes
    ----------
    largest : int
    members : int16[m, largest]
        Of the sets, ascending, then -1.
    """

    def __init__(
        self,
        n: int,
        largest: int,
        scores: np.ndarray,
        should_continue: Callable = lambda: True,
        members: np.ndarray | None = None,
    ) -> None:
        self._should_continue = should_continue
        self.n, self.largest, self._counts, self._map = n, largest, set_counts(n, largest), map
        if members is None:
            self.members, self._places = np.empty((len(scores), largest), np.int16), np.zeros(0, np.uint64)
            list_sets(self.members)
        else:
            self.members, self._places = members, self._places_of(members)
        count = int(np.count_nonzero(self.members >= 0))
        start, child, parents = (np.zeros(size, np.int64) for size in (len(scores) + 1, count, count))
        every = np.arange(len(scores), dtype=np.uint64)
        self.families = Families(every, scores, start, child, parents, np.zeros(count))
        fill_listed_families(self.members, self._counts, self._places, self.families)
        self.alive = np.ones(count, bool)
        self.best, self.profit = np.empty(n), None
        self.first = ()
        self._left, self._wait_for = count, np.inf

    def number(self, members: Iterable[int]) -> int:
        """The name of a set: its number in the list; of a set that is not there, the number of those that are."""
        return int(self.numbers(np.array([[*members]], np.int64))[0])

    def _places_of(self, members: np.ndarray) -> np.ndarray:
        """The places of sets in colex order (int[k, some], -1 for none): uint64[k]."""
        whole = -np.sort(-members.astype(np.int64), axis=1)[:, : self.largest]  # descending, -1 last
        terms = self._counts[whole.clip(0), self.largest - np.arange(whole.shape[1])]
        return np.where(whole >= 0, terms, 0).sum(axis=1).astype(np.uint64)

    def numbers(self, members: np.ndarray) -> np.ndarray:
        """The names of sets (int[k, some], -1 for none): uint64[k]; see `number`."""
        place = self._places_of(members)
        if not len(self._places):
            return place
        at = np.searchsorted(self._places, place)
        there = self._places[np.minimum(at, len(self._places) - 1)] == place
        return np.where(there, at, len(self.members)).astype(np.uint64)

    def find(self, child: np.ndarray, parents: np.ndarray) -> np.ndarray:
        """The numbers of families, -1 if the set is not in the list.

        Parameters
        ----------
        child : int64[k]
        parents : uint64[k]
            The numbers of the sets P.

        Returns
        -------
        int64[k]
        """
        others = self.members[parents.astype(np.int64)].astype(np.int64)
        below = ((others >= 0) & (others < child[:, None])).sum(axis=1)
        number = self.numbers(np.column_stack([child, others]))
        sets = self.families.sets
        at = np.minimum(np.searchsorted(sets, number), len(sets) - 1)
        return np.where(sets[at] == number, self.families.start[at] + below, -1).astype(np.int64)

    def _parents_among(self, numbers: np.ndarray, members: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """As in FamilyPool."""
        parents = self.members[self.masks(numbers)[1].astype(np.int64)]
        return (parents >= 0).sum(axis=1), np.isin(parents, members).sum(axis=1)

    def empty_rows(self, count: int) -> Rows:
        """Rows of zeros, with support."""
        return empty_rows(count, words_for(self.n), words_for(8 * self.n))

    def with_support(self, window: np.ndarray, rows: Rows) -> Rows:
        """Rows over the places of a window (int64[k], ascending variables) as rows over their support."""
        found = self.empty_rows(len(rows.base))
        add_support(window, rows, found)
        return found

    def coefficients(
        self, rows: Rows, child: np.ndarray, parents: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The coefficients of rows, as (row, column, value); columns are families by child and parents, see `masks`."""
        scratch = np.empty(self.n, np.int64), np.empty(64, np.int64)
        fill = partial(long_coefficients, rows, child, parents, self.members, *scratch)
        return triples_by(fill, len(child) * len(rows.base) // 8)

    def inside(
        self, window: np.ndarray, child: np.ndarray, parents: np.ndarray, x: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A solution restricted to a window, a perfect order of which restricts to one of the window.

        Parameters
        ----------
        window : int64[w]
            Variables, ascending.
        child : int64[k]
        parents : uint64[k]
            The numbers of the sets P.
        x : float64[k]

        Returns
        -------
        (int64[j], uint64[j], float64[j])
            Child and parents by their places in the window, each family once, and the value.
        """
        place = np.full(self.n, -1)
        place[window] = np.arange(len(window))
        mine = np.flatnonzero(place[child] >= 0)
        masks = np.zeros(len(mine), np.uint64)
        restrict(parents[mine], self.members, place, masks)
        families = np.column_stack([place[child[mine]].astype(np.uint64), masks])
        families, number = np.unique(families, axis=0, return_inverse=True)
        value = np.bincount(number.ravel(), weights=x[mine], minlength=len(families))
        return families[:, 0].astype(np.int64), np.ascontiguousarray(families[:, 1]), value

    def bound(self, rows: Rows, multipliers: np.ndarray) -> float:
        """As in FamilyPool.

        Raises
        ------
        StoppedError
            The run was stopped.
        """
        if not self._should_continue():
            raise StoppedError
        return super().bound(rows, multipliers)

    def _have_few_terms(self, rows: Rows) -> np.ndarray:
        """As in FamilyPool: all rows."""
        return np.ones(len(rows.base), bool)

    def _set_terms(self, rows: Rows, weight: np.ndarray) -> np.ndarray:
        """The terms that rows add to the value of each complete set."""
        sets, is_weighted = self.families.sets.astype(np.int64), np.bitwise_or.reduce(rows.weights, axis=1) != 0
        others = pick_rows(rows, ~is_weighted), weight[~is_weighted]
        set_terms = terms_of(*others, self._places, self._counts, len(self.members))[sets]
        sum_over_subsets(self.families, self.largest, set_terms)
        weights = rows.weights[is_weighted].view(np.uint8)
        at_least = weights[:, None] >= np.arange(weights.max(initial=0) + 1)[:, None]
        clusters = weights, weights.max(axis=1), at_least * weight[is_weighted, None, None]
        add_cluster_values(*clusters, self.members, sets, np.empty(self.n, np.int64), np.empty(self.n), set_terms)
        return set_terms

    def fix_families(self, gap: float) -> int:
        """As in FamilyPool; but after few families were removed, the next attempt waits for a smaller gap."""
        if gap > self._wait_for and np.isfinite(self.best).all():
            return self._left
        before, self._left = self._left, super().fix_families(gap)
        self._wait_for = (1.0 - RELEVANT_CHANGE) * gap if before - self._left < RELEVANT_CHANGE * before else np.inf
        return self._left

    def with_edge(self, edge: np.uint64, child: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As in FamilyPool."""
        u, v = self.ends(np.array([edge]))[0]
        others, with_child = self.members[parents.astype(np.int64)], (child == u) | (child == v)
        count = (others == u).sum(axis=1) + (others == v).sum(axis=1) + with_child
        return count == 2, with_child & (count == 2)

    def ends(self, edges: np.ndarray) -> np.ndarray:
        """As in FamilyPool."""
        return self.members[edges.astype(np.int64), :2].astype(np.int64)

    def edge_rows(self, edges: np.ndarray) -> Rows:
        """As in FamilyPool."""
        rows = self.empty_rows(len(edges))
        rows.larger[:, 0] = 0b11
        for row, ends in zip(rows.support, self.ends(edges), strict=True):
            row |= bit_set(ends, rows.support.shape[1])
        return rows

    def members_of(self, number: int) -> list[int]:
        """As in FamilyPool."""
        return self.members[number][self.members[number] >= 0].tolist()

    def copy(self) -> ColexFamilyPool:
        """As in FamilyPool; the next attempt to remove families does not wait."""
        other: Any = super().copy()
        other._wait_for = np.inf
        return other
