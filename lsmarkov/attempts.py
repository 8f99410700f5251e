"""Attempts: a search that finds nothing better for some phases begins anew, and the networks of attempts are merged.

Good networks can have little in common, and a search that is in one of them does not leave it: a region that is heated
is cooled again beside the rest of the network. An attempt is over when no phase of any method brought something, the
first one when they were tried three times, since sets that are dependent only jointly are found late. The next begins
where a long annealing of all variables ends (`lsmarkov.annealing`). The networks of the last attempts are merged with
the best one (`lsmarkov.merging`): of ten searches of lung-cancer with cliques of at most 3, which ended 0.8 to 5.7
below the optimum after 6 to 12 seconds, one 0.2 below it was merged in a tenth of a second. If that brings something,
the next attempt goes on from there.

This is done where networks are merged: with up to 64 variables, and not in short runs.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.graphs.chordal import are_chordal_within
from ..common.run.state_record import ArrayField, StateRecord, ValueField, below_infinity, natural
from .walker_kernels import BEST, TOLERANCE
from .walker_state import walker_record

if TYPE_CHECKING:
    from ..common.run.saved import Saved
    from .annealing import Annealing
    from .ensemble import Ensemble
    from .merging import Merging

LOG = logging.getLogger("cliquewise")

PATIENCE = 12, 4  # phases without improvement: of the first attempt, of others: as many as there are methods
NETWORKS = 12  # of the last attempts, that are merged


class Attempts:
    """The attempts of an ensemble.

    Parameters
    ----------
    max_clique
        Bound on cliques, for the check of a saved state.
    """

    record = StateRecord(
        ArrayField("networks", lambda networks, own: are_chordal_within(networks, own.max_clique), any_length=True),
        ValueField("idle", int, natural),
        ValueField("known", float, below_infinity),
        prefix="attempts-",
    )

    def __init__(self, ensemble: Ensemble, annealing: Annealing, merging: Merging, max_clique: int) -> None:
        self.ensemble, self.annealing, self.merging, self.max_clique = ensemble, annealing, merging, max_clique
        self.networks = np.zeros((0, *ensemble.kept.best.shape), np.uint64)  # of the last attempts
        self.idle = 0  # phases since this attempt found something better
        self.known = -np.inf  # its best score

    def state(self) -> dict[str, Any]:
        """The state to continue from, besides the walkers."""
        return self.record.save(self) | self._kept.save([self.ensemble.kept])

    def restore(self, saved: Saved) -> None:
        """Continue where an earlier part of the run ended; with a shorter limit it had one attempt."""
        if self.record.is_in(saved):
            self.record.load(saved, self)
            self._kept.load(saved, [self.ensemble.kept])

    @property
    def _kept(self) -> StateRecord:
        return walker_record(self.max_clique, "kept-")

    def count_phase(self) -> bool:
        """Count a phase; returns whether another attempt begins, with all walkers at its first network."""
        score = float(self.ensemble.best.numbers[BEST])
        self.idle = 0 if score > self.known + TOLERANCE else self.idle + 1
        self.known = max(score, self.known)
        if self.idle < PATIENCE[len(self.networks) > 0]:
            return False
        LOG.debug("an attempt ends at %.4f", score)
        begin = self._merged()
        if self.ensemble.status is None:
            self._begin(self.annealing.melted() if begin is None else begin)
        return True

    def _merged(self) -> np.ndarray | None:
        """Merge the networks of the last attempts; returns a network, uint64[n, 1], that is better than all of them."""
        ensemble = self.ensemble
        self.networks = np.stack([*self.networks, ensemble.best.best])[-NETWORKS:]
        ensemble.keep_best()
        before = float(ensemble.kept.numbers[BEST])
        self.merging.merge(self.networks, ensemble.kept)
        ensemble.keep_best()
        return ensemble.kept.best if ensemble.kept.numbers[BEST] > before + TOLERANCE else None

    def _begin(self, network: np.ndarray) -> None:
        """Put all walkers at a network."""
        self.ensemble.place(network)
        self.ensemble.run_slice(self.ensemble.score_start, self.ensemble.walkers[-1:])
        self.idle, self.known = 0, -np.inf
