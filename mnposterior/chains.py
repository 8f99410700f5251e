"""The posterior distribution over chordal networks: probabilities of edges, and convergence diagnostics.

p(G | data) is proportional to exp(score of G) * (p / (1 - p)) ^ edges over the chordal graphs with cliques of at most
the bound, where p is the edge prior; 1/2 makes the prior uniform. It is sampled by independent ladders of tempered
chains (`mnposterior.ladders`) with different starts (`mnposterior.starts`).

*Adaptation.* In the first part of the run, at most the share `ADAPTATION_SHARE`, the ladders are adapted to the draws
so far, each time its length has doubled and at the end. Draws before the last adaptation are discarded.

*Burn-in.* Of the remaining draws, the initial blocks of time are dropped, at most half, so that the effective sample
size of the score is largest (Chodera 2016).

Probabilities are means over all remaining rounds; effective samples and R-hat (`common.chains.diagnostics`) are those
of the thinned draws, so they are lower bounds on the information in the chains. The standard error of an edge is that
of a mean of this many independent draws.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..common.chains.diagnostics import (
    MIN_DRAWS,
    effective_samples,
    halves,
    plain_effective_samples,
    plain_r_hat,
    r_hat,
)
from ..common.errors import DataError, LimitError
from ..common.graphs.chordal import chordal_score, graph_of
from ..common.graphs.graph import Graph
from ..common.graphs.start_network import init_network
from ..common.run.result import COMPLETE, Posterior
from ..common.run.state_record import StateRecord, ValueField, natural
from ..common.scores.greedy import compile_growth
from ..common.scores.scorer import SetScorer
from ..common.scores.spanning import compile_pair_gains
from .draws_kernels import COUNT, ROUNDS_PER_DRAW, ROUNDS_SINCE_DRAW
from .ladders import BLOCKS, Ladders
from .starts import starts
from .starts import warm_up as warm_up_search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.run.monitor import Monitor
    from ..common.run.saved import Saved
    from ..common.scores.scoring import Scoring
    from .config import PosteriorConfig

LOG = logging.getLogger("cliquewise")
MAX_VARIABLES = 1000
ADAPTATION_SHARE = 0.2  # of the run, at most
MAX_SAMPLES = 1000  # networks that `--samples` writes
MAX_R_HAT = 1.05  # no warning for R-hat up to this
SCORE_DECIMALS = 6  # of log posteriors: smaller differences are due to the order of summation
EDGES_AT_ONCE = 64  # whose diagnostics are computed in one array


@dataclass(frozen=True)
class PosteriorRow:
    """The chain of a ladder at temperature 1 between two slices: a row of the trace.

    Attributes
    ----------
    seconds : float
    step : int
        Moves of all chains so far.
    ladder : int
    adapting : int
        1 during adaptation, when draws are not used, otherwise 0.
    score : float
        Of the current network.
    edges : int
    """

    seconds: float
    step: int
    ladder: int
    adapting: int
    score: float
    edges: int


def sample_by_chains(
    source: Dataset | CliqueScores, scoring: Scoring, config: PosteriorConfig, monitor: Monitor
) -> Posterior:
    """Sample the posterior over chordal networks within the limits.

    Parameters
    ----------
    source
        Of at most `MAX_VARIABLES` variables.
    scoring
    config
    monitor
        An iteration is a move of a chain. It has a limit of time or iterations.

    Returns
    -------
    Posterior

    Raises
    ------
    LimitError
        Too many variables.
    UsageError
        A start network that does not fit.
    DataError
        The scores in the file forbid the start network.
    """
    if source.n > MAX_VARIABLES:
        raise LimitError(f"{source.n} variables; mnposterior takes at most {MAX_VARIABLES}")
    scorer = _scorer(source, scoring, config, monitor)
    if scorer.n == 1:
        alone = Graph(1, (), source.names, ())
        witness = Graph(1, (), source.names), scorer.score((0,))
        return Posterior(alone, "complete", 0, (witness,), {}, (witness[0],), (witness[1],))
    max_clique = min(config.max_clique or scorer.n, scorer.largest_set)
    init = None if config.init is None else init_network(config, scorer.n, max_clique)
    ladders = Ladders(scorer, config, max_clique, monitor)
    searched = source, scoring, config, max_clique, monitor
    _compile(ladders, *searched)
    monitor.start()
    run = ChainSampling(ladders, monitor)
    if monitor.saved is None:
        graphs = starts(scorer, *searched) if init is None else [init]
        _check(graphs, scorer, source)
        ladders.start_at(graphs)
    else:
        run.restore(monitor.saved)
    if run.sample():
        LOG.warning("stopped during adaptation; the probabilities are unreliable")
    return summary(ladders, config, source.names, monitor)


def warm_up(source: Dataset | CliqueScores, scoring: Scoring, config: PosteriorConfig, monitor: Monitor) -> None:
    """Compile the kernels of a later `sample_by_chains`, of at least two variables, before its clock starts."""
    scorer = _scorer(source, scoring, config, monitor)
    max_clique = min(config.max_clique or scorer.n, scorer.largest_set)
    _compile(Ladders(scorer, config, max_clique, monitor), source, scoring, config, max_clique, monitor)


def _scorer(source: Dataset | CliqueScores, scoring: Scoring, config: PosteriorConfig, monitor: Monitor) -> SetScorer:
    threads = min(config.ladders, monitor.threads)
    return SetScorer(source, scoring, config.cache_mb, threads, config.allowed)


def _compile(
    ladders: Ladders,
    source: Dataset | CliqueScores,
    scoring: Scoring,
    config: PosteriorConfig,
    max_clique: int,
    monitor: Monitor,
) -> None:
    """Compile the kernels of chains, and of the search for their starts."""
    scorer = ladders.scorer
    tasks = partial(compile_pair_gains, scorer), partial(compile_growth, scorer)
    monitor.compile(*tasks, scorer.compile, ladders.compile_kernels)
    if config.init is None and monitor.saved is None and max_clique > 1:
        warm_up_search(source, scoring, config, max_clique, monitor)


def _check(graphs: list[np.ndarray], scorer: SetScorer, source: Dataset | CliqueScores) -> None:
    """Raise a DataError if the scores forbid one of these start networks."""
    for start in graphs:
        if not math.isfinite(chordal_score(graph_of(start), scorer.score)):
            raise DataError("a set of the start network scores minus infinity", source.source)


class ChainSampling:
    """The phases of a run: adaptation, then sampling.

    Parameters
    ----------
    ladders
    monitor
    """

    record = StateRecord(
        ValueField("slices", int, natural),
        ValueField("next_time", int, lambda slices, _: slices >= 1),
        ValueField("adapting", bool),
        prefix="sampling-",
    )

    def __init__(self, ladders: Ladders, monitor: Monitor) -> None:
        self.ladders, self.monitor = ladders, monitor
        self.slices, self.next_time, self.adapting = 0, 1, True

    def sample(self) -> bool:
        """Run slices until a limit is reached; returns whether it was still adapting at the end."""
        while self.ladders.run_slice():
            self.slices += 1
            ends = self.adapting and _share_done(self.monitor) >= ADAPTATION_SHARE
            if ends or (self.adapting and self.slices == self.next_time):
                self.ladders.adapt(ends)
                self.next_time *= 2
            self.adapting = self.adapting and not ends
            _report(self.ladders, self.monitor, self.adapting)
            self.monitor.keep(self._state)
        _report(self.ladders, self.monitor, self.adapting)
        return self.adapting

    def _state(self) -> dict[str, Any]:
        return self.record.save(self) | self.ladders.state()

    def restore(self, saved: Saved) -> None:
        """Continue where an earlier part of the run ended."""
        self.record.load(saved, self)
        self.ladders.restore(saved)


def _share_done(monitor: Monitor) -> float:
    """The share of the run that is done: of its time or its iterations, whichever is larger."""
    return max(monitor.shares_done(), default=0.0)


def _report(ladders: Ladders, monitor: Monitor, adapting: bool) -> None:
    current, seconds = ladders.current(), monitor.clock.seconds
    for i, (score, edges) in enumerate(current):
        monitor.reporter.record(PosteriorRow(seconds, monitor.iterations, i, int(adapting), score, edges))
    scores = ", ".join(f"{score:.2f}" for score, _ in current[:4])
    monitor.reporter.progress(f"{seconds:.0f} s, {'adapting' if adapting else 'sampling'}, scores {scores}")


def summary(
    ladders: Ladders,
    config: PosteriorConfig,
    names: tuple[str, ...] | None,
    monitor: Monitor,
    effective: Callable | None = None,
) -> Posterior:
    """The Posterior from the draws.

    Parameters
    ----------
    effective : callable, optional
        The effective sample sizes of some edges and of the score, where these are not those of the draws; it takes the
        rounds of each ladder that are left out, and the numbers and probabilities of the edges.
    """
    count = ladders.align()
    draws, n = ladders.draws, ladders.scorer.n
    capacity = len(draws[0].scores)
    log_posterior = np.array([one.scores[:count] for one in draws])
    log_posterior = log_posterior.round(SCORE_DECIMALS)
    block = _burn_in(log_posterior, capacity)
    first = block * capacity // BLOCKS
    every = int(draws[0].numbers[ROUNDS_PER_DRAW])
    rounds = [(int(one.numbers[COUNT]) - first) * every + int(one.numbers[ROUNDS_SINCE_DRAW]) for one in draws]
    shares = sum(one.sums[block:].sum(0, dtype=np.int64) for one in draws) / sum(rounds)
    seen = np.flatnonzero(shares)
    edges = tuple((int(u), int(v)) for u, v in ladders.ends[seen])
    kept = [one.graphs[first:count] for one in draws]
    sizes, r_hats = _edge_diagnostics(kept, ladders.ends[seen])
    shares = np.minimum(shares[seen], 1.0)  # the round in which a run ends may be in the sums but not in the count
    score_size, score_r_hat = effective_samples(log_posterior[:, first:]), r_hat(log_posterior[:, first:])
    if effective is not None:
        sizes, score_size = effective(first * every, seen, shares)
    errors = np.sqrt(shares * (1 - shares) / np.where(np.isnan(sizes), count - first, sizes))
    graph = Graph(n, edges, names, tuple(shares.tolist()), tuple(errors.tolist()))
    worst = max(_without_nan(r_hats), default=math.nan)
    details = {
        "seed": str(config.seed),
        "ladders": str(config.ladders),
        "rounds": str(sum(rounds)),
        "burn-in": str(first * every * len(draws)),
        "mean-score": f"{np.mean([one.scores[first:count] for one in draws]):.6f}",
        "effective-samples-edges": _formatted(min(_without_nan(sizes), default=math.nan), ".1f"),
        "effective-samples-score": _formatted(score_size, ".1f"),
        "r-hat-edges": _formatted(worst, ".4f"),
        "r-hat-score": _formatted(score_r_hat, ".4f"),
    }
    worst = max(_without_nan([worst, score_r_hat]), default=math.nan)
    if not worst <= MAX_R_HAT and (shares < 1).any():  # not where every draw is the same network
        LOG.warning(
            "the chains have not converged: R-hat is %s (1.01 is good); let them run longer", _formatted(worst, ".2f")
        )
    present = zip(ladders.current_graphs(), ladders.current(), strict=True)
    witnesses = tuple((graph_of(rows, names), score) for rows, (score, _) in present)
    step = max(1, math.ceil(sum(map(len, kept)) / MAX_SAMPLES))
    samples = tuple(graph_of(rows, names) for rows in np.concatenate(kept)[step - 1 :: step])
    of_samples = tuple(log_posterior[:, first:].ravel()[step - 1 :: step].tolist())
    return Posterior(graph, monitor.status or COMPLETE, monitor.iterations, witnesses, details, samples, of_samples)


def _burn_in(values: np.ndarray, capacity: int) -> int:
    """Number of blocks of time to drop for the most effective samples of these values, float64[ladders, draws]."""
    filled = values.shape[1] * BLOCKS // capacity
    sizes = [effective_samples(values[:, block * capacity // BLOCKS :]) for block in range(filled // 2 + 1)]
    return 0 if np.isnan(sizes).all() else int(np.nanargmax(sizes))


def _edge_diagnostics(graphs: list[np.ndarray], ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Effective samples and R-hat of each edge's presence; NaN for one that never changes, or in short chains.

    Parameters
    ----------
    graphs : list of uint64[draws, n, words], one per ladder
    ends : int32[edges, 2]

    Returns
    -------
    (float64[edges], float64[edges])
    """
    sizes, r_hats = np.full(len(ends), np.nan), np.full(len(ends), np.nan)
    if graphs[0].shape[0] // 2 < MIN_DRAWS:
        return sizes, r_hats
    for at in range(0, len(ends), EDGES_AT_ONCE):
        piece = ends[at : at + EDGES_AT_ONCE]
        words, bits = piece[:, 1] >> 6, (piece[:, 1] & 63).astype(np.uint64)
        joined = np.array([rows[:, piece[:, 0], words] >> bits & np.uint64(1) for rows in graphs], np.float32)
        parts = halves(joined.transpose(2, 0, 1))
        here = slice(at, at + len(piece))
        sizes[here], r_hats[here] = plain_effective_samples(parts), plain_r_hat(parts)
    return sizes, r_hats


def _without_nan(values: Iterable[float]) -> list[float]:
    """The values that are not NaN."""
    return [float(value) for value in values if not math.isnan(value)]


def _formatted(number: float, form: str) -> str:
    """A number for the header. R-hat is `inf` where ladders differ and never change."""
    return "unknown" if math.isnan(number) else format(number, form)
