"""Parent-set scores as they are defined: rows split by the parents' states, and pruning by trying every subset."""

from collections import Counter
from itertools import combinations
from math import lgamma, prod


def family_counts(rows, v, parents):
    """How often each (configuration of the parents, state of v) occurs, and each configuration."""
    parents = sorted(parents)
    cells = Counter((tuple(row[u] for u in parents), row[v]) for row in rows)
    configurations = Counter()
    for (configuration, _), count in cells.items():
        configurations[configuration] += count
    return cells, configurations


def bdeu_of_family(rows, arity, v, parents, ess=1.0):
    """BDeu of one variable given its parents: one Dirichlet prior for each configuration that occurs.

    With a Markov blanket in the place of the parents it is the local marginal pseudo-likelihood.
    """
    cells, configurations = family_counts(rows, v, parents)
    prior = ess / prod(arity[u] for u in parents)
    total = sum(lgamma(prior) - lgamma(count + prior) for count in configurations.values())
    return total + sum(lgamma(count + prior / arity[v]) - lgamma(prior / arity[v]) for count in cells.values())


def parent_sets(n, v, largest):
    """All sets of at most `largest` of the other variables."""
    others = [u for u in range(n) if u != v]
    return [frozenset(s) for size in range(largest + 1) for s in combinations(others, size)]


def pruned(scores):
    """{set: score} without the sets that a proper subset scores at least as well."""
    return {s: x for s, x in scores.items() if not any(t < s and scores[t] >= x for t in scores)}
