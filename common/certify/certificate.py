"""The outcome of a check, and the choice of the check for a result.

An undirected graph is checked by its cliques (`common.certify.cliques`), or by its Markov blankets if its score is a
sum over these (`common.certify.blankets`); a directed graph by its families (`common.certify.arcs`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..graphs.treewidth import Treewidth


@dataclass(frozen=True)
class Certificate:
    """Outcome of a check.

    Attributes
    ----------
    problems : tuple of str
        One sentence per problem.
    undecided : tuple of str
        One sentence per claim that could be neither proved nor refuted.
    score : float or None
        Recomputed; None if the graph is not valid or there is no source of scores.
    largest_clique : int or None
        Vertices in the largest clique of a chordal graph.
    treewidth : Treewidth or None
        Of an acyclic directed graph's moral graph.
    """

    problems: tuple[str, ...]
    undecided: tuple[str, ...] = ()
    score: float | None = None
    largest_clique: int | None = None
    treewidth: Treewidth | None = None

    @property
    def ok(self):
        """Whether everything is proved."""
        return not self.problems and not self.undecided


def certificate_of(graph, source, claims, cliques=None, kept=None, tell=lambda share: None):
    """Check a graph against its claims.

    Parameters
    ----------
    graph : Graph or Dag
    source : Dataset, CliqueScores, ParentSets or None
        The source of the score; None leaves it unchecked.
    claims : Claims
        Their score type and ess define the score.
    cliques : sequence of tuple of int, optional
        The maximal cliques claimed.
    kept : record with `allowed`, `forbidden` and `required`, optional
        Graphs or None: edges claimed to be the only ones, to be absent, to be present.
    tell : callable taking a float
        Told the share of the score that is checked.

    Returns
    -------
    Certificate
    """
    from ..graphs.dag import Dag
    from .arcs import certify_arcs
    from .blankets import certify_blankets
    from .cliques import certify

    by = claims.score_type, claims.ess
    if isinstance(graph, Dag):
        return certify_arcs(graph, source, claims, *by, tell=tell)
    if claims.by_blankets:
        found = certify_blankets(graph, source, claims, tell)
    else:
        found = certify(graph, source, *by, claims.score, claims.max_clique, cliques, tell=tell)
    return found if kept is None else replace(found, problems=(*found.problems, *_edge_problems(graph, kept)))


def _edge_problems(graph, kept):
    """The problems of the edges of a graph."""
    edges, problems = set(graph.edges), []
    allowed, forbidden, required = (getattr(kept, name, None) for name in ("allowed", "forbidden", "required"))
    for claimed, wrong, what in (
        (allowed, lambda given: edges - given, "is not among those allowed"),
        (forbidden, lambda given: edges & given, "is forbidden"),
        (required, lambda given: given - edges, "is required and missing"),
    ):
        found = set() if claimed is None else wrong({*claimed.edges})
        if found:
            problems.append(f"edge {'-'.join(map(str, min(found)))} {what}")
    return problems
