"""How large is the treewidth of a graph? Bounds that are proved, equal if the graph is small or easy.

A graph has treewidth at most k if its vertices can be eliminated one by one, each with at most k neighbours left,
which then are joined with each other. So any order proves an upper bound. Tried are: the order given; always the
vertex that needs the fewest new edges (min-fill), or has the fewest neighbours (min-degree). From below: a graph
whose vertices all have k neighbours has treewidth k at least, and so has one that can be contracted to such a graph
(the contraction degeneracy, always contracting a vertex of fewest neighbours with the one with which it shares
fewest).

Between the bounds a search goes through the sets of eliminated vertices, since the graph that is left depends on the
set alone (Bodlaender et al. 2012, On exact algorithms for treewidth). A vertex whose neighbours are all joined goes
first without loss. The search gives up after a fixed number of sets, never of seconds: the same file, the same
verdict.

Cost: O(n^3) for the orders and contractions; the search at most `WORK` / n sets of O(n^2) each, some ten seconds.
"""

from dataclasses import dataclass
from itertools import combinations

WORK = 3_000_000  # sets times vertices


@dataclass(frozen=True)
class Treewidth:
    """What is known of a graph's treewidth.

    Attributes
    ----------
    lower, upper : int
        It lies between them, both included.
    order : tuple of int
        An elimination order in which no vertex has more than `upper` neighbours.
    """

    lower: int
    upper: int
    order: tuple


def treewidth(graph, target=None, work=None):
    """Bounds on the treewidth of a graph.

    Parameters
    ----------
    graph : Graph
    target : int, optional
        Enough is known once the treewidth is proved to be at most, or more than, this.
    work : int, optional
        Sets of vertices that the search may look at, times their number; by default `WORK`.

    Returns
    -------
    Treewidth
    """
    upper, order = min(_greedy_order(graph, cost) for cost in (_missing_edges, _degree))
    lower, sets = _contraction_degeneracy(graph), (WORK if work is None else work) // graph.n
    while lower < upper and (target is None or lower <= target < upper):
        bound = lower if target is None else target
        better, sets = _order_within(graph, bound, sets)
        if better:
            upper, order = bound, better
        elif sets > 0:
            lower = bound + 1
        else:
            break
    return Treewidth(min(lower, upper), upper, order)


def min_fill_order(graph, last=()):
    """An elimination order in which always the vertex goes that needs the fewest new edges.

    Of a chordal graph it needs none.

    Parameters
    ----------
    graph : Graph
    last : collection of int
        Vertices that go after all others, in this order.

    Returns
    -------
    tuple of int
    """
    return (*_greedy_order(graph, _missing_edges, last)[1], *last)


def later_neighbours(graph, order):
    """What the elimination of all vertices joins each to: with these edges the graph is chordal.

    Parameters
    ----------
    graph : Graph
    order : sequence of int
        All vertices, each once.

    Returns
    -------
    list of set of int
        Of each vertex: its neighbours when it is eliminated, which go after it.
    """
    left, later = _adjacency(graph), [None] * graph.n
    for v in order:
        later[v] = left[v]
        _eliminate(left, v)
    return later


def _adjacency(graph):
    """Neighbour sets by vertex, of the vertices that are left."""
    return dict(enumerate(graph.neighbours()))


def _eliminate(left, v):
    """Take v out and join its neighbours."""
    around = left.pop(v)
    for u in around:
        left[u] |= around
        left[u] -= {u, v}


def _degree(left, v):
    """Neighbours of v."""
    return len(left[v])


def _missing_edges(left, v):
    """Edges that eliminating v would add."""
    around = left[v]
    return sum(len(around - left[u]) - 1 for u in around) // 2


def _greedy_order(graph, cost, spared=()):
    """An elimination order that takes a vertex of least cost each time: its width, and the order."""
    left, order, width = _adjacency(graph), [], 0
    costs = {v: cost(left, v) for v in left if v not in spared}
    while costs:
        v = min(costs, key=lambda u: (costs[u], u))
        around = left[v]
        width = max(width, len(around))
        _eliminate(left, v)
        order.append(v)
        del costs[v]
        for u in around.union(*(left[u] for u in around)).intersection(costs):
            costs[u] = cost(left, u)
    return width, tuple(order)


def _contraction_degeneracy(graph):
    """A lower bound: the largest least degree met while the graph is contracted edge by edge."""
    left, bound = _adjacency(graph), 0
    while left:
        v = min(left, key=lambda u: (len(left[u]), u))
        around = left.pop(v)
        bound = max(bound, len(around))
        for u in around:
            left[u].discard(v)
        if around:
            u = min(around, key=lambda u: (len(left[u] & around), u))
            for other in around - {u}:
                left[u].add(other)
                left[other].add(u)
    return bound


def _order_within(graph, bound, sets):
    """An elimination order with at most `bound` neighbours, or None; and how many sets may still be looked at.

    None with sets left is a proof that there is no such order.
    """
    every = frozenset(range(graph.n))
    seen, stack = set(), [()]
    while stack:
        if sets == 0:
            return None, 0
        sets -= 1
        order = stack.pop()
        left = _adjacency(graph)
        for v in order:
            _eliminate(left, v)
        order = _take_easy(left, order, bound)
        gone = every.difference(left)
        if len(left) <= bound + 1:
            return (*order, *sorted(left)), sets
        if gone not in seen:
            seen.add(gone)
            small = sorted((v for v in left if len(left[v]) <= bound), key=lambda v: (-_missing_edges(left, v), v))
            stack += [(*order, v) for v in small if gone | {v} not in seen]
    return None, sets


def _take_easy(left, order, bound):
    """Eliminate every vertex of at most `bound` neighbours that are all joined; the order with them."""
    waiting = sorted(left)
    while waiting:
        v = waiting.pop()
        around = left.get(v, ())
        if v in left and len(around) <= bound and all(b in left[a] for a, b in combinations(around, 2)):
            _eliminate(left, v)
            order = (*order, v)
            waiting += around
    return order
