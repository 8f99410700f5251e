"""Networks as objects of networkx, pgmpy and pyAgrum, and graphs of networkx as ours.

pgmpy's networks are graphs of networkx, so they are read as such. pgmpy keeps the columns of a table in our order of
the parents' joint states, the last parent changing fastest; pyAgrum's vector of numbers has the variable itself
changing fastest, then its first parent. The libraries are imported when they are needed.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import number_or_none
from ..errors import DataError, UsageError
from ..graphs.dag import Dag
from ..graphs.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    import networkx

    from .bayesnet import BayesianNetwork


def library(name: str) -> ModuleType:
    """A library that is not needed otherwise.

    Raises
    ------
    UsageError
        Not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise UsageError(f"{package} is not installed; pip install {package}") from error


def networkx_graph(graph: Graph | Dag, names: Sequence[str]) -> networkx.Graph:
    """A `networkx.Graph` of names, or a `networkx.DiGraph`; edges may have a `probability` and an `error`."""
    networkx = library("networkx")
    made = networkx.DiGraph() if graph.directed else networkx.Graph()
    made.add_nodes_from(names)
    columns = {"probability": getattr(graph, "probabilities", None), "error": getattr(graph, "errors", None)}
    for i, (u, v) in enumerate(graph.edges):
        values = {name: column[i] for name, column in columns.items() if column is not None}
        made.add_edge(names[u], names[v], **values)
    return made


def graph_of_networkx(given: networkx.Graph) -> Graph | Dag:
    """The graph of a `networkx.Graph` or `DiGraph`, its nodes as names, in their order.

    If a `DiGraph` has an edge in both directions (a CPDAG), all its edges count as undirected, as in files.

    Raises
    ------
    DataError
        No nodes, two with the same text, parallel edges, a self loop, or probabilities at some edges only.
    """
    if not hasattr(given, "nodes") or not hasattr(given, "is_multigraph"):
        raise UsageError(f"a network of the type {type(given).__name__}; give a graph of networkx, or a Network")
    names = tuple(map(str, given.nodes))
    if not names or len(set(names)) < len(names):
        raise DataError("a graph without nodes, or with two of the same name", "networkx")
    if given.is_multigraph():
        raise DataError("a graph with parallel edges; use networkx.Graph or networkx.DiGraph", "networkx")
    number = {node: v for v, node in enumerate(given.nodes)}
    loops = [u for u, v in given.edges if u == v]
    if loops:
        raise DataError(f"self loop at node '{loops[0]}'", "networkx")
    if given.is_directed() and not any(given.has_edge(v, u) for u, v in given.edges):
        return Dag(len(names), tuple(sorted((number[u], number[v]) for u, v in given.edges)), names)
    values = {tuple(sorted((number[u], number[v]))): data for u, v, data in given.edges(data=True)}
    edges = tuple(sorted(values))
    return Graph(len(names), edges, names, _column(values, "probability"), _column(values, "error"))


def _column(values: dict[tuple[int, ...], dict], name: str) -> tuple[float, ...] | None:
    """An attribute of the edges, in their order; None if no edge has it."""
    column: list[Any] = [data.get(name) for _, data in sorted(values.items())]
    if all(value is None for value in column):
        return None
    if any(value is None for value in column):
        raise DataError(f"some edges have a {name} and others have none", "networkx")
    numbers, most = [], 1.0 if name == "probability" else math.inf
    for value in column:
        found = number_or_none(value)
        if found is None or not 0 <= found <= most:
            raise DataError(f"an edge has the {name} {value!r}; expected a number from 0 to {most:g}", "networkx")
        numbers.append(found)
    return tuple(numbers)


def pgmpy_structure(graph: Graph | Dag, names: Sequence[str]) -> Any:
    """A `pgmpy.models.DiscreteBayesianNetwork`, or a `DiscreteMarkovNetwork`, without probabilities."""
    models = library("pgmpy.models")
    made = models.DiscreteBayesianNetwork() if graph.directed else models.DiscreteMarkovNetwork()
    made.add_nodes_from(names)
    made.add_edges_from([(names[u], names[v]) for u, v in graph.edges])
    return made


def pgmpy_model(network: BayesianNetwork) -> Any:
    """A `pgmpy.models.DiscreteBayesianNetwork` with its tables.

    Parameters
    ----------
    network
        With full tables.
    """
    factors = library("pgmpy.factors.discrete")
    names, states = network.names, network.states
    made = pgmpy_structure(Dag.from_parents(network.parents, names), names)
    for v, parents in enumerate(network.parents):
        made.add_cpds(
            factors.TabularCPD(
                names[v],
                len(states[v]),
                np.asarray(network.tables[v]).T,
                evidence=[names[u] for u in parents],
                evidence_card=[len(states[u]) for u in parents],
                state_names={names[u]: list(states[u]) for u in (v, *parents)},
            )
        )
    return made


def pyagrum_structure(graph: Graph | Dag) -> Any:
    """A `pyagrum.DAG`, or a `pyagrum.UndiGraph`; its nodes are the numbers of the variables, for it has no names."""
    pyagrum = library("pyagrum")
    made = pyagrum.DAG() if graph.directed else pyagrum.UndiGraph()
    for v in range(graph.n):
        made.addNodeWithId(v)
    for u, v in graph.edges:
        (made.addArc if graph.directed else made.addEdge)(u, v)
    return made


def pyagrum_model(network: BayesianNetwork) -> Any:
    """A `pyagrum.BayesNet` with its tables.

    Parameters
    ----------
    network
        With full tables.
    """
    pyagrum = library("pyagrum")
    names, made = network.names, pyagrum.BayesNet()
    for name, labels in zip(names, network.states, strict=True):
        made.add(pyagrum.LabelizedVariable(name, "", list(labels)))
    for v, parents in enumerate(network.parents):
        for u in parents:
            made.addArc(names[u], names[v])
        arity = [len(network.states[u]) for u in parents]
        table = np.asarray(network.tables[v]).reshape(*arity, -1)
        turned = np.transpose(table, [*reversed(range(len(parents))), len(parents)])
        made.cpt(names[v]).fillWith(turned.ravel().tolist())
    return made
