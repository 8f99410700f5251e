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


def perfect_sequences(n):
    """The parents of 0, 1, ..., n - 1 in each chordal graph for which that is a perfect order, each complete."""
    sequences = [()]
    for _ in range(n):
        sequences = [(*one, parents) for one in sequences for parents in complete_before(one)]
    return sequences


def complete_before(sequence):
    """The sets that are complete in the graph whose vertices have these parents."""
    inside = [
        (v, s) for v, p in enumerate(sequence) for size in range(len(p) + 1) for s in combinations(sorted(p), size)
    ]
    return [frozenset(), *(frozenset({v, *s}) for v, s in inside)]


def begins(members, v, parents):
    """Is a member inside the family, but none inside the parents?"""
    return any(m <= parents | {v} for m in members) and not any(m <= parents for m in members)


def completes(s, v, parents):
    """Does the family make s complete?"""
    return v in s and s - {v} <= parents


def extended(members, base):
    """The sets whose families count against the members: each with the base; of one member, the base itself."""
    if not base:
        return []
    return [base] if len(members) == 1 else [m | base for m in members]


def coefficient(members, base, v, parents):
    """Of a family in a row."""
    return begins(members, v, parents) - begins(extended(members, base), v, parents)


def left_side(members, base, families):
    """Families that begin the members, less those that begin these with the base; `families` is {(v, parents): x}."""
    return sum(x * coefficient(members, base, v, parents) for (v, parents), x in families.items())


def least_left_side(members, base, families):
    """The smallest left side of the row with one more member, a set that is inside a family and has a value.

    `families` is {(v, parents): x}; a single variable always counts, other sets if a family completes them.
    """
    whole = [parents | {v} for v, parents in families]
    inside = {frozenset(s) for one in whole for size in range(1, len(one) + 1) for s in combinations(sorted(one), size)}
    counted = (s for s in inside if not s & base and (len(s) == 1 or any(completes(s, *family) for family in families)))
    return min(left_side([*members, s], base, families) for s in counted)


def grown_row(members, base, families, steps):
    """The left side of the row after each step adds the set that makes it smallest, while that violates it more."""
    value = min(left_side(members, base, families), not base)
    for _ in range(steps):
        whole = [parents | {v} for v, parents in families]
        inside = {frozenset(s) for w in whole for size in range(1, len(w) + 1) for s in combinations(sorted(w), size)}
        choice = [s for s in inside if not s & base and (len(s) == 1 or any(completes(s, *f) for f in families))]
        best = min(choice, key=lambda s: left_side([*members, s], base, families))
        after = left_side([*members, best], base, families)
        if after >= value:
            break
        members, value = [*members, best], after
    return left_side(members, base, families)


def grown_clusters(n, families):
    """{cluster: left side} of the best cluster grown from each pair of child and parent, by the best variable."""
    found = {}
    for pair in map(frozenset, combinations(range(n), 2)):
        if not any(v in pair and parents & pair for v, parents in families):
            continue
        cluster, way = pair, {}
        while True:
            way[cluster] = left_side([frozenset({v}) for v in cluster], frozenset(), families)
            if len(cluster) == n:
                break
            larger = [cluster | {v} for v in range(n) if v not in cluster]
            cluster = min(larger, key=lambda c: left_side([frozenset({v}) for v in c], frozenset(), families))
        best = min(way, key=way.get)
        found[best] = way[best]
    return found


def weighted_members(weights):
    """The members of a weighted cluster without those that contain another; `weights` is {variable: at least 1}."""
    limit = max(weights.values())
    sets = (frozenset(s) for size in range(1, limit + 1) for s in combinations(weights, size))
    total = {s: sum(weights[v] for v in s) for s in sets}
    return [s for s in total if total[s] >= limit and all(total[s] - weights[v] < limit for v in s)]


def lowered_cluster(variables, limit, weights, families):
    """A weighted cluster after the change of one variable's weight that lowers its left side most, again and again."""
    value = float("inf")
    while True:
        changed = [weights | {v: new} for v in variables for new in range(limit + 1) if new != weights.get(v, 0)]
        choice = [{v: w for v, w in other.items() if w} for other in changed if limit in other.values()]
        value = left_side(weighted_members(weights), frozenset(), families) if limit in weights.values() else value
        best = min(choice, key=lambda other: left_side(weighted_members(other), frozenset(), families))
        after = left_side(weighted_members(best), frozenset(), families)
        if after >= value:
            return weights
        weights = best


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
                    gain += multiplier * coefficient(members, base, v, parents)
                best[v] = gain if best[v] is None else max(best[v], gain)
    return sum(best) - sum(multiplier for multiplier, base, _ in step if not base)
