"""Bayesian networks by definition and by brute force, for a handful of vertices.

A network is a tuple of parent sets (frozensets), one per vertex.
"""

from functools import cache
from itertools import combinations, permutations, product

from tests.oracles.families import parent_sets
from tests.oracles.graphs import neighbours, pair


def is_acyclic(network):
    """Whether some order has every vertex after its parents."""
    left = set(range(len(network)))
    while free := [v for v in left if not network[v] & left]:
        left -= set(free)
    return not left


@cache
def networks(n, most):
    """All acyclic networks on n vertices with at most `most` parents each."""
    choices = [parent_sets(n, v, most) for v in range(n)]
    return [network for network in product(*choices) if is_acyclic(network)]


def moral_edges(network):
    """Every vertex and its parents, and the parents among each other, are joined."""
    return frozenset(pair(a, b) for v, parents in enumerate(network) for a, b in combinations(parents | {v}, 2))


@cache
def treewidth(n, edges):
    """The least over all elimination orders of the most neighbours that a vertex has when it goes."""
    return min(width_of_order(n, edges, order) for order in permutations(range(n)))


def treewidth_by_sets(n, edges):
    """The same, by the sets of vertices that go before the others: faster from seven vertices on.

    A vertex that goes after the others of a set then has as neighbours the vertices outside that it reaches through it.
    """
    adjacent, least = neighbours(n, edges), {frozenset(): 0}
    for size in range(1, n + 1):
        for gone in map(frozenset, combinations(range(n), size)):
            least[gone] = min(max(least[gone - {v}], len(_reached(adjacent, gone, v) - gone)) for v in gone)
    return least[frozenset(range(n))]


def _reached(adjacent, through, v):
    """The vertices that v reaches by paths inside a set, whose ends may be outside."""
    reached, waiting = {v}, [v]
    while waiting:
        for u in adjacent[waiting.pop()] - reached:
            reached.add(u)
            if u in through:
                waiting.append(u)
    return reached


def later_neighbours(n, edges, order):
    """The neighbours that each vertex has when it goes; they are joined then."""
    adjacent, later = neighbours(n, edges), [None] * n
    for v in order:
        later[v] = frozenset(adjacent[v])
        for a in later[v]:
            adjacent[a] = (adjacent[a] | later[v]) - {a, v}
    return later


def width_of_order(n, edges, order):
    """The most neighbours that a vertex has when it goes."""
    return max(map(len, later_neighbours(n, edges, order)), default=0)


def arc_moves(network, most):
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


def best_network(scores, most, width):
    """The highest score of a network of treewidth at most `width`, and the networks that reach it.

    `scores` : list of {frozenset: float}, the parent sets each vertex may have; one that is missing is not allowed.
    """
    n = len(scores)
    found = [
        (sum(scores[v][parents] for v, parents in enumerate(network)), network)
        for network in networks(n, most)
        if all(parents in scores[v] for v, parents in enumerate(network))
        and treewidth(n, moral_edges(network)) <= width
    ]
    best = max(score for score, _ in found)
    return best, [network for score, network in found if score >= best - 1e-9]
