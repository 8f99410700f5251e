"""Separation by its definitions: in the moral graph of the ancestors (Lauritzen et al. 1990), and by all open paths."""

from itertools import combinations


def d_separated(n, arcs, first, second, given):
    """Whether every path between two sets in the moral graph of the smallest ancestral set meets `given`."""
    ancestors, size = set(first) | set(second) | set(given), -1
    while len(ancestors) != size:
        size = len(ancestors)
        ancestors |= {u for u, v in arcs if v in ancestors}
    edges = {frozenset(arc) for arc in arcs if set(arc) <= ancestors}
    for v in ancestors:
        edges |= {frozenset(pair) for pair in combinations([u for u, w in arcs if w == v], 2)}
    return separated(n, edges, first, second, given)


def separated(n, edges, first, second, given):
    """Whether every path between two sets of an undirected graph meets `given`."""
    reached, size = set(first), -1
    while len(reached) != size:
        size = len(reached)
        reached |= {v for edge in edges for v in edge if set(edge) & reached and v not in given}
    return not reached & set(second)
