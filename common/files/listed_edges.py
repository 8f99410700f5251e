"""Which edges a list of probabilities names: those of little probability are counted, not listed."""

from __future__ import annotations

from ..graphs.graph import Graph

MIN_PROBABILITY = 0.01
LEFT_OUT = "left-out"  # key of the header


def listed_edges(graph: Graph, least: float) -> tuple[Graph, dict[str, str]]:
    """The edges to list, and a header line that counts the others, if there are any.

    Parameters
    ----------
    graph
        With probabilities.
    least
        Of an edge that is listed.

    Returns
    -------
    (Graph, dict of str to str)

    Examples
    --------
    >>> graph = Graph(3, ((0, 1), (1, 2)), None, (0.004, 0.9))
    >>> listed_edges(graph, 0.01)[1]
    {'left-out': '1 edge of probability below 0.01'}
    """
    kept = graph.probable(least)
    count = len(graph.edges) - len(kept.edges)
    left_out = f"{count} edge{'s' * (count > 1)} of probability below {least:g}"
    return kept, {LEFT_OUT: left_out} if count else {}
