"""junctor's one public function: `learn`."""

import logging
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.errors import DataError, LimitError
from cliquewise.common.graphs.chordal import chordal_score
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.kernel_cache import announced
from cliquewise.common.scores.all_scores import all_scores
from cliquewise.common.scores.allowed import complete_sets
from cliquewise.common.search.machine import available_cores, available_memory
from cliquewise.common.search.result import INTERRUPTED, OPTIMAL, LearnResult
from cliquewise.common.sets.set_orders import colex_masks, set_count
from cliquewise.junctor.backtrack import best_bags
from cliquewise.junctor.bounds import all_sets, possible_sets
from cliquewise.junctor.recurrences import fill
from cliquewise.junctor.tables import SET_BYTES, allocate, bytes_needed

LOG = logging.getLogger("cliquewise")
MAX_VARIABLES = 32
BOUNDS_FROM = 16  # variables: with fewer, all states take less time than the local search that bounds them
INCUMBENT_STEPS = 2_000_000
GIGABYTE = 1e9


@dataclass(frozen=True)
class Exact:
    """How to solve.

    Attributes
    ----------
    max_clique : int or None
        Largest clique allowed, >= 1.
    bounds : bool
        Leave out sets that are in no optimum (`junctor.bounds`); from 16 variables.
    memory : float or None
        Bytes the tables may take; None is what the machine has.
    threads : int or None
        None: all cores.
    allowed : Graph or None
        No other edges than these; None: all are allowed.
    """

    max_clique: int = None
    bounds: bool = True
    memory: float = None
    threads: int = None
    allowed: object = None


def learn(source, score_type="bdeu", ess=1.0, how=None, on_progress=lambda done, total, phase: None, stop=None):
    """A chordal Markov network of the highest score.

    Parameters
    ----------
    source : Dataset or CliqueScores
        Of at most 32 variables; memory is the bound in practice.
    score_type : str
        bdeu, bic or ll.
    ess : float
        Equivalent sample size of BDeu, > 0.
    how : Exact, optional
    on_progress : callable taking two floats and a str
        Work of a phase that is done so far, and in all; and which phase: scores, local search or tables.
    stop : int64[1], optional
        Setting it to 1 (from a signal handler, say) ends the work, whatever the phase: with the local search's
        network if it has begun, status "interrupted".

    Returns
    -------
    LearnResult
        Its iterations are the states of the dynamic program, its upper bound what is proved.

    Raises
    ------
    LimitError
        The tables do not fit in the memory allowed.
    DataError
        More than 32 variables; scores of a file that allow no network.
    KeyboardInterrupt
        Stopped before any network was known.
    """
    how = how or Exact()
    stop = np.zeros(1, np.int64) if stop is None else stop
    from_data = isinstance(source, Dataset)
    n = source.n_vars if from_data else source.n
    name = source.source
    if n > MAX_VARIABLES:
        raise DataError(f"{n} variables; junctor takes at most {MAX_VARIABLES}, lsmarkov any number", name)
    largest = min(how.max_clique or n, n if from_data else source.max_size)
    threads = how.threads or available_cores()
    memory = how.memory or available_memory() or math.inf
    bounds = how.bounds and n >= BOUNDS_FROM and largest > 1
    _check_memory((SET_BYTES + bounds * (9 + 4 * n)) * 2**n, memory, f"{n} variables")
    with ThreadPoolExecutor(threads) as pool, announced("junctor"):

        def may_go_on():
            return stop[0] == 0

        known, upper = None, math.inf
        if bounds:  # first of all, so that a network is known from then on
            known = _incumbent(source, score_type, ess, largest, replace(how, threads=threads), on_progress, stop)
        if not may_go_on():
            return _interrupted(known, upper)
        scores = _dense_scores(source, score_type, ess, largest, threads, may_go_on, on_progress)
        masks = all_sets(n, largest)
        every = len(masks)
        if known is not None and may_go_on():
            masks, upper = possible_sets(n, scores, largest, known.score, pool.map, may_go_on)
        if not may_go_on():
            return _interrupted(known, upper)
        if known is not None:
            told = (known.score, len(masks), every)
            LOG.info("local search found %.6f; %d of %d sets can be in a better network", *told)
        if how.allowed is not None:
            masks = masks[complete_sets(masks.astype(np.uint64), how.allowed)]
            LOG.info("%d of %d sets are left within --allowed-edges", len(masks), every)
        need = bytes_needed(n, masks)
        _check_memory(need, memory, f"{len(masks)} sets of {n} variables")
        LOG.info("%d sets, tables of %.3g GB", len(masks), need / GIGABYTE)
        tables = allocate(n, scores, masks)
        if not fill(tables, pool.map, threads, stop, lambda done, total: on_progress(done, total, "tables")):
            return _interrupted(known, upper)
        bags, best = best_bags(tables)
    if not bags:
        raise DataError("no network has a finite score", name)
    names = source.names if from_data else None
    graph = Graph.from_cliques(n, [[v for v in range(n) if bag >> v & 1] for bag in bags], names)
    return LearnResult(graph, _score(graph, scores), OPTIMAL, len(tables.f), best)


def _check_memory(need, memory, what):
    """Refuse what does not fit."""
    if need > memory:
        allowed = f"{memory / GIGABYTE:.3g} GB may be used (--memory)"
        raise LimitError(f"{what} need {need / GIGABYTE:.3g} GB, {allowed}; bound the cliques with --max-clique")


def _interrupted(known, upper):
    """The LearnResult of a run that was stopped: the network known so far."""
    if known is None:
        raise KeyboardInterrupt
    return LearnResult(known.graph, known.score, INTERRUPTED, 0, upper)


def _dense_scores(source, score_type, ess, largest, threads, may_go_on, on_progress):
    """The scores by mask: float64[2^n], minus infinity for sets of more than `largest` variables."""
    if isinstance(source, Dataset):
        n, total = source.n_vars, set_count(source.n_vars, largest)

        def tell(done):
            on_progress(done, total, "scores")

        values = all_scores(source, score_type, ess, largest, threads, tell, may_go_on)
        masks = colex_masks(n, largest)
    else:
        n, kept = source.n, np.bitwise_count(source.masks) <= largest
        masks, values = source.masks[kept], source.scores[kept]
    scores = np.full(1 << n, -np.inf)
    scores[masks.astype(np.int64)] = values
    return scores


def _incumbent(source, score_type, ess, largest, exact, on_progress, stop):
    """A network found by local search (LearnResult)."""
    from cliquewise.lsmarkov.learn import Limits, Search
    from cliquewise.lsmarkov.learn import learn as search

    common = {"threads": exact.threads, "allowed": exact.allowed}
    how = Search(max_clique=max(2, largest), limits=Limits(iterations=INCUMBENT_STEPS), **common)

    def tell(progress):
        on_progress(progress.steps, INCUMBENT_STEPS, "local search")

    return search(source, score_type, ess, how, tell, stop)


def _score(graph, scores):
    """The graph's score summed over its cliques and separators."""
    def of(members):
        return float(scores[sum(1 << v for v in members)])

    return chordal_score(graph, of)
