"""A network that is changed arc by arc within a bound on the treewidth: climbs, kicks, and its state.

A *climb* makes the best move as long as one gains (`twlearn.arcs_kernels`). The first networks are climbs from no arcs;
since two directions of a first arc gain the same, all but one of them have small random factors on the gains. A *kick*
removes the parents of a variable and of some others near it in the moral graph, climbs with larger random factors for
these, then without any, and is undone if the score has decreased: an iterated local search. Scores are computed when
they are needed, and most of those for a kick are cached: it takes a millisecond, the first climb a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..common.graphs.chordal import perfect_elimination_order
from ..common.graphs.dag import Dag
from ..common.graphs.graph import Graph
from ..common.run.state_record import ArrayField, StateRecord
from ..common.sets.bitset_kernels import words_for
from .arcs_kernels import Arcs, add_parent, drop_parents, find_best, step, unblock
from .elimination_kernels import Elimination, rebuild

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..common.graphs.knowledge import Knowledge
    from ..common.run.monitor import Monitor
    from ..common.run.saved import Saved
    from .arc_gains import ListedGains, SetGains
    from .template import Template

FIRST_CLIMBS = 5  # 1 to 50: more take the time of kicks
TIE_NOISE = 0.01  # their random factors are 1 to 1 + this; 1e-6 to 0.1
KICK_SIZE = 9  # most variables that a kick leaves without parents, for each step of its reach; 3 to 20
KICK_NOISE = 0.3  # random factors of a kick are 1 +- this; 0.1 to 0.5
SAVED_OF_ARCS = ("parents", "at", "count", "own", "state", "best", "value")  # of Arcs, besides the gains
SAVED_OF_ELIMINATION = ("order", "place", "later", "count")


@dataclass
class HillClimberState:
    """The network of a HillClimber in a checkpoint.

    Attributes
    ----------
    candidates : int32[n, k]
    count : int64[n], numbers of parents
    at : int32[n, max_parents], which candidates they are
    order : int64[n], the elimination order
    """

    candidates: np.ndarray
    count: np.ndarray
    at: np.ndarray
    order: np.ndarray

    record = StateRecord(
        ArrayField("count", lambda count, own: ((count >= 0) & (count <= own.at.shape[1])).all()),
        ArrayField("at", lambda at, own: (at >= 0).all() and _is_acyclic(own.parents(at))),
        ArrayField("order", lambda order, _: (np.sort(order) == np.arange(len(order))).all()),
    )

    def parents(self, at: np.ndarray) -> list[tuple[int, ...]]:
        """The parents, if they are at these candidates."""
        return [tuple(self.candidates[v, at[v, :count]].tolist()) for v, count in enumerate(self.count.tolist())]


def _is_acyclic(parents: list[tuple[int, ...]]) -> bool:
    """Whether these are sets of parents, without padding, of a directed acyclic graph."""
    return all(len({*own} - {-1}) == len(own) for own in parents) and Dag.from_parents(parents).order() is not None


class HillClimber:
    """A network of bounded treewidth, and the gains of its moves.

    Parameters
    ----------
    gains
        Of at least two variables.
    width
        Bound on the treewidth, >= 1.
    max_parents
        Largest number of parents, >= 0.
    monitor
        If it stops the run, climbs end.
    known
        Prior knowledge about arcs; the gains have no forbidden ones.
    base
        A network with the required arcs and edges, from which the first climbs begin; None: that without arcs.
    """

    def __init__(
        self,
        gains: SetGains | ListedGains,
        width: int,
        max_parents: int,
        monitor: Monitor,
        known: Knowledge | None = None,
        base: Template | None = None,
    ) -> None:
        n, self.known = gains.n, known
        self.base: Sequence[tuple[int, ...]] = [()] * n if base is None else base.parents
        self.base_order = np.arange(n) if base is None else np.array(perfect_elimination_order(base.graph))
        self.gains, self.n, self.monitor = gains, n, monitor
        self.max_parents = min(max_parents, width, n - 1, gains.largest)
        self.elimination = _elimination(n, min(width, n - 1))
        self.arcs = _arcs(np.zeros((n, 0), np.int32), self.max_parents)
        self._before: dict[int, np.ndarray] = {}  # the gains of variables that a kick has changed, as they were

    def compile(self) -> None:
        """Compile the kernels before the clock runs: run them on tiny inputs."""
        arcs = _arcs(np.full((self.n, 1), -1, np.int32), self.max_parents)
        elimination = self.elimination
        self.gains.compile(arcs)
        step(arcs, elimination)
        rebuild(elimination, arcs)
        unblock(arcs, 0)
        find_best(arcs, 0)
        drop_parents(arcs, 0, True)
        if self.max_parents:
            add_parent(arcs, 0, 0)

    def begin(self, start: Sequence[Iterable[int]] = ()) -> None:
        """Find the candidate parents, those of a start network among them, and the gains without arcs."""
        both = [{*own} for own in self.base]
        for v, own in enumerate(start):
            both[v].update(u for u in own if self.known is None or self.known.may[u, v])
        self.arcs = _arcs(self.gains.candidates(both), self.max_parents, self.known)
        for v in range(self.n):
            self.gains.fill(self.arcs, v)

    @property
    def score(self) -> float:
        """The network's score."""
        return float(self.arcs.own.sum())

    def parents(self) -> list[tuple[int, ...]]:
        """The parent sets, ascending."""
        return [tuple(sorted(self.arcs.parents[v, : self.arcs.count[v]].tolist())) for v in range(self.n)]

    def put(self, parents: Sequence[tuple[int, ...]], order: Sequence[int] | np.ndarray) -> bool:
        """Replace the network; returns whether the elimination order keeps the bound.

        Parameters
        ----------
        parents
            Candidates, at most `max_parents` for each variable.
        """
        arcs, elimination = self.arcs, self.elimination
        for v, (now, wanted) in enumerate(zip(self.parents(), parents, strict=True)):
            if now != tuple(sorted(wanted)):
                drop_parents(arcs, v, False)
                for k in np.flatnonzero(np.isin(arcs.candidates[v], wanted)).tolist():
                    add_parent(arcs, v, k)
                self.gains.fill(arcs, v)
        elimination.order[:] = order
        elimination.place[elimination.order] = np.arange(self.n)
        self._unblock(range(self.n))
        return bool(rebuild(elimination, arcs))

    def start_at(self, template: Template) -> None:
        """Climb from a template whose graph is within the bound."""
        graph = Graph(self.n, template.graph.edges)
        parents = [self.gains.parents_among(v, own, self.max_parents) for v, own in enumerate(template.parents)]
        parents += [()] * (self.n - len(parents))  # a file may have fewer variables
        order = perfect_elimination_order(graph)
        self.put(parents, order)
        self.climb()

    def climb(self) -> set[int]:
        """Make the best move while one gains; returns the variables whose parents changed."""
        changed: set[int] = set()
        while self.monitor.should_continue() and step(self.arcs, self.elimination):
            for v in self.arcs.changed.tolist():
                if v >= 0:
                    changed.add(v)
                    self._fill(v)
        return changed

    def first_climbs(self, seed: int) -> None:
        """Make the network the best of `FIRST_CLIMBS` climbs."""
        best = None
        progress = self.monitor.reporter.phase("climbing")
        if any(self.base):
            self.put(self.base, self.base_order)
        for run in range(FIRST_CLIMBS):
            random = np.random.default_rng((seed, 0, run))
            if run:
                self.put(self.base, self.base_order)
                self._set_factors(range(self.n), 1.0 + TIE_NOISE * random.random(self.n))
                self.climb()
                self._set_factors(range(self.n), 1.0)
                self._unblock(range(self.n))
            self.climb()
            if best is None or self.score > best[0]:
                best = self.score, self.parents(), self.elimination.order.copy()
            progress((run + 1) / FIRST_CLIMBS)
            if not self.monitor.should_continue():
                break
        assert best is not None
        self.put(*best[1:])
        self._before = {}

    def reset(self) -> None:
        """Reset the state that depends on earlier moves: blocked moves, and slack in the elimination order."""
        arcs = self.arcs
        for v, count in enumerate(arcs.count.tolist()):
            arcs.at[v, :count].sort()
            arcs.parents[v, :count] = arcs.candidates[v, arcs.at[v, :count]]
        rebuild(self.elimination, arcs)
        self._unblock(range(self.n))

    def state(self) -> dict[str, np.ndarray]:
        """The network to continue from, see `Monitor.keep`."""
        return HillClimberState.record.save(self._climber_state())

    def _climber_state(self) -> HillClimberState:
        arcs = self.arcs
        return HillClimberState(arcs.candidates, arcs.count.copy(), arcs.at.copy(), self.elimination.order.copy())

    def restore(self, saved: Saved) -> None:
        """Restore the network of an earlier part of the run."""
        found = self._climber_state()
        HillClimberState.record.load(saved, found)
        if not self.put(found.parents(found.at), found.order):
            raise saved.invalid("order")
        self.reset()

    def kick(self, v: int, reach: int, random: np.random.Generator) -> bool:
        """Kick the network at a variable; returns whether the change is kept, because no score is lost.

        Parameters
        ----------
        reach
            Of the kick, in steps of the moral graph.
        """
        arcs, before = self.arcs, self.score
        kept = [getattr(arcs, name).copy() for name in SAVED_OF_ARCS]
        kept_elimination = [getattr(self.elimination, name).copy() for name in SAVED_OF_ELIMINATION]
        self._before = {}
        region = self._around(v, reach, random)
        for x in region:
            drop_parents(arcs, x, True)
        rebuild(self.elimination, arcs)
        self._set_factors(region, 1.0 + KICK_NOISE * (2.0 * random.random(len(region)) - 1.0))
        for x in region:
            self._fill(x)
        self._unblock(region)
        changed = self.climb()
        self._set_factors(region, 1.0)
        self._unblock(sorted(changed.union(region)))
        self.climb()
        if self.monitor.should_continue() and self.score >= before:
            return True
        for name, value in zip(SAVED_OF_ARCS, kept, strict=True):
            getattr(arcs, name)[...] = value
        for name, value in zip(SAVED_OF_ELIMINATION, kept_elimination, strict=True):
            getattr(self.elimination, name)[...] = value
        for x, gains in self._before.items():
            arcs.gains[x] = gains
        return False

    def sweep(self, seed: int, number: int, reach: int = 1) -> Iterator[bool]:
        """Kick every variable once, in random order; yields whether each change is kept."""
        for i, v in enumerate(np.random.default_rng((seed, 1, number)).permutation(self.n).tolist()):
            yield self.kick(v, reach, np.random.default_rng((seed, 2, number, i)))

    def _around(self, v: int, reach: int, random: np.random.Generator) -> list[int]:
        """A variable and some of those at most `reach` steps from it in the moral graph, the near ones first."""
        arcs = self.arcs
        parents = np.where(np.arange(arcs.parents.shape[1]) < arcs.count[:, None], arcs.parents, -1)
        families = np.column_stack([np.arange(self.n), parents])
        region, size = [v], 1 + int(random.integers(2, KICK_SIZE * reach))
        for _ in range(reach):
            near = np.setdiff1d(families[np.isin(families, region).any(axis=1)], [-1, *region])
            region += random.permutation(near)[: size - len(region)].tolist()
        return region

    def _set_factors(self, variables: Iterable[int], factors: np.ndarray | float) -> None:
        """Set the factors on gains of some variables."""
        self.arcs.factor[list(variables)] = factors
        for v in variables:
            find_best(self.arcs, v)

    def _unblock(self, variables: Iterable[int]) -> None:
        """Unblock all moves of some variables' parents."""
        for v in variables:
            unblock(self.arcs, v)

    def _fill(self, v: int) -> None:
        """Recompute the gains of v's moves."""
        if v not in self._before:
            self._before[v] = self.arcs.gains[v].copy()
        self.gains.fill(self.arcs, v)


def _arcs(candidates: np.ndarray, max_parents: int, known: Knowledge | None = None) -> Arcs:
    """An Arcs without arcs and gains."""
    n, k = candidates.shape
    place = np.full((n, n + 1), -1, np.int32)
    place[np.arange(n)[:, None], candidates] = np.arange(k)
    place[:, n] = -1  # the padding

    def vertices() -> np.ndarray:
        return np.zeros(n, np.int64)

    return Arcs(
        candidates=candidates,
        mirror=np.where(candidates >= 0, place[candidates, np.arange(n)[:, None]], -1).astype(np.int32),
        gains=np.full((n, k), -np.inf),
        state=np.zeros((n, k), np.uint8),
        parents=np.zeros((n, max_parents), np.int32),
        at=np.zeros((n, max_parents), np.int32),
        count=vertices(),
        own=np.zeros(n),
        best=vertices(),
        value=np.full(n, -np.inf),
        factor=np.ones(n),
        required=_required(candidates, known),
        seen=np.zeros(n + 1, np.int64),
        stack=vertices(),
        clique=np.zeros(max_parents + 2, np.int64),
        changed=np.full(2, -1, np.int64),
    )


def _required(candidates: np.ndarray, known: Knowledge | None) -> np.ndarray:
    """Which candidates must be parents, or have an edge to the variable: bool[n, k]."""
    found = np.zeros(candidates.shape, bool)
    if known is not None:
        for u, v in (*known.arcs, *known.edges, *(edge[::-1] for edge in known.edges)):
            found[v] |= candidates[v] == u
    return found


def _elimination(n: int, width: int) -> Elimination:
    """The Elimination of a network without arcs."""

    def vertices(more: int = 0) -> np.ndarray:
        return np.zeros(n + more, np.int64)

    return Elimination(
        order=np.arange(n),
        place=np.arange(n),
        later=np.zeros((n, width + 1), np.int32),
        count=vertices(),
        grown=np.zeros(n * (width + 2), np.int64),
        mark=vertices(1),
        chosen=vertices(),
        local=vertices(),
        hits=vertices(),
        fill=vertices(),
        near=np.zeros((n, words_for(n)), np.uint64),
        width=width,
    )
