"""The checkpoint of lsmarkov: its walkers, and the state of the search between two phases.

A phase takes about a second. The next one depends only on these numbers: lists of cliques and neighbourhoods are
recomputed from the graphs.
"""

import numpy as np

from ..common.graphs.chordal import are_chordal_within
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
        if name in ("adjacency", "best") and not are_chordal_within(found, max_clique):
            raise saved.wrong(name)
        for walker, row in zip(walkers, found, strict=True):
            getattr(walker, name)[:] = row
