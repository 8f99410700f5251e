"""A network as the start of a search: a chordal graph, and for a directed network its parents and an order.

A directed network is a state of method chordal (`twlearn.chordal_choice_kernels`): a triangulation of its moral graph,
and an order in which parents come before their children. Its parent sets are added to those of the search, which then
starts with a network of at least the same score.

Cost: O(n w^2) with an elimination order in the file, otherwise that of finding one (`common.graphs.treewidth`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..common.errors import UsageError
from ..common.files.result_header import Claims
from ..common.graphs.chordal import is_chordal, perfect_elimination_order
from ..common.graphs.dag import Dag
from ..common.graphs.graph import Graph
from ..common.graphs.treewidth import later_neighbours, treewidth

if TYPE_CHECKING:
    from ..common.files.graphfile import GraphFile
    from ..common.graphs.knowledge import Knowledge


class Template(NamedTuple):
    """The start of methods chordal and climb.

    graph : Graph, meant to be chordal
    order : tuple of int, of the variables; None: one that suits the graph
    named : str, option and file, for messages
    parents : tuple of tuple of int, of each variable; of a chordal graph the neighbours before it in a perfect order
    is_directed : bool, whether the file has directions
    """

    graph: Graph
    order: tuple | None = None
    named: str = "template"
    parents: tuple = ()
    is_directed: bool = False

    @property
    def largest(self) -> int:
        """The size of its largest parent set."""
        return max(map(len, self.parents), default=0)


def template_of(file: GraphFile, w: int, named: str) -> Template:
    """The Template from a graph file.

    Parameters
    ----------
    file
        A directed network is triangulated by the elimination order in the file, or one that is found.
    w
        Bound on the treewidth, >= 1; whether a chordal graph is within it is not checked here.

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
        if not is_chordal(file.graph):
            return Template(file.graph, None, named)  # which `check_start` refuses
        perfect = perfect_elimination_order(file.graph)
        later = later_neighbours(file.graph, perfect)
        return Template(file.graph, perfect[::-1], named, tuple(tuple(sorted(own)) for own in later))
    order = file.dag.order()
    if order is None:
        raise UsageError(f"{named}: the arcs form a cycle")
    moral = file.dag.moral()
    elimination = Claims.read(file.header, file.path).elimination_order
    if elimination is None or len(elimination) != moral.n:
        elimination = treewidth(moral, w).order
    later = later_neighbours(moral, elimination)
    graph = Graph.from_cliques(moral.n, [(v, *after) for v, after in enumerate(later)])
    return Template(graph, order, named, tuple(file.dag.parents()), is_directed=True)


def check_template(template: Template, known: Knowledge) -> Template:
    """Refuse a template that contradicts the statements about arcs.

    Returns
    -------
    Template
        Of a chordal graph, without parents and order: its directions mean nothing.

    Raises
    ------
    UsageError
    """
    parents = (*template.parents, *[()] * (known.n - len(template.parents)))
    dag = Dag(known.n, tuple((u, v) for v, own in enumerate(parents) for u in own))
    if not template.is_directed:
        joined = {*template.graph.edges}
        dag = Dag(known.n, tuple(sorted({*joined, *(edge[::-1] for edge in joined)})))
    lacking = known.lacking(dag)
    if lacking is not None:
        raise UsageError(f"{template.named}: the {known.shown(lacking)} is required and missing; add it")
    if not template.is_directed:
        return template._replace(parents=(), order=tuple(known.order.tolist()))
    for u, v in dag.arcs:
        if not known.may[u, v]:
            raise UsageError(f"{template.named}: the {known.arrow((u, v))} is forbidden; remove it")
    return template
