"""The shared state of both phases of mplearn: local scores, work spaces, reports."""

from __future__ import annotations

import contextlib
import math
import queue
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ..common.counted import counted
from ..common.errors import DataError, UsageError
from ..common.graphs.graph import shown
from .blanket_checkpoint import BlanketCheckpoint
from .known_edges import KnownEdges
from .local import LocalScores

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..common.data.dataset import Dataset
    from ..common.run.monitor import Monitor
    from .blanket import Blanket
    from .blanket_scoring import BlanketScoring
    from .config import Config


@dataclass(frozen=True)
class Event:
    """One event; the trace writes these fields, in this order.

    Attributes
    ----------
    seconds : float
        Since the start, kernels compiled.
    phase : str
        blanket, hc, pbo, and, or.
    step : int
        From 1 in each phase.
    item : str
        The variable, the edge added (`+3-17`) or removed (`-3-17`), or the status of the solver.
    score : float
        The variable's local score, or that of the graph.
    size : int
        Members of the blanket, or edges of the graph.
    """

    seconds: float
    phase: str
    step: int
    item: str
    score: float
    size: int


class BlanketRun:
    """Local scores, work spaces, and reports to the monitor.

    Attributes
    ----------
    local : LocalScores
    monitor : Monitor
    known : KnownEdges
    checkpoint : BlanketCheckpoint
        The work done so far, including earlier parts of the run.
    """

    def __init__(self, dataset: Dataset, scoring: BlanketScoring, config: Config, monitor: Monitor) -> None:
        self.known = KnownEdges(config, dataset.n)
        self.monitor = monitor
        self.local = LocalScores(dataset, scoring, monitor.threads, config.cache_mb)
        self._free: queue.SimpleQueue[int] = queue.SimpleQueue()
        for thread in range(monitor.threads):
            self._free.put(thread)
        additions = [partial(self.local.best_addition, 0, [])] if self.local.n > 1 else []
        monitor.compile(partial(self.local.score, 0, ()), *additions)
        self._refuse_infinite(dataset, scoring)
        monitor.start()
        self.checkpoint = BlanketCheckpoint(monitor, self.local)

    def _refuse_infinite(self, dataset: Dataset, scoring: BlanketScoring) -> None:
        """Refuse penalties that overflow to infinity: the difference of two such scores is not a number."""
        if scoring.kind == "cmi" and not math.isfinite(self.local.penalty(0, range(1, dataset.n))):
            raise UsageError(
                f"--threshold {scoring.threshold:g}: too large, a blanket's penalty would be infinite; lower it"
            )
        for v, required in enumerate(self.known.required_neighbours):
            if not math.isfinite(self.local.penalty(v, required)):
                edge, at = shown(sorted((v, max(required))), dataset.names), dataset.names[v]
                message = f"edge {edge} and {len(required) - 1} more at '{at}' make a blanket of infinite penalty"
                raise DataError(f"--required-edges: {message}; require fewer")

    @contextlib.contextmanager
    def thread(self) -> Iterator[int]:
        """The number of a work space that no other thread uses, as a context."""
        number = self._free.get()
        try:
            yield number
        finally:
            self._free.put(number)

    def report_blanket(self, blanket: Blanket, done: int, total: int) -> None:
        """Report a finished Blanket, `done` of `total`."""
        self._record("blanket", done, str(blanket.variable), blanket.score, len(blanket.members))
        self.monitor.reporter.progress(f"blankets: {done} of {total}", done, total)

    def report_graph(self, phase: str, step: int, item: str, score: float, edges: int, total: int) -> None:
        """Report a graph after a step.

        Parameters
        ----------
        phase
            hc, pbo, and, or.
        item
            As in `Event`.
        edges
            Number of its edges.
        total
            Largest possible number of edges.
        """
        self._record(phase, step, item, score, edges)
        self.monitor.reporter.progress(
            f"{phase}: step {step}, {counted(edges, 'edge')}, score {score:.4f}", edges, total
        )

    def _record(self, *values: Any) -> None:
        self.monitor.reporter.record(Event(self.monitor.clock.seconds, *values))
