"""The best network by an integer program: anytime, with a bound and a gap.

Two programs share the time. That of the network's families alone, up to 64 variables (`twlearn.networks_scip`), is the
better one where few good networks are too wide. The other one, up to 32 variables and if the treewidth is small, also
has the k-tree around the network (`twlearn.milp_cutting`). They start from a network of a short local search, which
continues beside that with the k-tree (`common.exact.concurrent_search`), so the result is never worse. With more than
64 variables there is only the search, and a bound. The program of Section 3 of the NIPS 2014 paper is weaker than both:
where they do not end, it added nothing to them (handbook, measured/bounded-treewidth).

The bound is the minimum of the program's and, for up to 22 variables, the score of the best network of any treewidth
(`twlearn.silander_myllymaki`). If the treewidth of that network is within the bound, it is the answer. Otherwise, and
up to 25 variables if there is time, both programs only have the families with which a network of any treewidth is
better than the known one.

The decoded network is checked before it is returned: no cycle, and an elimination of its moral graph within the
treewidth.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.bounds.incumbent import KnownScore
from ..common.counted import counted
from ..common.errors import CliquewiseError
from ..common.exact.concurrent_search import ConcurrentSearch
from ..common.exact.scip import ProgramLimits
from ..common.graphs.chordal import perfect_elimination_order
from ..common.graphs.dag import Dag
from ..common.graphs.graph import Graph
from ..common.graphs.treewidth import later_neighbours, treewidth
from ..common.run.result import OPTIMAL, TIME_LIMIT, gap_text
from ..common.run.state_record import StateRecord, ValueField
from .chordal import START_MOVES, chordal, first_network
from .milp_columns import suits
from .milp_cutting import Prover, compile_prover
from .networks_scip import MAX_WORD_VARIABLES, attempt
from .result import NetworkState, result_of, rows_of
from .silander_myllymaki import (
    MAX_VARIABLES,
    are_best_acyclic,
    best_of_any_treewidth,
    best_of_others,
    best_with_each,
    bounds_fit,
    compile_bounds,
    seconds_of_bounds,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..common.run.monitor import Monitor
    from ..common.run.position import Paused
    from ..common.run.result import LearnResult
    from ..common.run.saved import Saved
    from .config import Config
    from .families import ScoredFamilies

LOG = logging.getLogger("cliquewise")
NEXT_MOVES = 4_000_000  # of the search as it continues beside the program
SEARCH_SHARE = 2.0  # of the usual pace of searches beside a solver
FIRST_SECONDS = 2.0  # of the first attempt with the network's families alone
BOUNDS_SHARE = 0.25  # of the time that is left, which bounds on networks with each family may take


def milp(families: ScoredFamilies, config: Config, monitor: Monitor) -> LearnResult:
    """The best network that an integer program finds.

    Parameters
    ----------
    families
        Of at least two variables, with no more than w parents.
    config
    monitor
        An iteration is a node of the search tree, or with more than 64 variables a move of the search; their number is
        not limited. A second thread is used for searches.
        The clock starts when the kernels are compiled and the best network of any treewidth is known.

    Returns
    -------
    LearnResult
        Its upper bound is proved.
    """
    w = min(config.treewidth, families.n - 1)
    found, upper = best_of_any_treewidth(families, w)
    if found is not None:
        monitor.start()
        return found
    config = replace(config, treewidth=w, template=None)
    if families.n > MAX_WORD_VARIABLES:
        found = chordal(families, config, monitor)
        status = OPTIMAL if KnownScore(found.score, upper).is_proved() else found.status
        return replace(found, status=status, upper_bound=max(upper, found.score))
    monitor.compile(compile_prover, compile_bounds)
    paused, has_ktree = None, suits(families.n, w)
    if monitor.saved is None:
        moves = START_MOVES if families.n <= MAX_VARIABLES and has_ktree else START_MOVES + NEXT_MOVES
        first, paused = first_network(families, config, monitor, moves)
        LOG.info("local search found %.6f; upper bound %.6f for any treewidth", first.score, upper)
    else:
        first, upper = _saved(monitor.saved, families, w, upper)
    monitor.start()
    networks, nodes = NetworkProgram(families, w, first, upper, monitor), 0
    known = networks.known
    monitor.keep(lambda: _state(families, networks.best, known.upper), lasting=True)
    if not known.is_proved():
        networks.begin(config.memory, is_alone=not has_ktree)
        if has_ktree and not known.is_proved() and monitor.should_continue():
            nodes = _by_cutting_planes(families, networks, monitor, config, paused)
    result = networks.best
    LOG.info("bound %.6f, gap %s", known.upper, gap_text(known.upper, result.score))
    status = OPTIMAL if known.is_proved() else monitor.status or TIME_LIMIT
    upper = result.score if known.is_proved() else known.upper
    return replace(result, status=status, iterations=nodes, upper_bound=upper)


class NetworkProgram:
    """Attempts by the program of the network's families alone (`twlearn.networks_scip`).

    Beside another program they take half of the time: each as long as everything before it.

    Parameters
    ----------
    families
    w
    best
        A network within the treewidth.
    upper
        A bound on the scores of all of them.
    monitor

    Attributes
    ----------
    best : LearnResult
        The best network here.
    known : KnownScore
        Its score, or that of a better one that another program found, and the bound.
    """

    def __init__(self, families: ScoredFamilies, w: int, best: LearnResult, upper: float, monitor: Monitor) -> None:
        self.families, self.w, self.best, self._monitor = families, w, best, monitor
        self.known = KnownScore(best.score, upper)
        self._next, self._most = 0.0, best_of_others(families)

    def begin(self, memory: float | None, is_alone: bool) -> None:
        """Make the first attempts, and find the families that can be in a better network.

        A short attempt and the bounds of the families, if there is time for these, are made first, the quicker one
        before the other; then, without another program, an attempt in the remaining time.

        Parameters
        ----------
        memory
            Bytes; None for the free memory of the machine.
        is_alone
            Whether there is no program with the k-tree.
        """
        every = np.arange(len(self.families.scores))
        monitor = self._monitor
        steps: list[Callable[[], None]] = [lambda: self.attempt(every, FIRST_SECONDS)]
        if are_bounded(self.families, memory, monitor):
            is_quick = seconds_of_bounds(self.families.n, monitor.threads) < FIRST_SECONDS
            steps.insert(0 if is_quick else 1, self._bound_families)
        if is_alone:
            steps.append(lambda: self.attempt(every, seconds_left(monitor)))
        for step in steps:
            if not self.known.is_proved() and monitor.should_continue():
                step()

    def _bound_families(self) -> None:
        most = best_with_each(self.families, self._monitor.map, self._monitor.should_continue)
        if most is not None:
            self._most = most
            self.known.upper = min(self.known.upper, float(most.max()))
            LOG.info("%d of %d families can be in a better network", np.count_nonzero(self.possible()), len(most))

    def possible(self) -> np.ndarray:
        """The families that can be in a network as good as the best one known: bool[m]."""
        return self._most >= self.known.score - self.known.gap(self.known.score)

    def take(self, other: LearnResult) -> bool:
        """Keep another network if it is better; returns whether it is better than all known."""
        self.best = max(self.best, other, key=lambda network: network.score)
        before, self.known.score = self.known.score, max(self.known.score, other.score)
        return other.score > before

    def attempt_if_due(self, rows: np.ndarray) -> None:
        """Make an attempt with the families that another program left, int64[m], if it is time."""
        if self._monitor.clock.seconds >= self._next:
            self.attempt(rows, self._monitor.clock.seconds)

    def attempt(self, rows: np.ndarray, seconds: float) -> None:
        """Make an attempt with some families, int64[m], which all networks that are better consist of."""
        families, known, w = self.families, self.known, self.w
        rows = rows[self.possible()[rows]]
        limits = _program_limits(self._monitor, known.score)
        tried = attempt(families, rows, w, known.score, replace(limits, seconds=min(limits.seconds, seconds)))
        if tried.rows is not None:
            graph = result_of(families, tried.rows, (), TIME_LIMIT).graph
            assert isinstance(graph, Dag)
            self.take(_checked(families, tried.rows, treewidth(graph.moral(), w).order, w))
        self._monitor.report(0, known.score)
        known.upper = min(known.upper, max(tried.bound, known.score))
        self._next = 2.0 * self._monitor.clock.seconds
        values = counted(len(rows), "family", "families"), known.score, gap_text(known.upper, known.score)
        LOG.info("program of %s: network %.6f, gap %s", *values)


def _by_cutting_planes(
    families: ScoredFamilies, networks: NetworkProgram, monitor: Monitor, config: Config, paused: Paused | None
) -> int:
    """Prove by the cutting planes, with the search beside them; returns the number of nodes.

    The search continues from where it was `paused`, if that is not None.
    """
    graph, w, known = networks.best.graph, networks.w, networks.known

    def on_round(prover: Prover) -> None:
        found = concurrent.after_round(prover.program.effort)
        if found is not None and not networks.take(found):
            concurrent.back_off()
        monitor.report(0, known.score)
        if not known.is_proved(prover.bound):
            networks.attempt_if_due(prover.families_left())

    assert isinstance(graph, Dag)
    root = int(np.argmax([len(near) for near in graph.moral().neighbours()]))
    with ConcurrentSearch(partial(chordal, families, config), monitor, NEXT_MOVES, SEARCH_SHARE, paused) as concurrent:
        prover = Prover(families, w, known, root, networks.possible(), monitor.should_continue, on_round)
        proof = prover.run()
    left, (rows, joined) = concurrent.left(), prover.found
    if left is not None:
        networks.take(left)
    if rows is not None and joined is not None:
        around = Graph(families.n, tuple((u, v) for u, near in enumerate(joined) for v in near if u < v))
        networks.take(_checked(families, rows, perfect_elimination_order(around), w))
    known.upper = proof.bound
    LOG.info("bound %.6f at the root, %s", proof.root_bound, counted(proof.nodes, "node"))
    return proof.nodes


def _program_limits(monitor: Monitor, score: float) -> ProgramLimits:
    """The limits of SCIP; during the search, the better of its value and the start's score is reported."""

    def on_gap(_gap: float, _spent: float, value: float) -> None:
        monitor.report(0, max(score, value))

    return ProgramLimits(seconds_left(monitor), 0.0, monitor.should_continue, on_gap)


def are_bounded(families: ScoredFamilies, memory: float | None, monitor: Monitor) -> bool:
    """Whether `best_with_each` bounds more than `best_of_others`, and there are time and memory for it."""
    has_time = seconds_of_bounds(families.n, monitor.threads) < BOUNDS_SHARE * seconds_left(monitor)
    return has_time and bounds_fit(families.n, monitor.threads, memory) and not are_best_acyclic(families)


def seconds_left(monitor: Monitor) -> float:
    """Seconds for a program, > 0."""
    left = monitor.clock.seconds_left
    return 1e9 if left is None else max(0.01, left)


def _rows(families: ScoredFamilies, result: LearnResult) -> tuple[int, ...]:
    """The row of each variable's family in a network."""
    assert isinstance(result.graph, Dag)
    return rows_of(families, result.graph.parents())


@dataclass
class BoundedState(NetworkState):
    """The best network, and the bound."""

    bound: float = math.inf

    record = StateRecord(*NetworkState.record.fields, ValueField("bound", float))


def _state(families: ScoredFamilies, result: LearnResult, upper: float) -> dict[str, Any]:
    """The state of the proof."""
    rows = np.array(_rows(families, result))
    return BoundedState.record.save(BoundedState(families, rows, result.order or (), upper))


def _saved(saved: Saved, families: ScoredFamilies, w: int, upper: float) -> tuple[LearnResult, float]:
    """The network and the bound of an earlier part of the run."""
    state = BoundedState.of(saved, families)
    found = result_of(families, state.rows, state.order, TIME_LIMIT)
    if not _is_within(found, w):
        raise saved.invalid("rows")
    return found, min(upper, state.bound)


def _checked(families: ScoredFamilies, rows: Sequence[int], order: Sequence[int], w: int) -> LearnResult:
    """The network of a program's solution."""
    result = result_of(families, rows, order, OPTIMAL)
    if not _is_within(result, w):
        raise CliquewiseError("the integer program's solution is not a network of that treewidth; please report it")
    return result


def _is_within(result: LearnResult, w: int) -> bool:
    """Whether a graph has no cycle, and its elimination order proves that its treewidth is at most w."""
    assert isinstance(result.graph, Dag) and result.order is not None
    acyclic = result.graph.order() is not None
    return acyclic and max(map(len, later_neighbours(result.graph.moral(), result.order))) <= w
