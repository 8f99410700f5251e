"""A network as the start of method chordal: a chordal graph, and for a directed network an order of its variables.

A directed network is a state of that search (`twlearn.chordal_choice_kernels`): a triangulation of its moral graph, and
an order in which parents come before their children. The search then starts with a network of at least the same score.

Cost: O(n w^2) with an elimination order in the file, otherwise that of finding one (`common.graphs.treewidth`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..common.errors import UsageError
from ..common.files.result_header import Claims
from ..common.graphs.graph import Graph
from ..common.graphs.treewidth import later_neighbours, treewidth

if TYPE_CHECKING:
    from ..common.files.graphfile import GraphFile


class Template(NamedTuple):
    """The start of method chordal.

    graph : Graph, meant to be chordal
    order : tuple of int, of the variables; None: one that suits the graph
    named : str, option and file, for messages
    """

    graph: Graph
    order: tuple | None = None
    named: str = "template"


def template_of(file: GraphFile, w: int, named: str) -> Template:
    """The Template from a graph file.

    Parameters
    ----------
    file
        A directed network is triangulated by the elimination order in the file, or one that is found.
    w
        Bound on the treewidth, >= 1.

    Returns
    -------
    Template

    Raises
    ------
    UsageError
        A directed graph with a cycle.
    DataError
        An invalid elimination order.
    """
    if file.dag is None:
        return Template(file.graph, None, named)
    order = file.dag.order()
    if order is None:
        raise UsageError(f"{named}: the arcs form a cycle")
    moral = file.dag.moral()
    elimination = Claims.read(file.header, file.path).elimination_order
    if elimination is None or len(elimination) != moral.n:
        elimination = treewidth(moral, w).order
    later = later_neighbours(moral, elimination)
    return Template(Graph.from_cliques(moral.n, [(v, *after) for v, after in enumerate(later)]), order, named)
