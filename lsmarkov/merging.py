"""Merging: the best network within the edges of several good ones, by the integer program of `common.bounds.cutting`.

Good networks differ, and most parts of the best one are in one or another of them. The graph with the edges of all of
them has some thousand complete sets, where all variables have millions, and mostly its best network is found, and
proved, after ten to twenty linear programs. Cook and Seymour (INFORMS J. Comput. 15, 2003) merge tours of a travelling
salesman in this way. The networks in which annealing ended recently, better or not, are merged with the best one; and
so are those of restarts (`lsmarkov.restarting`); this is a method that takes its turn. With more than 64 variables the
program is that of `common.bounds.windows`.

The cliques of the best network are mostly complete in one of the others already: sets that are so are a third as many,
and hold more networks than the edges. So every second merging is of these sets alone, with up to 64 variables.

After some restarts, the merging of these sets requires the backbone of their networks, so that it can have joined sets
(`lsmarkov.backbone`): soybean's best network with cliques of at most 5 has a clique that is complete in none of 46.

A merging begins with the rows that the last one ended with, which every network satisfies: it takes half as many rounds
where most networks are the same.

Where columns are nearly equal, vertices are transposed before (`lsmarkov.alignment`).

On lung-cancer with cliques of at most 5, six searches of five seconds ended between -1225.9 and -1219.9; merged in two
seconds they have -1217.90, where one search was after a minute at best. On kddcup the ends of eight cuts, all below
-72832, gain 38 in two seconds, for which annealing needs ten.

Cost: the scores of some thousand sets, and linear programs for up to two seconds, mostly; a method's turn comes again
when the others had twice that time.
"""

from __future__ import annotations

import logging
import math
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.bounds.rows_kernels import WIDTH
from ..common.graphs.chordal import bit_rows, chordal_score, graph_of
from ..common.run.state_record import ArrayField, StateRecord, ValueField, natural
from ..common.sets.bitset import bit_sets, bits_of, members_of
from ..common.sets.masks import members
from .alignment import aligned
from .annealing import MAX_VARIABLES
from .backbone import backbone, joined_sets
from .ensemble import put
from .walker_kernels import BEST, EVALUATED, TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.run.saved import Saved
    from .annealing import Annealing
    from .ensemble import Ensemble
    from .restarting import Restarting
    from .walker_kernels import Walker

LOG = logging.getLogger("cliquewise")

FROM_SECONDS = 20.0  # runs with a shorter limit do not merge or restart: loading the program takes a second
MAX_SETS = 1000, 2000, 5000  # complete ones: if there are more, the earliest networks are left out; least, first, most
SETS_FACTOR = 1.25  # factor on the number in the next merging after one of little work; divisor after one of too much
LOW_WORK_SHARE = 0.25  # of the work of one merging at most
MOVES_PER_PIVOT = 200  # moves in the time of one pivot of a linear program with a thousand rows and columns, about
PIVOTS_PER_ROUND = 1000  # in the time of the search for rows in windows, with more than 64 variables, about
MAX_PIVOTS = 60_000  # so measured, in one merging
JOINED_NETWORKS = 24  # the last ones, whose edges are joined
BACKBONE_FROM = 8  # networks of restarts, from which on their backbone is required
BACKBONE_SHARE = 0.875  # of these networks, which have each of its edges
JOINED_SETS = 400  # of the largest size, with a backbone
KEPT_ROUNDS = 4  # the last ones of a program, whose tight rows the next one begins with
OF_EDGES, OF_SETS, OF_BACKBONE = 0, 1, 2  # kinds of mergings: see above
WORK_SHARE = 0.5  # of the time of the other methods: a method's turn comes later after a merging that took long


def is_worth_loading(ensemble: Ensemble) -> bool:
    """Whether a run may merge networks."""
    seconds = ensemble.monitor.limits.time_limit
    return 2 < ensemble.scorer.n <= MAX_VARIABLES and (seconds is None or seconds >= FROM_SECONDS)


def kernel_tasks(ensemble: Ensemble) -> list[Callable]:
    """The tasks for `Monitor.compile`: the integer program, if it is compiled before the clock starts.

    It takes as long as half of the other kernels. A run that ends by its iterations alone often ends before it merges,
    and nothing of it depends on when kernels are compiled.
    """
    limits = ensemble.monitor.limits
    if not is_worth_loading(ensemble) or limits.time_limit is None and not limits.until_idle:
        return []
    return [compile_merging if ensemble.scorer.words == 1 else compile_wide_merging]


def compile_merging() -> None:
    """Load and compile the integer program."""
    from ..common.bounds.bound import compile_solve

    compile_solve()


def compile_wide_merging() -> None:
    """Load and compile the integer program of more than 64 variables."""
    from ..common.bounds.windows import compile_windows

    compile_windows()


class Merging:
    """Merges what annealing found, as one of the methods of a search.

    Parameters
    ----------
    sources
        The methods whose `ends` are merged; those of the last are left out last, where there are too many sets.
    walker
        One of the walkers of the ensemble: it is put at the result of every phase.
    max_clique
        Bound on cliques.

    Attributes
    ----------
    due : int
        The number of steps of the ensemble after which a phase merges again.
    most : list of int
        Complete sets of the next merging of each kind.
    number : int
        Mergings so far.
    rows : uint64[r, 2 + WIDTH]
        Of the last program, which the next one begins with: every network satisfies them.
    """

    record = StateRecord(
        ValueField("due", int, natural),
        ValueField(
            "most", list, lambda most, _: len(most) == 3 and MAX_SETS[0] <= min(most) <= max(most) <= MAX_SETS[2]
        ),
        ValueField("number", int, natural),
        ArrayField("rows", lambda rows, own: own.are_satisfied(rows), any_length=True),
        prefix="merging-",
    )

    def __init__(
        self, ensemble: Ensemble, sources: tuple[Annealing | Restarting, ...], walker: Walker, max_clique: int
    ) -> None:
        self.ensemble, self.sources, self.walker, self.max_clique = ensemble, sources, walker, max_clique
        self.due, self.most, self.number = 0, [MAX_SETS[1]] * 3, 0
        self.rows = np.zeros((0, 2 + WIDTH), np.uint64)
        required = ensemble.scorer.scores.required
        self._required = tuple(1 << v | 1 << w for v, row in enumerate(required) for w in members_of(row) if v < w)

    def state(self) -> dict[str, Any]:
        """The state to continue from."""
        return self.record.save(self)

    def restore(self, saved: Saved) -> None:
        """Continue where an earlier part of the run ended; with a shorter limit it did not merge."""
        if self.record.is_in(saved):
            self.record.load(saved, self)

    def are_satisfied(self, rows: np.ndarray) -> bool:
        """Whether rows are of these variables, and every network satisfies them: none requires an edge."""
        further = rows >> np.uint64(self.ensemble.scorer.n - 1) > 1
        return not further.any() and bool(rows[:, :2].any(axis=1).all())

    def phase(self) -> None:
        """Merge the best network and those in which annealing ended recently, as many as there may be sets."""
        ensemble, walker = self.ensemble, self.walker
        if ensemble.steps < self.due:
            return
        before = float(ensemble.best.numbers[BEST])
        put(walker, ensemble.best.best, before)
        ends, required = np.concatenate([source.ends for source in self.sources]), self._required
        if self.kind != OF_EDGES:
            networks = self._aligned(ends, walker.best)
            merged, sets = self._complete_in_one(networks, walker.best)
            if self.kind == OF_BACKBONE:
                required = self._with_backbone(networks[-len(self.sources[-1].ends) :], walker.best)
        else:
            merged, sets = self._last_of(self._aligned(ends[-JOINED_NETWORKS:], walker.best), walker.best)
        if sets:
            found = self._best_within(sets, required)
            score = chordal_score(graph_of(found), ensemble.scorer.score)
            LOG.debug("merging: %d networks, %d sets: %.4f, now %.4f", merged, len(sets), before, score)
            if score > before + TOLERANCE:
                put(walker, found, score)
        self.number += 1
        ensemble.report()

    @property
    def kind(self) -> int:
        """What the next merging is of."""
        if self.number % 2 == 0 or self.ensemble.scorer.words > 1:
            return OF_EDGES
        return OF_SETS if len(self.sources[-1].ends) < BACKBONE_FROM else OF_BACKBONE

    def _aligned(self, networks: np.ndarray, own: np.ndarray) -> np.ndarray:
        """The networks, uint64[m, n, words], with more edges of another, uint64[n, words]."""
        n, words = own.shape

        def packed(adjacency: np.ndarray) -> np.ndarray:
            rows, neighbours = np.nonzero(adjacency)
            return bit_sets(rows, neighbours, n, words)

        def score(adjacency: np.ndarray) -> float:
            return chordal_score(graph_of(packed(adjacency)), self.ensemble.scorer.score)

        every = [bits_of(network)[:, :n].astype(bool) for network in (own, *networks)]
        brought = [packed(aligned(adjacency, every[0], score)) for adjacency in every[1:]]
        return np.array(brought, np.uint64).reshape(-1, n, words)

    def _last_of(self, networks: np.ndarray, own: np.ndarray) -> tuple[int, list[int]]:
        """How many of the last networks, uint64[m, n, words], can be merged with another, and the complete sets.

        Returns
        -------
        (int, list of int)
            No sets if there is no edge that the other does not have.
        """
        for first in range(len(networks)):
            joined = own | np.bitwise_or.reduce(networks[first:], axis=0)
            if np.array_equal(joined, own):  # nor do fewer networks bring an edge
                break
            sets = self._complete_sets(joined, self.most[OF_EDGES])
            if sets is not None:
                return len(networks) - first, sets
        return 0, []

    def _complete_in_one(self, networks: np.ndarray, own: np.ndarray) -> tuple[int, list[int]]:
        """As `_last_of`, with the sets that are complete in another network or in one of the last ones."""
        most = self.most[self.kind]
        merged, sets = 0, set(self._complete_sets(own, most) or ())
        for network in networks[::-1] if sets else ():
            more = self._complete_sets(network, most)
            if more is None or len(sets.union(more)) > most:
                break
            merged += not sets.issuperset(more)
            sets.update(more)
        return merged, sorted(sets) if merged else []

    def _with_backbone(self, networks: np.ndarray, own: np.ndarray) -> tuple[int, ...]:
        """The edges required, and those that nearly all of some networks have, too, as masks."""
        every = [bits_of(network)[:, : len(own)].astype(bool) for network in (own, *networks)]
        edges = backbone(np.array(every[1:]), every[0], BACKBONE_SHARE)
        return tuple(sorted({*self._required, *(1 << v | 1 << w for v, w in edges)}))

    def _complete_sets(self, network: np.ndarray, most: int) -> list[int] | None:
        """As `complete_sets_of`, of a network, uint64[n, words]."""
        return complete_sets_of([sum(1 << v for v in members_of(row)) for row in network], self.max_clique, most)

    def _best_within(self, sets: list[int], required: tuple[int, ...]) -> np.ndarray:
        """The best network found, uint64[n, words], of which each clique is one of the sets, by their masks.

        It has the edges required. With a backbone there can be joined sets, too. The walker is at one of these
        networks; the work is added to its counts.
        """
        from ..common.bounds.bound import solve
        from ..common.bounds.callbacks import Callbacks
        from ..common.bounds.cutting import Rules
        from ..common.bounds.incumbent import Incumbent
        from ..common.bounds.violated_rows import pick_rows, rows_of_table, table_of_rows
        from ..common.bounds.windows import solve_by_windows

        scorer, monitor, walker, effort = self.ensemble.scorer, self.ensemble.monitor, self.walker, 0
        kept: deque[np.ndarray] = deque(maxlen=KEPT_ROUNDS)
        scorer.make_room(len(sets))
        with_backbone = self.kind == OF_BACKBONE
        more = joined_sets(sets, self.max_clique, scorer.score, JOINED_SETS) if with_backbone else []
        possible = self._possible(sorted([*sets, *more]))
        scores = np.array([*possible.values()])
        known = Incumbent(scorer.n, graph_of(walker.best), float(walker.numbers[BEST]), required=required)

        def count(work: Any) -> None:
            nonlocal effort
            effort += work.program.effort + (PIVOTS_PER_ROUND if scorer.words > 1 else 0)
            if scorer.words == 1:
                tight = work.program.multipliers > 0.0
                tight[: len(work.node.required)] = False  # these rows require an edge
                kept.append(table_of_rows(pick_rows(work.program.rows, tight)))

        def should_continue() -> bool:
            return effort <= MAX_PIVOTS and monitor.should_continue()

        callbacks = Callbacks(should_continue, count, parallel_map=monitor.map)
        if scorer.words == 1:
            masks, rules = np.array([*possible], np.uint64), Rules(rounding=1)
            if with_backbone:
                rules = replace(rules, many=math.inf)  # improved solutions are too far from networks
            solve(scorer.n, masks, scores, known, rules, callbacks, rows=rows_of_table(self.rows))
            self.rows = np.unique(np.concatenate([*kept] or [self.rows]), axis=0)
        else:
            solve_by_windows(scorer.n, [*map(_members, possible)], scores, known, callbacks)
        walker.counts[EVALUATED] += MOVES_PER_PIVOT * effort
        self._adapt(len(sets), effort)
        self.due = self.ensemble.steps + int(MOVES_PER_PIVOT * effort / WORK_SHARE)
        assert known.graph is not None
        return bit_rows(known.graph)

    def _possible(self, sets: list[int]) -> dict[int, float]:
        """The sets that have a score, as all their subsets, with it: after their subsets."""
        possible: dict[int, float] = {}
        for mask in sets:
            own = _members(mask)
            if all(mask ^ 1 << v in possible for v in own):
                score = self.ensemble.scorer.score(own)
                if math.isfinite(score):
                    possible[mask] = score
        return possible

    def _adapt(self, sets: int, effort: int) -> None:
        """Choose the number of sets of the next merging of this kind by the work for these."""
        (least, _, most), kind = MAX_SETS, self.kind
        if effort > MAX_PIVOTS:
            self.most[kind] = max(int(sets / SETS_FACTOR), least)
        elif effort < LOW_WORK_SHARE * MAX_PIVOTS:
            self.most[kind] = min(max(int(sets * SETS_FACTOR), self.most[kind]), most)


def _members(mask: int) -> tuple[int, ...]:
    """The members of a set, ascending."""
    return tuple(members(mask))


def complete_sets_of(near: list[int], largest: int, most: int) -> list[int] | None:
    """The complete sets of a graph.

    Parameters
    ----------
    near : list of int
        The neighbours of each vertex, as masks.
    largest
        Most vertices of a set.
    most
        Of the sets.

    Returns
    -------
    list of int or None
        Masks, ascending, with the empty set; None if there are too many.

    >>> complete_sets_of([0b110, 0b101, 0b011, 0], 2, 100)
    [0, 1, 2, 3, 4, 5, 6, 8]
    """
    sets, waiting = [0], [(0, (1 << len(near)) - 1, 0)]
    while waiting:
        members, candidates, size = waiting.pop()
        while candidates and len(sets) <= most:
            v = candidates.bit_length() - 1
            candidates ^= 1 << v
            sets.append(members | 1 << v)
            if size + 1 < largest:
                waiting.append((sets[-1], candidates & near[v], size + 1))
    return sorted(sets) if len(sets) <= most else None
