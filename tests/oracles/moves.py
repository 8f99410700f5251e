"""The three neighbourhoods of the lsmarkov paper, section 3.3, by their definitions.

Each returns the feasible neighbours, the chordal ones, as {what was chosen: edges of the neighbour}. By the
definitions a graph can be its own neighbour: taking an isolated vertex out of its own clique changes nothing.

The paper's examples 3.3 and 3.4 leave out neighbours that are chordal by its own definition: in Figure 1,
joining v5 to v2, v3, v4 makes the cliques {v1,v2,v3,v5} and {v2,v3,v4,v5}. The definition is followed here.
"""

from itertools import combinations, product

from tests.oracles.graphs import components, elimination_order, maximal_cliques, neighbours, pair
from tests.oracles.recurrences import subsets


def edge_moves(n, edges, v):
    """N_E(G, v): the edge between v and another vertex w is added, or removed if it is there."""
    return _feasible(n, {w: frozenset(edges) ^ {pair(v, w)} for w in range(n) if w != v})


def node_moves(n, edges, v):
    """N_V(G, v): v joins or leaves one of the maximal cliques."""
    return _feasible(n, {c: _join_or_leave(edges, v, c) for c in maximal_cliques(n, edges)})


def clique_moves(n, edges, clique):
    """N_C(G, C): one vertex joins or leaves the maximal clique C."""
    return _feasible(n, {v: _join_or_leave(edges, v, frozenset(clique)) for v in range(n)})


def is_restart_graph(n, edges):
    """Whether a graph is what a restart draws: disjoint cliques of one to three vertices."""
    adjacent = neighbours(n, edges)
    return all(len(part) <= 3 and all(adjacent[v] == part - {v} for v in part) for part in components(n, edges))


def _join_or_leave(edges, v, clique):
    between = {pair(v, u) for u in clique if u != v}
    return frozenset(edges) - between if v in clique else frozenset(edges) | between


def _feasible(n, candidates):
    return {choice: e for choice, e in candidates.items() if elimination_order(n, e) is not None}


def swaps(n, edges, max_clique):
    """The results of a swap: {(added pair, dropped pair): edges}, chordal and with cliques of at most `max_clique`.

    The added pair is not adjacent and its common neighbours separate it (so that the graph with it is chordal); the
    dropped pair is another one among it and these common neighbours.
    """
    found = {}
    adjacent = neighbours(n, edges)
    for v, w in combinations(range(n), 2):
        clique = (adjacent[v] & adjacent[w]) | {v, w}
        joined = frozenset(edges) | {(v, w)}
        if (v, w) in edges or elimination_order(n, joined) is None:
            continue
        for x, y in combinations(sorted(clique), 2):
            after = joined - {(x, y)}
            if (x, y) != (v, w) and elimination_order(n, after) is not None:
                if max(map(len, maximal_cliques(n, after))) <= max_clique:
                    found[(v, w), (x, y)] = after
    return found


def branches(n, edges, v, w):
    """What hangs at v and can hang at w instead: {set of vertices: edges}.

    The sets are the components of the graph without v, w and their common neighbours in which v has neighbours and w
    has none.
    """
    adjacent = neighbours(n, edges)
    without = (adjacent[v] & adjacent[w]) | {v, w}
    left = [e for e in edges if not set(e) & without]
    found = {}
    for part in components(n, left):
        own = adjacent[v] & part
        if not part & without and own and not adjacent[w] & part:
            found[frozenset(part)] = frozenset(edges) - {pair(v, x) for x in own} | {pair(w, x) for x in own}
    return found


def subtrees(n, edges, v, cliques, parents, max_clique):
    """What v can be joined to in one junction tree: the sets of vertices, each once.

    The tree is that of the graph without v, a list of sets and for each the number of its parent or None. Each clique
    of a connected part of the tree is joined whole, or all but one vertex if it has `max_clique` vertices; neighbouring
    cliques of the part must both be joined to all that they have in common. Components may have a part each.
    """
    found = {frozenset()}
    options = []
    for clique in cliques:
        full = len(clique) >= max_clique
        options.append([frozenset(clique) - {u} for u in clique] if full else [frozenset(clique)])
    for count in range(1, len(cliques) + 1):
        for part in combinations([i for i, c in enumerate(cliques) if v not in c], count):
            roots = [i for i in part if parents[i] not in part]
            tops = [_top_clique(i, parents) for i in roots]
            if len(set(tops)) < len(tops):
                continue  # two parts in one component
            for joined in product(*(options[i] for i in part)):
                chosen = dict(zip(part, joined, strict=True))
                crossed = [(i, parents[i]) for i in part if parents[i] in part]
                if all(cliques[i] & cliques[j] <= chosen[i] & chosen[j] for i, j in crossed):
                    found.add(frozenset().union(*joined))
    return found


def represented(members, cliques, parents):
    """The sets that a junction tree represents, of which `members` are the variables: frozensets.

    If a set has members strictly on both sides of a separator, it has all of the separator. The tree is a list of
    cliques, and for each the number of its parent or None.
    """
    return [chosen for chosen in subsets(members) if _is_represented(chosen, cliques, parents)]


def _is_represented(chosen, cliques, parents):
    for i, parent in enumerate(parents):
        if parent is not None:
            separator, sides = cliques[i] & cliques[parent], (set(), set())
            for j, clique in enumerate(cliques):
                if _top_clique(j, parents) == _top_clique(i, parents):
                    sides[i in _path_to_root(j, parents)].update(clique)
            if all((side - separator) & chosen for side in sides) and not separator <= chosen:
                return False
    return True


def _path_to_root(i, parents):
    """A clique and those above it."""
    return [i] if parents[i] is None else [i, *_path_to_root(parents[i], parents)]


def _top_clique(i, parents):
    while parents[i] is not None:
        i = parents[i]
    return i
