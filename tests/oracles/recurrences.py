"""The recurrences f, g and h of the junctor paper, word for word on Python sets; bounds of sets and of states."""

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


def transforms(score, states):
    """g and h as maxima over one vertex at a time, over some states (C, U) only; the functions, by C and U.

    g takes the part with the last vertex of U, and of proper parts those that are better whole than in parts; for C =
    {} only the whole. In h, U is attached to C by a clique with one vertex more, or in any way to C without one.
    """
    lowest = float("-inf")

    @cache
    def h(c, u):
        larger = [(c | {v}, u - {v}) for v in u if (c | {v}, u - {v}) in states]
        smaller = [g(c - {v}, u) for v in c if (c - {v}, u) in states]
        return max([*(score(bag) - score(c) + g(bag, rest) for bag, rest in larger), *smaller], default=lowest)

    @cache
    def in_parts(c, u):
        found = [r for r in subsets(u) if r and r != u and max(u) in r and (c, r) in states and (c, u - r) in states]
        return max((h(c, r) + g(c, u - r) for r in found if h(c, r) > in_parts(c, r)), default=lowest)

    def g(c, u):
        if not u:
            return 0.0
        return max(h(c, u), in_parts(c, u)) if c else h(c, u)

    return g, h


def best_parents(score, v, among, width):
    """The most that v gains from parents among a set, it and they at most `width`."""
    return max(score(p | {v}) - score(p) for p in subsets(among) if len(p) < width)


def best_completion(n, score, first, width):
    """The best Bayesian network on all vertices that has `first` first, without what that scores, over all orders."""
    return best_order(score, first, set(range(n)) - first, width)


def best_order(score, first, rest, width):
    """The best Bayesian network on `first`, and after it `rest`, without what `first` scores, over all orders."""
    totals = []
    for order in permutations(sorted(rest)):
        before, total = set(first), 0.0
        for v in order:
            total += best_parents(score, v, before, width)
            before.add(v)
        totals.append(total)
    return max(totals)


def best_separated(n, score, c, u, width):
    """The best such networks on C and U, and on C and the rest, together."""
    rest = set(range(n)) - c - u
    return score(c) + best_order(score, c, u, width) + best_order(score, c, rest, width)
