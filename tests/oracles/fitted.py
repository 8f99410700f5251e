"""Fitted networks by definition: the probability of every joint state, and what follows from it by enumeration."""

from itertools import product
from math import prod

from tests.oracles.graphs import maximal_cliques, separators_by_tree
from tests.oracles.scores import joint_counts


def posterior_mean(rows, arity, members, ess):
    """{joint state of `members`: (N_x + ess / q) / (N + ess)}, every state listed; relative frequencies for ess 0."""
    members = sorted(members)
    counts, q = joint_counts(rows, members), prod(arity[v] for v in members)
    states = product(*(range(arity[v]) for v in members))
    return {state: (counts[state] + ess / q) / (len(rows) + ess) for state in states}


def chordal_distribution(rows, arity, edges, ess):
    """{joint state: product of the means of its maximal cliques by those of its separators} of a chordal graph."""
    n = len(arity)
    cliques = [(sorted(c), posterior_mean(rows, arity, c, ess)) for c in maximal_cliques(n, edges)]
    separators = [(sorted(s), posterior_mean(rows, arity, s, ess)) for s in separators_by_tree(n, edges).elements()]
    result = {}
    for state in product(*map(range, arity)):
        result[state] = prod(mean[tuple(state[v] for v in c)] for c, mean in cliques)
        if result[state] > 0:
            result[state] /= prod(mean[tuple(state[v] for v in s)] for s, mean in separators)
    return result


def directed_distribution(rows, arity, parents, ess):
    """{joint state: product of the families' means}; states of parents that no row has spread evenly for ess 0."""
    result = {}
    for state in product(*map(range, arity)):
        result[state] = 1.0
        for v, parent_set in enumerate(parents):
            q = prod(arity[u] for u in parent_set)
            matching = [row for row in rows if all(row[u] == state[u] for u in parent_set)]
            having = sum(row[v] == state[v] for row in matching)
            if matching or ess > 0:
                result[state] *= (having + ess / (q * arity[v])) / (len(matching) + ess / q)
            else:
                result[state] /= arity[v]
    return result


def sequential_distribution(rows, arity, parents):
    """{joint state}, where a family's next value is as likely as the best fit to the rows seen and itself: fsNML."""
    result = {}
    for state in product(*map(range, arity)):
        result[state] = 1.0
        for v, parent_set in enumerate(parents):
            seen = [row[v] for row in rows if all(row[u] == state[u] for u in parent_set)]
            fits = [largest_likelihood([*seen, k]) for k in range(arity[v])]
            result[state] *= fits[state[v]] / sum(fits)
    return result


def largest_likelihood(values):
    """The probability of a sequence under the distribution that fits it best."""
    return prod((values.count(value) / len(values)) ** values.count(value) for value in set(values))
