"""The checkpoint of mplearn: the finished blankets, and the current graph of hill climbing.

A blanket depends only on the data, and the next step of hill climbing only on the current edges; so a resumed run
continues as if it had not been interrupted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.run.saved import is_edges, is_index
from ..common.run.state_record import StateRecord, ValueField
from .blanket import Blanket

if TYPE_CHECKING:
    from typing import Any

    from ..common.run.monitor import Monitor
    from .local import LocalScores


def _is_blanket(own: BlanketCheckpoint, variable: int, members: list[int], steps: int) -> bool:
    n = own.local.n
    good = all(is_index(number, n) for number in (variable, *members)) and is_index(steps)
    return good and variable not in members and members == sorted({*members})


def _plain(blankets: dict[int, Blanket]) -> list[list[Any]]:
    """Blankets by variable as JSON; other threads may add some meanwhile."""
    return sorted([one.variable, list(one.members), one.steps] for one in tuple(blankets.values()))


def _blankets(found: list[list[Any]], own: BlanketCheckpoint) -> dict[int, Blanket]:
    """Blankets by variable from JSON; scores are recomputed."""
    score = own.local.score
    return {v: Blanket(v, tuple(members), score(v, members), steps) for v, members, steps in found}


class BlanketCheckpoint:
    """The work done so far.

    Attributes
    ----------
    blankets : dict of int to Blanket
        By variable; only finished ones.
    edges : set of (int, int)
        Of the graph in the second phase, u < v.
    steps : int
        Of hill climbing.
    """

    record = StateRecord(
        ValueField(
            "blankets", list, lambda found, own: all(_is_blanket(own, *one) for one in found), _plain, _blankets
        ),
        ValueField(
            name="edges",
            kind=list,
            is_valid=lambda found, own: is_edges(found, own.local.n),
            pack=lambda edges: sorted(map(list, edges)),
            unpack=lambda found, _: {(u, v) for u, v in found},
        ),
        ValueField("steps", int, lambda steps, own: is_index(steps) and steps >= len(own.edges)),
    )

    def __init__(self, monitor: Monitor, local: LocalScores) -> None:
        self.blankets: dict[int, Blanket] = {}
        self.edges: set[tuple[int, int]] = set()
        self.steps = 0
        self.local, self._monitor = local, monitor
        if monitor.saved is not None:
            self.record.load(monitor.saved, self)

    def keep(self) -> None:
        """A safe point; may be called by any thread."""
        self._monitor.keep(lambda: self.record.save(self), lasting=True)
