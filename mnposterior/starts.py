"""Where the ladders start.

Agreement of chains with starts of several kinds is stronger evidence than agreement of chains with equal ones, which
may take long to find a mode that none of them started in.

With fewer variables than have the Gibbs move, every other ladder starts at the best network of lsmarkov's search, and
the rest at the forest and without edges in turn.

Of more variables, such poor starts do not find a mode within the run, and the best modes are often those of a long
search. There one ladder starts at the best network of a search that takes `LONG_SEARCH_SHARE` of the run, and each of
the others at a network that is cooled from no edges (`mnposterior.cooling`).

Cost: this share, or otherwise `SEARCH_SHARE`, of the run's time or iterations, which are then steps of the search, and
the cooling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from ..common.graphs.chordal import bit_rows, chordal_score, graph_of
from ..common.graphs.start_network import check_start_score
from ..common.scores.spanning import forest_around, pair_gains
from .cooling import Cooling
from .ladders import has_gibbs_move

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.graphs.graph import Graph
    from ..common.run.monitor import Monitor, Part
    from ..common.scores.scorer import SetScorer
    from ..common.scores.scoring import Scoring
    from ..lsmarkov.config import Config as Search
    from .config import PosteriorConfig
    from .ladders import Ladders

SEARCH_SHARE = 0.05  # of the run's limits, for the search
LONG_SEARCH_SHARE = 0.2  # the same where the other ladders are cooled


@dataclass(frozen=True)
class Starts:
    """The starts of the ladders of a run.

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
        """Compile the kernels of the search, before the clock of the monitor starts."""
        from ..lsmarkov import learn

        with self._part() as part:
            learn.warm_up(self.source, self.scoring, self._config(), part)

    def networks(self, ladders: Ladders) -> list[np.ndarray]:
        """The starts of the ladders, to be used cyclically, the best first: a list of uint64[n, words].

        Raises
        ------
        DataError
            The scores in the file forbid one of them.
        """
        scorer, monitor = ladders.scorer, self.monitor
        empty = self.checked(np.zeros((scorer.n, scorer.words), np.uint64), scorer)
        if self.max_clique == 1:
            return [empty]
        if has_gibbs_move(scorer.n):
            return self._searched_and_cooled(ladders, empty)
        best = self._best_network(scorer)
        gains = pair_gains(scorer, monitor.map, monitor.should_continue, monitor.reporter.phase("pairs of variables"))
        forest = bit_rows(forest_around(None, gains))
        return [best, self.checked(forest, scorer), best, empty]

    def checked(self, start: np.ndarray, scorer: SetScorer) -> np.ndarray:
        """A start, uint64[n, words]; DataError if the scores in the file forbid it."""
        check_start_score(chordal_score(graph_of(start), scorer.score), self.source.source)
        return start

    def _searched_and_cooled(self, ladders: Ladders, empty: np.ndarray) -> list[np.ndarray]:
        """The best network of the search, and a cooled one for each other ladder."""
        saved = self.monitor.saved
        searched = self._best_network(ladders.scorer) if saved is None else empty
        cooling = Cooling(ladders, self.monitor, searched, self.config.ladders - 1)
        if saved is not None:
            cooling.restore(saved)
        return [cooling.searched, *cooling.networks()]

    def _best_network(self, scorer: SetScorer) -> np.ndarray:
        """The best network of lsmarkov's search, uint64[n, words]."""
        from ..lsmarkov.learn import learn

        with self._part() as part:
            found = learn(self.source, self.scoring, self._config(), part)
        return self.checked(bit_rows(cast("Graph", found.graph)), scorer)

    def _part(self) -> Part:
        """The part of the run in which the search runs, with limits of its own."""
        limits = self.monitor.limits
        share = LONG_SEARCH_SHARE if has_gibbs_move(self.source.n) else SEARCH_SHARE
        seconds = None if limits.time_limit is None else share * limits.time_limit
        steps = None if limits.iterations is None else max(1, int(share * limits.iterations))
        return self.monitor.part(seconds, steps)

    def _config(self) -> Search:
        """The Config of the search."""
        from ..lsmarkov.config import Config as Search

        allowed = cast("Graph", self.config.allowed)  # or None
        return Search(max_clique=self.max_clique, allowed=allowed, seed=self.config.seed, cache_mb=self.config.cache_mb)
