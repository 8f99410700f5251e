"""A GRAPH of any format: a graph file, or the arcs of a Bayesian network.

Where a command expects a graph it reads it here: `common.files.graphfile` for graph files; of a model
(`common.models.model_file`) the names and arcs are kept and the probabilities are not.
"""

from __future__ import annotations

import os
from itertools import combinations
from typing import TYPE_CHECKING

from ..errors import DataError
from ..files.file_kinds import MODELS, kind_of_text
from ..files.graph_labels import RawGraph
from ..files.graphfile import GraphFile, parse_raw, resolved
from ..files.input_stream import read_text
from ..files.network_list import is_network_list, parse_networks
from ..graphs.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from .bayesnet import BayesianNetwork


def read_graph(path: str | PathLike[str], names: Sequence[str] | None = None, n: int | None = None) -> GraphFile:
    """Read a graph of any format.

    Parameters
    ----------
    path
        `-` is standard input.
    names, n
        As for `common.files.graphfile.resolved`.

    Raises
    ------
    DataError
        Unreadable, empty, malformed, or not a graph on these variables; with the line if there is one.
    """
    path = os.fspath(path)
    return parse_graph(read_text(path, "a graph file"), path, names, n)


def networks_in(text: str, path: str, names: Sequence[str] | None = None) -> list[GraphFile]:
    """The networks of a file that lists them; of another file, its graph, as from `parse_graph`."""
    if is_network_list(text):
        return parse_networks(text, path, names).files
    return [parse_graph(text, path, names)]


def read_graph_of(path: str | PathLike[str], source: object) -> GraphFile:
    """Read a graph on the variables of some data.

    Parameters
    ----------
    path
        As for `read_graph`.
    source : Dataset, CliqueScores or None
        None: on any variables.

    Raises
    ------
    DataError
        As `read_graph`.
    """
    return read_graph(path, getattr(source, "names", None), getattr(source, "n", None))


def read_edges_of(path: str | PathLike[str], source: object) -> GraphFile:
    """Read edges between the variables of some data, of which the file need not have all.

    Parameters
    ----------
    path, source
        As for `read_graph_of`. An empty file has no edges.

    Raises
    ------
    DataError
        As `read_graph`.
    """
    names, n = getattr(source, "names", None), getattr(source, "n", None)
    path = os.fspath(path)
    text = read_text(path, "a graph file")
    if not text.strip() and n is not None:
        return GraphFile(Graph(n, (), names), "edges", path=path)
    return parse_graph(text, path, names, n, in_part=True)


def parse_graph(
    text: str, path: str, names: Sequence[str] | None = None, n: int | None = None, in_part: bool = False
) -> GraphFile:
    """The graph in a text.

    Parameters
    ----------
    path
        For messages.
    names, n
        As for `common.files.graphfile.resolved`.
    in_part
        Whether the file need not have all of these variables.

    Raises
    ------
    DataError
        As `read_graph`.
    """
    return resolved(raw_graph(text, path), path, names, n, in_part)


def raw_graph(text: str, path: str, model: BayesianNetwork | None = None) -> RawGraph:
    """The graph in a text, its labels not yet resolved.

    Parameters
    ----------
    path
        For messages.
    model
        The model in the text, if it is one that has been read.

    Raises
    ------
    DataError
        Not a graph.
    """
    return _arcs_of_model(text, path, model) if kind_of_text(text) in MODELS else parse_raw(text, path)


def read_raw(path: str) -> RawGraph:
    """The graph in a file, its labels not yet resolved; DataError as `read_graph`."""
    return raw_graph(read_text(path, "a graph file"), path)


def read_header(text: str, path: str) -> dict[str, str]:
    """The header of a graph's text, before its variables are known; of a model, none.

    Parameters
    ----------
    path
        For messages.

    Raises
    ------
    DataError
        Not a graph.
    """
    return {} if kind_of_text(text) in MODELS else parse_raw(text, path).header


def _of_any_order(text: str, path: str) -> BayesianNetwork:
    """The network of a UAI file whose tables are in one of the orders: its arcs are the same in each."""
    from .model_file import UAI_ORDERS, parse_bayesnet

    wrong = []
    for order in UAI_ORDERS:
        try:
            return parse_bayesnet(text, path, order)
        except DataError as error:
            wrong.append(error)
    raise wrong[0]


def _arcs_of_model(text: str, path: str, model: BayesianNetwork | None) -> RawGraph:
    """Names and arcs of a Bayesian network, or edges of a Markov network; a UAI file of others has no names."""
    from .model_file import parse_bayesnet
    from .uai import has_names, markov_graph

    kind = kind_of_text(text)
    if kind == "UAI" and (markov := markov_graph(text, path)) is not None:
        names, named, scopes = markov
        pairs = sorted({pair for scope in scopes for pair in combinations(sorted(scope), 2)})
        edges = [(None, (names[u], names[v])) for u, v in pairs]
        place = {name: v for v, name in enumerate(names)}
        return RawGraph(kind, edges=edges, n=len(names), number=place, names=tuple(names) if named else None)
    read = _of_any_order if kind == "UAI" else parse_bayesnet
    network = read(text, path) if model is None else model
    arcs = [(None, (network.names[u], name)) for name, parents in zip(network.names, network.parents, strict=True)
            for u in parents]  # fmt: skip
    nameless = kind == "UAI" and not has_names(text)
    number = {name: v for v, name in enumerate(network.names)}
    at = None if network.positions is None else tuple((x, y) for x, y in network.positions.tolist())
    return RawGraph(kind or "", edges=arcs, n=network.n, number=number, names=None if nameless else network.names,
                    directed=True, positions=at, titles=network.titles)  # fmt: skip
