"""The posterior over chordal networks from data with missing cells, by data augmentation (Tanner and Wong 1987).

The chains sample networks and missing cells together: p(G, cells | observed cells) is proportional to exp(score of G
on the completed rows), with the prior of the edges. Two steps alternate:

* A chain makes some rounds of moves on its completed rows (`mnposterior.chains_kernels`).
* Parameters are drawn from their posterior given its network and these rows, and from them all missing cells, each row
  at once given its observed cells (`common.inference`).

The parameters of a family are independent, with Dirichlet distributions of its counts and BDeu's a/q; hyper-Markov
(Dawid and Lauritzen 1993), so any perfect order gives the same. Both steps leave the posterior invariant, so the
networks are draws from the posterior given the observed cells. Cells must be missing at random.

A ladder has only one temperature: a hot chain would draw cells from another distribution, and exchanges would pass them
to the chain at temperature 1. The draws of cells themselves move the chain between networks. Each ladder has its own
completed rows and scores. Every other one starts with cells drawn by a greedily found network
(`common.inference.completions`) and at the best forest, the others with independent cells and no edges.

Cost of both steps: `MOVES_PER_IMPUTATION` moves with new scores, and a junction tree over the missing cells.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..common.chains.moves_kernels import move_scratch
from ..common.data.dataset import Dataset
from ..common.data.merging import merged
from ..common.data.weights import single_rows
from ..common.graphs.chordal import bit_rows, chordal_score, graph_of
from ..common.graphs.start_network import init_network
from ..common.inference.completions import CompletionPlan, complete
from ..common.inference.em import available_fit
from ..common.models.bayesnet import BayesianNetwork
from ..common.models.model_fit import fit, parents_of_chordal
from ..common.scores.scorer import SetScorer
from ..common.scores.spanning import compile_pair_gains, forest_around, pair_gains
from .batch_means import BatchMeans, effective_edges, effective_scores
from .chains import ChainSampling, check_size
from .ladders import Ladders
from .summary import summary

if TYPE_CHECKING:
    from ..common.data.incomplete import IncompleteData
    from ..common.models.model_fit import FittedNetwork
    from ..common.run.monitor import Monitor
    from ..common.run.result import Posterior
    from ..common.scores.score_cache_kernels import ScoreScratch, SetScores
    from ..common.scores.scoring import Scoring
    from .config import PosteriorConfig

MOVES_PER_IMPUTATION = 40_000  # of a chain between two draws of its missing cells, which take about as long
_STREAM = 5  # of random numbers


def sample_incomplete(data: IncompleteData, scoring: Scoring, config: PosteriorConfig, monitor: Monitor) -> Posterior:
    """Sample the posterior over chordal networks, and the missing cells.

    Parameters
    ----------
    data
        Of at least 2 variables.
    scoring
        BDeu.
    monitor
        As for `mnposterior.chains.sample_by_chains`.

    Returns
    -------
    Posterior
        With the completed rows of its witnesses.

    Raises
    ------
    LimitError
        Too many variables; junction trees or tables that are too large.
    UsageError
        A start network that does not fit.
    """
    check_size(data.n)
    chains = CompletingChains(data, scoring, config, monitor)
    chains.compile_all(monitor)
    monitor.start()
    chains.start(None if config.init is None else init_network(config, data.n, chains.max_clique))
    ChainSampling(chains, monitor).sample()
    return replace(summary(chains, config, data.names, monitor, chains.effective), completed=tuple(chains.completed))


class CompletingChains(Ladders):
    """Ladders of one chain each, which draw the missing cells of their own rows.

    Parameters
    ----------
    data, scoring, config, monitor
        As for `sample_incomplete`.

    Attributes
    ----------
    completed : list of Dataset, one per chain
    """

    has_fixed_scores = False

    def __init__(self, data: IncompleteData, scoring: Scoring, config: PosteriorConfig, monitor: Monitor) -> None:
        self._data, self._scoring, self._allowed = data, scoring, config.allowed
        self._cache_mb = max(1, config.cache_mb // config.ladders)
        self._rngs = [np.random.default_rng([config.seed, _STREAM, k]) for k in range(config.ladders)]
        self.completed = [self._first_rows(config.seed, k) for k in range(config.ladders)]
        self._scorers = [self._scorer(rows) for rows in self.completed]
        max_clique = min(config.max_clique or data.n, data.n)
        super().__init__(self._scorers[0], config, max_clique, monitor)
        self._work = [move_scratch(data.n, self.scorer.words) for _ in range(min(config.ladders, monitor.threads))]
        self._allocate(np.ones(1), config.ladders)
        self._rounds = max(1, MOVES_PER_IMPUTATION // int(self._rules.moves.sum()))
        self._batches = [BatchMeans(draws, self._rounds) for draws in self.draws]

    def compile_all(self, monitor: Monitor) -> None:
        """Compile the kernels of these chains, before the clock of the monitor starts."""
        monitor.compile(partial(compile_pair_gains, self.scorer), self.scorer.compile, self.compile_kernels)

    def _first_rows(self, seed: int, k: int) -> Dataset:
        """The rows with which a chain begins."""
        if k % 2 == 0:
            return self._rows(complete(self._data, CompletionPlan(1, seed + k)).drawn)
        return self._drawn_by(available_fit(self._data, ((),) * self._data.n, 1.0).tables(), k)

    def _rows(self, codes: np.ndarray) -> Dataset:
        data = self._data
        units = None if data.rows is None else data.rows.units
        return merged(Dataset(data.names, data.states, codes, data.source, None, data.denominator), units)

    def _drawn_by(self, network: BayesianNetwork, k: int) -> Dataset:
        """The rows with missing cells drawn by a network, for a chain."""
        single = single_rows(self._data)
        codes = self._data.codes[single.place]
        return self._rows(network.draw_rows(codes, self._rngs[k], single.counts)[1])

    def _scorer(self, rows: Dataset) -> SetScorer:
        return SetScorer(rows, self._scoring, self._cache_mb, allowed=self._allowed)

    def _scores_of(self, ladder: int, _thread: int) -> tuple[SetScores, ScoreScratch]:
        return self._scorers[ladder].scores, self._scorers[ladder].scratch[0]

    def start(self, init: np.ndarray | None) -> None:
        """Put the chains at their first networks.

        Parameters
        ----------
        init : uint64[n, words] or None
            Of all chains.
        """
        empty = np.zeros((self.scorer.n, self.scorer.words), np.uint64)
        for k, (ladder, scorer) in enumerate(zip(self._ladders, self._scorers, strict=True)):
            forest = init is None and k % 2 == 0 and self.max_clique > 1
            network = bit_rows(forest_around(None, pair_gains(scorer))) if forest else empty
            self._put(ladder, network if init is None else init, scorer)

    def run_slice(self) -> bool:
        """Some rounds of every chain, then new draws of its missing cells; returns whether the run may continue."""
        should_continue = super().run_slice()
        for batches, (score, _) in zip(self._batches, self.current(), strict=True):
            batches.add(score)
        list(self.monitor.map(self._complete, range(len(self._ladders))))
        return should_continue

    def adapt(self, is_last: bool) -> None:
        """Adapt the proposals to the draws so far, and discard the draws and their batches."""
        super().adapt(is_last)
        for batches in self._batches:
            batches.reset()

    def effective(self, first: int, seen: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, float]:
        """Effective sample sizes of edges and of the score, from the means of batches."""
        return effective_edges(self._batches, first, seen, shares), effective_scores(self._batches, first)

    def _complete(self, k: int) -> None:
        """Draw the parameters and the missing cells of a chain, and score its network by the new rows."""
        ladder = self._ladders[k]
        network = graph_of(self.current_graphs()[k])
        fitted = fit(self.completed[k], parents_of_chordal(network), self._scoring.ess)
        self.completed[k] = self._drawn_by(drawn_parameters(fitted, self._rngs[k]), k)
        self._scorers[k] = self._scorer(self.completed[k])
        ladder.values[:] = chordal_score(network, self._scorers[k].score)


def drawn_parameters(fitted: FittedNetwork, rng: np.random.Generator) -> BayesianNetwork:
    """A network with parameters drawn from their posterior.

    Parameters
    ----------
    fitted
        Without `prior`; its ess a > 0. Given a state of the parents, probabilities have the Dirichlet distribution of
        counts + a / (size of the table).

    Raises
    ------
    LimitError
        Tables that are too large.
    """
    fitted.check_tables()
    tables = []
    for v in range(fitted.n):
        counts = fitted.count_table(v)
        weights = counts + fitted.ess / counts.size
        # Gamma(w) = Gamma(w + 1) U^(1/w); in logarithms, since small weights underflow
        logs = np.log(rng.standard_gamma(weights + 1.0)) + np.log1p(-rng.random(weights.shape)) / weights
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        tables.append(shares / shares.sum(axis=1, keepdims=True))
    return BayesianNetwork(fitted.names, fitted.states, fitted.parents, tuple(tables))
