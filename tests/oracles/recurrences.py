"""The recurrences f, g and h of the junctor paper, word for word on Python sets, and the bound on a set's networks."""

from functools import cache
from itertools import combinations, permutations


def subsets(members):
    """Every subset, as frozensets."""
    members = sorted(members)
    return [frozenset(part) for k in range(len(members) + 1) for part in combinations(members, k)]


def recurrences(score, width, proper=True):
    """The functions f(S, R), g(C, U) and h(C, R) for `score` on frozensets and cliques of at most `width`.

    With `proper` the separators of h are proper subsets of C, as in the paper; without, C itself is one too.
    """
    lowest = float("-inf")

    @cache
    def f(s, r):
        return max((score(s | d) + g(s | d, r - d) for d in subsets(r) if d and len(s | d) <= width), default=lowest)

    @cache
    def g(c, u):
        if not u:
            return 0.0
        first = min(u)
        return max(h(c, r) + g(c, u - r) for r in subsets(u) if first in r)

    @cache
    def h(c, r):
        return max(f(s, r) - score(s) for s in subsets(c) if s != c or not proper)

    return f, g, h


def optimum(n, score, width):
    """The best score of a chordal network, f({}, V)."""
    return recurrences(score, width)[0](frozenset(), frozenset(range(n)))


def best_parents(score, v, among, width):
    """The most that v gains from parents among a set, it and they at most `width`."""
    return max(score(p | {v}) - score(p) for p in subsets(among) if len(p) < width)


def best_completion(n, score, first, width):
    """The best Bayesian network on all vertices that has `first` first, without what that scores, over all orders."""
    rest = sorted(set(range(n)) - first)
    totals = []
    for order in permutations(rest):
        before, total = set(first), 0.0
        for v in order:
            total += best_parents(score, v, before, width)
            before.add(v)
        totals.append(total)
    return max(totals)
