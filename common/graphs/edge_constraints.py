"""Edges that a user requires or forbids: checks, and the network from which a search starts.

A search over chordal graphs must start from one that has all required edges: these and a few others that make the graph
chordal, found by min-fill elimination with the clique bound and without forbidden edges. A cover with the smallest
cliques is hard to find, so a cover within a tight bound can be missed.
"""

from typing import Any

from ..errors import DataError, UsageError
from .graph import Graph, shown


def edges_of(config: Any) -> tuple[Graph | None, ...]:
    """The edge constraints of a Config: allowed, forbidden and required, each a Graph or None."""
    return tuple(getattr(config, name, None) for name in ("allowed", "forbidden", "required"))


def required_network(config: Any, n: int, max_clique: int) -> Graph | None:
    """The chordal graph to start from.

    Parameters
    ----------
    config : record with `allowed`, `forbidden` and `required`
    n
        Variables.

    Returns
    -------
    Graph or None
        None if no edge is required.

    Raises
    ------
    UsageError
        Edges that contradict each other.
    DataError
        Edges for which no network within the bound was found.
    """
    check_edges(config)
    if config.required is None:
        return None
    graph, edge = cover(config.required, n, max_clique, config.allowed, config.forbidden)
    if graph is None:
        found = f"no network was found that has edge {shown(edge, config.required.names)} and the others required"
        raise DataError(f"{found}{why_no_cover(config.required, n, max_clique)}; require fewer")
    return graph


def why_no_cover(required: Graph, n: int, max_clique: int) -> str:
    """Why no network with some edges was found, for a message: cliques would be too large, or a chord is missing."""
    free, _ = cover(required, n, max_clique)
    if free is None:
        return f", with cliques of at most {max_clique}"
    chord = shown(min({*free.edges} - {*required.edges}), required.names)
    return f": they make a cycle, and edges across it, such as {chord}, are forbidden or not allowed"


def check_edges(config: Any) -> None:
    """Refuse edges that contradict each other, by name.

    Parameters
    ----------
    config : record with `allowed`, `forbidden` and `required`

    Raises
    ------
    UsageError
    """
    allowed, forbidden, required = edges_of(config)
    if required is None:
        return
    wanted = {*required.edges}
    both = wanted & {*(() if forbidden is None else forbidden.edges)}
    if both:
        edge = shown(min(both), required.names)
        raise UsageError(f"--required-edges: edge {edge} is among --forbidden-edges too; remove it from one of them")
    others = set() if allowed is None else wanted - {*allowed.edges}
    if others:
        edge = shown(min(others), required.names)
        raise UsageError(f"--required-edges: edge {edge} is not among --allowed-edges; allow it or do not require it")


def cover(
    required: Graph, n: int, max_clique: int, allowed: Graph | None = None, forbidden: Graph | None = None
) -> tuple[Graph | None, Any]:
    """A chordal graph that has some edges.

    Parameters
    ----------
    n
        Vertices of the result.

    Returns
    -------
    (Graph, None) or (None, (int, int))
        The second, an edge that could not be added, if there is no such graph.
    """
    near = Graph(n, required.edges).neighbours()
    edges, left = set(required.edges), {v for v in range(n) if near[v]}
    possible = None if allowed is None else {*allowed.edges}
    barred = set() if forbidden is None else {*forbidden.edges}

    def lacking(v: int) -> list[tuple[int, int]]:
        around = sorted(near[v])
        return [(a, b) for i, a in enumerate(around) for b in around[i + 1 :] if b not in near[a]]

    while left:
        best = None
        for v in sorted(left):
            if len(near[v]) < max_clique and (best is None or len(best[1]) > 0):
                fill = lacking(v)
                may = not barred.intersection(fill) and (possible is None or possible.issuperset(fill))
                if may and (best is None or len(fill) < len(best[1])):
                    best = v, fill
        if best is None:
            v = min(left)
            u = min(near[v])
            return None, (min(u, v), max(u, v))
        v, fill = best
        for a, b in fill:
            near[a].add(b)
            near[b].add(a)
            edges.add((a, b))
        for u in near[v]:
            near[u].discard(v)
        left.discard(v)
        left -= {u for u in near[v] if not near[u]}
        near[v] = set()
    return Graph(n, tuple(sorted(edges)), required.names), None
