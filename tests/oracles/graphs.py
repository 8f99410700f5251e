"""Chordal graphs by definition and by brute force, for a handful of vertices.

A graph is its number of vertices n (they are 0 .. n-1) and a set of pairs (u, v) with u < v. Where there are
two ways to say the same thing both stand here, and `tests/test_oracles.py` compares them.
"""

from collections import Counter
from functools import cache
from itertools import combinations

from tests.oracles.scores import decomposable_score


def pair(u, v):
    """The edge between u and v."""
    return (u, v) if u < v else (v, u)


def with_neighbours(edges, v, members):
    """The edges of a graph once v has other neighbours."""
    return frozenset(uv for uv in edges if v not in uv) | {pair(v, w) for w in members}


def all_pairs(n):
    """Every possible edge, ascending."""
    return list(combinations(range(n), 2))


def neighbours(n, edges):
    """A list of n sets."""
    adjacent = [set() for _ in range(n)]
    for u, v in edges:
        adjacent[u].add(v)
        adjacent[v].add(u)
    return adjacent


def is_complete(members, adjacent):
    """Whether every two of `members` are joined."""
    return all(v in adjacent[u] for u, v in combinations(members, 2))


def is_connected(members, adjacent):
    """Whether `members`, not empty, are connected without leaving them."""
    members = set(members)
    reached, waiting = set(), [min(members)]
    while waiting:
        u = waiting.pop()
        if u not in reached:
            reached.add(u)
            waiting += adjacent[u] & members
    return reached == members


def components(n, edges):
    """Connected components as frozensets."""
    adjacent = neighbours(n, edges)
    found = []
    for v in range(n):
        if not any(v in part for part in found):
            reach = {v}
            while any(adjacent[u] - reach for u in reach):
                reach |= set().union(*(adjacent[u] for u in reach))
            found.append(frozenset(reach))
    return found


def is_chordal(n, edges):
    """By the definition: no four or more vertices induce a cycle."""
    adjacent = neighbours(n, edges)
    for size in range(4, n + 1):
        for members in combinations(range(n), size):
            degrees = {len(adjacent[u] & set(members)) for u in members}
            if degrees == {2} and is_connected(members, adjacent):
                return False
    return True


def elimination_order(n, edges):
    """Vertices, each with complete neighbours among those after it; None when there is no such order.

    Any simplicial vertex may go first (Dirac), so there is nothing to try twice.
    """
    adjacent = neighbours(n, edges)
    left, order = set(range(n)), []
    while left:
        simplicial = next((v for v in sorted(left) if is_complete(adjacent[v] & left, adjacent)), None)
        if simplicial is None:
            return None
        order.append(simplicial)
        left.remove(simplicial)
    return order


def maximal_cliques(n, edges):
    """All complete vertex sets that no other vertex extends, as frozensets."""
    adjacent = neighbours(n, edges)
    complete = [
        frozenset(members)
        for size in range(1, n + 1)
        for members in combinations(range(n), size)
        if is_complete(members, adjacent)
    ]
    return [c for c in complete if not any(c <= adjacent[v] for v in range(n) if v not in c)]


def separators_by_tree(n, edges):
    """Separators of a chordal graph as a Counter: the links of a heaviest spanning tree over the cliques.

    Empty separators join the components, one fewer than there are components.
    """
    cliques = maximal_cliques(n, edges)
    links = sorted(combinations(range(len(cliques)), 2), key=lambda ij: -len(cliques[ij[0]] & cliques[ij[1]]))
    tree_of = list(range(len(cliques)))
    separators = Counter()
    for i, j in links:
        if tree_of[i] != tree_of[j]:
            tree_of = [tree_of[i] if t == tree_of[j] else t for t in tree_of]
            separators[cliques[i] & cliques[j]] += 1
    return separators


def cliques_and_separators(n, edges):
    """Maximal cliques (set) and separators (Counter) of a chordal graph from an elimination order.

    Each vertex, when it goes, gives the set of itself and its later neighbours and takes these neighbours
    back; sets that are both given and taken cancel. The last vertex takes an empty set too much.
    """
    adjacent = neighbours(n, edges)
    left, sets = set(range(n)), Counter()
    for v in elimination_order(n, edges):
        later = frozenset(adjacent[v] & left) - {v}
        sets[later | {v}] += 1
        sets[later] -= 1
        left.remove(v)
    sets[frozenset()] += 1
    return {s for s, times in sets.items() if times > 0}, -sets  # unary minus keeps what was taken


def graph_score(n, edges, score):
    """Score of a chordal graph by a function on sets."""
    cliques, separators = cliques_and_separators(n, edges)
    return decomposable_score(cliques, separators.elements(), score)


@cache
def chordal_graphs(n):
    """All chordal graphs on n labelled vertices, as frozensets of edges (1, 2, 8, 61, 822, 18154 of them)."""
    pairs = all_pairs(n)
    return [
        frozenset(edges)
        for size in range(len(pairs) + 1)
        for edges in combinations(pairs, size)
        if elimination_order(n, edges) is not None
    ]


@cache
def junction_sets(n):
    """(edges, cliques, separators) of every chordal graph on n vertices, worked out once."""
    return [(edges, *cliques_and_separators(n, edges)) for edges in chordal_graphs(n)]
