"""Threads, the clock and the reasons to stop, for the methods that search in small pieces.

Kernels hold no lock of Python's, so plain threads use all cores. They watch the array `stop`: bit 0 is the user's
wish, bit 1 is set here when the time is up.
"""

import itertools
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from cliquewise.common.search.result import INTERRUPTED, ITERATION_LIMIT, TIME_LIMIT
from cliquewise.twlearn.result import Progress


class Clock:
    """A search while it runs; a context.

    Parameters
    ----------
    limits : Limits
    stop : int64[1]
    on_progress : callable taking a Progress

    Attributes
    ----------
    iterations : int
        Done so far.
    stop : int64[1]
    map : callable
        Like the built-in, on the threads.
    """

    def __init__(self, limits, stop, on_progress):
        self.limits = limits
        self.stop = stop
        self.iterations = 0
        self._on_progress = on_progress
        self._pool = ThreadPoolExecutor(limits.threads)
        self._timer = None
        self._began = time.monotonic()
        self.map = self._pool.map

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        self._tell(np.bitwise_or, 2)
        self._pool.shutdown()
        self._tell(np.bitwise_and, 1)  # the caller may go on to something else

    def start(self, began=None):
        """The time limit counts from here, or from `began` by time.monotonic()."""
        self._began = time.monotonic() if began is None else began
        if self.limits.seconds is not None:
            self._timer = threading.Timer(self.seconds_left, self._tell, (np.bitwise_or, 2))
            self._timer.daemon = True
            self._timer.start()

    def _tell(self, combine, bits):
        """Change `stop` in one step: the user's wish may come from a signal handler at any moment."""
        combine(self.stop, bits, out=self.stop)

    @property
    def seconds_left(self):
        """Until the time is up; None without a limit."""
        limit = self.limits.seconds
        return None if limit is None else max(0.0, limit - (time.monotonic() - self._began))

    @property
    def left(self):
        """Iterations that may still be done; None without a limit."""
        return None if self.limits.iterations is None else max(0, self.limits.iterations - self.iterations)

    def report(self, done, score):
        """`done` more iterations are done, and the best network's score is `score`."""
        self.iterations += done
        self._on_progress(Progress(time.monotonic() - self._began, self.iterations, score))

    def batches(self, run, size):
        """The results of run(0, size), run(1, size), ... in this order, side by side, until it is time to stop.

        Parameters
        ----------
        run : callable taking a number and how many iterations to do
        size : int
        """
        waiting, issued = deque(), 0
        for number in itertools.count():
            draws = size if self.limits.iterations is None else min(size, self.limits.iterations - issued)
            if draws > 0 and self.stop[0] == 0:
                waiting.append(self._pool.submit(run, number, draws))
                issued += draws
            elif not waiting:
                return
            if len(waiting) > 2 * self.limits.threads or draws <= 0 or self.stop[0]:
                yield waiting.popleft().result()

    @property
    def status(self):
        """Why the search is over, a constant of `common.search.result`; None if nothing stops it."""
        if self.stop[0]:
            return INTERRUPTED if self.stop[0] & 1 else TIME_LIMIT
        return ITERATION_LIMIT if self.left == 0 else None
