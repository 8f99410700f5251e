"""Restriction of a search to given edges (`--allowed-edges`, `--forbidden-edges`): other sets score minus infinity.

Every clique of a network within these edges is complete in their graph, so this suffices to restrict a search; methods
that leave out sets without a score become faster. Forced coarsening finds edge sets that contain most edges of an
optimal network (Section 5 of Orfanides and Perez, PGM 2020).
"""

from itertools import combinations

import numpy as np

from ..graphs.chordal import bit_rows
from ..graphs.graph import Graph
from ..sets.bitset_kernels import words_for


def allowed_graph(allowed: Graph | None, forbidden: Graph | None, n: int) -> Graph | None:
    """The edges allowed and not forbidden, for few vertices.

    Parameters
    ----------
    allowed, forbidden
        None: all are allowed, none is forbidden.

    Returns
    -------
    Graph or None
        None: all.
    """
    if forbidden is None:
        return allowed
    edges, others = combinations(range(n), 2) if allowed is None else allowed.edges, set(forbidden.edges)
    return Graph(n, tuple(edge for edge in edges if edge not in others))


def allowed_rows(graph: Graph | None, n: int, forbidden: Graph | None) -> np.ndarray:
    """The variables that may be in one set with each variable, as bit rows.

    Parameters
    ----------
    graph
        Its edges are allowed; None: all.
    forbidden
        Its edges are not allowed.

    Returns
    -------
    uint64[n, words]
    """
    rows = np.full((n, words_for(n)), np.uint64(2**64 - 1)) if graph is None else bit_rows(graph, n)
    return rows if forbidden is None else rows & ~bit_rows(forbidden, n)


def complete_sets(masks: np.ndarray, graph: Graph) -> np.ndarray:
    """Which sets are complete in a graph.

    Parameters
    ----------
    masks : uint64[m]
        Bit v stands for variable v.
    graph
        Of at most 64 vertices.

    Returns
    -------
    bool[m]
    """
    complete = np.ones(len(masks), bool)
    for v, near in enumerate(graph.neighbours()):
        inside = np.uint64(1 << v | sum(1 << w for w in near))
        complete &= (masks >> np.uint64(v) & np.uint64(1) == 0) | (masks & ~inside == 0)
    return complete
