"""Parent-set scores as they are defined: rows split by the parents' states, and pruning by trying every subset."""

from itertools import combinations
from math import lgamma

from tests.oracles.scores import joint_counts


def bdeu_of_family(rows, arity, v, parents, ess):
    """BDeu of one variable given its parents: one Dirichlet prior for each configuration that occurs."""
    parents = sorted(parents)
    configurations = 1
    for u in parents:
        configurations *= arity[u]
    prior, cell = ess / configurations, ess / configurations / arity[v]
    total = 0.0
    for values in joint_counts(rows, parents):
        chosen = [row for row in rows if tuple(row[u] for u in parents) == values]
        total += lgamma(prior) - lgamma(len(chosen) + prior)
        for count in joint_counts(chosen, [v]).values():
            total += lgamma(count + cell) - lgamma(cell)
    return total


def parent_sets(n, v, largest):
    """All sets of at most `largest` of the other variables."""
    others = [u for u in range(n) if u != v]
    return [frozenset(s) for size in range(largest + 1) for s in combinations(others, size)]


def pruned(scores):
    """{set: score} without the sets that a proper subset scores at least as well."""
    return {s: x for s, x in scores.items() if not any(t < s and scores[t] >= x for t in scores)}
