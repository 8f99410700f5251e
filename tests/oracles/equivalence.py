"""The equivalence class of a directed acyclic graph by definition: every way to direct its edges is tried."""

from itertools import combinations, product


def is_acyclic(n, arcs):
    """Whether some order has every vertex after its parents."""
    left = set(range(n))
    while free := [v for v in left if not any(u in left for u, w in arcs if w == v)]:
        left -= set(free)
    return not left


def colliders(n, arcs):
    """All u -> w <- v with u and v not joined, as (u, v, w) with u < v."""
    joined = {frozenset(arc) for arc in arcs}
    return {
        (u, v, w)
        for w in range(n)
        for u, v in combinations(range(n), 2)
        if (u, w) in arcs and (v, w) in arcs and frozenset((u, v)) not in joined
    }


def equivalence_class(n, arcs):
    """All acyclic graphs with the same edges and colliders: a list of sets of arcs."""
    wanted, found = colliders(n, set(arcs)), []
    for turned in product((False, True), repeat=len(arcs)):
        other = {(v, u) if turn else (u, v) for (u, v), turn in zip(arcs, turned, strict=True)}
        if is_acyclic(n, other) and colliders(n, other) == wanted:
            found.append(other)
    return found
