"""The choice of the method for the next phase of a search: by the largest rate of gain, or the longest wait."""

from __future__ import annotations

import math

from ..common.run.saved import is_index
from ..common.run.state_record import StateRecord, ValueField

MAX_WAIT = 6  # phases after which a less successful method is tried again
FIRST_WAITS = MAX_WAIT - 2, 0, MAX_WAIT - 5  # of annealing, restarting and merging: after some rebuilding


class PhaseScheduler:
    """Chooses among the methods of a search; the first one begins.

    Attributes
    ----------
    rates : list of float
        The gain of each in its last phase, per neighbour evaluated.
    waited : list of int
        Phases since then.
    """

    record = StateRecord(  # with another limit the earlier part had restarting and merging, or not: two more or fewer
        ValueField(
            "rates",
            list,
            lambda rates, own: abs(len(rates) - own.count) <= 2 and all(rate >= 0.0 for rate in rates),
            unpack=lambda rates, own: [*rates, 0.0, 0.0][: own.count],
        ),
        ValueField(
            "waited",
            list,
            lambda waited, own: abs(len(waited) - own.count) <= 2 and all(map(is_index, waited)),
            unpack=lambda waited, own: [*waited, 0, 0][: own.count],
        ),
    )

    def __init__(self, count: int) -> None:
        self.count = count
        self.rates, self.waited = [math.inf, *[0.0] * (count - 1)], [0, *FIRST_WAITS[: count - 1]]

    def next_method(self) -> int:
        """The method with the largest rate; the one that waited longest if its wait is long or all rates are equal."""
        if max(self.waited) > MAX_WAIT or min(self.rates) == max(self.rates):
            return self.waited.index(max(self.waited))
        return self.rates.index(max(self.rates))

    def count_phase(self, method: int, gained: float, evaluated: int) -> None:
        """A method had its phase: what it gained, and the neighbours that it evaluated."""
        self.rates[method] = float(max(0.0, gained) / (evaluated + 1))
        self.waited = [0 if i == method else phases + 1 for i, phases in enumerate(self.waited)]
