"""coarsen's one public function: `learn`.

Algorithm 1 of the paper (IC) adds the best set of candidate edges until nothing gains; Algorithm 2 (FIC) then forces
K+ steps more. Where we differ from the paper: IC starts from both the spanning tree and the forest, and the better
result counts. With many variables a pass with short edges comes before the one that was asked for, so that a network
is there when time runs out. And if asked for, a local search goes on from there, which also removes edges, and IC goes
on from what that has found.
"""

import logging
from dataclasses import dataclass, replace

import numpy as np

from cliquewise.coarsen.coarser import coarser
from cliquewise.coarsen.greedy import greedy
from cliquewise.coarsen.run import Run
from cliquewise.coarsen.start import spanning_starts
from cliquewise.common.data.dataset import Dataset
from cliquewise.common.errors import DataError
from cliquewise.common.graphs.given import check_start
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.kernel_cache import announced
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.search.machine import available_cores
from cliquewise.common.search.result import (
    COMPLETE,
    INTERRUPTED,
    ITERATION_LIMIT,
    LOCAL_OPTIMUM,
    OPTIMAL,
    TIME_LIMIT,
    LearnResult,
)

LOG = logging.getLogger("cliquewise")
LEAST_GAIN = 1e-7  # of a step that counts; less is rounding
SHORT = 4  # length of edges with which hundreds of variables take seconds
MANY_VARIABLES = 150  # from here long edges can take hours
STARTS = {"best": ("forest", "tree")}


@dataclass(frozen=True)
class StepLimits:
    """Limits of a coarsening step.

    Attributes
    ----------
    max_clique : int or None
        Largest clique allowed, K.
    max_length : int or None
        Longest candidate edge, l, >= 1.
    seconds : float
        Of one integer program.
    gap : float
        Relative gap at which a program is good enough.
    """

    max_clique: int = None
    max_length: int = None
    seconds: float = 500.0
    gap: float = 0.0


@dataclass(frozen=True)
class Coarsening:
    """How to learn.

    Attributes
    ----------
    method : str
        ic, fic, greedy or forest.
    start : str
        tree, forest, empty or best (of tree and forest); or a file's name, for messages, if `given` is set.
    given : Graph or None
        A network to start from.
    steps : StepLimits
    forced : int
        Forced steps of fic, K+.
    forced_length : int or None
        Longest candidate edge of these, l+.
    short_first : bool
        With many variables and no bound on the length, or a large one: a pass with short edges, which takes little,
        comes first from each start; the better result counts.
    search : float or None
        Seconds of local search.
    seed : int
        Of the local search.
    seconds : float or None
        Time limit.
    threads : int or None
        None: all cores.
    cache_mb : int
    """

    method: str = "ic"
    start: str = "best"
    given: object = None
    steps: StepLimits = StepLimits()
    forced: int = 1
    forced_length: int = 1
    short_first: bool = True
    search: float = None
    seed: int = 1
    seconds: float = None
    threads: int = None
    cache_mb: int = 1024


def learn(source, score_type="bdeu", ess=1.0, how=None, on_step=lambda _: None, on_progress=lambda *_: None, stop=None):
    """A decomposable model, by adding edges.

    Parameters
    ----------
    source : Dataset or CliqueScores
    score_type : str
        bdeu, bic or ll.
    ess : float
        Equivalent sample size of BDeu, > 0.
    how : Coarsening, optional
    on_step : callable taking a coarsen.step.Step
    on_progress : callable taking a float and a str
        Seconds so far and what is being done.
    stop : int64[1], optional
        Setting it to 1 (from a signal handler, say) ends the work with the last complete step.

    Returns
    -------
    LearnResult
        Its iterations are the steps taken.

    Raises
    ------
    UsageError
        A start that does not fit the data or the bound.
    DataError
        Scores of a file that forbid the start.
    """
    how = how or Coarsening()
    scorer = SetScorer(source, score_type, ess, how.cache_mb, how.threads or available_cores())
    names = source.names if isinstance(source, Dataset) else None
    largest = min(how.steps.max_clique or scorer.n, scorer.largest_set)
    how = replace(how, steps=replace(how.steps, max_clique=largest))
    if how.given is not None:
        check_start(how.given, scorer.n, largest, f"--start {how.start}")
    stop = np.zeros(1, np.int64) if stop is None else stop
    with Run(scorer, how.seconds, stop, on_step, on_progress) as run:
        with announced(f"coarsen-{min(scorer.words, 3)}-{scorer.scores.table.columns.dtype}"):
            run.compile_kernels()
        if how.given is not None:
            starts = {"given": Graph(scorer.n, how.given.edges, names)}
        else:
            starts = spanning_starts(run, STARTS.get(how.start, (how.start,)), largest, names)
        best = _best_of(run, starts, how, source.source)
        if how.search is not None and run.may_go_on():
            best = _searched(run, best, source, score_type, ess, how)
        return _forced(run, best, how) if how.method == "fic" else best


def _best_of(run, starts, how, path):
    """The best LearnResult of the method from these starts ({kind: Graph})."""
    best, whole, cut_short = None, run.limit, None
    tries = [(kind, start, limits) for kind, start in starts.items() for limits in _passes(run, how)]
    for left, (kind, start, limits) in zip(range(len(tries), 0, -1), tries, strict=True):
        score = run.score(start)
        if not np.isfinite(score):
            raise DataError("a set of the start network scores minus infinity", path)
        run.steps = 0
        run.report(kind, start, score)
        run.limit = whole / left  # the last one gets what is left
        alone = how.method == "forest"
        result = _start_alone(kind, start, score, limits) if alone else _from(run, start, score, how, limits)
        if len(tries) > 1:
            reach = "" if limits.max_length is None else f", edges of up to {limits.max_length}"
            LOG.info("from the %s%s: score %.6f", kind, reach, result.score)
        if result.status in (TIME_LIMIT, INTERRUPTED):
            cut_short = result.status
        if best is None or result.score > best.score:
            best = result
    return replace(best, status=cut_short or best.status)


def _passes(run, how):
    """The limits to go from a start with: for many variables short edges first, a network in case time runs out."""
    length = how.steps.max_length
    long = run.scorer.n >= MANY_VARIABLES and (length is None or length > SHORT)
    if long and how.short_first and how.method in ("ic", "fic"):
        return replace(how.steps, max_length=SHORT), how.steps
    return (how.steps,)


def _start_alone(kind, graph, score, limits):
    """The start as a LearnResult: the forest is the best network with cliques of two, a tree may lose by its edges."""
    proved = kind == "forest" and limits.max_clique <= 2
    return LearnResult(graph, score, OPTIMAL if proved else COMPLETE)


def _from(run, graph, score, how, limits):
    """The LearnResult of one method from one start; of fic without its forced steps."""
    if how.method == "greedy":
        graph, score, done = greedy(run, graph, score, limits.max_clique)
        return LearnResult(graph, score, LOCAL_OPTIMUM if done else run.ended_by, run.steps)
    graph, score, status = _iterate(run, graph, score, limits)
    return LearnResult(graph, score, status, run.steps)


def _iterate(run, graph, score, limits):
    """IC: steps until nothing gains; the network, its score and the status."""
    while run.may_go_on():
        new, after, optimal = coarser(run, graph, score, "ic", limits)
        if after <= score + LEAST_GAIN:
            if optimal:
                return graph, score, LOCAL_OPTIMUM
            return graph, score, run.ended_by
        graph, score = new, after
    return graph, score, run.ended_by


def _searched(run, result, source, score_type, ess, how):
    """The LearnResult after local search from a result, and the method's steps from what that finds."""
    from cliquewise.lsmarkov.learn import Limits, Search
    from cliquewise.lsmarkov.learn import learn as search

    limits = Limits(seconds=min(how.search, run.left))
    common = {"seed": how.seed, "threads": how.threads, "cache_mb": how.cache_mb}
    plan = Search(max_clique=max(2, how.steps.max_clique), init=result.graph, limits=limits, **common)

    def on_progress(progress):
        run.on_progress(run.seconds, f"local search: score {progress.score:.4f}")

    found = search(source, score_type, ess, plan, on_progress, run.stop)
    run.steps = result.iterations + 1
    run.report("search", found.graph, found.score, found.score - result.score)
    if not run.may_go_on():
        return replace(found, status=run.ended_by, iterations=run.steps)
    return _from(run, found.graph, found.score, how, how.steps)


def _forced(run, result, how):
    """The LearnResult after the K+ forced steps of FIC, whatever they lose."""
    limits = replace(how.steps, max_length=how.forced_length)
    graph, score, status = result.graph, result.score, result.status
    run.steps = result.iterations
    for _ in range(how.forced):
        if not run.may_go_on():
            status = run.ended_by
            break
        graph, score, whole = coarser(run, graph, score, "fic", limits)
        status = ITERATION_LIMIT if whole or run.may_go_on() else run.ended_by
    return LearnResult(graph, score, status, run.steps)
