"""What all methods of coarsen share while they run: scores, threads, the clock, and the report of each step."""

import math
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from cliquewise.coarsen.candidates import candidates
from cliquewise.coarsen.gains_kernels import EdgeScratch, edge_gain, fill_weights
from cliquewise.coarsen.step import Step
from cliquewise.common.errors import CliquewiseError
from cliquewise.common.graphs.chordal import bit_rows, chordal_score, is_chordal
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.scores.spanning import compile_pair_gains, pair_gains
from cliquewise.common.search.result import INTERRUPTED, TIME_LIMIT

ROUNDING = 1e-9  # relative error allowed between the gain a step claims and the change of the score


class Run:
    """One run of `coarsen.learn.learn`.

    Parameters
    ----------
    scorer : SetScorer
        With a scratch area for each thread.
    seconds : float or None
        Time limit.
    stop : int64[1]
        Set to 1 from outside to end the run.
    on_step : callable taking a Step
    on_progress : callable taking a float and a str
        Seconds so far and what is being done; called often.

    Attributes
    ----------
    map : callable
        Like `map`, over the threads.
    steps : int
        Done so far.
    """

    def __init__(self, scorer, seconds, stop, on_step, on_progress):
        self.scorer = scorer
        self.limit = math.inf if seconds is None else seconds
        self.stop = stop
        self.on_step = on_step
        self.on_progress = on_progress
        self.steps = 0
        self._pool = ThreadPoolExecutor(len(scorer.scratch))
        self.map = self._pool.map
        self.began = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._pool.shutdown()

    def compile_kernels(self):
        """Compile what the methods use, and start the clock after that."""
        scorer, none = self.scorer, np.zeros(0, np.int64)
        sets = np.zeros((1, scorer.words), np.uint64)
        fill_weights(scorer.scores, scorer.scratch[0], sets, 0, 1, none, none, none, np.zeros(0))
        compile_pair_gains(scorer)
        empty = Graph(scorer.n, ())
        if scorer.n > 1:
            edge_gain(scorer.scores, scorer.scratch[0], bit_rows(empty), 0, 1, 1, edge_scratch(scorer))
        chordal_score(empty, scorer.score)
        candidates(Graph(2, ()))
        self.began = time.monotonic()

    @property
    def seconds(self):
        """Since the start."""
        return time.monotonic() - self.began

    @property
    def left(self):
        """Seconds until the time limit."""
        return self.limit - self.seconds

    def may_go_on(self):
        """Whether neither the user nor the clock says stop."""
        return self.stop[0] == 0 and self.left > 0.0

    @property
    def ended_by(self):
        """The status of a run that may not go on."""
        return INTERRUPTED if self.stop[0] else TIME_LIMIT

    def pair_gains(self):
        """What every edge gains alone, see `common.scores.spanning.pair_gains`, as far as the run may go on."""

        def tell(share):
            self.on_progress(self.seconds, f"pairs of variables: {share:.0%}")

        return pair_gains(self.scorer, self.map, self.may_go_on, tell)

    def score(self, graph):
        """The score of a chordal Graph."""
        self.scorer.make_room()
        return chordal_score(graph, self.scorer.score)

    def report(self, method, graph, score, gain=0.0, program=None):
        """Tell of a finished step.

        Parameters
        ----------
        method : str
        graph : Graph
        score, gain : float
        program : Solution, optional
            Of the step's integer program.
        """
        size = (program.variables, program.constraints, program.cuts) if program else (0, 0, 0)
        quality = (program.bound, program.gap) if program else (0.0, 0.0)
        status = program.status if program else ""
        self.on_step(Step(self.seconds, self.steps, method, *size, *quality, gain, score, len(graph.edges), status))


def edge_scratch(scorer):
    """Work space for the gains of single edges."""
    return EdgeScratch(
        np.zeros(scorer.words, np.uint64), np.zeros(scorer.words, np.uint64), np.zeros(scorer.n + 1, np.int64)
    )


def with_edges(graph, edges, gain, score, run):
    """The graph with more edges, after a check that it is chordal and has gained what was claimed.

    Parameters
    ----------
    graph : Graph
    edges : iterable of (int, int), u < v
    gain : float
        Claimed.
    score : float
        Of `graph`.
    run : Run

    Returns
    -------
    (Graph, float)
        And its score.

    Raises
    ------
    CliquewiseError
        The claim is wrong; that would be a mistake in this program.
    """
    new = Graph(graph.n, tuple(sorted({*graph.edges, *edges})), graph.names)
    if not is_chordal(new):
        raise CliquewiseError("internal error: a step gave a graph that is not chordal; please report it")
    after = run.score(new)
    if not abs(after - score - gain) <= ROUNDING * (abs(after) + abs(score) + 1.0):
        raise CliquewiseError(f"internal error: a step gained {after - score:.9f}, not {gain:.9f}; please report it")
    return new, after
