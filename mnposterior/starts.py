"""Where the ladders start: every other one at the best network of a search, the rest at the forest and without edges.

Agreement of chains from a good network with chains from a poor one is stronger evidence than agreement of chains with
equal starts: the latter may take long to find the mode of the former. The search is that of lsmarkov.

Cost: `SEARCH_SHARE` of the run's time or iterations, which are then steps of the search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from ..common.graphs.chordal import bit_rows
from ..common.scores.spanning import forest_around, pair_gains

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.graphs.graph import Graph
    from ..common.run.monitor import Monitor, Part
    from ..common.run.result import LearnResult
    from ..common.scores.scorer import SetScorer
    from ..common.scores.scoring import Scoring
    from ..lsmarkov.config import Config as Search
    from .config import PosteriorConfig

SEARCH_SHARE = 0.05  # of the run's limits, for the search


def search(
    source: Dataset | CliqueScores, scoring: Scoring, config: PosteriorConfig, max_clique: int, monitor: Monitor
) -> LearnResult:
    """The best network of lsmarkov's search until the monitor stops it.

    Parameters
    ----------
    max_clique
        At least 2.
    """
    from ..lsmarkov.learn import learn

    return learn(source, scoring, _config(config, max_clique), monitor)


def warm_up(
    source: Dataset | CliqueScores, scoring: Scoring, config: PosteriorConfig, max_clique: int, monitor: Monitor
) -> None:
    """Compile the kernels of a later `search`, before the clock of the monitor starts."""
    from ..lsmarkov import learn

    with _part(monitor) as part:
        learn.warm_up(source, scoring, _config(config, max_clique), part)


def _part(monitor: Monitor) -> Part:
    """The part of the run in which the search runs, with limits of its own."""
    limits = monitor.limits
    seconds = None if limits.seconds is None else SEARCH_SHARE * limits.seconds
    steps = None if limits.iterations is None else max(1, int(SEARCH_SHARE * limits.iterations))
    return monitor.part(seconds, steps)


def _config(config: PosteriorConfig, max_clique: int) -> Search:
    """The Config of the search."""
    from ..lsmarkov.config import Config as Search

    allowed = cast("Graph", config.allowed)  # or None
    return Search(max_clique=max_clique, allowed=allowed, seed=config.seed, cache_mb=config.cache_mb)


def starts(
    scorer: SetScorer,
    source: Dataset | CliqueScores,
    scoring: Scoring,
    config: PosteriorConfig,
    max_clique: int,
    monitor: Monitor,
) -> list[np.ndarray]:
    """The starts of the ladders, to be used cyclically, the best first: a list of uint64[n, words]."""
    empty = np.zeros((scorer.n, scorer.words), np.uint64)
    if max_clique == 1:
        return [empty]
    with _part(monitor) as part:
        best = bit_rows(cast("Graph", search(source, scoring, config, max_clique, part).graph))
    gains = pair_gains(scorer, monitor.map, monitor.should_continue, monitor.reporter.phase("pairs of variables"))
    return [best, bit_rows(forest_around(None, gains)), best, empty]
