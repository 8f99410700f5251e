"""The coarsening problem by its definitions, for a handful of vertices: candidates, constraints, best assignment.

A candidate is (u, v, S) with u < v and S a frozenset.
"""

from itertools import combinations, product

from tests.oracles.graphs import all_pairs, neighbours


def components_without(adjacent, separator):
    """Connected components of a graph without a set of vertices, as frozensets."""
    left, found = set(range(len(adjacent))) - separator, []
    while left:
        part, border = set(), {min(left)}
        while border:
            part |= border
            border = {w for u in border for w in adjacent[u]} & left - part
        left -= part
        found.append(frozenset(part))
    return found


def separate(adjacent, separator, u, v):
    """Whether every path from u to v meets the set."""
    return not any({u, v} <= part for part in components_without(adjacent, separator))


def minimal_separators(adjacent, u, v):
    """All sets that separate u and v of which no vertex can be spared."""
    others = [w for w in range(len(adjacent)) if w not in (u, v)]
    sets = [frozenset(s) for size in range(len(others) + 1) for s in combinations(others, size)]
    # a set that contains a separator is one, so it is enough to leave out single vertices
    return {s for s in sets if separate(adjacent, s, u, v) and not any(separate(adjacent, s - {w}, u, v) for w in s)}


def candidates(n, edges, max_clique=None, max_length=None):
    """The set of all candidates."""
    adjacent = neighbours(n, edges)
    found = set()
    for u, v in all_pairs(n):
        if v not in adjacent[u]:
            separators = minimal_separators(adjacent, u, v)
            if max_length is None or len(separators) <= max_length:
                found |= {(u, v, s) for s in separators if max_clique is None or len(s) + 2 <= max_clique}
    return found


def assignments(found):
    """Every choice of candidates with at most one for each pair (constraints 1), as lists."""
    by_pair = {}
    for candidate in sorted(found, key=lambda c: (c[0], c[1], sorted(c[2]))):
        by_pair.setdefault(candidate[:2], [None]).append(candidate)
    for choice in product(*by_pair.values()):
        yield [candidate for candidate in choice if candidate is not None]


def assignment_count(found):
    """How many `assignments` there are."""
    count = 1
    for pair in {candidate[:2] for candidate in found}:
        count *= 1 + sum(candidate[:2] == pair for candidate in found)
    return count


def is_feasible(n, edges, chosen, forced=None):
    """Constraints (2), summed as in the paper, and (3) for every set of components.

    With `forced`, the separators of a forced step, also its equations.
    """
    adjacent = neighbours(n, edges)
    added = {(u, v) for u, v, _ in chosen}
    for u, v, separator in chosen:
        for end in (u, v):
            joined = sum(s in adjacent[end] or (min(end, s), max(end, s)) in added for s in separator)
            if joined < len(separator):
                return False
    for separator in {s for _, _, s in chosen}:
        parts = components_without(adjacent, separator)
        here = [{u, v} for u, v, s in chosen if s == separator]
        for size in range(2, len(parts) + 1):
            for some in combinations(parts, size):
                crossing = [e for e in here if e <= frozenset().union(*some) and not any(e <= p for p in some)]
                if len(crossing) > size - 1:
                    return False
    for separator in forced or ():
        joined_to_all = {w for w in range(n) if separator <= adjacent[w]}
        degree = sum(bool(part & joined_to_all) for part in components_without(adjacent, separator))
        if sum(s == separator for _, _, s in chosen) != degree - 1:
            return False
    return True


def gain(candidate, score):
    """d(u,v|S) by a function on sets."""
    u, v, s = candidate
    return score(s | {u, v}) + score(s) - score(s | {u}) - score(s | {v})


def best_gain(n, edges, found, score, forced=False):
    """The best feasible assignment's gain; minus infinity if there is none."""
    separators = {s for _, _, s in found} if forced else None
    best = float("-inf")
    for chosen in assignments(found):
        total = sum(gain(candidate, score) for candidate in chosen)
        if total > best and is_feasible(n, edges, chosen, separators):
            best = total
    return best
