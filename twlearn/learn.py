"""twlearn's one public function: `learn`."""

import logging
import time
from dataclasses import dataclass, replace
from importlib import import_module

import numpy as np

from cliquewise.common.files.parentsets import ParentSets
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.given import check_start
from cliquewise.common.kernel_cache import announced
from cliquewise.common.search.machine import available_cores
from cliquewise.common.search.result import INTERRUPTED, OPTIMAL
from cliquewise.twlearn.families import families_of
from cliquewise.twlearn.result import Limits, Progress, network

LOG = logging.getLogger("cliquewise")
METHODS = ("chordal", "milp", "kp", "skp", "s2")
EXACT = ("milp", "kp")  # these end by themselves, if they may, and count no iterations
MOST_BY_PROGRAM = 15  # variables for which the integer program has a chance


@dataclass(frozen=True)
class Learning:
    """How to learn.

    Attributes
    ----------
    treewidth : int
        Bound on the moral graph's treewidth, w >= 1.
    method : str
        One of METHODS, or auto.
    max_parents : int
        Most parents, >= 0.
    limits : Limits
        Its threads may be None: all cores.
    template : Template or None
        Where method chordal starts.
    cache_mb : int
        Bound on the memory of set scores.
    climb : bool
        Whether method s2 climbs.
    """

    treewidth: int
    method: str = "auto"
    max_parents: int = 3
    limits: Limits = Limits()
    template: object = None
    cache_mb: int = 4096
    climb: bool = True


def learn(source, score_type="bdeu", ess=1.0, *, how, on_progress=lambda _: None, stop=None):
    """A Bayesian network of bounded treewidth.

    Parameters
    ----------
    source : Dataset, CliqueScores or ParentSets
    score_type : str
        bdeu, bic or ll; scores from a file are taken as they are.
    ess : float
        Equivalent sample size of BDeu, > 0.
    how : Learning
    on_progress : callable taking a twlearn.result.Progress
    stop : int64[1], optional
        Setting it to 1 (from a signal handler, say) ends the search with the best network so far.

    Returns
    -------
    NetworkResult

    Raises
    ------
    UsageError
        A template that does not fit the data or the bound.
    DataError
        Scores of a file that leave a variable without any.
    LimitError
        More than the memory or the method can take.
    """
    stop = np.zeros(1, np.int64) if stop is None else stop
    limits = how.limits._replace(threads=how.limits.threads or available_cores())
    names = getattr(source, "names", None)
    most = min(how.max_parents, how.treewidth)
    families = families_of(source, most, score_type, ess, limits.threads, how.cache_mb, lambda: stop[0] == 0)
    if families is None:  # the scores were not to be waited for
        families = families_of(source, 0, score_type, ess)
        result = network(families, range(families.n), range(families.n), INTERRUPTED)
    else:
        LOG.info("%d parent sets of %d variables", len(families.scores), families.n)
        _tell_of_larger(source, how)
        if how.template is not None:
            check_start(how.template.graph, families.n, how.treewidth + 1, how.template.named)
        result = _run(families, how, limits, on_progress, stop)
    return replace(result, dag=Dag(families.n, result.dag.arcs, names))


def _tell_of_larger(source, how):
    """Say how many sets of a file only the bound on the parents leaves out."""
    if isinstance(source, ParentSets):
        sizes = np.concatenate([np.count_nonzero(parents >= 0, axis=1) for parents in source.parents])
        larger = np.count_nonzero((sizes > how.max_parents) & (sizes <= how.treewidth))
        if larger:
            LOG.info("left out: %d sets of more than %d; --max-parents takes them in", larger, how.max_parents)


def _run(families, how, limits, on_progress, stop):
    """The method's NetworkResult."""
    n = families.n
    if n == 1:
        return network(families, [0], [0], OPTIMAL, upper_bound=float(families.scores[0]))
    method = method_for(n, how)
    LOG.info("method %s", method)
    options = {} if how.template is None else {"template": how.template}
    if method == "s2":
        options["climb"] = how.climb
    began = time.monotonic()
    with announced(f"twlearn {method}"):
        function = getattr(import_module(f"twlearn.{method}"), method)
        result = function(families, how.treewidth, limits, on_progress, stop, **options)
    if method in EXACT:  # what their last step found, or the only one
        on_progress(Progress(time.monotonic() - began, result.iterations, result.score))
    return result


def method_for(n, how):
    """The method for n variables: the one asked for, else the best for this size."""
    if how.method != "auto":
        return how.method
    if how.template is not None:
        return "chordal"
    from cliquewise.twlearn.kp import suits

    if suits(n, how.treewidth):
        return "kp"
    return "milp" if n <= MOST_BY_PROGRAM else "chordal"
