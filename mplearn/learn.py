"""mplearn's public functions: `learn`, and its first phase alone, `blankets`."""

from dataclasses import dataclass

import numpy as np

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.errors import UsageError
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.search.machine import available_cores
from cliquewise.common.search.result import (
    COMBINED,
    INTERRUPTED,
    LOCAL_OPTIMUM,
    OPTIMAL,
    OPTIMAL_OF_BLANKETS,
    LearnResult,
)
from cliquewise.mplearn.blankets import Blanket, eligible_edges, find_blankets, mutual_edges
from cliquewise.mplearn.hillclimb import hill_climb
from cliquewise.mplearn.local import Scoring
from cliquewise.mplearn.pbo import ExactLimits, best_graph, blanket_scores
from cliquewise.mplearn.run import Run, Watch
from cliquewise.mplearn.size import check_memory


@dataclass(frozen=True)
class Plan:
    """How to learn.

    Attributes
    ----------
    combine : str
        hc, pbo, and, or.
    lasso : float or None
        Find the blankets by L1-regularised logistic regression with this weight instead.
    max_blanket : int or None
        Members a blanket of the first phase may have.
    exact : ExactLimits
        Of pbo.
    threads : int or None
        None: all cores.
    cache_mb : int
    """

    combine: str = "hc"
    lasso: float = None
    max_blanket: int = None
    exact: ExactLimits = ExactLimits()
    threads: int = None
    cache_mb: int = 1024


def blankets(dataset, scoring=None, plan=None, watch=None, variables=None):
    """A Markov blanket for each variable, whatever the others' are.

    Parameters
    ----------
    dataset : Dataset
    scoring : Scoring, optional
    plan : Plan, optional
    watch : Watch, optional
    variables : sequence of int, optional
        Which; all if not given.

    Returns
    -------
    list of Blanket
        In the order of the variables; those not reached before an interruption are left out.
    """
    variables = range(dataset.n_vars) if variables is None else variables
    with _run(dataset, scoring, plan, watch) as run:
        return _first_phase(run, dataset, plan or Plan(), variables)


def learn(dataset, scoring=None, plan=None, watch=None, given=None):
    """A Markov network.

    Parameters
    ----------
    dataset : Dataset
    scoring : Scoring, optional
    plan : Plan, optional
    watch : Watch, optional
    given : sequence of Blanket, optional
        Blankets that were found before, one a variable.

    Returns
    -------
    LearnResult
        Its iterations are additions and removals in both phases.

    Raises
    ------
    UsageError
        Blankets by regression that are to be combined by a score; data that are not binary for it; no scikit-learn.
    LimitError
        Too many candidates for pbo.
    """
    plan = plan or Plan()
    if plan.lasso is not None and plan.combine not in ("and", "or"):
        raise UsageError(f"--score l1lr has no local score for --combine {plan.combine}; choose and or or")
    with _run(dataset, scoring, plan, watch) as run:
        found = given if given is not None else _first_phase(run, dataset, plan, range(dataset.n_vars))
        pairs = [(blanket.variable, blanket.members) for blanket in found]
        if not run.may_go_on():
            edges, status, steps, bound = mutual_edges(pairs), INTERRUPTED, 0, np.inf
        else:
            edges, status, steps, bound = _second_phase(run, pairs, plan)
        steps += sum(blanket.steps for blanket in found)
        score = sum(blanket_scores(run.local, edges))
    return LearnResult(Graph(dataset.n_vars, tuple(edges), dataset.names), score, status, steps, bound)


def _run(dataset, scoring, plan, watch):
    """The Run for these arguments, each of which may be None."""
    if not isinstance(dataset, Dataset):
        raise UsageError("mplearn needs data, not scores; give a CSV file")
    plan = plan or Plan()
    threads = plan.threads or available_cores()
    check_memory(dataset, threads, plan.lasso is not None)
    return Run(dataset, scoring or Scoring(), threads, plan.cache_mb, watch or Watch())


def _first_phase(run, dataset, plan, variables):
    """A list of Blanket."""
    if plan.lasso is None:
        return find_blankets(run, variables, plan.max_blanket)
    from cliquewise.mplearn.lasso import regress

    found = []
    for variable, members in regress(run, dataset, plan.lasso, variables):
        found.append(Blanket(variable, members, run.local.score(variable, members)))
        run.report_blanket(found[-1], len(found), len(variables))
    return found


def _second_phase(run, pairs, plan):
    """Edges, status, steps and upper bound."""
    eligible = eligible_edges(pairs)
    if plan.combine == "hc":
        edges, steps, done = hill_climb(run, eligible)
        return edges, LOCAL_OPTIMUM if done else INTERRUPTED, steps, np.inf
    if plan.combine == "pbo":
        edges, steps, status, bound = best_graph(run, eligible, plan.exact)
        if status == OPTIMAL and len(eligible) < run.local.n * (run.local.n - 1) // 2:
            status = OPTIMAL_OF_BLANKETS  # of the edges left out nothing is known
        return edges, status, steps, bound
    return (eligible if plan.combine == "or" else mutual_edges(pairs)), COMBINED, 0, np.inf
