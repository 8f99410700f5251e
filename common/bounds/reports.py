"""Reports on the rounds of a proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..counted import counted

if TYPE_CHECKING:
    from ..run.monitor import Monitor
    from .cutting import CuttingPlaneLoop
    from .incumbent import Incumbent


@dataclass(frozen=True)
class Round:
    """The state of a proof after a round: a row of the trace.

    Attributes
    ----------
    seconds : float
    score : float
        Of the best network known.
    bound : float
        Of the current part of the problem; of the whole problem while there is one part.
    node : int
        Number of the current part.
    families, columns, rows : int
        Families left, and the size of the linear program.
    """

    seconds: float
    score: float
    bound: float
    node: int
    families: int
    columns: int
    rows: int


class RoundReporter:
    """Reports every round.

    Parameters
    ----------
    monitor
    incumbent

    Attributes
    ----------
    rounds, nodes : int
        Number so far.
    """

    def __init__(self, monitor: Monitor, incumbent: Incumbent) -> None:
        self._monitor, self._incumbent = monitor, incumbent
        self.rounds = self.nodes = 0
        self._work: CuttingPlaneLoop | None = None

    def __call__(self, work: CuttingPlaneLoop) -> None:
        """Record a CuttingPlaneLoop."""
        self.rounds += 1
        self.nodes += work is not self._work
        self._work = work
        size = (work.left, len(work.program.columns), len(work.program.rows.base))
        score, bound = self._incumbent.score, work.node.bound
        self._monitor.reporter.record(Round(self._monitor.clock.seconds, score, bound, self.nodes, *size))
        left = f"part {self.nodes}, {counted(work.left, 'family', 'families')} left"
        self._monitor.reporter.progress(f"best {score:.4f}, bound {bound:.4f}, {left}")
