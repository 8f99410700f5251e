"""`mntools convert`: the network of a file in another format, its chordal cover, or its probable edges."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ..common.errors import DataError, UsageError
from ..common.files.file_kinds import FOREIGN_MODELS, MODELS, kind_of_text
from ..common.files.graphfile import PDAG_FORMATS
from ..common.files.header_words import READ_BY
from ..common.files.input_stream import read_text
from ..common.files.result_header import OF_ARCS
from ..common.graphs.graph import Graph
from ..common.graphs.pdag import Pdag, cpdag
from ..common.models.model_file import parse_bayesnet, write_model
from ..common.models.model_header import header_of
from .cover import chordal_cover

if TYPE_CHECKING:
    from ..common.files.graphfile import GraphFile
    from ..common.graphs.dag import Dag

LOG = logging.getLogger("cliquewise")
# header lines of probabilities about the data remain valid
_OF_DATA = ("score-type", "ess", *READ_BY.values(), "resample", "data")


def converted(
    file: GraphFile, fmt: str, chordal: bool, least: float | None, to_cpdag: bool
) -> tuple[Graph | Dag | Pdag, dict[str, str]]:
    """The network to write.

    Parameters
    ----------
    file
    fmt
        The format it will be written in.
    chordal
        Whether edges are added until it is chordal.
    least
        Keep only the edges of at least this probability.
    to_cpdag
        Whether a directed network becomes its CPDAG.

    Returns
    -------
    (Graph, Dag or Pdag, dict of str to str)
        The network and its header.

    Raises
    ------
    DataError
        No directed acyclic network for a CPDAG; `least` for edges without probabilities.
    UsageError
        No `least` where edges with probabilities have to become a network.
    """
    network, header = file.network, file.header
    if file.kind in MODELS:
        LOG.info("%s: without its probabilities, which bif, xmlbif, xdsl, net, uai and markov can hold", file.path)
    if to_cpdag or (file.pdag is not None and fmt in PDAG_FORMATS and not chordal):
        kept = {key: value for key, value in header.items() if key not in OF_ARCS}
        return file.pdag or _cpdag_of(file), kept if to_cpdag else header
    if least is not None:
        if file.graph.probabilities is None or not isinstance(network, Graph):
            raise DataError("its edges have no probabilities, which --min-probability is about", file.path)
        network = Graph(network.n, network.probable(least).edges, network.names)
        LOG.info("edges of at least %g: %d of %d", least, len(network.edges), len(file.graph.edges))
        header = {key: header[key] for key in _OF_DATA if key in header} | {"min-probability": f"{least:g}"}
    elif file.graph.probabilities is not None and (chordal or fmt in ("cliques", "arcs")):
        what = "--chordal makes" if chordal else f"--format {fmt} holds"
        raise UsageError(f"{file.path} has edges with probabilities, and {what} a network; choose its edges with "
                         "--min-probability, for example 0.5")  # fmt: skip
    if chordal:
        return chordal_cover(network, header)
    if network.directed and fmt in ("cliques", "edges"):
        return file.graph, {key: value for key, value in header.items() if key not in OF_ARCS}
    return network, header


def _cpdag_of(file: GraphFile) -> Pdag:
    """The CPDAG of the network in a file."""
    if file.dag is None:
        raise DataError("an undirected network; only a directed one has a CPDAG", file.path)
    if file.dag.order() is None:
        raise DataError("a directed cycle, so there is no CPDAG", file.path)
    return cpdag(file.dag)


def rewrite_model(graph: str, fmt: str, out: str | None) -> None:
    """Write a Bayesian network in another format, with its probabilities and header.

    Parameters
    ----------
    graph
        A file.
    fmt
        One of `common.models.model_file.WRITTEN_FORMATS`.
    out
        None is standard output.

    Raises
    ------
    DataError
        A file without probabilities, or of a mixture.
    """
    text = read_text(graph, "a Bayesian network")
    if kind_of_text(text) not in (*MODELS, *FOREIGN_MODELS):
        raise DataError(f"no Bayesian network with probabilities, which --format {fmt} holds; mnmodel fit adds them "
                        "from data", graph)  # fmt: skip
    write_model(out, parse_bayesnet(text, graph), fmt, header_of(text))
