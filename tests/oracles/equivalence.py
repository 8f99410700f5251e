"""The equivalence class of a directed acyclic graph by definition: every way to direct its edges is tried."""

from itertools import combinations, product

from tests.oracles.networks import is_acyclic


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
        if is_acyclic([{u for u, w in other if w == v} for v in range(n)]) and colliders(n, other) == wanted:
            found.append(other)
    return found
