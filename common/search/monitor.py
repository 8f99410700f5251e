"""One run, whatever the tool: clock, threads, stop signal, progress, trace, checkpoint, status.

A command makes a Monitor and hands it to `learn`; the learner asks it whether to go on, runs its kernels on its
threads, and tells it what was done. Kernels hold no lock of Python's, so plain threads use all cores. They watch the
array `stop`: bit 0 is the user's wish, bit 1 is set here when the time is up.

The clock starts by `start`, when the first kernels are compiled (`compiling`). A part of a run that has limits of
its own, a search inside an exact method say, gets a `part`: it shares the threads and ends with the whole, which goes
on when the part's time is up. The whole is told of a part's progress and scores, and of the rows of its trace if they
are of the same kind. Work that comes after a run whose time may be up, a bound say, gets a `sequel`: a part that only
the user's wish ends early. Only the whole keeps a checkpoint.

A run may be in several parts, one process after the other: seconds and iterations are those of all of them.
"""

import contextlib
import itertools
import math
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from cliquewise.common import kernel_cache
from cliquewise.common.search.resources import available_cores
from cliquewise.common.search.result import INTERRUPTED, ITERATION_LIMIT, TARGET, TIME_LIMIT

INTERRUPT, TIME_UP = 1, 2  # bits of `stop`
TOLERANCE = 1e-9  # a score this little below the target reaches it


@dataclass(frozen=True)
class Limits:
    """When to stop; None is no limit.

    Attributes
    ----------
    seconds : float or None
        From when the kernels are compiled.
    iterations : int or None
        In the learner's own unit.
    target : float or None
        A score that is good enough.
    """

    seconds: float | None = None
    iterations: int | None = None
    target: float | None = None


@dataclass(frozen=True)
class Progress:
    """What a search has come to: a row of the trace where the learner has no kind of its own.

    Attributes
    ----------
    seconds : float
        Since the clock started.
    iterations : int
        In the learner's own unit.
    score : float
        Of the best network so far.
    """

    seconds: float
    iterations: int
    score: float


class Listener:
    """Whom a Monitor tells what happens; this one passes it over."""

    def progress(self, share, text):
        """How far the run is.

        Parameters
        ----------
        share : float or None
            Of the whole, 0 to 1; None if that is not known.
        text : str
            A few words: what is being done, the best score.
        """

    def record(self, row):
        """Something that a trace keeps.

        Parameters
        ----------
        row : dataclass
            Of the learner's own kind.
        """


class Monitor:
    """One run of a learner; a context.

    Parameters
    ----------
    limits : Limits, optional
    threads : int, optional
        None: all cores.
    listener : Listener, optional
    parent : Monitor, optional
        The run of which this is a part; its threads are used.
    shares_trace : bool
        Whether the rows of a part's trace go into that of the parent.
    is_aside : bool
        Whether a part runs beside other work: with one thread, and without telling its progress.
    checkpoint : Checkpoint, optional
        What an earlier process has come to, and where this one keeps what it comes to.

    Attributes
    ----------
    threads : int
    stop : int64[1]
        For kernels to watch; not zero when they should end.
    iterations : int
        Done so far.
    saved : Saved or None
        The state to go on from; None at the beginning of a run, and for a part.
    map : callable
        Like the built-in, on the threads.
    submit : callable
        As that of concurrent.futures.Executor.
    """

    def __init__(
        self,
        limits=None,
        threads=None,
        listener=None,
        parent=None,
        shares_trace=False,
        is_aside=False,
        checkpoint=None,
    ):
        self.limits = limits or Limits()
        self.listener = listener or Listener()
        self.threads = 1 if is_aside else parent.threads if parent else threads or available_cores()
        self.stop = np.zeros(1, np.int64)
        self._checkpoint = checkpoint
        self.saved = checkpoint and checkpoint.saved
        self.iterations = checkpoint.iterations if checkpoint else 0
        self._seconds_before = checkpoint.seconds if checkpoint else 0.0
        self._score = -math.inf
        self._parent, self._shares_trace, self._is_aside = parent, shares_trace, is_aside
        self._heeds = INTERRUPT | TIME_UP  # the bits of the parent's `stop` that end a part
        self._parts = []
        self._pool = parent._pool if parent else ThreadPoolExecutor(self.threads)
        self._timer = None
        self._began = None
        self._compiling = False
        self._lock = threading.Lock()
        self.map, self.submit = self._pool.map, self._pool.submit

    def __enter__(self):
        if self._parent is not None:
            self._parent._parts.append(self)
            self._tell(int(self._parent.stop[0]) & self._heeds)
        return self

    def __exit__(self, *_):
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        self._tell(TIME_UP)  # whatever still runs should end
        self.flush()
        if self._parent is None:
            self._pool.shutdown(wait=not kernel_cache.is_compiling(), cancel_futures=True)
        else:
            self._parent._parts.remove(self)

    def _tell(self, bit):
        """Set a bit of `stop`, in the parts too; also called by signal handlers, at any moment."""
        np.bitwise_or(self.stop, bit, out=self.stop)
        for part in tuple(self._parts):
            part._tell(bit & part._heeds)

    def interrupt(self, *_):
        """End the run as soon as may be, with the best so far: the user's wish.

        Raises
        ------
        KeyboardInterrupt
            In the midst of compiling (see `compiling`).
        """
        self._tell(INTERRUPT)
        if self._compiling:
            kernel_cache.give_up()

    @contextlib.contextmanager
    def compiling(self, what):
        """While kernels may be compiled for the first time (`what` names them), which takes many seconds.

        A signal in this block does not wait for it: KeyboardInterrupt is raised, at once or where the next kernel would
        have to be compiled. A learner that knows a network by then catches it.
        """
        run = self
        while run._parent is not None:
            run = run._parent
        before, run._compiling = run._compiling, True
        try:
            with kernel_cache.announced(what):
                yield
        finally:
            run._compiling = before

    def start(self):
        """The time limit counts from here, that of the whole too; from the first call, if there are several."""
        if self._began is not None:
            return
        if self._parent is not None:
            self._parent.start()
        self._began = time.monotonic()
        if self.limits.seconds is not None:
            self._timer = threading.Timer(self.limits.seconds - self._seconds_before, self._tell, (TIME_UP,))
            self._timer.daemon = True
            self._timer.start()

    def part(self, seconds=None, iterations=None, shares_trace=False, is_aside=False):
        """A run inside this one, with limits of its own; a context.

        Parameters
        ----------
        seconds : float, optional
            No more than this run has left.
        iterations : int, optional
        shares_trace : bool
            Whether the rows of its trace go into this run's; no if they are of another kind.
        is_aside : bool
            Whether it runs beside other work: with one thread, and without telling its progress.

        Returns
        -------
        Monitor
        """
        limits = [limit for limit in (seconds, self.seconds_left) if limit is not None]
        limits = Limits(min(limits, default=None), iterations)
        return Monitor(limits, parent=self, shares_trace=shares_trace, is_aside=is_aside)

    def sequel(self, seconds):
        """A run after this one, whose time may be up; a context.

        Parameters
        ----------
        seconds : float

        Returns
        -------
        Monitor
        """
        more = Monitor(Limits(seconds), parent=self)
        more._heeds = INTERRUPT
        return more

    @property
    def seconds(self):
        """Since the clock started, in all parts of the run."""
        return self._seconds_before + (0.0 if self._began is None else time.monotonic() - self._began)

    @property
    def seconds_of_all(self):
        """Since the clock of the whole started; for a run that is no part the same as `seconds`."""
        return self.seconds if self._parent is None else self._parent.seconds_of_all

    @property
    def seconds_left(self):
        """Until the time is up; None without a limit."""
        return None if self.limits.seconds is None else max(0.0, self.limits.seconds - self.seconds)

    @property
    def iterations_left(self):
        """Iterations that may still be done; None without a limit."""
        return None if self.limits.iterations is None else max(0, self.limits.iterations - self.iterations)

    def may_go_on(self):
        """Whether neither the user nor the clock says stop."""
        return self.stop[0] == 0

    @property
    def status(self):
        """Why the run is over, a constant of `common.search.result`; None if nothing ends it."""
        if self.stop[0] & INTERRUPT:
            return INTERRUPTED
        if self.limits.target is not None and self._score >= self.limits.target - TOLERANCE:
            return TARGET
        if self.stop[0]:
            return TIME_LIMIT
        return ITERATION_LIMIT if self.iterations_left == 0 else None

    def done(self, iterations=1, score=None):
        """Iterations are done, and the best network has this score.

        Parameters
        ----------
        iterations : int
        score : float, optional
        """
        self.iterations += iterations
        if score is not None:
            self._score = max(self._score, score)

    def keep(self, state, lasting=False):
        """A safe point: a run that goes on from this state ends as this one will.

        Parameters
        ----------
        state : callable
            Returns a dict of arrays of numbers and of JSON values; called now, if a checkpoint is wanted.
        lasting : bool
            Whether it can be called later too, when the run is in the middle of something; then it is called only
            where something is written.
        """
        if self._checkpoint is not None:
            self._checkpoint.keep(state, self.seconds, self.iterations, lasting)

    def flush(self):
        """Write the last safe point to the checkpoint, if there is one."""
        if self._checkpoint is not None:
            self._checkpoint.flush(self.seconds)

    def progress(self, text, done=None, total=None):
        """Tell how far the run is: of its time, else of its iterations, else as `done` of `total` says.

        Parameters
        ----------
        text : str
        done, total : float, optional
        """
        if self._is_aside:
            return
        if self._parent is not None and self._heeds & TIME_UP:
            self._parent.progress(text)
            return
        if self.limits.seconds is not None:
            done, total = self.seconds, self.limits.seconds
        elif self.limits.iterations is not None:
            done, total = self.iterations, self.limits.iterations
        listener = self.listener if self._parent is None else self._parent.listener
        listener.progress(min(1.0, done / total) if total else None, text)

    def phase(self, what):
        """What tells the share of a phase (`what` names it) that is done: a callable taking a float."""
        return lambda share: self.progress(f"{what}: {share:.0%}", share, 1.0)

    def record(self, row):
        """Keep a row of the trace; see `Listener.record`."""
        if self._shares_trace:
            self._parent.record(row)
        else:
            self.listener.record(row)

    def report(self, iterations, score):
        """Iterations are done: count them, and tell progress and trace of the best score.

        Parameters
        ----------
        iterations : int
        score : float
        """
        self.done(iterations, score)
        if self._parent is not None:
            self._parent.report(0, score)
            return
        self.record(Progress(self.seconds, self.iterations, score))
        self.progress(f"{self.seconds:.0f} s, {self.iterations:,} iterations, best {score:.4f}")

    def batches(self, run, size, first=0):
        """The results of run(0, size), run(1, size), ... in this order, side by side, until it is time to stop.

        Parameters
        ----------
        run : callable taking a number and how many iterations to do
        size : int
        first : int
            The number to begin with, those before it being done.

        Yields
        ------
        object
        """
        waiting, issued = deque(), first * size
        for number in itertools.count(first):
            size_now = size if self.limits.iterations is None else min(size, self.limits.iterations - issued)
            if size_now > 0 and self.may_go_on():
                waiting.append(self.submit(run, number, size_now))
                issued += size_now
            elif not waiting:
                return
            if len(waiting) > 2 * self.threads or size_now <= 0 or not self.may_go_on():
                yield waiting.popleft().result()
