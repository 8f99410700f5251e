"""A search among given edges only (`--allowed-edges`, `--forbidden-edges`): other sets score minus infinity.

Every clique of a network within the edges is complete in them, so nothing else is needed to keep a search inside;
and methods that leave out sets without a score have less to do. Forced coarsening finds edges that hold most of an
optimal network's (Section 5 of Orfanides and Perez, PGM 2020).
"""

from itertools import combinations

import numpy as np

from cliquewise.common.graphs.chordal import bit_rows
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.sets.bitset_kernels import words_for


def within(allowed, forbidden, n):
    """The edges allowed and not forbidden, of few vertices.

    Parameters
    ----------
    allowed, forbidden : Graph or None
        None: all are allowed, none is forbidden.
    n : int

    Returns
    -------
    Graph or None
        None: all.
    """
    if forbidden is None:
        return allowed
    edges, others = combinations(range(n), 2) if allowed is None else allowed.edges, set(forbidden.edges)
    return Graph(n, tuple(edge for edge in edges if edge not in others))


def allowed_rows(graph, n, forbidden=None):
    """Who may stand in one set with each variable, as bit rows.

    Parameters
    ----------
    graph : Graph or None
        Its edges are allowed; None: all.
    n : int
    forbidden : Graph or None
        Its edges are not.

    Returns
    -------
    uint64[n, words]
    """
    rows = np.full((n, words_for(n)), np.uint64(2**64 - 1)) if graph is None else bit_rows(graph, n)
    return rows if forbidden is None else rows & ~bit_rows(forbidden, n)


def complete_sets(masks, graph):
    """Which sets have all their pairs among the edges of a graph.

    Parameters
    ----------
    masks : uint64[m]
        Bit v stands for variable v.
    graph : Graph
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
