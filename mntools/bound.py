"""`mntools bound`: an upper bound on the score of every chordal network, and the gap of a network."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from ..common.bounds.bound import bound
from ..common.certify.cliques import certify
from ..common.errors import DataError, LimitError
from ..common.files.result_header import Claims, stated_reading
from ..common.graphs.graph import Graph
from ..common.learning.priors import edge_prior_of
from ..common.learning.sources import LearningOptions
from ..common.networks.scoring import describe
from ..common.run.limits import Limits
from ..common.run.result import INTERRUPTED, OPTIMAL, gap_text
from ..common.scores.allowed import allowed_graph
from ..common.scores.scoring import scoring_of
from .scoring import choose_scoring

if TYPE_CHECKING:
    from typing import Any

    from ..common.files.graphfile import GraphFile
    from ..common.learning.options import ScoreOptions
    from ..common.learning.sources import InputOptions
    from ..common.learning.task import Task


LOG = logging.getLogger("cliquewise")


def as_stated(source: InputOptions, file: GraphFile | None) -> LearningOptions:
    """The options for reading the data: those given, else those in the header of the network."""
    stated = {"missing": "refuse", **({} if file is None else stated_reading(file.header, file.path))}
    missing = {name: value for name, value in stated.items() if getattr(source, name) in (None, "auto")}
    return LearningOptions(**vars(source) | missing)


def bound_line(
    data: Any,
    file: GraphFile | None,
    task: Task,
    scoring: ScoreOptions,
    max_clique: int | None,
    seconds: float,
) -> tuple[str, int]:
    """Bound the networks on data, and write the best one known if the task has a file for it.

    Parameters
    ----------
    data
    file
        The network to compare.
    task
    scoring
        None fields are taken from the file's header.
    max_clique
        The largest clique of a network; None for the one in the file's header.
    seconds
        Time limit.

    Returns
    -------
    (str, int)
        The line to print, `upper-bound -1.5 score -2.5 gap 1`, and the exit code.

    Raises
    ------
    DataError
        A graph that is not chordal, or has larger cliques, or too many variables.
    LimitError
        No bound within the time limit, or not enough memory.
    """
    by = _scoring(data, file, scoring)
    known = recomputed = None
    if file is not None:
        known = file.graph
        if max_clique is None:
            max_clique = Claims.read(file.header, file.path).max_clique
        if max_clique is not None:
            LOG.info("networks with cliques of at most %d", max_clique)
        found = certify(known, data, scoring_of(by), max_clique=max_clique)
        if not found.ok:
            raise DataError(found.problems[0], file.path)
        recomputed = found.score
        if recomputed == -math.inf:
            problem = (
                "a set of this network is forbidden (score -inf): there is no gap to a network that is not allowed"
            )
            raise DataError(problem, file.path)
    scored_by = scoring_of(by)
    with task.running(Limits(seconds)) as monitor:
        edges = _certain(by, data.n)
        result = bound(data, scored_by, monitor, max_clique, known, task.resources.bytes, *edges)
        code = 130 if result.status == INTERRUPTED else 0
        if not math.isfinite(result.upper_bound):
            if code:
                raise KeyboardInterrupt
            raise LimitError(f"{data.source}: no bound within {seconds:g} s; raise --time-limit")
        if task.output.path is not None:
            written = replace(task, scoring=scored_by)
            written.finish(data, result, written.claims(data, result, max_clique=max_clique), result.proved()).save()
    score = result.score if recomputed is None else recomputed
    if result.score > score + 1e-6 * (1.0 + abs(score)):
        proved = OPTIMAL if result.status == OPTIMAL else f"gap {gap_text(result.upper_bound, result.score)}"
        advice = "; -o writes it" if task.output.path is None else ""
        LOG.info("found a better network: score %.6f, %s%s", result.score, proved, advice)
    upper = replace(result, score=score).upper_bound  # which is not below the network's score as recomputed
    LOG.info("%sgap %s", "" if file is None else "the network given: ", gap_text(upper, score))
    return f"upper-bound {upper:.6f} score {score:.6f} gap {upper - score:.6f}", code


def _certain(by: Claims, n: int) -> tuple[Graph | None, Graph | None]:
    """The edges of positive prior probability (None: all) and those of probability 1 (None: no edge)."""
    forbidden, required = (
        Graph(n, tuple(sorted(edges))) if edges else None for edges in (by.edge_prior.forbidden, by.edge_prior.required)
    )
    return allowed_graph(None, forbidden, n), required


def _scoring(data: Any, file: GraphFile | None, scoring: ScoreOptions) -> Claims:
    """The score to maximise: Claims."""
    if file is None:
        prior = edge_prior_of(scoring.edge_prior or 0.5, scoring.edge_priors, data)
        kind, ess = scoring.score_type or "bdeu", scoring.ess or 1.0
        by = Claims(score_type=kind, ess=ess, gamma=scoring.gamma, edge_prior=prior)
        LOG.info("scored by %s", describe(data, by))
    else:
        by = choose_scoring(file, scoring, data)
    if file is not None and file.dag is not None:
        raise DataError("a directed network; the bound is on chordal ones", file.path)
    if by.by_blankets:
        raise DataError(f"a score by Markov blankets ({by.score_type}); the bound is on sums over cliques")
    return by
