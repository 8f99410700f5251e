"""The checkpoint of lsmarkov: its walkers, and the state of the search between two phases.

A phase takes about a second. The next one depends only on these numbers: lists of cliques and neighbourhoods are
recomputed from the graphs.
"""

import numpy as np

from ..common.graphs.chordal import bit_rows, graph_of, is_chordal, maximal_cliques
from .walker_kernels import Walker


def state_of(walkers):
    """The arrays of some walkers, one row per walker: dict of str to array."""
    return {name: np.stack([getattr(walker, name) for walker in walkers]) for name in Walker._fields}


def put_walkers(saved, walkers, max_clique):
    """Restore walkers to their state in an earlier part of the run.

    Parameters
    ----------
    saved : Saved
    walkers : list of Walker
    max_clique : int
        Bound on the cliques of their graphs.

    Raises
    ------
    DataError
        The state is not valid for these walkers.
    """
    for name, like in state_of(walkers).items():
        found = saved.array(name, like)
        if name in ("adjacency", "best") and not are_within(found, max_clique):
            raise saved.wrong(name)
        for walker, row in zip(walkers, found, strict=True):
            getattr(walker, name)[:] = row


def are_within(graphs, max_clique):
    """Whether graphs as bit rows, uint64[..., n, words], are chordal and within the bound on cliques."""
    return all(_is_state(rows, max_clique) for rows in graphs.reshape(-1, *graphs.shape[-2:]))


def _is_state(rows, max_clique):
    """Whether bit rows are a chordal graph within the bound."""
    graph = graph_of(rows)
    same = np.array_equal(bit_rows(graph, len(rows)), rows)
    return same and is_chordal(graph) and max(map(len, maximal_cliques(graph))) <= max_clique
