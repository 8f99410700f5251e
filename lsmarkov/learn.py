"""lsmarkov's one public function: `learn`."""

import math
from dataclasses import dataclass

import numpy as np

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.errors import DataError
from cliquewise.common.graphs.chordal import chordal_score, graph_of
from cliquewise.common.kernel_cache import announced
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.spanning import pair_gains
from cliquewise.common.search.machine import available_cores
from cliquewise.common.search.result import LOCAL_OPTIMUM, LearnResult
from cliquewise.lsmarkov import exchange, published
from cliquewise.lsmarkov.descent_kernels import DescentRules
from cliquewise.lsmarkov.start import best_partners, chow_liu, given_network
from cliquewise.lsmarkov.team import Limits, Team


@dataclass(frozen=True)
class Search:
    """How to search.

    Attributes
    ----------
    preset : str
        default, or ecai2020 for the search as published.
    max_clique : int or None
        Largest clique allowed, >= 2.
    operations : str
        Some of the letters C, E, V (published search only); empty for the greedy baseline.
    restart_rate : int
        Steps without progress before a restart (published search only), T in the paper.
    fixed_iters : bool
        Restart after that many steps in any case.
    dynamic_bound : bool
        Start with cliques of two and let them grow with each restart.
    chow_liu : bool
        Start from the forest of maximum weight instead of the empty graph.
    precompute : bool
        Compute all scores of sets up to max_clique before the search.
    init : Graph or None, and init_path : str
        A network to start from.
    allowed : Graph or None
        No other edges than these; None: all are allowed.
    limits : Limits
    seed : int
    threads : int or None
        None: all cores.
    cache_mb : int
    """

    preset: str = "default"
    max_clique: int = None
    operations: str = "CEV"
    restart_rate: int = 1000
    fixed_iters: bool = False
    dynamic_bound: bool = False
    chow_liu: bool = True
    precompute: bool = False
    init: object = None
    init_path: str = "-"
    allowed: object = None
    limits: Limits = Limits()
    seed: int = 1
    threads: int = None
    cache_mb: int = 1024


def learn(source, score_type="bdeu", ess=1.0, search=None, on_progress=lambda _: None, stop=None):
    """The best chordal Markov network found within the limits.

    Parameters
    ----------
    source : Dataset or CliqueScores
    score_type : str
        bdeu, bic or ll.
    ess : float
        Equivalent sample size of BDeu, > 0.
    search : Search, optional
    on_progress : callable taking a Progress
    stop : int64[1], optional
        Setting it to 1 (from a signal handler, say) ends the search with the best network so far.

    Returns
    -------
    LearnResult

    Raises
    ------
    UsageError
        A bound or a start network that the data do not fit.
    DataError
        Scores of a file that forbid the start network.
    """
    search = search or Search()
    as_published = search.preset == "ecai2020"
    threads = search.threads or available_cores()
    threads = 1 if as_published else min(exchange.CHAINS + exchange.DESCENTS, threads)
    scorer = SetScorer(source, score_type, ess, search.cache_mb, threads, search.allowed)
    size = 1 if as_published else exchange.walkers_for(scorer.n)
    max_clique = min(search.max_clique or scorer.n, scorer.largest_set)
    names = source.names if isinstance(source, Dataset) else None
    stop = np.zeros(1, np.int64) if stop is None else stop
    given = None if search.init is None else given_network(search, scorer, max_clique)
    kernels = f"{search.preset}-{min(scorer.words, 3)}-{scorer.scores.table.columns.dtype}"
    with Team(scorer, size, search.seed, search.limits, on_progress, stop) as team:
        if scorer.n > 1:
            plan = published if as_published else exchange
            with announced(kernels):
                plan.compile_kernels(team)
            if search.precompute:
                scorer.precompute(max_clique, team.map, team.may_go_on, team.telling("scores"))
            team.start_clock()
            gains = pair_gains(scorer, team.map, team.may_go_on, team.telling("pairs of variables"))
            start = _start(search, scorer, gains, max_clique) if given is None else given
            if names is None and not math.isfinite(chordal_score(graph_of(start), scorer.score)):
                raise DataError("a set of the start network scores minus infinity", source.source)
            team.place(start)
            if as_published:
                published.search(team, _rules(search, max_clique), max_clique if search.dynamic_bound else None)
            else:
                exchange.search(team, best_partners(gains), max_clique)
        graph = graph_of(team.best.best, names)
        return LearnResult(graph, chordal_score(graph, scorer.score), team.status or LOCAL_OPTIMUM, team.steps)


def _rules(search, max_clique):
    """The options of the published search as its kernel wants them."""
    operations = published.operations_of(search.operations)
    return DescentRules(operations, search.restart_rate, search.fixed_iters, 0, max_clique)


def _start(search, scorer, gains, max_clique):
    """The graph to start from where none is given, as bit rows."""
    if search.chow_liu and max_clique > 1:
        return chow_liu(gains)
    return np.zeros((scorer.n, scorer.words), np.uint64)
