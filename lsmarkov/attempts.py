"""Attempts: a search that has found nothing better for as long as it took restarts.

Where good networks have little in common, a search that is in one of them for long does not find another. An attempt is
over when its last improvement is as many phases ago as that took from the beginning, and at least `PATIENCE`. Then one
from the start network and one from the best network of all take turns, the latter for as long as the one before: what a
single search finds late is still found, after about twice the time.

Where networks are merged (`lsmarkov.merging`), an attempt from the start network is over as soon as annealing cools as
slowly as it ever will, since several such attempts, merged, are better than one that goes on; and the search goes on
from the best network only if it was improved since it last did.

On steel with cliques of at most 5, half of the attempts end 0.43 below the best network known, with two cliques of
twenty-three in common with it, some of them after two seconds, and stay there for a minute.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.graphs.chordal import are_chordal_within
from ..common.run.state_record import ArrayField, StateRecord, ValueField, below_infinity, natural
from .ensemble import put
from .walker_kernels import BEST, TOLERANCE
from .walker_state import walker_record

if TYPE_CHECKING:
    from ..common.run.saved import Saved
    from .ensemble import Ensemble
    from .merging import Merging

LOG = logging.getLogger("cliquewise")

PATIENCE = 20  # phases without improvement


class Attempts:
    """The attempts (restarts) of an ensemble, which is placed at its start network and has scored it.

    Parameters
    ----------
    max_clique
        Bound on cliques, for the check of a saved state.
    merging
        What merges the networks of attempts, if anything.
    """

    record = StateRecord(
        ArrayField("start", lambda start, own: are_chordal_within(start[None], own.max_clique)),
        ValueField("number", int, natural),
        ValueField("goes_on", bool),
        ValueField("left", float, below_infinity),
        ValueField("phases", int, natural),
        ValueField("improved", int, lambda improved, own: 0 <= improved <= own.phases),
        ValueField("known", float, below_infinity),
        ValueField("least", int, natural),
        prefix="attempt-",
    )

    def __init__(self, ensemble: Ensemble, max_clique: int, merging: Merging | None = None) -> None:
        self.ensemble, self.max_clique, self.merging = ensemble, max_clique, merging
        self.start = ensemble.walkers[-1].best.copy()
        self.number = 0  # of this attempt
        self.goes_on = False  # whether it began at the best network: the even ones but 0
        self.left = -np.inf  # best score when the last one of these ended
        self.phases = self.improved = 0  # of this attempt: all, and up to the last improvement
        self.known = -np.inf  # its best score
        self.least = PATIENCE  # phases without improvement that it has

    def state(self) -> dict[str, Any]:
        """The state to continue from, besides the walkers."""
        kept = walker_record(self.max_clique, "kept-").save([self.ensemble.kept])
        return self.record.save(self) | kept

    def restore(self, saved: Saved) -> None:
        """Continue where an earlier part of the run ended."""
        self.record.load(saved, self)
        walker_record(self.max_clique, "kept-").load(saved, [self.ensemble.kept])
        self._set_merging()

    def _set_merging(self) -> None:
        """Networks of earlier attempts are merged in the phases of one that goes on from the best."""
        if self.merging is not None:
            self.merging.with_attempts = self.goes_on

    @property
    def _is_over(self) -> bool:
        """Whether this attempt found nothing better for long, or begins to cool slowly where others can be merged."""
        if self.phases - self.improved >= max(self.least, self.improved):
            return True
        return self.merging is not None and not self.goes_on and self.merging.annealing.is_slow

    def count_phase(self) -> bool:
        """Count a phase; returns whether another attempt begins, with all walkers at its start."""
        ensemble, score = self.ensemble, float(self.ensemble.best.numbers[BEST])
        self.phases += 1
        if score > self.known + TOLERANCE:
            self.known, self.improved = score, self.phases
        if not self._is_over:
            return False
        if score > ensemble.kept.numbers[BEST]:
            put(ensemble.kept, ensemble.best.best, score)
        LOG.debug("attempt %d ends at %.4f after %d phases", self.number, score, self.phases)
        if self.goes_on:
            self.left = float(ensemble.kept.numbers[BEST])
        if self.merging is not None:
            self.merging.merge_attempts(ensemble.best.best)
        self.number += 1
        is_worth_it = self.merging is None or ensemble.kept.numbers[BEST] > self.left + TOLERANCE
        self.goes_on = self.number % 2 == 0 and is_worth_it
        self._set_merging()
        self.least = max(PATIENCE, self.phases) if self.goes_on else PATIENCE
        self.phases, self.improved, self.known = 0, 0, -np.inf
        ensemble.place(ensemble.kept.best if self.goes_on else self.start)
        ensemble.run_slice(ensemble.score_start, ensemble.walkers[-1:])
        return True
