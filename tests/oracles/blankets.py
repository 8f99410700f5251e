"""Marginal pseudo-likelihood as it is defined, and the best graph by trying all of them."""

from collections import Counter
from itertools import combinations
from math import log, prod

from tests.oracles.families import family_counts


def local_likelihood(rows, variable, blanket):
    """Sum of n_il ln(n_il / n_l)."""
    cells, configurations = family_counts(rows, variable, blanket)
    return sum(count * log(count / configurations[configuration]) for (configuration, _), count in cells.items())


def local_pic(rows, arity, variable, blanket, penalty="printed"):
    """The pseudo-likelihood information criterion, its sign turned: larger is better."""
    q = prod(arity[v] for v in blanket)
    factor = 1.0 if penalty == "printed" else (arity[variable] - 1) / 2
    return local_likelihood(rows, variable, blanket) - factor * q * log(len(rows))


def mutual_information(rows, a, b, given):
    """I(a; b | given) in nats, from the empirical distribution."""
    given, total = sorted(given), 0.0
    for values in {tuple(row[v] for v in given) for row in rows}:
        chosen = [(row[a], row[b]) for row in rows if tuple(row[v] for v in given) == values]
        both, first, second = Counter(chosen), Counter(x for x, _ in chosen), Counter(y for _, y in chosen)
        for (x, y), count in both.items():
            total += count * log(count * len(chosen) / (first[x] * second[y]))
    return total / len(rows)


def hill_climb_blanket(n, variable, local, largest=None):
    """Algorithm 1 of the paper, with `local(variable, frozenset)`."""
    best = frozenset()
    while True:
        before = best
        for i in range(n):
            if i != variable and i not in before and (largest is None or len(before) < largest):
                if local(variable, before | {i}) > local(variable, best):
                    best = before | {i}
        if best == before:
            return best
        changed = True
        while changed and len(best) > 2:
            here, changed = best, False
            for i in sorted(here):
                if local(variable, here - {i}) > local(variable, best):
                    best, changed = here - {i}, True


def hill_climb_graph(n, eligible, local):
    """Algorithm 2 of the paper, every neighbour scored again: the edges, a frozenset."""
    best = frozenset()
    while True:
        here = best
        for edge in sorted(eligible):
            if graph_score(n, here ^ {edge}, local) > graph_score(n, best, local):
                best = here ^ {edge}
        if best == here:
            return here


def graph_score(n, edges, local):
    """Sum of the local scores of all blankets of a graph."""
    return sum(local(v, frozenset(u for edge in edges if v in edge for u in edge if u != v)) for v in range(n))


def best_graph(n, eligible, local):
    """The best edges among all subsets of `eligible`, and their score."""
    eligible = sorted(eligible)
    graphs = (frozenset(c) for size in range(len(eligible) + 1) for c in combinations(eligible, size))
    return max(((graph, graph_score(n, graph, local)) for graph in graphs), key=lambda pair: pair[1])
