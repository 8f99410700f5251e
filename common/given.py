"""Networks that a user gives a learner to start from."""

from common.chordal import is_chordal, maximal_cliques
from common.errors import UsageError


def check_start(graph, n, max_clique, named):
    """Refuse a start that does not fit the data or the bound.

    Parameters
    ----------
    graph : Graph
    n : int
        Variables of the data.
    max_clique : int
    named : str
        How the user named it, for messages: option and file.

    Raises
    ------
    UsageError
        Too many vertices, not chordal, or a clique larger than the bound.
    """
    if graph.n > n:
        raise UsageError(f"{named}: {graph.n} vertices, the data have {n} variables")
    if not is_chordal(graph):
        raise UsageError(f"{named}: the graph is not chordal")
    largest = max(map(len, maximal_cliques(graph)), default=0)
    if largest > max_clique:
        raise UsageError(f"{named}: a clique of {largest} vertices, the bound is {max_clique}")
