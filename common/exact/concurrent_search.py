"""Local searches in parallel with cutting planes, while linear programs are solved.

A proof needs a good network, since the allowed loss of a family is relative to its score. Rounded solutions give one if
the relaxation is good; before that, a search from the empty network finds better ones. So the search is continued
whenever the effort for the linear programs corresponds to its next steps. Each time, it takes four times as many steps
as before, up to 16 times the first number, since one long search finds better networks than several short ones. Each
time it finds nothing better, it waits twice as long. It has its own thread if there are several, otherwise it is run at
once; in both cases its result is used some rounds later, or at the end. So a run that is not stopped has the same
result with any number of threads.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..run.monitor import Monitor, Part
    from ..run.position import Paused
    from ..run.result import LearnResult

PACE = 75  # steps per unit of effort: at first a fifth to a half of the time of one thread
STEPS_GROWTH, MAX_GROWTH = 4, 16  # factor on the steps of the search before; largest factor on the first steps
ROUNDS = 3  # rounds until the result is used


class ConcurrentSearch:
    """Searches in parallel with the solver; a context.

    Parameters
    ----------
    search : callable taking a Monitor
        Returns a LearnResult.
    monitor
        Of the whole run.
    steps
        Of the first search.
    share
        Factor on the steps per unit of effort.
    paused
        The position of an earlier search, which is continued; None: there was none.
    """

    def __init__(
        self, search: Callable, monitor: Monitor, steps: int, share: float = 1.0, paused: Paused | None = None
    ) -> None:
        self._search, self._monitor, self._steps, self._paused = search, monitor, steps, paused
        self._longest = MAX_GROWTH * steps
        self._pool = ThreadPoolExecutor(1) if monitor.threads > 1 else None
        self._pace, self._paid, self._rounds = share * PACE, 0.0, 0
        self._part: Part | None = None
        self._job: Future | None = None

    def __enter__(self) -> ConcurrentSearch:
        return self

    def __exit__(self, *_: object) -> None:
        if self._part is not None:
            self._part.interrupt()
        if self._pool is not None:
            self._pool.shutdown()

    def after_round(self, effort: int) -> LearnResult | None:
        """End a round: the search continues if the solver has done enough.

        Parameters
        ----------
        effort
            For the round's linear program; see Relaxation.

        Returns
        -------
        LearnResult or None
            The result of the search, if it is time to use it.
        """
        self._paid += self._pace * effort
        found, self._rounds = None, self._rounds + 1
        if self._job is not None and self._rounds >= ROUNDS:
            found, self._job = self._job.result(), None
        if self._job is None and self._paid >= self._steps and self._monitor.should_continue():
            self._paid, self._rounds = self._paid - self._steps, 0
            if self._part is not None:
                self._paused = self._part.paused
            self._part = self._monitor.part(iterations=self._steps, in_background=True, paused=self._paused)
            self._job = self._pool.submit(self._run) if self._pool else _done(self._run())
            self._steps = min(STEPS_GROWTH * self._steps, self._longest)
        return found

    def left(self) -> LearnResult | None:
        """The result of the search, if the last one was not used; at the end."""
        return None if self._job is None else self._job.result()

    def back_off(self) -> None:
        """Search less often from now on, since the search found nothing better than the best network known."""
        self._pace /= 2

    def _run(self) -> LearnResult:
        """Search."""
        assert self._part is not None
        with self._part as part:
            return self._search(part)


def _done(result: LearnResult) -> Future:
    """A Future that has its result."""
    job: Future = Future()
    job.set_result(result)
    return job
