"""Whether a network agrees with stated arcs and edges, for `mntools check`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..common.certify.knowledge import edge_problems, knowledge_problems
from ..common.errors import DataError
from ..common.files.result_header import COMPELLED
from ..common.graphs.graph import Graph
from ..common.graphs.knowledge import class_of, knowledge_of
from .header_lines import KNOWLEDGE

if TYPE_CHECKING:
    from ..common.files.graphfile import GraphFile
    from ..common.graphs.edge_prior import EdgePrior
    from ..common.graphs.statements import Statements
    from ..common.learning.knowledge import ArcOptions
    from ..common.learning.options import EdgeOptions


def statements_of(file: GraphFile, arcs: ArcOptions, edges: EdgeOptions) -> Statements:
    """The statements in options about the variables of a network.

    Raises
    ------
    DataError
        Directions of an undirected graph.
    UsageError, DataError
        As `ArcOptions.read`.
    """
    stated = arcs.read(file.graph, edges)
    if file.dag is None and any(not name.endswith("-edges") for name in stated.counts()):
        raise DataError("an undirected graph, of which nothing about arcs can be checked", file.path)
    return stated


def with_prior(stated: Statements, prior: EdgePrior, n: int) -> Statements:
    """The statements with the edges of probability 0 and 1."""
    for name, certain in (("forbidden", prior.forbidden), ("required", prior.required)):
        known = getattr(stated, name)
        if certain:
            edges = {*certain, *(() if known is None else known.edges)}
            merged: Any = {name: Graph(n, tuple(sorted(edges)))}
            stated = replace(stated, **merged)
    return stated


def stated_problems(file: GraphFile, stated: Statements) -> list[str]:
    """Disagreements of a network with the statements."""
    if file.dag is None:
        return edge_problems(file.graph, stated)
    return knowledge_problems(file.dag, stated) or _compelled_problems(file, stated)


def _compelled_problems(file: GraphFile, stated: Statements) -> list[str]:
    """Whether another number of arcs is compelled than is claimed, if all is given that it depends on."""
    claimed = file.header.get(COMPELLED)
    counts = stated.counts()
    dag = file.dag
    depends = [key for key in KNOWLEDGE if key in file.header]
    if dag is None or claimed is None or dag.order() is None:  # a cycle is another problem
        return []
    if any(file.header[key] != str(counts.get(key)) for key in depends):
        return []
    if not counts.keys() <= {*depends}:  # the check is given more
        return []
    compelled = len(class_of(dag, knowledge_of(stated, dag.n, dag.names)).arcs)
    return [] if claimed == str(compelled) else [f"{COMPELLED} claimed {claimed[:20]}, recomputed {compelled}"]
