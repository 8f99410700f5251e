"""What both phases of mplearn share while they run: local scores, threads, the clock, reports."""

import contextlib
import queue
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from cliquewise.common.kernel_cache import announced
from cliquewise.mplearn.local import LocalScores


@dataclass(frozen=True)
class Event:
    """One thing that was done; the trace writes these, in this order.

    Attributes
    ----------
    seconds : float
        Since the start, kernels compiled.
    phase : str
        blanket, hc, pbo, and, or.
    step : int
        From 1 in each phase.
    what : str
        The variable, the edge added (`+3-17`) or removed (`-3-17`), or what the solver says.
    score : float
        The variable's local score, or that of the graph.
    size : int
        Members of the blanket, or edges of the graph.
    """

    seconds: float
    phase: str
    step: int
    what: str
    score: float
    size: int


@dataclass(frozen=True)
class Watch:
    """Who is told what, and who may end the run.

    Attributes
    ----------
    on_event : callable taking an Event
    on_progress : callable taking (str, int, int, str)
        Phase, steps done, steps that there may be, a few words.
    stop : int64[1]
        Set to 1 from outside to end the run.
    """

    on_event: object = lambda event: None
    on_progress: object = lambda phase, done, total, text: None
    stop: np.ndarray = None


class Run:
    """One run of `mplearn.learn`.

    Parameters
    ----------
    dataset : Dataset
    scoring : Scoring
    threads : int
    cache_mb : int
    watch : Watch

    Attributes
    ----------
    local : LocalScores
    map : callable
        Like `map`, over the threads.
    """

    def __init__(self, dataset, scoring, threads, cache_mb, watch):
        self.watch = watch
        self.local = LocalScores(dataset, scoring, threads, cache_mb)
        self._free = queue.SimpleQueue()
        for thread in range(threads):
            self._free.put(thread)
        self._pool = ThreadPoolExecutor(threads)
        self.map = self._pool.map
        with announced(f"mplearn-{min(self.local.sets.words, 3)}-{self.local.extensions.table.columns.dtype}"):
            self.local.score(0, ())
            if self.local.n > 1:
                self.local.best_addition(0, [])
        self.began = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._pool.shutdown(cancel_futures=True)

    @contextlib.contextmanager
    def thread(self):
        """The number of a work space that no other thread uses, as a context."""
        number = self._free.get()
        try:
            yield number
        finally:
            self._free.put(number)

    def may_go_on(self):
        """Whether nobody has said stop."""
        return self.watch.stop is None or self.watch.stop[0] == 0

    def report_blanket(self, blanket, done, total):
        """Tell of a finished Blanket, `done` of `total`."""
        self._report("blanket", done, str(blanket.variable), blanket.score, len(blanket.members))
        self.watch.on_progress("blanket", done, total, f"blankets: {done} of {total}")

    def report_graph(self, phase, step, what, score, edges, total):
        """Tell of a graph after a step.

        Parameters
        ----------
        phase : str
            hc, pbo, and, or.
        step : int
        what : str
            As in `Event`.
        score : float
        edges : int
            How many it has.
        total : int
            How many it may have.
        """
        self._report(phase, step, what, score, edges)
        self.watch.on_progress(phase, edges, total, f"{phase}: step {step}, {edges} edges, score {score:.4f}")

    def _report(self, *values):
        phase, step, what, score, size = values
        self.watch.on_event(Event(time.monotonic() - self.began, phase, step, what, score, size))
