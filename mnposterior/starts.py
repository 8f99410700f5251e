"""Where the ladders start: every other one at the best network of a search, the rest at the forest and without edges.

Agreement of chains from a good network with chains from a poor one is stronger evidence than agreement of chains with
equal starts: the latter may take long to find the mode of the former. The search is that of lsmarkov.

Cost: `SEARCH_SHARE` of the run's time or iterations, which are then steps of the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from ..common.graphs.chordal import bit_rows
from ..common.scores.spanning import forest_around, pair_gains

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.graphs.graph import Graph
    from ..common.run.monitor import Monitor, Part
    from ..common.scores.scorer import SetScorer
    from ..common.scores.scoring import Scoring
    from ..lsmarkov.config import Config as Search
    from .config import PosteriorConfig

SEARCH_SHARE = 0.05  # of the run's limits, for the search


@dataclass(frozen=True)
class StartSearch:
    """The search for a good network, in a part of the run with limits of its own.

    Attributes
    ----------
    source, scoring, config, monitor
        Of the run.
    max_clique
        Bound on cliques; 1 needs no search.
    """

    source: Dataset | CliqueScores
    scoring: Scoring
    config: PosteriorConfig
    max_clique: int
    monitor: Monitor

    def warm_up(self) -> None:
        """Compile the kernels, before the clock of the monitor starts."""
        from ..lsmarkov import learn

        with self._part() as part:
            learn.warm_up(self.source, self.scoring, self._config(), part)

    def starts(self, scorer: SetScorer) -> list[np.ndarray]:
        """The starts of the ladders, to be used cyclically, the best first: a list of uint64[n, words]."""
        empty = np.zeros((scorer.n, scorer.words), np.uint64)
        monitor = self.monitor
        if self.max_clique == 1:
            return [empty]
        best = self._best_network()
        gains = pair_gains(scorer, monitor.map, monitor.should_continue, monitor.reporter.phase("pairs of variables"))
        return [best, bit_rows(forest_around(None, gains)), best, empty]

    def _best_network(self) -> np.ndarray:
        """The best network of lsmarkov's search, uint64[n, words]."""
        from ..lsmarkov.learn import learn

        with self._part() as part:
            return bit_rows(cast("Graph", learn(self.source, self.scoring, self._config(), part).graph))

    def _part(self) -> Part:
        """The part of the run in which the search runs."""
        limits = self.monitor.limits
        seconds = None if limits.time_limit is None else SEARCH_SHARE * limits.time_limit
        steps = None if limits.iterations is None else max(1, int(SEARCH_SHARE * limits.iterations))
        return self.monitor.part(seconds, steps)

    def _config(self) -> Search:
        """The Config of the search."""
        from ..lsmarkov.config import Config as Search

        allowed = cast("Graph", self.config.allowed)  # or None
        return Search(max_clique=self.max_clique, allowed=allowed, seed=self.config.seed, cache_mb=self.config.cache_mb)
