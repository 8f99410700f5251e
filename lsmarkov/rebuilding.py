"""Rebuilding: a few walkers remove parts of the best network and rebuild them (`lsmarkov.rebuild_kernels`)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..common.scores.vertex_search_kernels import vertex_search
from .ensemble import put
from .rebuild_kernels import improve_all, rebuild
from .walker_kernels import BEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.chains.moves_kernels import MoveScratch
    from ..common.run.saved import Saved
    from ..common.scores.score_cache_kernels import ScoreScratch
    from .ensemble import Ensemble
    from .walker_kernels import Walker

WALKERS = 2
SLICE_SEARCHES = 200  # searches at a vertex between two checks of the clock; then all continue from the best network
PHASE_SEARCHES = 1000  # per walker, in a phase


class Rebuilding:
    """Walkers that begin each phase at the best network of all."""

    def __init__(self, ensemble: Ensemble, max_clique: int) -> None:
        self.ensemble, self.max_clique = ensemble, max_clique
        self.walkers = ensemble.walkers[-WALKERS:]
        self.work = [vertex_search(ensemble.scorer.n, ensemble.scorer.words) for _ in self.walkers]

    def state(self) -> dict:
        """The state to continue from, without the walkers: none."""
        return {}

    def restore(self, saved: Saved) -> None:
        """Continue where an earlier part of the run ended; its walkers start again in every phase."""

    def phase(self) -> None:
        """Improve the best network, then rebuild parts of it for a while."""
        running, steps = self._slice(self._improve), 0
        while running and steps < PHASE_SEARCHES:
            running = self._slice(self._rebuild)
            steps += SLICE_SEARCHES

    def _slice(self, function: Callable) -> bool:
        """Run a slice from the best network of all, and report; whether the search may continue."""
        ensemble, best = self.ensemble, self.ensemble.best
        score = best.numbers[BEST]
        for walker in self.walkers:
            put(walker, best.best, score)
        n = ensemble.scorer.n
        ensemble.scorer.make_room(len(self.walkers) * n * max(SLICE_SEARCHES, n))  # a search needs about n new scores
        ensemble.spread(function, self.walkers)
        return ensemble.report()

    def _improve(self, i: int, walker: Walker, most: int, scratch: ScoreScratch, _: MoveScratch) -> None:
        scores, stop = self.ensemble.scorer.scores, self.ensemble.stop
        improve_all(walker, scores, scratch, self.work[i], self.max_clique, most, stop)

    def _rebuild(self, i: int, walker: Walker, most: int, scratch: ScoreScratch, _: MoveScratch) -> None:
        scores, stop = self.ensemble.scorer.scores, self.ensemble.stop
        rebuild(walker, scores, scratch, self.work[i], self.max_clique, SLICE_SEARCHES, most, stop)

    def kernel_tasks(self) -> list[Callable]:
        """The tasks for `Monitor.compile`, a list of callables: its kernels, stopped before they begin."""
        scorer = self.ensemble.scorer
        place = self.walkers[0], scorer.scores, scorer.scratch[0], self.work[0], self.max_clique
        stop = np.ones(1, np.int64)
        return [partial(improve_all, *place, 0, stop), partial(rebuild, *place, 0, 0, stop)]
