"""What lsmarkov keeps in a checkpoint: its walkers, and where the search stands between two of its phases.

A phase is a second or so. What the walkers do in the next one depends on these numbers alone: their lists of cliques
and neighbourhoods are made anew from their graphs.
"""

import numpy as np

from cliquewise.common.graphs.chordal import bit_rows, graph_of, is_chordal, maximal_cliques
from cliquewise.lsmarkov.walker_kernels import Walker


def state_of(walkers):
    """The arrays of some walkers, a row for each: dict of str to array."""
    return {name: np.stack([getattr(walker, name) for walker in walkers]) for name in Walker._fields}


def put_walkers(saved, walkers, max_clique):
    """Put walkers where an earlier part of the run has left them.

    Parameters
    ----------
    saved : Saved
    walkers : list of Walker
    max_clique : int
        Bound on the cliques of their graphs.

    Raises
    ------
    DataError
        A state that is none of such walkers.
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
