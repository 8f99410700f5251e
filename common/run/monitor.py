"""The monitor of a learner's run: it stops the run, provides the threads, and receives the reports.

A Monitor is composed of a clock (`common.run.clock`), a stop token (`common.run.stop_token`), a reporter
(`common.run.reporter`), a pool of threads, and perhaps a checkpoint. Kernels release Python's lock, so that plain
threads use all cores; they check `stop.flag`.

The clock starts with `start`, when all kernels are compiled (`compile`); a signal until then ends a command at once. A
learner that calls another one later first calls the `warm_up` of that one, which compiles its kernels.

A *part* of a run with its own limits, such as a search inside an exact method, shares the threads and ends with the
whole, which continues when the part's time is up. It reports its progress and scores to the whole, and the rows of its
trace if they are of the same kind. A *continued* run, such as a bound after a search, is a part that only the user can
end early: the time of the whole may be up. Only the whole keeps a checkpoint; a part may continue where an earlier one
was `paused`.

A run may consist of several processes, one after the other: seconds and iterations are those of all of them.
"""

from __future__ import annotations

import gc
import itertools
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from .clock import Clock
from .limits import Limits, patience
from .listener import Listener, Progress
from .position import START, Paused, Position
from .reporter import RunReporter, unreported
from .resources import available_cores
from .result import IDLE, INTERRUPTED, ITERATION_LIMIT, TARGET, TIME_LIMIT
from .saved import Saved
from .stop_token import INTERRUPT, TIME_UP, StopToken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .checkpoint import Checkpoint

TOLERANCE = 1e-9  # a score at most this far below the target reaches it


class Monitor:
    """One run of a learner; a context.

    Parameters
    ----------
    threads
        None: all cores.
    checkpoint
        The state of an earlier process, and the file for the state of this one.
    on_start : callable without arguments
        Called when the clock starts.

    Attributes
    ----------
    threads : int
    stop : StopToken
    clock : Clock
    reporter : RunReporter
    iterations : int
        Number done so far.
    improved : float
        When the best network was found, in seconds of the run.
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
        on_start: Callable[[], object] = lambda: None,
    ) -> None:
        threads = threads or available_cores()
        self._set_up(limits or Limits(), threads, ThreadPoolExecutor(threads), checkpoint)
        self._checkpoint = checkpoint
        self.stop = StopToken()
        before = START if checkpoint is None else checkpoint.position
        self.clock = Clock(self.limits.time_limit, self._end_time, before.seconds, on_start=on_start)
        listener = listener or Listener()
        self.reporter = RunReporter(listener.progress, listener.record, self._share)

    def _set_up(self, limits: Limits, threads: int, pool: Any, earlier: Checkpoint | Paused | None) -> None:
        """Initialise the attributes that runs and parts have separately, perhaps after an earlier process or search."""
        self.limits, self.threads, self._pool = limits, threads, pool
        self.map, self.submit = pool.map, pool.submit
        self.saved = None if earlier is None else earlier.saved
        _, self.iterations, self.improved, self._score = START if earlier is None else earlier.position
        self._is_idle = False

    def _end_time(self) -> None:
        self.stop.set(TIME_UP)

    def _share(self) -> float | None:
        return next(iter(self.shares_done()), None)

    def shares_done(self) -> list[float]:
        """The shares of the time and of the iterations that are used up, in this order; only those that are limited."""
        used = [(self.clock.seconds, self.limits.time_limit), (self.iterations, self.limits.iterations)]
        if self.limits.until_idle:
            used.append((self.clock.seconds - self.improved, patience(self.improved)))
        return [done / limit if limit > 0 else 1.0 for done, limit in used if limit is not None]

    @property
    def share_done(self) -> float:
        """The largest of these shares; 0 without a limit."""
        return max(self.shares_done(), default=0.0)

    def __enter__(self) -> Monitor:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self.flush()
        self._pool.shutdown(cancel_futures=True)

    def _end(self) -> None:
        """Stop the clock and all parts that still run."""
        self.clock.end()
        self._end_time()

    def interrupt(self, *_: Any) -> None:
        """End the run as soon as possible, with the best so far, at the user's request."""
        self.stop.set(INTERRUPT)

    def compile(self, *tasks: Callable) -> None:
        """Compile kernels before the clock starts, with Python's garbage collection suspended.

        It would search numba's objects again and again, for a twentieth of the time.

        Parameters
        ----------
        *tasks
            Each calls some of the kernels that the run will use, on tiny inputs.
        """
        collects = gc.isenabled()
        gc.disable()
        try:
            for done, task in enumerate(tasks):
                if not self.clock.root.has_started:
                    self.reporter.root(done / len(tasks), "preparing kernels")
                task()
        finally:
            if collects:
                gc.enable()

    def start(self) -> None:
        """Start the time limit, also that of the whole; only the first call has an effect."""
        self.clock.start()

    def part(
        self,
        seconds: float | None = None,
        iterations: int | None = None,
        shares_trace: bool = False,
        in_background: bool = False,
        paused: Paused | None = None,
        overrun: float = 0.0,
        outside: float = 0.0,
    ) -> Part:
        """A run inside this one, with its own limits; a context.

        Parameters
        ----------
        seconds
            No more than this run has left.
        shares_trace
            Whether the rows of its trace go to this run's trace; False if they are of another kind.
        in_background
            Whether it runs in parallel to other work: with one thread, and without reporting its progress.
        paused
            The position of an earlier part, which this one continues; its seconds and iterations are the totals of
            both, the limits are for further ones.
        overrun
            For how long kernels continue when the time is up, as a share of it, or until the learner checks `status`,
            so that the steps they have begun count.
        outside
            The score of the rest of the network, outside the part; its sum with the part's score is reported to this
            run.

        Returns
        -------
        Part
        """
        times = [limit for limit in (seconds, self.clock.seconds_left) if limit is not None]
        limits = Limits(min(times, default=None), iterations)
        part = Part(self, limits, StopToken(), 1 if in_background else self.threads, paused, overrun, outside)
        part.reporter = self.reporter.part(not in_background, shares_trace)
        return part

    def continued(self, seconds: float) -> Part:
        """A run that follows this one, whose time may be up; a context. Its progress is the share of its own time.

        Returns
        -------
        Part
        """
        part = Part(self, Limits(seconds), StopToken(handled=INTERRUPT), self.threads)
        part.reporter = RunReporter(self.reporter.root, unreported, part._share)
        return part

    @property
    def iterations_left(self) -> int | None:
        """Iterations that may still be done; None without a limit."""
        return None if self.limits.iterations is None else max(0, self.limits.iterations - self.iterations)

    @property
    def position(self) -> Position:
        """How far the run has come; the clock is read last, since searches in other threads may report meanwhile."""
        at = Position(iterations=self.iterations, improved=self.improved, score=self._score)
        return at._replace(seconds=self.clock.seconds)

    def should_continue(self) -> bool:
        """Whether the run may continue: neither the user nor the clock has stopped it."""
        return not self.stop.is_set()

    @property
    def status(self) -> str | None:
        """Why the run is over, a constant of `common.run.result`; None if nothing ends it."""
        if self.stop.is_set(INTERRUPT):
            return INTERRUPTED
        if self.limits.target_score is not None and self._score >= self.limits.target_score - TOLERANCE:
            return TARGET
        if self._is_idle:
            return IDLE
        if self.stop.is_set() or self.clock.is_overrun:
            return TIME_LIMIT
        return ITERATION_LIMIT if self.iterations_left == 0 else None

    def advance(self, iterations: int, score: float | None = None) -> None:
        """Count iterations done, and take in the score of the best network; ends a run that was idle for long."""
        self.iterations += iterations
        if score is not None:
            if score > self._score + TOLERANCE:
                self.improved = self.clock.seconds
            self._score = max(self._score, score)
        is_long = self.limits.until_idle and self.clock.seconds - self.improved >= patience(self.improved)
        if is_long and not self._is_idle and not self.stop.is_set():
            self._is_idle = True
            self._end_time()

    def keep(self, state: Callable, lasting: bool = False) -> None:
        """A safe point: a run that continues from this state has the same result as this one.

        Parameters
        ----------
        state
            Returns a dict of arrays of numbers and of JSON values; called now, if there is a checkpoint.
        lasting
            Whether it can also be called later, at any time; then it is called only when the file is written, the last
            time at the end of the run.
        """
        if self._checkpoint is not None:
            self._checkpoint.keep(state, self.position, lasting)

    def keep_found(self, found: dict[str, Any]) -> None:
        """Keep the result of a run that ended after its last safe point; as for `Checkpoint.keep_found`."""
        if self._checkpoint is not None:
            self._checkpoint.keep_found(found)

    def pause(self, state: Callable) -> None:
        """The end of a search, at any moment: a part can continue from here.

        Parameters
        ----------
        state
            As for `keep`; called now, by a part.
        """

    def flush(self) -> None:
        """Write the last safe point to the checkpoint, if there is one."""
        if self._checkpoint is not None:
            self._checkpoint.flush(self.clock.seconds)

    def report(self, iterations: int, score: float) -> None:
        """Count iterations done, and report the best score to progress and trace."""
        self.advance(iterations, score)
        seconds = self.clock.seconds
        self.reporter.record(Progress(seconds, self.iterations, score))
        self.reporter.progress(f"{seconds:.0f} s, {self.iterations:,} iterations, best {score:.4f}")

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
            The result of `run`.
        """
        waiting: deque[Any] = deque()
        issued = first * size
        for number in itertools.count(first):
            size_now = size if self.limits.iterations is None else min(size, self.limits.iterations - issued)
            if size_now > 0 and self.should_continue():
                waiting.append(self.submit(run, number, size_now))
                issued += size_now
            elif not waiting:
                return
            if len(waiting) > 2 * self.threads or size_now <= 0 or not self.should_continue():
                yield waiting.popleft().result()


class Part(Monitor):
    """A run inside another one; see `Monitor.part` and `Monitor.continued`.

    Attributes
    ----------
    paused : Paused or None
        Its position at the end; None for a learner that cannot continue.
    """

    def __init__(
        self,
        whole: Monitor,
        limits: Limits,
        stop: StopToken,
        threads: int,
        paused: Paused | None = None,
        overrun: float = 0.0,
        outside: float = 0.0,
    ) -> None:
        before = START if paused is None else paused.position
        limits = limits if paused is None else limits.after(before)
        self._set_up(limits, threads, whole._pool, paused)
        self._checkpoint, self.whole, self.paused, self._outside = None, whole, paused, outside
        self.stop = stop
        self.clock = Clock(limits.time_limit, self._end_time, before.seconds, overrun, whole.clock)

    def __enter__(self) -> Part:
        self.whole.stop.add(self.stop)
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self.whole.stop.remove(self.stop)

    def compile(self, *tasks: Callable) -> None:
        """Compile kernels as a part of the whole run."""
        self.whole.compile(*tasks)

    def pause(self, state: Callable) -> None:
        """The end of a search, at any moment: another part can continue from here."""
        self.paused = Paused(Saved(state(), "a paused search"), self.position)

    def report(self, iterations: int, score: float) -> None:
        """Count iterations done, and report the best score to the whole."""
        self.advance(iterations, score)
        self.whole.report(0, score + self._outside)
