"""The file of the best networks that a learner lists, and how many these are."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..bounds.incumbent import equal_within
from ..counted import counted
from ..files.network_list import BEST, OTHERS, PROVED, TIED, WITHIN, format_networks
from ..graphs.dag import Dag
from ..graphs.treewidth import treewidth

if TYPE_CHECKING:
    from ..files.result_header import Claims
    from ..run.result import LearnResult
    from .task import Task

LOG = logging.getLogger("cliquewise")
LISTED, LISTED_WITHIN = 100, 1000  # networks by default, without and with a largest difference
# lines of a result that are about one network
OF_ONE = ("score", "upper-bound", "gap", "status", "elimination-order", "compelled-arcs", "log-likelihood")


def listing(config: Any) -> Any:
    """A Config, with `best` and `within`, with the number of networks that are listed."""
    return replace(config, best=config.best or (LISTED if config.within is None else LISTED_WITHIN))


def listed_text(
    task: Task,
    data: Any,
    result: LearnResult,
    header: dict[str, str],
    config: Any,
    claims: Claims,
    constraints: Any,
    more: dict[str, str] | None = None,
) -> list[str]:
    """The text of the file of the best networks, each of which is certified.

    Parameters
    ----------
    task
        Of the run.
    data
        Dataset, CliqueScores or ParentSets.
    result
        With the networks; if it has none, its own.
    header
        Of the result.
    config
        With `best` and `within`.
    claims, constraints
        About the result, and the knowledge about edges, see `Task.finish`.
    more
        Further lines.

    Raises
    ------
    CliquewiseError
        A network failed its check.
    """
    networks = result.networks or ((result.graph, result.score),)
    for graph, score in networks:
        order = None
        if isinstance(graph, Dag) and claims.treewidth is not None:
            order = treewidth(graph.moral(), claims.treewidth).order
        task.certify(graph, data, replace(claims, score=score, elimination_order=order), constraints)
    proved = sum(score >= result.others - equal_within(score) for _, score in networks)
    lines = {key: value for key, value in header.items() if key not in OF_ONE} | (more or {})
    lines |= {BEST: str(config.best)} | ({} if config.within is None else {WITHIN: repr(config.within)})
    lines |= {"status": header["status"], PROVED: str(proved)}
    lines |= {OTHERS: f"{result.others:.6f}"} if result.others < math.inf else {}  # -inf: there are no others
    lines |= {TIED: str(result.tied)} if result.tied else {}
    message = (
        f"{counted(len(networks), 'network')}, scores down to {networks[-1][1]:.6f}; {proved} proved to be the best"
    )
    if OTHERS in lines:
        has_others = result.others > -math.inf
        message += f"; others score at most {result.others:.6f}" if has_others else "; there are no others"
    LOG.info("%s", message + f"; {result.tied} more are known with the score of the last" * (result.tied > 0))
    return list(format_networks([graph for graph, _ in networks], lines, [score for _, score in networks]))
