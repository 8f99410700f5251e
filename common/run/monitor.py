"""One run, whatever the tool: clock, threads, stop signal, progress, trace, checkpoint, status.

A command creates a Monitor and passes it to `learn`; the learner asks it whether to continue, runs its kernels on its
threads, and reports progress. Kernels release Python's lock, so plain threads use all cores. They check the array
`stop`: bit 0 is set when the user stops the run, bit 1 when the time is up.

The clock starts with `start`, when all kernels are compiled (`compile`); a signal until then ends a command at once. A
part of a run with its own limits, such as a search inside an exact method, gets a `part`: it shares the threads and
ends with the whole, which continues when the part's time is up. A part reports its progress and scores to the whole,
and the rows of its trace if they are of the same kind. Work after a run whose time may be up, such as a bound, gets a
`sequel`: a part that only the user can end early. Only the whole keeps a checkpoint; a part may go on where an earlier
one was `paused`.

A run may consist of several processes, one after the other: seconds and iterations are those of all of them.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .checkpoint import Saved
from .listener import Listener, Progress
from .resources import available_cores
from .result import INTERRUPTED, ITERATION_LIMIT, TARGET, TIME_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .checkpoint import Checkpoint

INTERRUPT, TIME_UP = 1, 2  # bits of `stop`
TOLERANCE = 1e-9  # a score at most this far below the target reaches it


@dataclass(frozen=True)
class Limits:
    """When to stop; None is no limit.

    Attributes
    ----------
    seconds : float or None
        Counted from the time when the kernels are compiled.
    iterations : int or None
        In the learner's own unit.
    target : float or None
        A score that is good enough.
    """

    seconds: float | None = None
    iterations: int | None = None
    target: float | None = None


class Monitor:
    """One run of a learner; a context.

    Parameters
    ----------
    threads
        None: all cores.
    checkpoint
        The state of an earlier process, and the file for the state of this one.

    Attributes
    ----------
    threads : int
    stop : int64[1]
        Checked by kernels; not zero when they should end.
    iterations : int
        Number done so far.
    saved : Saved or None
        The state to continue from; None at the beginning of a run, and for a part.
    map : callable
        Like the built-in, on the threads.
    submit : callable
        Like that of concurrent.futures.Executor.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        threads: int | None = None,
        listener: Listener | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self.listener = listener or Listener()
        self._checkpoint = checkpoint
        self.saved: Saved | None = checkpoint.saved if checkpoint else None
        threads = threads or available_cores()
        self._set_up(limits or Limits(), threads, ThreadPoolExecutor(threads))
        if checkpoint:
            self.iterations, self._seconds_before = checkpoint.iterations, checkpoint.seconds

    def _set_up(self, limits: Limits, threads: int, pool: Any) -> None:
        """What a run and its parts have each for themselves."""
        self.limits, self.threads, self._pool = limits, threads, pool
        self.map, self.submit = pool.map, pool.submit
        self.stop = np.zeros(1, np.int64)
        self.iterations, self._score = 0, -math.inf
        self._began: float | None = None
        self._timer: threading.Timer | None = None
        self._seconds_before, self._overrun = 0.0, 0.0
        self._parts: list[Part] = []

    def __enter__(self) -> Monitor:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self.flush()
        self._pool.shutdown(cancel_futures=True)

    def _end(self) -> None:
        """Stop the clock, and everything that still runs."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        self._tell(TIME_UP)

    def _tell(self, bit: int) -> None:
        """Set a bit of `stop`, in the parts too; also called by signal handlers, at any moment."""
        np.bitwise_or(self.stop, bit, out=self.stop)
        for part in tuple(self._parts):
            part._tell(bit & part.heeds)

    def interrupt(self, *_: Any) -> None:
        """End the run as soon as possible, with the best so far, at the user's request."""
        self._tell(INTERRUPT)

    @property
    def has_begun(self) -> bool:
        """Whether the clock of the whole run was started."""
        return self._began is not None

    def compile(self, *tasks: Callable) -> None:
        """Compile kernels, before the clock starts.

        Parameters
        ----------
        *tasks
            Each calls some of the kernels that the run will use, on very little.
        """
        for done, task in enumerate(tasks):
            if not self.has_begun:
                self.listener.progress(done / len(tasks), "preparing kernels")
            task()

    def rehearse(self, learn: Callable) -> None:
        """Run a learner of a later part up to the start of its clock, so that its kernels are compiled.

        Parameters
        ----------
        learn : callable taking a Monitor
        """
        with Rehearsal(self, Limits()) as part, contextlib.suppress(_Rehearsed):
            learn(part)

    def start(self) -> None:
        """Start the time limit, also that of the whole; only the first call has an effect."""
        if self._began is not None:
            return
        self._began = time.monotonic()
        if self.limits.seconds is not None:
            left = (1 + self._overrun) * (self.limits.seconds - self._seconds_before)
            left = min(left, threading.TIMEOUT_MAX)
            self._timer = threading.Timer(left, self._tell, (TIME_UP,))
            self._timer.daemon = True
            self._timer.start()

    def part(
        self,
        seconds: float | None = None,
        iterations: int | None = None,
        shares_trace: bool = False,
        is_aside: bool = False,
        paused: Paused | None = None,
        overrun: float = 0.0,
    ) -> Part:
        """A run inside this one, with its own limits; a context.

        Parameters
        ----------
        seconds
            No more than this run has left.
        shares_trace
            Whether the rows of its trace go to this run's trace; False if they are of another kind.
        is_aside
            Whether it runs beside other work: with one thread, and without telling its progress.
        paused
            Where an earlier part stood, from which this one goes on; its seconds and iterations are those of both,
            the limits are for further ones.
        overrun
            For how long kernels go on when the time is up, as a share of it, or until the learner looks at `status`:
            then what they have begun counts.

        Returns
        -------
        Part
        """
        times = [limit for limit in (seconds, self.seconds_left) if limit is not None]
        limits = Limits(min(times, default=None), iterations)
        if paused is not None:
            limits = paused.further(limits)
        return Part(self, limits, shares_trace, is_aside, paused, overrun)

    def sequel(self, seconds: float) -> Monitor:
        """A run after this one, whose time may be up; a context.

        Returns
        -------
        Monitor
        """
        return Sequel(self, Limits(seconds))

    @property
    def seconds(self) -> float:
        """Since the clock started, in all parts of the run."""
        return self._seconds_before + (0.0 if self._began is None else time.monotonic() - self._began)

    @property
    def seconds_of_all(self) -> float:
        """Since the clock of the whole started; equal to `seconds` for a run that is not a part."""
        return self.seconds

    @property
    def seconds_left(self) -> float | None:
        """Until the time is up; None without a limit."""
        return None if self.limits.seconds is None else max(0.0, self.limits.seconds - self.seconds)

    @property
    def iterations_left(self) -> int | None:
        """Iterations that may still be done; None without a limit."""
        return None if self.limits.iterations is None else max(0, self.limits.iterations - self.iterations)

    def may_go_on(self) -> bool:
        """Whether neither the user nor the clock stops the run."""
        return self.stop[0] == 0

    @property
    def status(self) -> str | None:
        """Why the run is over, a constant of `common.run.result`; None if nothing ends it."""
        if self.stop[0] & INTERRUPT:
            return INTERRUPTED
        if self.limits.target is not None and self._score >= self.limits.target - TOLERANCE:
            return TARGET
        if self.stop[0] or (self._overrun > 0 and self.seconds_left == 0):
            return TIME_LIMIT
        return ITERATION_LIMIT if self.iterations_left == 0 else None

    def done(self, iterations: int = 1, score: float | None = None) -> None:
        """Record iterations done, and the score of the best network."""
        self.iterations += iterations
        if score is not None:
            self._score = max(self._score, score)

    def keep(self, state: Callable, lasting: bool = False) -> None:
        """A safe point: a run that continues from this state has the same result as this one.

        Parameters
        ----------
        state
            Returns a dict of arrays of numbers and of JSON values; called now, if there is a checkpoint.
        lasting
            Whether it can also be called later, at any time; then it is called only when the file is written.
        """
        if self._checkpoint is not None:
            self._checkpoint.keep(state, self.seconds, self.iterations, lasting)

    def pause(self, state: Callable) -> None:
        """The end of a search, at any moment: a part can go on from here.

        Parameters
        ----------
        state
            As of `keep`; called now, by a part.
        """

    def flush(self) -> None:
        """Write the last safe point to the checkpoint, if there is one."""
        if self._checkpoint is not None:
            self._checkpoint.flush(self.seconds)

    def progress(self, text: str, done: float | None = None, total: float | None = None) -> None:
        """Report progress: the share of the time, or else of the iterations, or else `done` of `total`."""
        if self.limits.seconds is not None:
            done, total = self.seconds, self.limits.seconds
        elif self.limits.iterations is not None:
            done, total = self.iterations, self.limits.iterations
        self.listener.progress(min(1.0, done / total) if done is not None and total else None, text)

    def phase(self, what: str) -> Callable:
        """A callable that reports the share done of a phase (`what` names it), a float."""
        return lambda share: self.progress(f"{what}: {share:.0%}", share, 1.0)

    def record(self, row: Any) -> None:
        """Keep a row of the trace; see `Listener.record`."""
        self.listener.record(row)

    def report(self, iterations: int, score: float) -> None:
        """Count iterations done, and report the best score to progress and trace."""
        self.done(iterations, score)
        self.record(Progress(self.seconds, self.iterations, score))
        self.progress(f"{self.seconds:.0f} s, {self.iterations:,} iterations, best {score:.4f}")

    def batches(self, run: Callable, size: int, first: int = 0) -> Iterator[tuple[int, Any]]:
        """The results of run(0, size), run(1, size), ... in this order, computed in parallel, until the run stops.

        Parameters
        ----------
        run : callable taking a number and how many iterations to do
        first
            The first number; earlier ones are done.

        Yields
        ------
        tuple
            What `run` returned.
        """
        waiting: deque[Any] = deque()
        issued = first * size
        for number in itertools.count(first):
            size_now = size if self.limits.iterations is None else min(size, self.limits.iterations - issued)
            if size_now > 0 and self.may_go_on():
                waiting.append(self.submit(run, number, size_now))
                issued += size_now
            elif not waiting:
                return
            if len(waiting) > 2 * self.threads or size_now <= 0 or not self.may_go_on():
                yield waiting.popleft().result()


@dataclass(frozen=True)
class Paused:
    """Where a part of a run stands.

    Attributes
    ----------
    saved : Saved
    seconds, iterations : float, int
        Of all parts that went on from each other.
    """

    saved: Saved
    seconds: float
    iterations: int

    def further(self, limits: Limits) -> Limits:
        """Limits that count from here, as limits of all."""
        seconds = None if limits.seconds is None else self.seconds + limits.seconds
        return Limits(seconds, None if limits.iterations is None else self.iterations + limits.iterations)


class Part(Monitor):
    """A run inside another one; see `Monitor.part`.

    Attributes
    ----------
    paused : Paused or None
        Where it stands at its end; None for a learner that cannot go on.
    """

    heeds = INTERRUPT | TIME_UP  # the bits of the whole's `stop` that end this one

    def __init__(
        self,
        whole: Monitor,
        limits: Limits,
        shares_trace: bool = False,
        is_aside: bool = False,
        paused: Paused | None = None,
        overrun: float = 0.0,
    ) -> None:
        self.whole, self._shares_trace, self._is_aside = whole, shares_trace, is_aside
        self.listener = whole.listener
        self._checkpoint, self.saved, self.paused = None, None, paused
        self._set_up(limits, 1 if is_aside else whole.threads, whole._pool)
        self._overrun = overrun
        if paused is not None:
            self.saved, self._seconds_before, self.iterations = paused.saved, paused.seconds, paused.iterations

    def __enter__(self) -> Part:
        self.whole._parts.append(self)
        self._tell(int(self.whole.stop[0]) & self.heeds)
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self.whole._parts.remove(self)

    @property
    def has_begun(self) -> bool:
        """Whether the clock of the whole run was started."""
        return self.whole.has_begun

    def start(self) -> None:
        """Start the time limit and that of the whole."""
        self.whole.start()
        super().start()

    def pause(self, state: Callable) -> None:
        """The end of a search, at any moment: another part can go on from here."""
        self.paused = Paused(Saved(state(), "a paused search"), self.seconds, self.iterations)

    @property
    def seconds_of_all(self) -> float:
        """Since the clock of the whole started."""
        return self.whole.seconds_of_all

    def progress(self, text: str, done: float | None = None, total: float | None = None) -> None:
        """Report progress to the whole, whose share of the time or of the iterations is told."""
        if not self._is_aside:
            self.whole.progress(text)

    def record(self, row: Any) -> None:
        """Keep a row of the trace, if the whole has rows of this kind."""
        if self._shares_trace:
            self.whole.record(row)

    def report(self, iterations: int, score: float) -> None:
        """Count iterations done, and report the best score to the whole."""
        self.done(iterations, score)
        self.whole.report(0, score)


class Sequel(Part):
    """A run after another one, whose time may be up; see `Monitor.sequel`."""

    heeds = INTERRUPT

    def progress(self, text: str, done: float | None = None, total: float | None = None) -> None:
        """Report the share of its own time or iterations."""
        Monitor.progress(self, text, done, total)


class _Rehearsed(Exception):
    """A rehearsed learner would start its clock."""


class Rehearsal(Part):
    """A run that ends where its clock would start; see `Monitor.rehearse`."""

    def start(self) -> None:
        """End it."""
        raise _Rehearsed
