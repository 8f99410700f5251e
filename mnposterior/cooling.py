"""Starts of ladders by slow cooling: simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983).

Chains, one for each start, begin without edges at the temperature `HOTTEST` and are cooled to 1, in `STEPS` equal steps
of its logarithm. The standard deviation of the score is nearly proportional to the temperature, so that equal steps are
about equal parts of the communication barrier. After each step the proposals are adapted to the draws at the
temperature before. The chains do not know each other, nor the network that a search found.

Cost: `COOLING_SHARE` of the run's limits. If they allow fewer slices of the run than `STEPS`, there are fewer steps.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from ..common.graphs.chordal import are_chordal_within
from ..common.run.state_record import ArrayField, StateRecord, ValueField

if TYPE_CHECKING:
    from typing import Any

    from ..common.run.monitor import Monitor
    from ..common.run.saved import Saved
    from .ladders import Ladders

LOG = logging.getLogger("cliquewise")
COOLING_SHARE = 0.2  # of the run's limits
HOTTEST, STEPS = 30.0, 60
SLICES = round(STEPS / COOLING_SHARE)  # of the whole run, so that each step has one


class Cooling:
    """A slow cooling of some chains by simulated annealing (Kirkpatrick et al.), which can be continued.

    Parameters
    ----------
    ladders
        Those of the run, which do the cooling before they start at its end.
    monitor
    searched : uint64[n, words]
        The network that a search found before, which a checkpoint keeps, too.
    count
        Number of chains.
    """

    record = StateRecord(
        ArrayField("searched", lambda found, own: are_chordal_within(found, own.ladders.max_clique)),
        ValueField("began", float, lambda began, _: began >= 0.0),
        ValueField("step", int, lambda step, _: 0 <= step < STEPS),
        prefix="cooling-",
    )

    def __init__(self, ladders: Ladders, monitor: Monitor, searched: np.ndarray, count: int) -> None:
        self.ladders, self.monitor, self.searched = ladders, monitor, searched
        self.began = monitor.share_done  # share of the run
        self.step = 0
        ladders.begin(np.array([1.0 / HOTTEST]), [np.zeros_like(searched)] * count, SLICES)

    def restore(self, saved: Saved) -> None:
        """Continue where an earlier process ended."""
        count = len(self.ladders.current())
        self.record.load(saved, self)
        self.ladders.restore(saved, count, SLICES)

    def networks(self) -> list[np.ndarray]:
        """Cool the chains: their networks at the end, a list of uint64[n, words]."""
        temperatures = np.geomspace(HOTTEST, 1.0, STEPS)
        while self.ladders.run_slice():
            steps = int(STEPS * (self.monitor.share_done - self.began) / COOLING_SHARE)
            if steps >= STEPS:
                break
            if steps > self.step:
                self.step = steps
                self.ladders.set_temperature(temperatures[steps])
                self.ladders.adapt(is_last=False)
                self.monitor.keep(self._state)
            self._report(temperatures[self.step])
        LOG.debug("cooled chains: %s", self.ladders.shown_scores())
        return [network.copy() for network in self.ladders.current_graphs()]

    def _state(self) -> dict[str, Any]:
        return self.record.save(self) | self.ladders.state()

    def _report(self, temperature: float) -> None:
        cooling = f"cooling at temperature {temperature:.3g}, scores {self.ladders.shown_scores()}"
        self.monitor.reporter.progress(f"{self.monitor.clock.seconds:.0f} s, {cooling}")
