"""Many variables: hill climbing over arcs, kicks, and pieces of the network once kicks no longer gain.

The first network is the best of some climbs (`twlearn.hill_climber`), or the template. Then every variable is kicked
once in each sweep; a sweep that gained nothing is followed by one whose kicks reach further. After the first sweep a
chordal network that grows from the best forest (`common.scores.growth`) is tried as another start: its cliques have at
most w + 1 variables, so each variable's earlier neighbours in a perfect order can be its parents. The result of a run
that is stopped earlier is not worse than the best forest. After some sweeps that gained nothing, the bags around a
variable are cut out of the tree decomposition, and the search over chordal graphs and orders (`twlearn.chordal`)
continues from the present network on this piece, with the parent sets that a search finds for its variables. The
treewidth stays within the bound, and the score never decreases.

Cost: about a second for the first climbs in 400 variables, a millisecond a kick, and `PIECE_MOVES` moves a piece.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..common.counted import counted
from ..common.errors import DataError
from ..common.graphs.chordal import bit_rows, graph_of, perfect_elimination_order
from ..common.graphs.dag import Dag
from ..common.graphs.treewidth import later_neighbours
from ..common.run.limits import Limits
from ..common.run.monitor import Monitor
from ..common.run.result import LearnResult
from ..common.run.state_record import StateRecord, ValueField, natural
from ..common.scores.growth import compile_grown, grown
from ..common.scores.spanning import maximum_spanning_forest
from .arcs_kernels import MIN_GAIN
from .bag_tree import BagTree, cliques_of
from .chordal import CHAINS, chordal
from .families import ScoredFamilies
from .hill_climber import HillClimber
from .known_families import possible_sets
from .known_start import start_of
from .parent_search import with_family
from .piece import piece_of, put_back
from .replica_exchange import ROUND_MOVES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..common.graphs.knowledge import Knowledge
    from ..common.scores.scorer import SetScorer
    from .arc_gains import ListedGains, SetGains
    from .config import Config

PIECE_SIZE = 120  # variables per piece, in whole bags; 30 to 300
PIECE_MOVES = 4 * CHAINS * ROUND_MOVES  # of the search in a piece, at first; 1 to 100 rounds of all chains
MAX_MOVES_FACTOR = 64  # largest factor of this number, which doubles when neither sweeps nor the piece after them gain
PATIENCE = 5  # sweeps in a row that gain nothing before a piece; 1 to 20


class Climb:
    """The course of the search.

    Parameters
    ----------
    climber
        The network.
    config

    Attributes
    ----------
    sweeps, idle, pieces, moves_factor : int
        Number of sweeps that have ended, of the last ones that gained nothing, and of pieces; the factor of the moves
        in a piece.
    """

    record = StateRecord(
        ValueField("sweeps", int, natural),
        ValueField("idle", int, lambda idle, _: 0 <= idle < PATIENCE),
        ValueField("pieces", int, natural),
        ValueField("moves_factor", int, lambda factor, _: 1 <= factor <= MAX_MOVES_FACTOR),
    )

    def __init__(self, climber: HillClimber, config: Config) -> None:
        self.climber, self.config = climber, config
        self.sweeps, self.idle, self.pieces, self.moves_factor = 0, 0, 0, 1
        self._sweep: Iterator[bool] | None = None
        self.before = climber.score  # at the beginning of this sweep

    def state(self) -> dict[str, np.ndarray]:
        """The state of the run, see `Monitor.keep`."""
        return {**self.climber.state(), **self.record.save(self)}

    @property
    def is_between_sweeps(self) -> bool:
        """Whether no sweep has begun."""
        return self._sweep is None

    def iterate(self, monitor: Monitor) -> None:
        """One kick, or one piece."""
        if self._sweep is None:
            self._sweep = self.climber.sweep(self.config.seed, self.sweeps, 1 + self.idle)
        if next(self._sweep, None) is not None:
            return
        self._sweep = None
        if self.sweeps == 0 and (scorer := _scorer_for_growth(self.climber)) is not None:
            self._try_growth(scorer, monitor)
        self.idle = self.idle + 1 if self.climber.score <= self.before + MIN_GAIN else 0
        if self.idle == PATIENCE:
            self.idle = 0
            self._piece(monitor)
            if self.climber.score <= self.before + MIN_GAIN:
                self.moves_factor = min(MAX_MOVES_FACTOR, 2 * self.moves_factor)
        self.climber.reset()
        self.sweeps, self.before = self.sweeps + 1, self.climber.score

    def _try_growth(self, scorer: SetScorer, monitor: Monitor) -> None:
        """Climb from the chordal network that grows."""
        climber = self.climber
        score = self.climber.score
        before = (self.climber.parents(), self.climber.elimination.order.copy())
        graph = graph_of(self._grown(scorer, monitor))
        if not monitor.should_continue():
            return
        order = perfect_elimination_order(graph)
        later = later_neighbours(graph, order)
        if climber.known is not None:
            later = [{u for u in own if climber.known.may[u, v]} for v, own in enumerate(later)]
        parents = [climber.gains.parents_among(v, later[v], climber.max_parents) for v in range(climber.n)]
        if climber.put(parents, order):
            climber.climb()
        if climber.score <= score or not monitor.should_continue():
            climber.put(*before)

    def _grown(self, scorer: SetScorer, monitor: Monitor) -> np.ndarray:
        """The chordal network that grows from the best forest: uint64[n, words]."""
        forest = bit_rows(maximum_spanning_forest(self.climber.gains.pairs))
        largest = min(self.config.treewidth + 1, scorer.largest_set)

        def report(edges: int, _: float) -> None:
            monitor.reporter.progress(f"growing: {counted(edges, 'edge')}")

        return grown(scorer, forest, largest, monitor.should_continue, report)

    def _piece(self, monitor: Monitor) -> None:
        """Improve the next piece, if possible."""
        climber = self.climber
        random = np.random.default_rng((self.config.seed, 3, self.pieces))
        self.pieces += 1
        parents = climber.parents()
        tree = BagTree(*cliques_of(Dag.from_parents(parents).moral(), climber.elimination.order.tolist()))
        chosen, members = tree.around(int(random.integers(climber.n)), PIECE_SIZE, random)
        families, rows = _families_for(climber, parents, members)
        piece = piece_of(families, rows, tree, chosen, members)
        config = replace(self.config, template=piece.template, known=None, seed=int(random.integers(1 << 31)))
        with monitor.part(None, self.moves_factor * PIECE_MOVES, outside=climber.score - piece.score) as part:
            result = chordal(piece.families, config, part, adapts=len(members) == climber.n)
        if result.score <= piece.score + MIN_GAIN:
            return
        changed, moral, order = put_back(piece, result)
        size = len(piece.members)
        cliques, clique_parent = cliques_of(moral, order)
        tree.replace(chosen, [frozenset(piece.members[i] for i in one if i < size) for one in cliques], clique_parent)
        for v, row in changed.items():
            parents[v] = tuple(p for p in families.parents[row].tolist() if p >= 0)
        is_within = climber.put(parents, tree.elimination_order())
        assert is_within
        climber.climb()


def climb(gains: SetGains | ListedGains, config: Config, monitor: Monitor) -> LearnResult:
    """The best network found.

    Parameters
    ----------
    gains
        Of at least two variables.
    config
        The search starts at its template, if there is one.
    monitor
        An iteration is a kick or a piece.

    Returns
    -------
    LearnResult

    Raises
    ------
    DataError
        No network with the required arcs and edges was found.
    """
    assert config.max_parents is not None
    base = None
    if config.known is not None:
        base = start_of(config.known, config.treewidth, config.max_parents, gains.families)
        if base is None:
            message = "no network with all arcs and edges required was found"
            raise DataError(f"{message}; require fewer, or use --method milp")
    climber = HillClimber(gains, config.treewidth, config.max_parents, monitor, config.known, base)
    scorer = _scorer_for_growth(climber)
    growth = [] if scorer is None else [partial(compile_grown, scorer)]
    monitor.compile(climber.compile, partial(_compile, config), *growth)
    monitor.start()
    template, saved = config.template, monitor.saved
    climber.begin(() if template is None else template.parents)
    forest = None if any(climber.base) else best_forest(climber)
    if saved is not None:
        climber.restore(saved)
    elif template is None:
        climber.first_climbs(config.seed)
    else:
        climber.start_at(template)
    climber.reset()
    state = Climb(climber, config)
    if saved is not None:
        Climb.record.load(saved, state)
    monitor.report(0, climber.score)
    while monitor.status is None:
        state.iterate(monitor)
        monitor.report(1, climber.score)
        if state.is_between_sweeps and monitor.should_continue():  # otherwise the whole sweep must be repeated
            monitor.keep(state.state)
    found = ScoredDag(climber.parents(), tuple(climber.elimination.order.tolist()), climber.score)
    if forest is not None and forest.score > found.score + MIN_GAIN:
        found = forest
        monitor.report(0, forest.score)
    dag = Dag.from_parents(found.parents)
    return LearnResult(dag, found.score, monitor.status, monitor.iterations, order=found.order)


def _scorer_for_growth(climber: HillClimber) -> SetScorer | None:
    """The scores with which a chordal network grows; None without scores of sets, or if arcs or edges are required."""
    return None if any(climber.base) else climber.gains.scorer


class ScoredDag(NamedTuple):
    """The parents of each variable, an elimination order of the moral graph, and the score."""

    parents: list[tuple[int, ...]]
    order: tuple[int, ...]
    score: float


def best_forest(climber: HillClimber) -> ScoredDag:
    """The best forest whose arcs may have either direction, by the gains of a climber that has no arcs yet."""
    n, arcs = climber.n, climber.arcs
    gains = np.full((n, n + 1), -np.inf)  # of the arc from u to v at [v, u]; the last column is for padding
    if climber.max_parents:
        gains[np.arange(n)[:, None], arcs.candidates] = arcs.gains
    gains = gains[:, :n]
    forest = maximum_spanning_forest(np.minimum(gains, gains.T))
    order = tuple(perfect_elimination_order(forest))
    parents = [tuple(own) for own in later_neighbours(forest, order)]
    return ScoredDag(parents, order, climber.score + sum(gains[v, u] for v, own in enumerate(parents) for u in own))


def _families_for(
    climber: HillClimber, parents: list[tuple[int, ...]], members: set[int]
) -> tuple[ScoredFamilies, np.ndarray]:
    """Families for a piece: those found for its members, and the present one of each variable; and the present rows.

    Required edges keep their present directions.
    """
    arcs = [(u, v) for v, own in enumerate(parents) for u in own]
    now = None if climber.known is None else climber.known.directed(arcs)
    blocks = []
    rows = np.zeros(climber.n, np.int64)
    start = [0]
    width = max(climber.max_parents, 1)
    nothing = np.zeros((0, width), np.int32), np.zeros(0)
    for v, score in enumerate(climber.arcs.own.tolist()):
        found, values = climber.gains.block(v, climber.max_parents) if v in members else nothing
        if now is not None:
            found, values = _possible(found, values, v, now, 10.0 * (1.0 + abs(climber.score)))
        sets = np.full((len(found), width), -1, np.int32)
        sets[:, : found.shape[1]] = found
        block, row = with_family((sets, values), parents[v], score)
        rows[v] = start[-1] + row
        blocks.append(block)
        start.append(start[-1] + len(block[1]))
    parents_of, scores = (np.concatenate(one) for one in zip(*blocks, strict=True))
    return ScoredFamilies(np.array(start, np.int64), parents_of, scores), rows


def _possible(
    found: np.ndarray, values: np.ndarray, v: int, known: Knowledge, loss: float
) -> tuple[np.ndarray, np.ndarray]:
    """The sets that a variable may have, by decreasing score, and the empty one, with a loss if it is not possible."""
    kept = possible_sets(found, v, known)
    found, values = found[kept], values[kept].copy()
    if known.parents(v):
        values[(found < 0).all(axis=1)] -= loss
    order = np.argsort(-values, kind="stable")
    return found[order], values[order]


def _compile(config: Config) -> None:
    """Run the kernels of pieces for two variables without possible parents."""
    tiny = ScoredFamilies(np.arange(3), np.full((2, 1), -1, np.int32), np.zeros(2))
    with Monitor(Limits(iterations=1), 1) as monitor:
        chordal(tiny, replace(config, template=None, known=None), monitor)
