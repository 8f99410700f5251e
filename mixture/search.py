"""`mnmodel mixture`: chordal networks whose mixture makes new rows probable; validation rows choose everything.

The time is spent in turns, each of which makes a *candidate*:

* `grown`, first: the network of all rows that grows by the best edges, for each equivalent sample size, or as many as
  there is time for: two far from each other, then the sizes next to the best one.
* `empirical`, after the first search: the empirical distribution, if rows repeat (`common.models.empirical`).
* `sparse`, then: the best forest, and the network without edges. For a state of the parents that no row has, tables of
  large cliques are uniform, for each of many rare variables: rows with such states are more probable under sparse
  networks.
* `search`: a network that `lsmarkov` finds, which the mixture must not be worse than. The first one has the usual
  equivalent sample size. Later ones continue from the best network, have an adjacent size, or a bootstrap sample of the
  rows (bagging, Breiman 1996). A search continues where it was paused, with its walkers, its annealing and, if it had
  the last turn, the scores it has computed: restarted from its network, it would take the same time again before it
  gains anything.
* `extended`: a mixture of soft clusters of the rows, whose networks have all edges of the best single one.
* `free`: such a mixture with networks that grow by themselves (`mixture.structural_em`).

The tables of every candidate are fitted to all rows. The number of components is doubled while this gains; then the
same number and twice as many are tried in turn, with bootstrap samples and other random numbers, since a single failure
may be due to chance. Each kind has a turn; then the one whose last candidate made the validation rows more probable
than before, under the best weights, by the largest amount has the next, and the others have theirs from time to time.
In the end the candidates are weighted, or the best network is taken by itself (`mixture.pool`).

A turn lasts `TURN_SECONDS` times the square root of the time limit, so a longer run has longer turns and more of them.
A turn that is too short for components, by the time in which networks grew, is used for a search from the best network.
With a number of iterations, which are those of the searches, a turn of any kind has a fixed share of them: then the
result does not depend on the machine's speed. Candidates are the state of a run: a checkpoint contains their structures
and tables.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..common.errors import DataError, UsageError
from ..common.files.fingerprint import without_effect
from ..common.graphs.chordal import maximal_cliques
from ..common.graphs.graph import Graph
from ..common.models.bayesnet import BayesianNetwork
from ..common.models.mixture import Mixture, component_networks
from ..common.models.model_fit import parents_of_chordal
from ..common.scores.scorer import SetScorer
from ..common.scores.scoring import CACHE_MB
from .em import MixtureFit, NetworkFit, empirical_of, fit_on_all_rows
from .pool import (
    EMPIRICAL,
    SIZES,
    USUAL_ESS,
    Candidate,
    MixtureChoice,
    choice,
    forget_least,
    pool_value,
    row_folds,
)
from .rows import rows_of
from .state import MIXED, restored, state_of_candidates
from .structural_em import MixtureLearner, MixturePlan, StructureLearner

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.run.monitor import Monitor
    from ..common.run.position import Paused

LOG = logging.getLogger("cliquewise")
FIRST_GROWN_SIZES = (10.0, 100.0)  # sizes of the first networks that are grown
SPARSE_CLIQUES = (2, 1)  # largest cliques of sparse networks
FIRST_FIT_SIZE = 10.0  # size that is tried first for tables
GROWTH_SHARES = (0.2, 0.1)  # largest share of the time for those of the first sizes, and for all that are grown
SLICE_SHARE = 0.3  # of the time, or of the iterations, for the first search
MAX_TURNS = 5.0  # that this share lasts, if the time is long
OVERRUN = 0.4  # of a search's time: to finish a step
TURN_SECONDS = 0.4  # length of a turn: times the square root of the seconds
TURN_SHARE = 0.05  # of the iterations, for a turn
MIN_TURN_FACTOR = 3.0  # of components: times the longest time in which a network of all rows grew
MAX_WAIT = 4  # turns that a kind waits at most
MAX_CELLS = 10_000_000  # states in the rows of the empirical distribution
MAX_TABLE_STATES = 1_000_000  # joint states of a component's clique; it is of variables with the mean number of states
PATIENCE = 12  # turns without a gain of `MIN_GAIN`, relative to the value, after which the search ends
MIN_GAIN = 1e-6
KINDS = (*MIXED, "search")


@dataclass(frozen=True)
class MixtureConfig:
    """The settings of a run.

    Attributes
    ----------
    networks
        Largest number of networks in the result.
    max_clique
        Largest clique allowed.
    empirical
        Whether the empirical distribution is a candidate.
    seed
    shard
        Number of this run of several, from 1, each of which has random numbers of its own.
    cache_mb
        Memory limit of the score cache.
    """

    networks: int = 100
    max_clique: int | None = None
    empirical: bool = True
    seed: int = 1
    shard: int = 1
    cache_mb: int = without_effect(CACHE_MB)


@dataclass
class Scheduler:
    """Chooses the kind of the next candidate, and records the results of each kind.

    Attributes
    ----------
    gains : dict of str to float
        Gain of the last candidate of each kind, or an estimate of it; infinite before the first.
    waited : dict of str to int
        Turns since its last one.
    """

    gains: dict = field(default_factory=lambda: dict.fromkeys(KINDS, math.inf))
    waited: dict = field(default_factory=lambda: dict.fromkeys(KINDS, 0))

    def next(self) -> str:
        """The kind that has the next turn."""
        have_waited_long = max(self.waited.values()) > MAX_WAIT
        return max(KINDS, key=lambda kind: (self.waited if have_waited_long else self.gains)[kind])

    def record_turn(self, kind: str, gain: float) -> None:
        """A turn is over; mixtures of a kind not yet tried may gain as much as those of the other."""
        self.gains[kind] = gain
        self.gains |= {one: gain for one in MIXED if kind in MIXED and self.gains[one] == math.inf}
        self.waited = {one: 0 if one == kind else time + 1 for one, time in self.waited.items()}


class MixtureSearch:
    """A search for candidates.

    Parameters
    ----------
    data
        To learn from; with counts.
    valid
        Validation rows: the same variables and states, with counts.
    config
    monitor
    capacity
        Bytes for the networks of all candidates.
    """

    def __init__(
        self, data: Dataset, valid: Dataset, config: MixtureConfig, monitor: Monitor, capacity: float = math.inf
    ) -> None:
        self.data, self.valid, self.config, self.monitor, self.capacity = data, valid, config, monitor, capacity
        self.rows, self.folds = rows_of(data, valid.codes, config.seed), row_folds(valid)
        self.structure_learner = StructureLearner(monitor, (config.seed, config.shard), config.cache_mb)
        self.mixture_learner = MixtureLearner(self.rows, self.validation_score, self.structure_learner)
        self.candidates: list[Candidate] = []
        self.value = -math.inf
        self.scheduler = Scheduler()
        self.turns_without_gain = 0
        self.max_clique = config.max_clique if self.rows.em_rounds == 0 else self._largest_clique()
        self.last_scorer: tuple[float, SetScorer] | None = None  # size and scores of the last candidate
        self.longest_growth = 0.0  # seconds in which a network of all rows grew

    def validation_score(self, logs: np.ndarray) -> float:
        """The mean of log probabilities, float64[rows], over the validation rows."""
        return float(np.average(logs[self.rows.valid], weights=self.valid.weights))

    def add(self, model: BayesianNetwork | Mixture, path: str) -> None:
        """Make a candidate of a model read from a file: a mixture or a network of these variables and states."""
        networks = component_networks(model)
        if (networks[0].names, networks[0].states) != (self.data.names, self.data.states):
            raise DataError(f"its variables or states are not those of {self.data.source}, in the same order", path)
        families = [own_parents for one in networks if isinstance(one, BayesianNetwork) for own_parents in one.parents]
        largest = 1 + max(map(len, families))
        most = self.config.max_clique
        if most is not None and largest > most:
            raise UsageError(f"--from {path}: a clique of {largest} variables; raise --max-clique {most}")
        networks_fit = [NetworkFit((), (), one.log_likelihood(self.rows.codes), model=one) for one in networks]
        shares = model.weights if isinstance(model, Mixture) else np.ones(1)
        found = self._candidate("file", {}, MixtureFit(tuple(networks_fit), shares))
        if np.isneginf(found.logs).any():
            raise DataError(f"rows of {self.valid.source} have probability zero", path)
        self._add_candidate(found)

    def run(self) -> MixtureChoice:
        """Make candidates until a limit; the choice."""
        self.structure_learner.warm_up(self.rows.table, self.max_clique)
        self.monitor.start()
        if self.monitor.saved is not None:
            read = [*self.candidates]
            for one in restored(self.monitor.saved, self.rows, read, self._candidate, self._empirical):
                self._add_candidate(one)
        while not self._of_kind("grown") or (self._should_continue() and self.turns_without_gain < PATIENCE):
            self.monitor.keep(partial(state_of_candidates, self.candidates))
            found = self._next()()
            if found is not None:
                self._add_candidate(found)
        if self._should_continue():
            self.monitor.keep(partial(state_of_candidates, self.candidates))
        return choice(self.candidates, self.folds, self.config.networks)

    def _next(self) -> Callable[[], Candidate | None]:
        """The function that makes the next candidate: of the first phase that is not finished."""
        return self._next_grown() or self._next_once() or self._next_turn()

    def _next_grown(self) -> Callable[[], Candidate] | None:
        """Networks that grow, before the first search."""
        size = None if self._of_kind("search") else self._next_size()
        return None if size is None else partial(self._grown, size)

    def _next_once(self) -> Callable[[], Candidate] | None:
        """The candidates made once: the first search, the empirical distribution, and sparse networks."""
        if not self._of_kind("search"):
            usual = next(one for one in self._of_kind("grown") if one.settings["ess"] == USUAL_ESS)
            return partial(self._continued, usual, self._turn(SLICE_SHARE))
        may_keep = self.config.empirical and self.rows.em_rounds == 0 and self.data.codes.size <= MAX_CELLS
        if may_keep and not self._of_kind(EMPIRICAL):
            return self._empirical
        sparse = len(self._of_kind("sparse"))
        return partial(self._sparse, SPARSE_CLIQUES[sparse]) if sparse < len(SPARSE_CLIQUES) else None

    def _next_turn(self) -> Callable[[], Candidate | None]:
        """Mixtures and searches take turns; no mixture if there is too little time for components."""
        left = self.monitor.clock.seconds_left
        if left is not None and left < MIN_TURN_FACTOR * self.longest_growth:
            return partial(self._from_best, {"seconds": left})
        kind = self.scheduler.next()
        return self._searched_again if kind == "search" else partial(self._mixture_candidate, kind)

    def _next_size(self) -> float | None:
        """The size of the next network that is grown: in the end those next to the best; None if there is no time."""
        grown = self._of_kind("grown")
        tried = [one.settings["ess"] for one in grown]
        order = [size for size in FIRST_GROWN_SIZES if size not in tried]
        share = GROWTH_SHARES[0] if order else GROWTH_SHARES[1]
        seconds = self.monitor.limits.time_limit or math.inf
        if grown and self.monitor.clock.seconds + self.longest_growth > share * seconds:
            return None
        place = SIZES.index(self._best_network().settings["ess"]) if grown else 0
        order += sorted((size for size in SIZES if size not in tried), key=lambda size: abs(SIZES.index(size) - place))
        return order[0] if order else None

    def _should_continue(self) -> bool:
        return self.monitor.should_continue() and self.monitor.iterations_left != 0

    def _turn(self, share: float | None = None) -> dict:
        """The limits of a turn, or of a share of the run: for `Monitor.part`."""
        limits = self.monitor.limits
        if limits.iterations is not None:
            return {"iterations": max(1, int((share or TURN_SHARE) * limits.iterations))}
        seconds = limits.time_limit or math.inf
        turn = TURN_SECONDS * math.sqrt(seconds)
        return {"seconds": turn if share is None else min(share * seconds, MAX_TURNS * turn)}

    def _add_candidate(self, found: Candidate) -> None:
        """Add a candidate; one of an earlier part of the run gains what it gained then, and makes none forgotten."""
        self.candidates.append(found)
        for one in sorted(self._of_kind("search"), key=lambda one: -one.value)[1:]:
            one.paused = None  # only the best continues
        if found.pool is None:
            forget_least(self.candidates, self.valid.weights, self.capacity)
            found.pool = pool_value(self.candidates, self.valid.weights)
        before, self.value = self.value, found.pool
        if found.kind in KINDS and self._of_kind("search"):
            self.scheduler.record_turn(found.kind, self.value - before)
            self.turns_without_gain = (
                0 if self.value - before > MIN_GAIN * abs(self.value) else self.turns_without_gain + 1
            )
        LOG.info(
            "%.0f s: %s: %.4f per row; mixture of all: %.4f", self.monitor.clock.seconds, found, found.value, self.value
        )

    def _best_network(self) -> Candidate:
        """The best single network of all rows."""
        single = [one for one in self.candidates if one.kind in ("grown", "search")]
        return max(single, key=lambda one: one.value)

    def _of_kind(self, kind: str) -> list[Candidate]:
        return [one for one in self.candidates if one.kind == kind]

    def _network_candidate(self, kind: str, graph: Graph, ess: float, sample: int | None = None) -> Candidate:
        """A candidate with one network, fitted to all rows with the size that is best for its tables.

        Sizes are tried from that of the network before, in the direction that gains.
        """
        parents = parents_of_chordal(graph)
        before = [one.settings["fit-ess"] for one in self.candidates if one.kind in ("grown", "search")]
        place = SIZES.index(before[-1] if before else FIRST_FIT_SIZE)

        def fit(size: float) -> Candidate:
            settings = {"ess": ess, "fit-ess": size, "sample": sample}
            network = fit_on_all_rows(self.rows, parents, size, self.rows.em_rounds)
            return self._candidate(kind, settings, MixtureFit((network,), np.ones(1)))

        best = fit(SIZES[place])
        for sizes in (SIZES[place + 1 :], SIZES[:place][::-1]):
            for size in sizes:
                new = fit(size)
                if new.value <= best.value:
                    break
                best = new
        return best

    def _candidate(self, kind: str, settings: dict, fit: MixtureFit) -> Candidate:
        logs = fit.logs
        return Candidate(kind, settings, fit, logs[self.rows.valid], self.validation_score(logs))

    def _grown(self, ess: float) -> Candidate:
        before = self.monitor.clock.seconds
        scorer = self._scorer(ess) if ess == USUAL_ESS else self._new_scorer(ess)
        graph = self.structure_learner.grow(scorer, self.max_clique)
        found = self._network_candidate("grown", graph, ess)
        self.longest_growth = max(self.longest_growth, self.monitor.clock.seconds - before)
        return found

    def _empirical(self) -> Candidate:
        """The empirical distribution of the training rows."""
        return self._candidate(EMPIRICAL, {}, MixtureFit((empirical_of(self.rows),), np.ones(1)))

    def _sparse(self, bound: int) -> Candidate:
        """A network of all rows whose cliques are small."""
        return self._network_candidate("sparse", self.structure_learner.grow(self._scorer(USUAL_ESS), bound), USUAL_ESS)

    def _from_best(self, limits: dict) -> Candidate:
        """A search that continues from the best single network."""
        return self._continued(self._best_network(), limits)

    def _continued(self, one: Candidate, limits: dict) -> Candidate:
        """A candidate by the search that found this one, continued, or by a new search from its network."""
        paused, one.paused = one.paused, None
        return self._search(one.settings["ess"], limits, self._graph_of(one), paused=paused)

    def _search(
        self, ess: float, limits: dict, init: Graph | None, sample: int | None = None, paused: Paused | None = None
    ) -> Candidate:
        """A candidate from a separate search."""
        if sample is None:
            data, scorer = self.rows.table, self._scorer(ess)
        else:
            data = self.rows.sample(self._sample(sample))
            scorer = None
            self.last_scorer = None
        number = len(self._of_kind("search"))
        with self.monitor.part(**limits, paused=paused, overrun=OVERRUN) as part:
            graph = self.structure_learner.search(data, ess, self.max_clique, part, init, number, scorer)
        before = 0 if paused is None else paused.position.iterations
        self.monitor.advance(max(part.iterations - before, limits.get("iterations", 1)))
        found = self._network_candidate("search", graph, ess, sample)
        found.paused = part.paused if sample is None else None
        return found

    def _scorer(self, ess: float) -> SetScorer:
        """The scores of all rows; those that the last candidate needed are known, if it had this size and all rows."""
        if self.last_scorer is None or self.last_scorer[0] != ess:
            self.last_scorer = None  # frees memory before more is used
            self.last_scorer = ess, self._new_scorer(ess)
        return self.last_scorer[1]

    def _new_scorer(self, ess: float) -> SetScorer:
        return self.structure_learner.scorer(self.rows.table, ess, self.monitor.threads)

    def _sample(self, number: int) -> np.ndarray:
        """How often a bootstrap sample has each single row: int64[k]."""
        return self.rows.bootstrap(np.random.default_rng((self.config.seed, self.config.shard, number, 1)))

    def _searched_again(self) -> Candidate:
        """Of every three searches one continues from the best network, one has the next size, and one has a sample."""
        number = len(self._of_kind("search"))
        ess = self._best_network().settings["ess"]
        place = SIZES.index(ess)
        if number % 3 == 1:
            return self._from_best(self._turn())
        if number % 3 == 0:
            return self._search(ess, self._turn(), None, number)
        tried = [one.settings["ess"] for one in self._of_kind("search")]
        near = [size for size in (SIZES[max(0, place - 1)], *SIZES[place + 1 : place + 2]) if size not in tried]
        return self._search(near[0] if near else ess, self._turn(), None, None if near else number)

    def _graph_of(self, one: Candidate) -> Graph:
        families = [(v, *own_parents) for v, own_parents in enumerate(one.fit.networks[0].parents)]
        return Graph.from_cliques(self.data.n, families)

    def _mixture_candidate(self, kind: str) -> Candidate | None:
        """A candidate of several components."""
        self.last_scorer = None
        single = self._best_network()
        wanted, ess, sample = self._untried(kind, single.settings["ess"])
        base = self._graph_of(single) if kind == "extended" else None
        plan = MixturePlan(wanted, ess, single.settings["fit-ess"], self._largest_clique(base), base)
        row_counts = self.rows.single.counts if sample is None else self._sample(sample)
        rng = np.random.default_rng((self.config.seed, self.config.shard, len(self.candidates), 2))
        limits = self._turn()
        with self.monitor.part(**limits) as part:
            part.start()
            made = self.mixture_learner.learn(plan, row_counts, rng, part)
        if made is None:  # the turn was too short
            self.scheduler.record_turn(kind, 0.0)
            self.turns_without_gain += 1
            return None
        self.monitor.advance(limits.get("iterations", 1))
        fit, weight = made
        settings = {
            "wanted": wanted,
            "parts": len(fit.networks),
            "ess": ess,
            "weight": weight,
            "sample": sample,
        }
        return self._candidate(kind, settings, fit)

    def _largest_clique(self, base: Graph | None = None) -> int:
        """The bound on the cliques of components, for feasible queries; at least that of `base`."""
        feasible = int(math.log(MAX_TABLE_STATES) / max(math.log(2.0), np.log(self.data.arity).mean()))
        bound = min(max(2, feasible), self.config.max_clique or self.data.n)
        return bound if base is None else max(bound, *map(len, maximal_cliques(base)))

    def _untried(self, kind: str, ess: float) -> tuple[int, float, int | None]:
        """The number of components, the size and the sample of the next mixture.

        From the best one so far: twice as many components, or the next size. When these were tried, a sample: in every
        second turn with twice as many, which may have failed by chance.
        """
        before = self._of_kind(kind)
        if not before:
            return 2, ess, None
        best = max(before, key=lambda one: one.value).settings
        wanted, place = best["wanted"], SIZES.index(best["ess"])
        near = [
            *([(2 * wanted, best["ess"])] if 2 * wanted <= self.config.networks else []),
            *((wanted, size) for size in (*SIZES[place - 1 : place], *SIZES[place + 1 : place + 2])),
        ]
        tried = [(one.settings["wanted"], one.settings["ess"]) for one in before]
        new = next((one for one in near if one not in tried), None)
        if new is not None:
            return *new, None
        doubled = 2 * wanted if 2 * wanted <= self.config.networks and len(before) % 2 == 1 else wanted
        return doubled, best["ess"], 1000 + len(self.candidates)
