"""Walkers, threads and the clock: runs kernels side by side in slices and watches why to stop.

Kernels hold no lock of Python's, so plain threads use all cores. Between slices the main thread looks at the
best score, enlarges the score table and reports; in between it only waits, so that signals and the time limit
take effect at once, through the array `stop` that every kernel watches.
"""

import itertools
import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np

from cliquewise.common.search.random_kernels import random_states
from cliquewise.common.search.result import INTERRUPTED, ITERATION_LIMIT, TARGET, TIME_LIMIT
from cliquewise.lsmarkov.descent_kernels import start_here
from cliquewise.lsmarkov.moves_kernels import MoveScratch
from cliquewise.lsmarkov.neighbourhood_kernels import Neighbourhood
from cliquewise.lsmarkov.walker_kernels import BEST, EVALUATED, STARTS, STEPS, TOLERANCE, Walker


@dataclass(frozen=True)
class Limits:
    """When to stop; None is no limit.

    Attributes
    ----------
    seconds : float or None
    iterations : int or None
        Steps of all walkers together.
    target : float or None
        A score that is good enough.
    """

    seconds: float = None
    iterations: int = None
    target: float = None


@dataclass(frozen=True)
class Progress:
    """What the search looks like between two slices.

    Attributes
    ----------
    seconds : float
    steps : int
    restarts : int
    score : float
        Best so far.
    computed : int
        Scores computed so far.
    best : uint64[n, words] or None
        The best graph, if it is new since the last report.
    phase : str
        What is being done, before there are steps.
    """

    seconds: float
    steps: int
    restarts: int
    score: float
    computed: int
    best: np.ndarray
    phase: str = ""


def new_walker(start, state):
    """A walker at the graph `start` (uint64[n, words]) with random state uint64[4]; its score is not known yet."""
    return Walker(
        adjacency=start.copy(),
        best=start.copy(),
        numbers=np.full(3, -np.inf),
        counts=np.zeros(4, np.int64),
        random=state.copy(),
        tried=np.zeros(5, np.int64),
        taken=np.zeros(5, np.int64),
    )


def move_scratch(n, words):
    """Work space for the moves of one thread."""
    return MoveScratch(*(np.zeros(words, np.uint64) for _ in range(7)), np.zeros(n + 1, np.int64))


def neighbourhood(n, words):
    """Work space for the neighbourhoods of one walker."""

    def sets(count):
        return np.zeros((count, words), np.uint64)

    return Neighbourhood(
        cliques=sets(n),
        separators=sets(n),
        count=np.zeros(1, np.int64),
        order=np.zeros(n, np.int64),
        earlier=sets(n),
        member_of=np.zeros(n, np.int64),
        borders=sets(n),
        gains=np.zeros(n),
        choice=np.zeros(2),
        wanted=np.zeros(words, np.uint64),
    )


class Team:
    """Walkers that search together.

    Parameters
    ----------
    scorer : SetScorer
        Has a scratch area for each thread to use.
    size : int
        Number of walkers; they stand at the empty graph until `place`.
    seed : int
    limits : Limits
    on_progress : callable taking a Progress
        Called after every slice.
    stop : int64[1]
        Bit 0 is the user's wish to stop, bit 1 the team's own when the time is up, cleared at the end; running
        kernels heed both at once.

    Attributes
    ----------
    walkers : list of Walker
    status : str or None, why the search is over (see `common.search.result`)
    """

    def __init__(self, scorer, size, seed, limits, on_progress, stop):
        self.scorer = scorer
        self.limits = limits
        self.on_progress = on_progress
        self.stop = stop
        empty = np.zeros((scorer.n, scorer.words), np.uint64)
        self.walkers = [new_walker(empty, state) for state in random_states(seed, size)]
        self.hoods = [neighbourhood(scorer.n, scorer.words) for _ in range(size)]
        self.status = None
        self.began = None  # the clock stands until it is started
        self.work = [move_scratch(scorer.n, scorer.words) for _ in scorer.scratch]
        self._pool = ThreadPoolExecutor(len(scorer.scratch))
        self._reported = -np.inf
        self.map = self._pool.map

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._tell(np.bitwise_or, 2)
        self._pool.shutdown()
        self._tell(np.bitwise_and, 1)  # the caller may go on to something else

    def start_clock(self):
        """The time limit counts from here."""
        self.began = time.monotonic()

    def may_go_on(self):
        """Whether neither the user nor the clock says stop."""
        in_time = self.limits.seconds is None or self.seconds < self.limits.seconds
        return self.stop[0] == 0 and in_time

    def telling(self, phase):
        """What tells on_progress the share of a phase that is done: a callable taking a float."""

        def tell(share):
            self.on_progress(Progress(self.seconds, 0, 0, -np.inf, self.scorer.computed, None, f"{phase}: {share:.0%}"))

        return tell

    def place(self, start):
        """Put every walker at the graph `start` (uint64[n, words]), its score not known yet."""
        for walker in self.walkers:
            walker.adjacency[:] = start
            walker.best[:] = start
            walker.numbers[:] = -np.inf

    @property
    def seconds(self):
        """Time since the clock was started."""
        return 0.0 if self.began is None else time.monotonic() - self.began

    @property
    def steps(self):
        """Steps of all walkers."""
        return sum(int(walker.counts[STEPS]) for walker in self.walkers)

    @property
    def evaluated(self):
        """Neighbours evaluated by all walkers."""
        return sum(int(walker.counts[EVALUATED]) for walker in self.walkers)

    @property
    def best(self):
        """The walker whose best network is the best of all."""
        return max(self.walkers, key=lambda walker: walker.numbers[BEST])

    def each(self, function, walkers=None):
        """Run one slice: `function(index, walker, scratch, work)` for each walker, side by side; then report.

        Returns
        -------
        bool
            Whether the search may go on.
        """
        walkers = self.walkers if walkers is None else walkers
        threads = len(self.work)

        queue = itertools.count()  # whichever thread is free takes the next walker

        def share(t):
            while (i := next(queue)) < len(walkers):
                function(i, walkers[i], self.scorer.scratch[t], self.work[t])

        self._wait([self._pool.submit(share, t) for t in range(min(threads, len(walkers)))])
        self.scorer.make_room()
        self._report()
        self.status = self._verdict()
        return self.status is None

    def score_start(self, i, walker, scratch, _work):
        """What `each` runs to score the walkers' graphs in full, and to list their cliques."""
        start_here(walker, self.scorer.scores, scratch, self.hoods[i])

    def _wait(self, futures):
        """Until the slice is done, or the time is up or the user stops: then the kernels are told to end."""
        left = None if self.limits.seconds is None else max(0.0, self.limits.seconds - self.seconds)
        _, running = wait(futures, left)
        if running:
            self._tell(np.bitwise_or, 2)
            wait(futures)
        for future in futures:
            future.result()

    def _tell(self, combine, bits):
        """Change `stop` in one step: the user's wish may come from a signal handler at any moment."""
        combine(self.stop, bits, out=self.stop)

    def _report(self):
        best = self.best
        score = float(best.numbers[BEST])
        better = score > self._reported + TOLERANCE
        self._reported = max(score, self._reported)
        restarts = sum(int(walker.counts[STARTS]) for walker in self.walkers)
        graph = best.best if better else None
        self.on_progress(Progress(self.seconds, self.steps, restarts, score, self.scorer.computed, graph))

    def _verdict(self):
        limits = self.limits
        if self.stop[0] & 1:
            return INTERRUPTED
        if limits.target is not None and self._reported >= limits.target - TOLERANCE:
            return TARGET
        if limits.seconds is not None and self.seconds >= limits.seconds:
            return TIME_LIMIT
        if limits.iterations is not None and self.steps >= limits.iterations:
            return ITERATION_LIMIT
        return None
