"""A mixture of networks whose structures are learned too: structural EM (Friedman 1998) with soft clusters of the rows.

It begins with latent classes (`mixture.latent_classes`). A round learns a network for each component, and then fits all
tables, shares and responsibilities by some rounds of EM (`mixture.em`). For the structures a component has whole rows,
drawn by the responsibilities (stochastic EM, Celeux and Diebolt 1985). A component's network grows by the best edges
(`common.scores.greedy`), from that of all rows, whose edges it keeps, or from its own best forest; its equivalent
sample size is the component's share of that of all rows, as a part of the prior's rows belongs to it. The prior of a
component's tables is the network's own table of all rows; its weight is one of several, by the validation rows. At
last, components that agree are joined: the two that are hardest to distinguish, as long as the validation rows are as
probable as before.

Cost of a round: growing the networks, and `EM_ROUNDS` of EM.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..common.counted import counted
from ..common.graphs.chordal import bit_rows, graph_of
from ..common.graphs.graph import Graph
from ..common.models.model_fit import parents_of_chordal
from ..common.scores.greedy import grow_by_edges
from ..common.scores.growth import compile_grown, grown
from ..common.scores.scorer import SetScorer
from ..common.scores.scoring import CACHE_MB, Scoring
from ..common.scores.spanning import compile_pair_gains, maximum_spanning_forest, pair_gains
from ..common.scores.tiny_source import tiny_source
from ..lsmarkov.config import Config
from ..lsmarkov.learn import learn, warm_up
from .em import MixtureEM, MixtureFit
from .latent_classes import latent_classes
from .rows import TrainValidRows

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.run.monitor import Monitor

STRUCTURES = 5  # rounds of structures
EM_ROUNDS = 6  # of EM in each of them
WEIGHTS = (1.0, 3.0, 10.0, 30.0, 100.0)  # of the prior, in rows for each state of the parents
FIRST_WEIGHT = 10.0
MIN_ROWS = 2  # rows of a component
MIN_ESS = 0.1


@dataclass(frozen=True)
class MixturePlan:
    """The kind of mixture that is learned.

    Attributes
    ----------
    components
        How many.
    ess
        Equivalent sample size of the networks, if they had all rows.
    fit_ess
        That of the tables of all rows.
    max_clique
        Largest clique allowed.
    base : Graph or None
        Whose edges all networks have.
    weight
        Of the prior. None: the best of `WEIGHTS`, and components that agree are joined.
    """

    components: int
    ess: float
    fit_ess: float
    max_clique: int | None = None
    base: Graph | None = None
    weight: float | None = None


class StructureLearner:
    """Learns the structures of networks.

    Parameters
    ----------
    monitor
    seed : tuple of int
        Of searches.
    cache_mb
        Memory limit of the score cache.
    """

    def __init__(self, monitor: Monitor, seed: tuple[int, ...], cache_mb: int = CACHE_MB) -> None:
        self.monitor, self.seed, self.cache_mb = monitor, seed, cache_mb

    def scorer(self, data: Dataset, ess: float, threads: int = 1) -> SetScorer:
        """The scores of some rows, none of which is computed yet."""
        return SetScorer(data, Scoring(ess=ess), self.cache_mb, threads)

    def grow(self, scorer: SetScorer, max_clique: int | None, base: Graph | None = None) -> Graph:
        """The network that grows from the best forest (`common.scores.growth`), or from `base` by further edges."""
        parallel_map = map if len(scorer.scratch) == 1 else self.monitor.map
        should_continue, bound = self.monitor.should_continue, max_clique or scorer.n
        forest = maximum_spanning_forest(pair_gains(scorer, parallel_map, should_continue))
        if bound < 2:
            return Graph(scorer.n, ())
        if base is None:
            return graph_of(grown(scorer, bit_rows(forest), bound, should_continue))
        return graph_of(grow_by_edges(scorer, bit_rows(base), forest.edges, bound, should_continue, only_add=True).rows)

    def search(
        self,
        data: Dataset,
        ess: float,
        max_clique: int | None,
        monitor: Monitor,
        init: Graph | None,
        run: int,
        scorer: SetScorer | None = None,
    ) -> Graph:
        """The network that `lsmarkov` finds within the limits of a monitor.

        Parameters
        ----------
        run
            Numbers its random numbers. The first has the seed itself: it finds what `lsmarkov` finds.
        scorer
            As for `lsmarkov.learn`.
        """
        seed = self.seed[0] if run == 0 else int(np.random.default_rng((*self.seed, run)).integers(2**62))
        config = Config(max_clique=max_clique, init=init, seed=seed, cache_mb=self.cache_mb)
        found = learn(data, Scoring(ess=ess), config, monitor, scorer).graph
        return Graph(found.n, found.edges)

    def warm_up(self, data: Dataset, max_clique: int | None) -> None:
        """Compile the kernels of later calls, before the clock of the run starts."""
        scorer = SetScorer(tiny_source(data))
        self.monitor.compile(partial(compile_pair_gains, scorer), partial(compile_grown, scorer))
        warm_up(data, Scoring(), Config(max_clique=max_clique), self.monitor)


class MixtureLearner:
    """Learns mixtures.

    Parameters
    ----------
    rows
        To learn from, with counts, and validation rows.
    validation_score
        The value of log probabilities, float64[rows]: the mean over the validation rows.
    structure_learner
    """

    def __init__(
        self,
        rows: TrainValidRows,
        validation_score: Callable[[np.ndarray], float],
        structure_learner: StructureLearner,
    ) -> None:
        self.data, self.rows, self.validation_score = rows.data, rows, validation_score
        self.structure_learner = structure_learner

    def learn(
        self, plan: MixturePlan, row_counts: np.ndarray, rng: np.random.Generator, monitor: Monitor
    ) -> tuple[MixtureFit, float] | None:
        """Learn a mixture.

        Parameters
        ----------
        row_counts : int64[k]
            The sample from which structures are learned: how often it has each single row.
        monitor
            Its time is for the whole.

        Returns
        -------
        (MixtureFit, float) or None
            With the weight of the prior. None if the time was too short.
        """
        place = self.rows.single.place
        counts = self.rows.single.stored_counts(row_counts, self.data.n_stored)
        present = np.flatnonzero(counts)
        codes = np.asfortranarray(self.data.codes[present])
        sample = replace(self.data, codes=codes, counts=counts[present], rows=None)
        responsibilities = np.full((plan.components, self.data.n_stored), 1 / plan.components)
        responsibilities[:, present] = latent_classes(sample, plan.components, rng)
        weight = plan.weight or FIRST_WEIGHT
        found: MixtureFit | None = None
        for done in range(STRUCTURES):
            self.structure_learner.monitor.reporter.progress(
                f"mixture of {counted(plan.components, 'component')}, round {done + 1}"
            )
            drawn = _with_enough_rows(rng.multinomial(row_counts, responsibilities.T[place]).T, row_counts, rng)
            graphs = self._grown(plan, [self.rows.sample(one) for one in drawn], monitor)
            if not self.structure_learner.monitor.should_continue():
                break
            em = MixtureEM(self.rows, list(map(parents_of_chordal, graphs)), weight, plan.fit_ess, monitor.map)
            fit = em.run(responsibilities, EM_ROUNDS, monitor.should_continue)
            responsibilities = fit.responsibilities(self.rows)
            if found is None or self.validation_score(fit.logs) > self.validation_score(found.logs):
                found = fit
            if not monitor.should_continue():
                break
        if found is None:
            return None
        if plan.weight is None:
            structures = [network.parents for network in found.networks]
            weight, found = self._best_weight(plan, found, structures, weight, monitor)
            found = self._joined(plan, found, weight, monitor)
        return found, weight

    def _grown(self, plan: MixturePlan, data: list[Dataset], monitor: Monitor) -> list[Graph]:
        """The networks of all components, grown."""

        def grown(sample: Dataset) -> Graph:
            scorer = self.structure_learner.scorer(sample, self._ess(plan, sample))
            return self.structure_learner.grow(scorer, plan.max_clique, plan.base)

        return list(monitor.map(grown, data))

    def _ess(self, plan: MixturePlan, sample: Dataset) -> float:
        return max(MIN_ESS, plan.ess * sample.total / self.data.total)

    def _best_weight(
        self, plan: MixturePlan, found: MixtureFit, structures: list, first: float, monitor: Monitor
    ) -> tuple[float, MixtureFit]:
        """The best weight of the prior, from the first in the direction that gains, and the mixture with it."""
        best = (first, found)
        value = self.validation_score(found.logs)
        responsibilities = found.responsibilities(self.rows)
        place = WEIGHTS.index(first)
        for direction in (WEIGHTS[place + 1 :], WEIGHTS[:place][::-1]):
            for weight in direction:
                if not monitor.should_continue():
                    return best
                em = MixtureEM(self.rows, structures, weight, plan.fit_ess, monitor.map)
                fit = em.run(responsibilities, EM_ROUNDS, self.structure_learner.monitor.should_continue)
                if (new := self.validation_score(fit.logs)) <= value:
                    break
                best, value = (weight, fit), new
            if best[0] != first:
                break
        return best

    def _joined(self, plan: MixturePlan, found: MixtureFit, weight: float, monitor: Monitor) -> MixtureFit:
        """The mixture with components joined, while this loses nothing."""
        while len(found.networks) > 1 and monitor.should_continue():
            responsibilities = found.responsibilities(self.rows)
            weights = responsibilities * self.rows.row_counts
            overlap = np.triu(weights @ responsibilities.T, 1)  # rows that two components share, of the smaller one's
            sizes = weights.sum(axis=1)
            overlap /= np.maximum(np.minimum.outer(sizes, sizes), 1e-9)
            k, j = (int(i) for i in np.unravel_index(overlap.argmax(), overlap.shape))
            kept, removed = (k, j) if sizes[k] >= sizes[j] else (j, k)
            responsibilities[kept] += responsibilities[removed]
            left = [i for i in range(len(sizes)) if i != removed]
            structures = [found.networks[i].parents for i in left]
            em = MixtureEM(self.rows, structures, weight, plan.fit_ess, monitor.map)
            fewer = em.run(responsibilities[left], EM_ROUNDS, self.structure_learner.monitor.should_continue)
            if self.validation_score(fewer.logs) < self.validation_score(found.logs):
                break
            found = fewer
        return found


def _with_enough_rows(drawn: np.ndarray, row_counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The rows drawn for each component; if fewer than `MIN_ROWS`, a random sample of all rows instead."""
    for component in np.flatnonzero(drawn.sum(axis=1) < MIN_ROWS):
        some = rng.binomial(row_counts, 1 / len(drawn))
        drawn[component] = some if some.sum() >= MIN_ROWS else row_counts
    return drawn
