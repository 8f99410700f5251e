"""The check of a result, chosen by its kind.

An undirected graph is checked by its cliques (`common.certify.cliques`), or by its Markov blankets if its score is a
sum over these (`common.certify.blankets`); a directed graph by its families (`common.certify.arcs`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..scores.scoring import scoring_of

if TYPE_CHECKING:
    from ..files.result_header import Claims
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph
    from .outcome import Certificate


def certificate_of(
    graph: Graph | Dag,
    source: Any,
    claims: Claims,
    constraints: Any = None,
    progress: Callable = lambda share: None,
) -> Certificate:
    """Check a graph against its claims.

    Parameters
    ----------
    source : Dataset, CliqueScores, ParentSets or None
        The source of the score; None leaves it unchecked.
    claims
        Their score type and ess define the score.
    constraints : record with `allowed`, `forbidden` and `required`, optional
        Graphs or None: edges claimed to be the only ones, to be absent, to be present; of a directed graph Statements.
    progress : callable taking a float
        Called with the share of the score checked so far.
    """
    from ..graphs.dag import Dag
    from .arcs import certify_arcs
    from .blankets import certify_blankets
    from .cliques import certify
    from .knowledge import edge_problems, knowledge_problems

    by = scoring_of(claims)
    if isinstance(graph, Dag):
        found = certify_arcs(graph, source, claims, by, progress=progress)
    elif claims.by_blankets:
        found = certify_blankets(graph, source, claims, progress)
    else:
        found = certify(graph, source, by, claims.score, claims.max_clique, progress=progress)
    if constraints is None:
        return found
    broken = knowledge_problems(graph, constraints) if isinstance(graph, Dag) else edge_problems(graph, constraints)
    return replace(found, problems=(*found.problems, *broken))
