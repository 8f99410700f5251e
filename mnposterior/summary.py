"""The result of sampling by chains: probabilities of edges, and convergence diagnostics.

*Burn-in.* The initial blocks of time are left out, at most half of the draws, so that the effective sample size of the
score is largest (Chodera 2016).

Probabilities are means over all remaining rounds; effective samples and R-hat (`common.chains.diagnostics`) are those
of the thinned draws, so they are lower bounds on the information in the chains. The standard error of an edge is that
of a mean of this many independent draws, of which one counts once more in the variance, as in `exact`. An edge that
never changes has as many as the score. No error is above 0.5, the largest possible one.
"""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..common.chains.diagnostics import (
    MAX_R_HAT,
    MIN_DRAWS,
    effective_samples,
    halves,
    plain_effective_samples,
    plain_r_hat,
    r_hat,
)
from ..common.graphs.chordal import graph_of
from ..common.graphs.graph import Graph
from ..common.run.result import COMPLETE, Posterior
from .config import MAX_STANDARD_ERROR
from .draws_kernels import COUNT, ROUNDS_PER_DRAW, ROUNDS_SINCE_DRAW
from .ladders import BLOCKS, Ladders
from .presence import blocks_of, presence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..common.run.monitor import Monitor
    from .config import PosteriorConfig

LOG = logging.getLogger("cliquewise")
MAX_SAMPLES = 1000  # networks that `--samples` writes
SCORE_DECIMALS = 6  # of log posteriors: smaller differences are due to the order of summation


class KeptDraws(NamedTuple):
    """The draws of all ladders after adaptation and burn-in.

    graphs : list of uint64[draws, n, words], one per ladder
    scores : float64[ladders, draws]
    rounds : int, of all ladders, between two of which a network can change
    burn_in : int, the rounds of each ladder that are left out
    frequencies : float64[pairs], the share of the rounds with an edge
    """

    graphs: list[np.ndarray]
    scores: np.ndarray
    rounds: int
    burn_in: int
    frequencies: np.ndarray

    @property
    def log_posteriors(self) -> np.ndarray:
        """The scores, float64[ladders, draws], rounded so that equal networks have equal ones."""
        return self.scores.round(SCORE_DECIMALS)


class Diagnostics(NamedTuple):
    """How well the chains have mixed: effective samples and R-hat, float64[edges] of the edges' presence, of the score.

    NaN for what never changes, or in short chains.
    """

    edge_samples: np.ndarray
    edge_r_hats: np.ndarray
    score_samples: float
    score_r_hat: float

    def header(self) -> dict[str, str]:
        """Header lines, for edges of the worst one."""
        return {
            "effective-samples-edges": _formatted(min(_without_nan(self.edge_samples), default=math.nan), ".1f"),
            "effective-samples-score": _formatted(self.score_samples, ".1f"),
            "r-hat-edges": _formatted(max(_without_nan(self.edge_r_hats), default=math.nan), ".4f"),
            "r-hat-score": _formatted(self.score_r_hat, ".4f"),
        }

    def worst_r_hat(self) -> float:
        """The largest R-hat of edges and score; NaN if none is known."""
        return max(_without_nan([*self.edge_r_hats, self.score_r_hat]), default=math.nan)


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
    kept = _after_burn_in(ladders)
    seen = np.flatnonzero(kept.frequencies)
    shares = np.minimum(kept.frequencies[seen], 1.0)  # the last round may be in the sums but not in the count
    diagnostics = _diagnostics(kept, ladders.ends[seen])
    if effective is not None:
        edge_samples, score_samples = effective(kept.burn_in, seen, shares)
        diagnostics = diagnostics._replace(edge_samples=edge_samples, score_samples=score_samples)
    of_score = kept.scores.shape[1] if math.isnan(diagnostics.score_samples) else diagnostics.score_samples
    sizes = np.where(np.isnan(diagnostics.edge_samples), of_score, diagnostics.edge_samples)
    errors = np.minimum(np.sqrt(shares * (1 - shares) / sizes + 1 / sizes**2), MAX_STANDARD_ERROR)
    edges = tuple((int(u), int(v)) for u, v in ladders.ends[seen])
    graph = Graph(ladders.scorer.n, edges, names, tuple(shares.tolist()), tuple(errors.tolist()))
    details = {
        "seed": str(config.seed),
        "ladders": str(config.ladders),
        "rounds": str(kept.rounds),
        "burn-in": str(kept.burn_in * len(kept.graphs)),
        "mean-score": f"{kept.scores.mean():.6f}",
        **diagnostics.header(),
        "error-of-other-edges": f"{min(1 / of_score, MAX_STANDARD_ERROR):.6f}",
    }
    worst = diagnostics.worst_r_hat()
    is_short = kept.scores.shape[1] // 2 < MIN_DRAWS
    if worst > MAX_R_HAT or (is_short and (shares < 1).any()):  # not where every draw is the same network
        LOG.warning(
            "the chains have not converged: R-hat is %s (1.01 is good); let them run longer", _formatted(worst, ".2f")
        )
    present = zip(ladders.current_graphs(), ladders.current(), strict=True)
    witnesses = tuple((graph_of(rows, names), score) for rows, (score, _) in present)
    step = max(1, math.ceil(kept.scores.size / MAX_SAMPLES))
    samples = tuple(graph_of(rows, names) for rows in np.concatenate(kept.graphs)[step - 1 :: step])
    of_samples = tuple(kept.log_posteriors.ravel()[step - 1 :: step].tolist())
    return Posterior(graph, monitor.status or COMPLETE, monitor.iterations, witnesses, details, samples, of_samples)


def _after_burn_in(ladders: Ladders) -> KeptDraws:
    """The draws that count, equally many of each ladder."""
    count, draws = ladders.align(), ladders.draws
    capacity, every = len(draws[0].scores), int(draws[0].numbers[ROUNDS_PER_DRAW])
    scores = np.array([one.scores[:count] for one in draws])
    block = _burn_in(scores.round(SCORE_DECIMALS), capacity)
    first = block * capacity // BLOCKS
    rounds = sum((int(one.numbers[COUNT]) - first) * every + int(one.numbers[ROUNDS_SINCE_DRAW]) for one in draws)
    sums = sum(one.sums[block:].sum(0, dtype=np.int64) for one in draws)
    graphs, scores = [one.graphs[first:count] for one in draws], np.ascontiguousarray(scores[:, first:])
    return KeptDraws(graphs, scores, rounds, first * every, sums / rounds)


def _diagnostics(kept: KeptDraws, ends: np.ndarray) -> Diagnostics:
    """The diagnostics of some edges, int32[edges, 2], and of the score."""
    of_edges = _edge_diagnostics(kept.graphs, ends)
    return Diagnostics(*of_edges, effective_samples(kept.log_posteriors), r_hat(kept.log_posteriors))


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
    for here in blocks_of(len(ends)):
        parts = halves(np.array([presence(rows, ends[here]) for rows in graphs]).transpose(2, 0, 1))
        sizes[here], r_hats[here] = plain_effective_samples(parts), plain_r_hat(parts)
    return sizes, r_hats


def _without_nan(values: Iterable[float]) -> list[float]:
    """The values that are not NaN."""
    return [float(value) for value in values if not math.isnan(value)]


def _formatted(number: float, form: str) -> str:
    """A number for the header. R-hat is `inf` where ladders differ and never change."""
    return "unknown" if math.isnan(number) else format(number, form)
