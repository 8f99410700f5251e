"""The content of a picture of a network: its edges, with widths by score or by probability."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..drawing.picture import SCORE_LOST, Drawing, EdgeNotes
from ..drawing.probabilities import edge_probabilities
from ..drawing.strength import edge_strengths
from ..errors import UsageError
from ..graphs.size_text import size_text
from .scoring import describe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..files.graphfile import GraphFile
    from ..files.result_header import Claims

PROBABILITY = "probability of the edge"


def drawing_of(
    file: GraphFile,
    data: Any = None,
    by: Claims | None = None,
    edges: str | None = None,
    least: float | None = None,
    evidence: tuple[Sequence[float], Sequence[EdgeNotes]] | None = None,
) -> Drawing:
    """The drawing of a network.

    Parameters
    ----------
    file
    data, by : both or none
        Widths by the score lost without an edge.
    edges
        File of probabilities of the edges; without it, and without data, those of `file` if it has some.
    least
        Edges with a smaller probability are left out.
    evidence
        The gain of each edge, which gives its width, and the text about it.

    Raises
    ------
    UsageError
        `least` where no edge has a probability.
    DataError
        Edges without probabilities in `edges`, or other variables.
    """
    graph: Any = file.network
    if data is not None and by is not None:
        caption = f"{size_text(graph)}, {describe(data, by)}"
        return Drawing(graph, edge_strengths(graph, data, by), caption, SCORE_LOST, file.positions, file.titles)
    if evidence is not None:
        gains, notes = evidence
        return Drawing(graph, gains, size_text(graph), SCORE_LOST, file.positions, file.titles, notes)
    shares = file.graph.probabilities if edges is None else edge_probabilities(edges, graph)
    if least is not None:
        if shares is None:
            raise UsageError(f"{file.path}: its edges have no probabilities; leave out --min-probability, or give a "
                             "network of mnposterior")  # fmt: skip
        graph, shares = _probable(graph, shares, least)
    return Drawing(graph, shares, size_text(graph), PROBABILITY, file.positions, file.titles)


def _probable(graph: Any, shares: tuple[float, ...], least: float) -> tuple[Any, tuple[float, ...]]:
    """The graph of the edges with at least this probability, and these."""
    kept = [(edge, share) for edge, share in zip(graph.edges, shares, strict=True) if share >= least]
    edges, shares = tuple(edge for edge, _ in kept), tuple(share for _, share in kept)
    if graph.directed:
        return replace(graph, arcs=edges), shares
    return replace(graph, edges=edges, probabilities=None, errors=None), shares
