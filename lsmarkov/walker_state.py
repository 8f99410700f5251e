"""The state of walkers in a checkpoint.

A phase takes about a second. The next one depends only on these arrays: lists of cliques and neighbourhoods are
recomputed from the graphs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.graphs.chordal import are_chordal_within
from ..common.run.state_record import ArrayField, StateRecord, are_random, below_infinity, natural
from .walker_kernels import Walker

if TYPE_CHECKING:
    import numpy as np


def walker_record(max_clique: int) -> StateRecord:
    """The record of a list of walkers in a checkpoint.

    Parameters
    ----------
    max_clique
        Bound on the cliques of their graphs.
    """

    def are_valid(graphs: np.ndarray, _: list[Walker]) -> bool:
        return are_chordal_within(graphs, max_clique)

    valid = {"adjacency": are_valid, "best": are_valid, "numbers": below_infinity, "random": are_random}
    fields = (ArrayField(name, valid.get(name, natural)) for name in Walker._fields)  # the others are counts
    return StateRecord(*fields)
