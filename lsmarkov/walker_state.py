"""The state of walkers in a checkpoint.

A phase takes about a second. The next one depends only on these arrays: lists of cliques and neighbourhoods are
recomputed from the graphs.
"""

from ..common.graphs.chordal import are_chordal_within
from ..common.run.checkpoint import Field, are_random, below_infinity, natural
from .walker_kernels import Walker


def walker_fields(max_clique):
    """The fields of a list of walkers.

    Parameters
    ----------
    max_clique : int
        Bound on the cliques of their graphs.

    Returns
    -------
    tuple of Field
    """

    def are_good(graphs, _):
        return are_chordal_within(graphs, max_clique)

    good = {"adjacency": are_good, "best": are_good, "numbers": below_infinity, "random": are_random}
    return tuple(Field(name, good=good.get(name, natural)) for name in Walker._fields)  # the others are counts
