"""Probabilities of the edges of a network, from a list of edges, for drawings."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ..errors import DataError
from ..models.any_graph import read_graph

if TYPE_CHECKING:
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph

LOG = logging.getLogger("cliquewise")


def edge_probabilities(path: str, drawn: Graph | Dag) -> tuple[float, ...]:
    """The probability of each edge of a network, in the order of its edges; 0 for one that is not listed.

    Parameters
    ----------
    path
        An edge list with probabilities, as `mnposterior` and `mntools average` write it. Edges that the network does
        not have are left out, which is logged.

    Raises
    ------
    DataError
        Edges without probabilities, or of other variables.
    """
    listed = read_graph(path, drawn.names, drawn.n).graph
    if listed.probabilities is None:
        raise DataError("edges without probabilities; expected a list as mntools average writes it", path)
    known = dict(zip(listed.edges, listed.probabilities, strict=True))
    shown = tuple(known.pop((min(edge), max(edge)), 0.0) for edge in drawn.edges)
    if known:
        LOG.info("%s: edges that the network does not have are left out: %d", path, len(known))
    return shown
