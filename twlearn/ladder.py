"""Temperature ladders for replica exchange that adapt to the data.

*The ends.* The score change of a typical move grows with the number of rows and the strength of the dependences: on
60,000 rows, chains hardly move at temperatures that suit 200 rows. So one chain is heated step by step
(`heated_range`). The hottest temperature is that at which a fifth of the moves is accepted *and* the network has lost a
twentieth of the best one's score above the empty one. The first condition alone gives too cold an end if there are
weak edges beside a few strong sets, the second alone if the data contain little information. The coldest temperature is
that at which one move in a hundred is accepted, since colder chains rarely move.

*The rungs* between them are adapted so that all pairs of adjacent rungs have equal rejection rates
(`common.chains.ladder`): after 1, 2, 4, 8, ... phases, each time from the exchanges since the last (Syed et al. 2022).

Everything depends only on the data, the options and the random numbers, never on the clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.chains.ladder import HOTTEST, equal_parts
from ..common.run.state_record import ArrayField, StateRecord, ValueField, natural

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.run.saved import Saved

COLDEST, HEATING_FACTOR = 0.3, 1.3  # of the heated chain: first temperature, factor
COLD_RATE, HOT_RATE = 0.01, 0.2  # acceptance rates at the ends
HOT_LOSS = 0.05  # at the hot end: share of the best score above the empty network
MIN_REJECTION_RATE = 0.05  # smallest rejection rate assumed for a pair, so that a rung stays if none is rejected


def heated_range(measure: Callable, empty: float) -> tuple[float, float]:
    """The ends of a ladder.

    Parameters
    ----------
    measure : callable taking a temperature
        Continues one chain at this temperature, and returns its acceptance rate, its score, and the
        best score so far.
    empty
        Score of the empty network; minus infinity if it has none.

    Returns
    -------
    (float, float)
        Coldest and hottest temperature.
    """
    coldest = temperature = COLDEST
    while temperature < HOTTEST:
        rate, score, best = measure(temperature)
        if rate >= HOT_RATE and (best - score >= HOT_LOSS * (best - empty) or empty == -np.inf):
            break
        if rate < COLD_RATE:
            coldest = temperature
        temperature *= HEATING_FACTOR
    return coldest, temperature


class Ladder:
    """The temperatures of some chains, and the statistics of their exchanges.

    Parameters
    ----------
    coldest, hottest : float, positive
        In units of log score.
    count : int, >= 1
        Rungs.

    Attributes
    ----------
    temperatures : float64[count], ascending
    tried, exchanged : int64[count - 1]
        Exchanges of each rung with the next, since the rungs were last adapted.
    phases : int
        Number of phases since the ends were last moved.
    """

    record = StateRecord(
        ArrayField(
            "temperatures", lambda rungs, _: 0 < rungs[0] and rungs[-1] < np.inf and (np.diff(rungs) >= 0).all()
        ),
        *(ArrayField(name, natural) for name in ("tried", "exchanged")),
        ValueField("phases", int, natural),
        prefix="ladder-",
    )

    def __init__(self, coldest: float, hottest: float, count: int) -> None:
        self._place(np.geomspace(coldest, hottest, count))
        self.phases = 0

    def _place(self, temperatures: np.ndarray) -> None:
        """Set the temperatures, and reset the counts; rounding does not change the order of equal temperatures."""
        self.temperatures, count = np.maximum.accumulate(temperatures), len(temperatures)
        self.tried, self.exchanged = np.zeros(count - 1, np.int64), np.zeros(count - 1, np.int64)

    def count_exchanges(self, round_number: int, exchanged: list[int]) -> None:
        """Record which rungs were exchanged with the next."""
        self.tried[round_number % 2 :: 2] += 1
        self.exchanged[exchanged] += 1

    @property
    def exchange_rates(self) -> np.ndarray:
        """Acceptance rate of the exchanges of each rung with the next: float64[count - 1]."""
        return self.exchanged / np.maximum(1, self.tried)

    def state(self) -> dict[str, Any]:
        """The state to continue from: a dict of arrays and numbers, for `Ladder.from_saved`."""
        return self.record.save(self)

    @classmethod
    def from_saved(cls, saved: Saved, count: int) -> Ladder:
        """The ladder from the checkpoint of an earlier part of a run.

        Parameters
        ----------
        count
            Rungs.

        Returns
        -------
        Ladder

        Raises
        ------
        DataError
            It is not valid.
        """
        ladder = cls(COLDEST, COLDEST, count)
        cls.record.load(saved, ladder)
        return ladder

    def end_phase(self) -> None:
        """End a phase: after 1, 2, 4, ... phases the inner rungs are moved to equal parts of the barrier."""
        self.phases += 1
        if self.phases & (self.phases - 1) == 0:
            rejected = np.maximum(MIN_REJECTION_RATE, 1.0 - self.exchange_rates)
            self._place(np.exp(equal_parts(np.log(self.temperatures), rejected, len(self.temperatures))))

    def stretch(self, coldest: float, hottest: float) -> None:
        """Move the ends, and the rungs between in proportion.

        Parameters
        ----------
        coldest, hottest : float, positive
        """
        logs = np.log(self.temperatures)
        share = (logs - logs[0]) / max(logs[-1] - logs[0], 1e-9)
        self._place(coldest * (hottest / coldest) ** share)
        self.phases = 0
