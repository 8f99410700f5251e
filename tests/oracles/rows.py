"""Rows on families by their definition: a graph's families in every perfect order, and whether a row holds."""

from itertools import combinations, permutations

from tests.oracles.graphs import neighbours


def perfect_families(n, edges):
    """The families {vertex: earlier neighbours} of every order in which earlier neighbours are complete, each once."""
    adjacent = neighbours(n, edges)
    found = set()
    for order in permutations(range(n)):
        families = []
        for place, v in enumerate(order):
            parents = frozenset(adjacent[v] & set(order[:place]))
            if any(w not in adjacent[u] for u in parents for w in parents if u != w):
                break
            families.append((v, parents))
        else:
            found.add(frozenset(families))
    return [dict(families) for families in found]


def begins(members, v, parents):
    """Is a member inside the family, but none inside the parents?"""
    return any(m <= parents | {v} for m in members) and not any(m <= parents for m in members)


def completes(s, v, parents):
    """Does the family make s complete?"""
    return v in s and s - {v} <= parents


def left_side(members, base, families):
    """Families that begin, less those that make the base complete; `families` is {(v, parents): value}."""
    total = sum(x for (v, parents), x in families.items() if begins(members, v, parents))
    return total - sum(x for (v, parents), x in families.items() if completes(base, v, parents))


def step_bound(n, width, first, score, step):
    """The bound that one step of rows (multiplier, base, members) shows for all families with cliques of `width`.

    `score(frozenset)` is the score of a set. The variables `first` come first as far as they are joined: none of them
    has all those before it as parents, and others too.
    """
    best = [None] * n
    for size in range(width):
        for parents in map(frozenset, combinations(range(n), size)):
            for v in sorted({*range(n)} - parents):
                before = frozenset(first[: first.index(v)]) if v in first else frozenset({v})
                if before < parents:
                    continue
                gain = score(parents | {v}) - score(parents)
                for multiplier, base, members in step:
                    gain += multiplier * (begins(members, v, parents) - completes(base, v, parents))
                best[v] = gain if best[v] is None else max(best[v], gain)
    return sum(best) - sum(multiplier for multiplier, base, _ in step if not base)
