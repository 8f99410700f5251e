"""Local searches beside the cutting planes, while linear programs are solved.

A good network is half of a proof: what a family may lose is counted from its score. Rounded solutions lead to one where
the relaxation is good; until it is, a search that begins with nothing finds better ones. So one begins with the first
round, and one whenever the linear programs have taken as many pivots as pay for its steps; each is twice as long as the
one before. It has a thread of its own if there are several, else it is done at once; what it finds is taken some rounds
later in either case. So a run that is not stopped comes to the same result with any number of threads.
"""

from concurrent.futures import Future, ThreadPoolExecutor

PACE = 150  # steps that a pivot pays for: an eighth to a third of the time of one thread
ROUNDS = 3  # until what was found is taken


class Beside:
    """Searches beside the solver; a context.

    Parameters
    ----------
    search : callable taking (number, monitor)
        Returns a LearnResult; the number tells the searches apart.
    monitor : Monitor
        Of the whole run.
    steps : int
        Of the first search.
    """

    def __init__(self, search, monitor, steps):
        self._search, self._monitor, self._steps = search, monitor, steps
        self._pool = ThreadPoolExecutor(1) if monitor.threads > 1 else None
        self._paid, self._number, self._rounds = steps, 0, 0
        self._part, self._job = None, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._part is not None:
            self._part.interrupt()
        if self._pool is not None:
            self._pool.shutdown()

    def after_round(self, pivots):
        """A round is done: begin a search if it is paid for.

        Parameters
        ----------
        pivots : int
            Of the round's linear program.

        Returns
        -------
        LearnResult or None
            What a search has found, if it is time to take it.
        """
        self._paid += PACE * pivots
        found, self._rounds = None, self._rounds + 1
        if self._job is not None and self._rounds >= ROUNDS:
            found, self._job = self._job.result(), None
        if self._job is None and self._paid >= self._steps and self._monitor.may_go_on():
            self._paid, self._number, self._rounds = self._paid - self._steps, self._number + 1, 0
            self._part = self._monitor.part(iterations=self._steps, is_aside=True)
            self._job = self._pool.submit(self._run) if self._pool else _done(self._run())
            self._steps *= 2
        return found

    def _run(self):
        """Do a search."""
        with self._part as part:
            return self._search(self._number, part)


def _done(result):
    """A Future that has its result."""
    job = Future()
    job.set_result(result)
    return job
