"""The gains for the search over arcs: from scores of sets, computed when they are needed, or from listed families.

Both kinds have the same methods: `candidates`, the possible parents of each variable; `fill`, which finds the gains of
all moves of a variable's parents; `parents_among`, parents among some variables; and `block`, families for another
search. `scorer` has the scores of sets, if these have any, and then `pairs` the gains of pairs of variables.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..common.scores.scorer import SetScorer
from ..common.scores.spanning import compile_pair_gains, pair_gains
from .arc_gains_kernels import fill_gains, fill_listed_gains, fill_single_gains
from .families_lookup import lookup_of
from .parent_search import CANDIDATES, MAX_CANDIDATES, SETS_PER_VARIABLE, ParentSearch, best_candidates, compile_search

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..common.data.dataset import Dataset
    from ..common.graphs.knowledge import Knowledge
    from ..common.run.monitor import Monitor
    from ..common.scores.scoring import Scoring
    from .arcs_kernels import Arcs
    from .families import ScoredFamilies

MAX_POSSIBLE_PARENTS = 1000  # possible parents of a variable, those with the largest pairwise gains; 20 to n: memory
CHECK_EVERY = 16  # fills between two checks of the capacity of the score cache


class SetGains:
    """Gains from scores of sets of variables of a Dataset."""

    def __init__(
        self,
        source: Dataset,
        scoring: Scoring,
        cache_mb: int,
        monitor: Monitor,
        sets: int | None = None,
        known: Knowledge | None = None,
    ) -> None:
        self.known, self.families = known, None  # there is no list
        self.scorer = SetScorer(source, scoring, cache_mb, monitor.threads)
        self.n = source.n
        self.monitor = monitor
        self.largest, self.arc_price = self.scorer.largest_set - 1, 0.0  # parents; no move without gain is made
        self.pairs, self._fills = np.zeros((0, 0)), 0
        self.sets, self.n_rows = sets or SETS_PER_VARIABLE, source.total
        self._blocks: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._search: ParentSearch | None = None
        self._bits = np.zeros(self.scorer.words, np.uint64)

    def compile(self, arcs: Arcs) -> None:
        """Run the kernels for one variable."""
        compile_pair_gains(self.scorer)
        self.scorer.compile()
        fill_gains(self.scorer.scores, self.scorer.scratch[0], self._bits, arcs, 0)
        fill_single_gains(arcs, 0, np.zeros(1))
        compile_search(self.scorer)

    def candidates(self, start: Sequence[Iterable[int]]) -> np.ndarray:
        """The parents in a start network and the variables with the largest pairwise gains: int32[n, k], ascending."""
        monitor = self.monitor
        progress = monitor.reporter.phase("pairs of variables")
        self.pairs = pair_gains(self.scorer, monitor.map, monitor.should_continue, progress)
        others = self.pairs.copy()
        np.fill_diagonal(others, -np.inf)
        if self.known is not None:
            others[~self.known.may.T] = -np.inf
        for v, own in enumerate(start):
            others[v, list(own)] = np.inf
        count = min(MAX_POSSIBLE_PARENTS, self.n - 1)
        chosen = np.argpartition(-others, count - 1, axis=1)[:, :count] if count < self.n - 1 else _others(self.n)
        if self.known is None:
            return np.sort(chosen, axis=1).astype(np.int32)
        possible = np.take_along_axis(others, chosen, axis=1) > -np.inf
        chosen = np.sort(np.where(possible, chosen, self.n), axis=1)
        return np.where(chosen == self.n, -1, chosen).astype(np.int32)

    def fill(self, arcs: Arcs, v: int) -> None:
        """Find the gains of v's moves, and its own score."""
        self._fills += 1
        if self._fills % CHECK_EVERY == 0:
            self.scorer.make_room()
        if arcs.count[v] == 0 < arcs.parents.shape[1]:
            arcs.own[v] = self.scorer.score([v])
            fill_single_gains(arcs, v, self.pairs[v])
        else:
            fill_gains(self.scorer.scores, self.scorer.scratch[0], self._bits, arcs, v)

    def parents_among(self, v: int, members: Iterable[int], max_parents: int) -> tuple[int, ...]:
        """The members as parents of v; if they are too many, those with the largest pairwise gains."""
        return tuple(sorted(sorted(members, key=lambda u: (-self.pairs[v, u], u))[:max_parents]))

    def block(self, v: int, max_parents: int) -> tuple[np.ndarray, np.ndarray]:
        """Families of v found by a search: int32[m, max_parents] and float64[m], by decreasing score."""
        if v not in self._blocks:
            count = min(CANDIDATES, self.n - 1) if max_parents else 0
            chosen = (
                best_candidates(self.pairs[v].copy(), v, count, self.known) if max_parents else np.zeros(0, np.int64)
            )
            if self._search is None:
                sizes = count if self.known is None else MAX_CANDIDATES, self.sets
                self._search = ParentSearch(self.scorer, self.n_rows, sizes, self.known)
            self.scorer.make_room()
            self._blocks[v] = self._search.block(v, chosen, max_parents)
        return self._blocks[v]


class ListedGains:
    """Gains from families.

    Parameters
    ----------
    families : ScoredFamilies
    scorer
        Of sets, if these have scores, too.
    """

    def __init__(self, families: ScoredFamilies, scorer: SetScorer | None = None) -> None:
        self.families, self.scorer = families, scorer
        self.n = families.n
        self._table = lookup_of(families)
        self.largest, self.arc_price = families.parents.shape[1], families.arc_price

    def compile(self, arcs: Arcs) -> None:
        """Run the kernels for one variable."""
        fill_listed_gains(self._table, arcs, 0)
        if self.scorer is not None:
            compile_pair_gains(self.scorer)

    def candidates(self, _: Sequence[Iterable[int]]) -> np.ndarray:
        """All parents in the families of each variable: int32[n, k], ascending, padded with -1."""
        if self.scorer is not None:
            self.pairs = pair_gains(self.scorer)
        start, parents = self.families.start, self.families.parents
        found = [np.setdiff1d(parents[a:b], [-1]) for a, b in pairwise(start)]
        every = np.full((self.n, max(1, *map(len, found))), -1, np.int32)
        for row, own in zip(every, found, strict=True):
            row[: len(own)] = own
        return every

    def fill(self, arcs: Arcs, v: int) -> None:
        """Find the gains of v's moves, and its own score."""
        fill_listed_gains(self._table, arcs, v)

    def parents_among(self, v: int, members: Iterable[int], max_parents: int) -> tuple[int, ...]:
        """The parents in v's best family among the members."""
        allowed = {-1, *members}
        for own in self.families.parents[self.families.start[v] : self.families.start[v + 1]].tolist():
            if allowed.issuperset(own) and sum(p >= 0 for p in own) <= max_parents:
                return tuple(p for p in own if p >= 0)
        raise AssertionError("a variable without a family that has no parents")

    def block(self, v: int, max_parents: int) -> tuple[np.ndarray, np.ndarray]:
        """The families of v: int32[m, largest] and float64[m], by decreasing score."""
        start, end = self.families.start[v : v + 2]
        return self.families.parents[start:end], self.families.scores[start:end]


def _others(n: int) -> np.ndarray:
    """For each of n variables all others, ascending: int64[n, n - 1]."""
    columns = np.arange(n - 1)
    return columns + (columns >= np.arange(n)[:, None])
