"""Independent ladders of tempered chains: their state, their parallel runs, and their adaptation to the data.

A ladder is a set of chains at temperatures from 1 upwards with replica exchange (`mnposterior.chains_kernels`). The
ladders share only the score table and the settings of `adapt`; each of them is reversible, provided that nothing is
adapted any more once draws are recorded.

* Number and ends of the temperatures are measured once (`mnposterior.temperatures`); `adapt` spaces those between so
  that all adjacent pairs have equal rejection rates, and adapts the proposals (`mnposterior.proposals`).
* GIBBS comes between the rounds, if there are at least `MIN_GIBBS_VARIABLES` variables.

In a round the chain at temperature 1 makes `COLD_CHAIN_FACTOR` times as many moves as the others: its draws are those
that count.
"""

from __future__ import annotations

import itertools
import logging
import math
from typing import TYPE_CHECKING

import numpy as np

from ..common.chains.moves_kernels import move_scratch
from ..common.compiled.random_kernels import random_states
from ..common.graphs.chordal import are_chordal_within, chordal_score, graph_of
from ..common.run.free_threads import on_free_threads
from ..common.run.state_record import ArrayField, StateRecord, are_random, natural
from .chains_kernels import KINDS, MAX_FLIP_SETS, ProposalRules, TemperedChains, resample_vertices, run_rounds
from .draws_kernels import COUNT, ROUNDS_PER_DRAW, Draws, halve, record
from .flips import ScoredDraws
from .flips_kernels import flip_scratch, mean_acceptance
from .gibbs_kernels import gibbs_scratch
from .ladder_records import CHAIN_STATE, DRAWN, DRAWS, LADDER, PROPOSALS, are_scores
from .proposals import Proposals
from .temperatures import (
    MAX_REJECTION_RATE,
    ROUNDS_PER_TEMPERATURE,
    SAMPLING_REJECTION_RATE,
    adapted_temperatures,
    max_temperatures,
    measured_temperatures,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..common.run.monitor import Monitor
    from ..common.run.saved import Saved
    from ..common.scores.score_cache_kernels import ScoreScratch, SetScores
    from ..common.scores.scorer import SetScorer
    from .config import PosteriorConfig

LOG = logging.getLogger("cliquewise")
MOVES_PER_VARIABLE = 4  # of a chain between two exchanges, times the number of variables
COLD_CHAIN_FACTOR = 4  # times as many at temperature 1, if there are others
MOVES_PER_SLICE = 400_000  # moves of a ladder between two checks of the clock, if there are `BLOCKS` slices
GIBBS_PER_MOVE, MIN_GIBBS_VARIABLES = 0.0025, 50  # draws for each other move; fewer variables have none
BLOCKS = 64  # of time
CAPACITY = 1 << 13  # draws per ladder
CAPACITY_BYTES = 1 << 26  # largest memory of these draws


class Ladders:
    """Ladders that run in parallel.

    Parameters
    ----------
    scorer
        Of at least two variables; has a scratch area for each thread to use.
    config
    max_clique
    monitor

    Attributes
    ----------
    draws : list of Draws, one per ladder
    proposals : Proposals, which all ladders share
    has_fixed_scores : bool, whether a set has the same score in the whole run
    """

    has_fixed_scores = True

    def __init__(self, scorer: SetScorer, config: PosteriorConfig, max_clique: int, monitor: Monitor) -> None:
        self.scorer, self.monitor, self.max_clique = scorer, monitor, max_clique
        n = scorer.n
        self._seed, self._count = config.seed, config.ladders
        self._work = [move_scratch(n, scorer.words) for _ in scorer.scratch]
        has_gibbs = self.has_fixed_scores and has_gibbs_move(n)
        self._gibbs = [gibbs_scratch(n, scorer.words, max_clique) for _ in scorer.scratch] if has_gibbs else []
        self.beta_min = 1.0
        self._allocate(np.ones(1), 1)

    def _allocate(self, beta: np.ndarray, count: int, slices: int = BLOCKS) -> None:
        """Make new ladders of these inverse temperatures, with proposals that are not adapted yet.

        The iterations of the run are enough for this number of slices. The more there are, the shorter is each.
        """
        n = self.scorer.n
        self._ladders, self.draws = [], []  # frees the memory of earlier ones
        states = random_states(self._seed, count * (len(beta) + 1)).reshape(count, -1, 4)
        self._ladders = [_new_ladder(n, self.scorer.words, state) for state in states]
        self.draws = [ladder.draws for ladder in self._ladders]
        self.beta, self.proposals = beta, Proposals(n, len(beta))
        self._rules = self._make_rules()
        moves = int(self._rules.moves.sum())
        limits = self.monitor.limits
        rounds = MOVES_PER_SLICE * BLOCKS // (slices * moves)
        if limits.iterations is not None:
            rounds = min(rounds, limits.iterations // (slices * count * moves))
        self._rounds = max(1, rounds)

    @property
    def ends(self) -> np.ndarray:
        """The pairs of variables by number, int32[pairs, 2]."""
        return self.proposals.ends

    def start_at(self, starts: Sequence[np.ndarray]) -> None:
        """Measure the temperatures, and start the ladders at these graphs, cyclically.

        Parameters
        ----------
        starts : sequence of uint64[n, words]
            The temperatures are measured from the first.
        """
        self.begin(np.ones(1), starts[:1])
        beta, self.beta_min = measured_temperatures(self._run_at, max_temperatures(self.scorer.n))
        LOG.debug("%d temperatures up to %.3g", len(beta), 1.0 / beta[-1])
        self.begin(beta, list(itertools.islice(itertools.cycle(starts), self._count)))

    def begin(self, beta: np.ndarray, starts: Sequence[np.ndarray], slices: int = BLOCKS) -> None:
        """Make a new ladder at each start, with proposals that are not adapted yet.

        Parameters
        ----------
        beta : float64[temperatures]
            1/T, descending.
        starts : sequence of uint64[n, words]
        slices
            Number of slices for which the iterations of the run are enough. The more there are, the shorter is each.
        """
        self._allocate(beta, len(starts), slices)
        for ladder, start in zip(self._ladders, starts, strict=True):
            self._put(ladder, start, self.scorer)

    def _put(self, ladder: TemperedChains, start: np.ndarray, scorer: SetScorer) -> None:
        """Put all chains of a ladder at a graph."""
        graph = graph_of(start)
        ladder.adjacency[:] = start
        ladder.values[:] = chordal_score(graph, scorer.score)
        ladder.edges[:] = len(graph.edges)

    def _run_at(self, temperature: float) -> tuple[float, float]:
        """Run the only chain at a temperature: its acceptance rate, and the standard deviation of its score."""
        ladder = self._ladders[0]
        scores = np.zeros(ROUNDS_PER_TEMPERATURE)
        self.set_temperature(temperature)
        _reset(ladder)
        for i in range(ROUNDS_PER_TEMPERATURE):
            self._run(1)
            self.scorer.make_room()
            scores[i] = ladder.values[0]
        return ladder.accepted.sum() / max(1, ladder.proposed.sum()), scores[ROUNDS_PER_TEMPERATURE // 2 :].std()

    def set_temperature(self, temperature: float) -> None:
        """Continue at this temperature; each ladder has only one."""
        self.beta[:] = 1.0 / temperature
        self._rules = self._make_rules()

    def compile_kernels(self) -> None:
        """Run the kernels for zero rounds."""
        self._run(0)
        if self._gibbs:
            self._resample(0)
        record(self.draws[0], self.current_graphs()[0], *self.current()[0])
        halve(self.draws[0])
        graphs, none = np.zeros((1, self.scorer.n, self.scorer.words), np.uint64), np.zeros(0, np.int32)
        work = self.scorer.scores, self.scorer.scratch[0], self._ladders[0].work
        mean_acceptance(*work, graphs, np.zeros(1), self.ends, none, 0)  # cliques of at most 0: no score is needed
        _reset(self._ladders[0])

    def run_slice(self) -> bool:
        """Run some rounds of every ladder, and draw neighbours at once where it pays.

        Returns
        -------
        bool
            Whether the run may continue.
        """
        moves = self._run(self._rounds) * int(self._rules.moves.sum())
        if self._gibbs:
            draws = math.ceil(GIBBS_PER_MOVE * self._rounds * MOVES_PER_VARIABLE * self.scorer.n)
            self._resample(draws)
            moves += draws * len(self.beta) * len(self._ladders)
        self.scorer.make_room()
        self.monitor.advance(moves)
        return self.monitor.status is None

    def _run(self, rounds: int) -> int:
        def run(i: int, t: int) -> int:
            mine = *self._scores_of(i, t), self._work[t]
            return run_rounds(self._ladders[i], self._rules, rounds, *mine, self.monitor.stop.flag)

        return sum(self._in_threads(run))

    def _resample(self, draws: int) -> None:
        """Draw the neighbours of this number of vertices in every chain."""

        def run(i: int, t: int) -> None:
            mine = *self._scores_of(i, t), self._work[t], self._gibbs[t]
            resample_vertices(self._ladders[i], self._rules, draws, *mine, self.monitor.stop.flag)

        self._in_threads(run)

    def _in_threads(self, run: Callable[[int, int], Any]) -> list[Any]:
        """The results of `run` for all ladders; its arguments are the numbers of the ladder and of the thread."""
        done = [None] * len(self._ladders)

        def keep(i: int, t: int) -> None:
            done[i] = run(i, t)

        on_free_threads(keep, len(done), len(self._work), self.monitor.map)
        return done

    def _scores_of(self, _ladder: int, thread: int) -> tuple[SetScores, ScoreScratch]:
        """The scores of a ladder, and the work space of a thread."""
        return self.scorer.scores, self.scorer.scratch[thread]

    def current(self) -> list[tuple[float, int]]:
        """Score and number of edges of the current graph of each ladder at temperature 1: list of (float, int)."""
        replicas = [(ladder, ladder.place[0]) for ladder in self._ladders]
        return [(float(ladder.values[r]), int(ladder.edges[r])) for ladder, r in replicas]

    def shown_scores(self) -> str:
        """The scores of the first four, in words."""
        return ", ".join(f"{score:.2f}" for score, _ in self.current()[:4])

    def current_graphs(self) -> list[np.ndarray]:
        """These graphs: list of uint64[n, words]."""
        return [ladder.adjacency[ladder.place[0]] for ladder in self._ladders]

    def state(self) -> dict[str, Any]:
        """The state from which the ladders continue between two slices."""
        state = LADDER.save(self) | PROPOSALS.save(self.proposals) | self._chain_record.save(self._ladders)
        return state | DRAWS.save(self.draws) | DRAWN.save(list(map(_recorded, self.draws)))

    def restore(self, saved: Saved, count: int | None = None, slices: int = BLOCKS) -> None:
        """Continue where an earlier part of the run ended.

        Parameters
        ----------
        saved
        count
            Number of ladders. [default: that of the options]
        slices
            As for `begin`.

        Raises
        ------
        DataError
            The state does not fit these ladders.
        """
        LADDER.load(saved, self)
        self._allocate(self.beta, count or self._count, slices)
        DRAWS.load(saved, self.draws)
        self._chain_record.load(saved, self._ladders)
        PROPOSALS.load(saved, self.proposals)
        DRAWN.load(saved, list(map(_recorded, self.draws)))
        self._rules = self._make_rules()

    @property
    def _chain_record(self) -> StateRecord:
        """The state of every ladder's chains in a checkpoint."""

        def are_permutations(places: np.ndarray, _: object) -> bool:
            return (np.sort(places) == np.arange(len(self.beta))).all()

        def are_good(graphs: np.ndarray, _: object) -> bool:
            return are_chordal_within(graphs, self.max_clique)

        valid = {"place": are_permutations, "adjacency": are_good, "values": are_scores, "random": are_random}
        return StateRecord(*(ArrayField(name, valid.get(name, natural)) for name in CHAIN_STATE))  # others are counts

    def adapt(self, is_last: bool) -> None:
        """Adapt temperatures and proposals to the draws so far, and discard the draws.

        Parameters
        ----------
        is_last
            Whether the draws after it count.
        """
        if len(self.beta) > 1:
            self._space_temperatures(SAMPLING_REJECTION_RATE if is_last else MAX_REJECTION_RATE)
            self.proposals.learn_flips(self._ladders, self._mean_acceptance)
            self.scorer.make_room()
        self.proposals.adapt(self._ladders)
        self._rules = self._make_rules()
        for ladder in self._ladders:
            _reset(ladder)

    def _space_temperatures(self, rate: float) -> None:
        """Adapt the temperatures to the exchanges so far, and to this rejection rate."""
        count = len(self.beta)
        rounds = np.sum([ladder.rounds for ladder in self._ladders], axis=0)[np.arange(count - 1) % 2]
        rejected = np.sum([ladder.rejected for ladder in self._ladders], axis=0)[:-1] / np.maximum(1, rounds)
        values = " ".join(f"{1 / beta:.2f}" for beta in self.beta), rejected.mean()
        LOG.debug("temperatures %s: %.2f of their exchanges are rejected", *values)
        self.beta = adapted_temperatures(self.beta, rejected, count, self.beta_min, rate)

    def _mean_acceptance(self, sample: ScoredDraws, members: np.ndarray) -> float:
        """The mean acceptance of a set for FLIP."""
        scores = self.scorer.scores, self.scorer.scratch[0], self._ladders[0].work
        return mean_acceptance(*scores, *sample, self.ends, members, self.max_clique)

    def align(self) -> int:
        """Make the draws of all ladders equal in number and spacing (ladders may have been stopped at any moment).

        Returns
        -------
        int
            Number of draws of each ladder, at least 1.
        """
        if min(draws.numbers[COUNT] for draws in self.draws) == 0:
            for draws, graph, current in zip(self.draws, self.current_graphs(), self.current(), strict=True):
                record(draws, graph, *current)
        every = max(draws.numbers[ROUNDS_PER_DRAW] for draws in self.draws)
        for draws in self.draws:
            while draws.numbers[ROUNDS_PER_DRAW] < every:
                halve(draws)
        return int(min(draws.numbers[COUNT] for draws in self.draws))

    def _make_rules(self) -> ProposalRules:
        moves = np.full(len(self.beta), MOVES_PER_VARIABLE * self.scorer.n)
        if len(moves) > 1:
            moves[0] *= COLD_CHAIN_FACTOR
        return self.proposals.rules(self.beta, moves, self.max_clique)


def _reset(ladder: TemperedChains) -> None:
    """Reset the statistics, and discard the draws."""
    statistics = ladder.proposed, ladder.accepted, ladder.toggled, ladder.flips, ladder.rejected, ladder.rounds
    for seen in (*statistics, ladder.draws.sums):
        seen[:] = 0
    ladder.draws.numbers[:] = 0, 1, 0


def _recorded(draws: Draws) -> Draws:
    """A Draws of the graphs, scores and edges drawn so far, which are parts of these arrays."""
    count = draws.numbers[COUNT]
    return draws._replace(graphs=draws.graphs[:count], scores=draws.scores[:count], edges=draws.edges[:count])


def has_gibbs_move(n: int) -> bool:
    """Whether GIBBS is among the moves, with n variables whose sets keep their scores."""
    return n >= MIN_GIBBS_VARIABLES


def bytes_of_ladder(n: int, words: int) -> int:
    """Memory of a ladder, with a copy of its draws when they are evaluated."""
    pairs, graph, count = n * (n - 1) // 2, n * words * 8, max_temperatures(n)
    return (count + 2 * _capacity(n, words)) * graph + 4 * (count + BLOCKS) * pairs


def bytes_of_rules(n: int) -> int:
    """Memory of the proposals and of the statistics behind them, which all ladders share; old and new at once."""
    return 80 * max_temperatures(n) * n * (n - 1) // 2 + 80 * n * n


def _capacity(n: int, words: int) -> int:
    """Number of draws for which a ladder has memory."""
    capacity = CAPACITY
    while capacity > 2 * BLOCKS and capacity * n * words * 8 > CAPACITY_BYTES:
        capacity //= 2
    return capacity


def _new_ladder(n: int, words: int, states: np.ndarray) -> TemperedChains:
    """A TemperedChains with these random states (uint64[temperatures + 1, 4]), not started yet."""
    capacity = _capacity(n, words)
    pairs = n * (n - 1) // 2
    k = len(states) - 1
    return TemperedChains(
        place=np.arange(k),
        adjacency=np.zeros((k, n, words), np.uint64),
        values=np.zeros(k),
        edges=np.zeros(k, np.int64),
        random=states.copy(),
        proposed=np.zeros((k, KINDS), np.int64),
        accepted=np.zeros((k, KINDS), np.int64),
        toggled=np.zeros((k, pairs), np.int32),
        flips=np.zeros((MAX_FLIP_SETS, 2), np.int64),
        rejected=np.zeros(k),
        rounds=np.zeros(2, np.int64),
        draws=Draws(
            graphs=np.zeros((capacity, n, words), np.uint64),
            scores=np.zeros(capacity),
            edges=np.zeros(capacity, np.int64),
            sums=np.zeros((BLOCKS, pairs), np.int32),
            numbers=np.array([0, 1, 0]),
        ),
        path=np.zeros(n, np.int64),
        work=flip_scratch(n, words),
    )
