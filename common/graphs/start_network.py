"""Networks that a user gives a learner to start from."""

from cliquewise.common.errors import UsageError
from cliquewise.common.graphs.chordal import is_chordal, maximal_cliques


def check_start(graph, n, max_clique, named, allowed=None):
    """Refuse a start that does not fit the data, the bound or the edges allowed.

    Parameters
    ----------
    graph : Graph
    n : int
        Variables of the data.
    max_clique : int
    named : str
        How the user named it, for messages: option and file.
    allowed : Graph or None
        The edges allowed; None: all.

    Raises
    ------
    UsageError
        Too many vertices, not chordal, a clique larger than the bound, or an edge that is not allowed.
    """
    if graph.n > n:
        raise UsageError(f"{named}: {graph.n} vertices, the data have {n} variables")
    if not is_chordal(graph):
        raise UsageError(f"{named}: the graph is not chordal")
    largest = max(map(len, maximal_cliques(graph)), default=0)
    if largest > max_clique:
        raise UsageError(f"{named}: a clique of {largest} vertices, the bound is {max_clique}")
    others = set() if allowed is None else {*graph.edges} - {*allowed.edges}
    if others:
        u, v = min(others)
        raise UsageError(f"{named}: edge {u},{v} is not among --allowed-edges; take it out or allow it")
