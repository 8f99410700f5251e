"""Elimination orders and moves of arcs by definition."""

from tests.oracles.graphs import neighbours
from tests.oracles.networks import is_acyclic


def later_of(n, edges, order):
    """The neighbours that each vertex has when it goes; they are joined then."""
    adjacent, later = neighbours(n, edges), [None] * n
    for v in order:
        later[v] = frozenset(adjacent[v])
        for a in later[v]:
            adjacent[a] = (adjacent[a] | later[v]) - {a, v}
    return later


def moves(network, most):
    """All networks that one arc more, one less or one reversed makes of a network (a tuple of frozensets)."""
    n, found = len(network), []
    for v in range(n):
        for u in range(n):
            if u == v:
                continue
            if u in network[v]:
                less = _with(network, v, network[v] - {u})
                found += [less, _with(less, u, less[u] | {v})]
            else:
                found.append(_with(network, v, network[v] | {u}))
    return [one for one in found if max(map(len, one)) <= most and is_acyclic(one)]


def _with(network, v, parents):
    return (*network[:v], frozenset(parents), *network[v + 1 :])
