"""`mntools convert --chordal`: a chordal graph with all edges of a given one and few more.

The vertices are eliminated in min-fill order, and the fill-in edges are added. Nothing is added to a chordal graph. For
a directed graph the moral graph is covered, so that the cover can represent every distribution of the directed graph.
Cost O(n^3) at worst.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from ..common.counted import counted
from ..common.files.header_words import BLANKET_SCORES
from ..common.files.result_header import OF_ARCS
from ..common.graphs.chordal import maximal_cliques
from ..common.graphs.treewidth import min_fill_cover

if TYPE_CHECKING:
    from ..common.graphs.dag import Dag
    from ..common.graphs.graph import Graph


LOG = logging.getLogger("cliquewise")
_DROPPED_LINES = (*OF_ARCS, "max-clique", "prior", "penalty", "threshold")


def chordal_cover(graph: Dag | Graph, header: dict[str, str]) -> tuple[Graph, dict[str, str]]:
    """A chordal cover of a graph.

    Parameters
    ----------
    graph
    header : dict of str to str
        Of its file.

    Returns
    -------
    (Graph, dict of str to str)
        The cover, and the header without the lines that are not true of it.
    """
    network: Any = graph
    undirected = network.moral() if graph.directed else network
    cover = min_fill_cover(undirected)
    added = len(cover.edges) - len(undirected.edges)
    LOG.info("%s added, largest clique %d", counted(added, "edge"), max(map(len, maximal_cliques(cover))))
    kept = {key: value for key, value in header.items() if key not in _DROPPED_LINES}
    if kept.get("score-type") in BLANKET_SCORES:
        del kept["score-type"]
    return cover, {**kept, "edges-added": str(added)}
