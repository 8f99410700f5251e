"""Mixtures of Bayesian networks by definition: a round of EM with dicts, the objective that it raises, log-likelihoods.

A network is given by the parents of each variable; a table is a dict {(states of the parents, state): probability}, of
which the states of the parents that no row has are left out: there every state has probability 1 / arity.
"""

from math import exp, log

from tests.oracles.incomplete import completions


def counted(rows, weights, v, parent_set):
    """How much weight rows have with each (states of the parents, state)."""
    counts = {}
    for row, weight in zip(rows, weights, strict=True):
        key = tuple(row[u] for u in parent_set), row[v]
        counts[key] = counts.get(key, 0.0) + weight
    return counts


def whole_table(rows, weights, v, parent_set, arity, ess):
    """Posterior means under BDeu's prior, for all states of the parents that a row has."""
    counts, q = counted(rows, weights, v, parent_set), 1
    for u in parent_set:
        q *= arity[u]
    table = {}
    for states in {tuple(row[u] for u in parent_set) for row in rows}:
        total = sum(counts.get((states, k), 0.0) for k in range(arity[v]))
        for k in range(arity[v]):
            table[states, k] = (counts.get((states, k), 0.0) + ess / (q * arity[v])) / (total + ess / q)
    return table


def part_table(rows, weights, v, parent_set, arity, prior, weight):
    """Posterior means with a prior of this weight in each state of the parents."""
    counts, table = counted(rows, weights, v, parent_set), {}
    for states, k in prior:
        total = sum(counts.get((states, j), 0.0) for j in range(arity[v]))
        table[states, k] = (counts.get((states, k), 0.0) + weight * prior[states, k]) / (total + weight)
    return table


def row_log(row, parents, tables, arity):
    """ln p(row) under one network."""
    result = 0.0
    for v, parent_set in enumerate(parents):
        result += log(tables[v].get((tuple(row[u] for u in parent_set), row[v]), 1 / arity[v]))
    return result


def mixture_log(row, parts, arity):
    """ln p(row) under parts (share, parents, tables)."""
    return log(sum(share * exp(row_log(row, parents, tables, arity)) for share, parents, tables in parts))


def responsibilities(rows, parts, arity):
    """p(part | row), a list for each part."""
    terms = [[share * exp(row_log(row, parents, tables, arity)) for row in rows] for share, parents, tables in parts]
    sums = [sum(column) for column in zip(*terms, strict=True)]
    return [[term / total for term, total in zip(part, sums, strict=True)] for part in terms]


def fitted_parts(rows, row_counts, responsibilities, structures, arity, ess, weight):
    """The parts for given responsibilities: shares by (N_k + 1) / (N + K)."""
    parts = []
    for own, parents in zip(responsibilities, structures, strict=True):
        weights = [share * count for share, count in zip(own, row_counts, strict=True)]
        tables = []
        for v, parent_set in enumerate(parents):
            prior = whole_table(rows, row_counts, v, parent_set, arity, ess)
            tables.append(part_table(rows, weights, v, parent_set, arity, prior, weight))
        parts.append(((sum(weights) + 1) / (sum(row_counts) + len(structures)), parents, tables))
    return parts


def objective(rows, row_counts, parts, arity, ess, weight):
    """Log-likelihood, plus the log density of Dirichlet priors without its constants."""
    total = sum(count * mixture_log(row, parts, arity) for row, count in zip(rows, row_counts, strict=True))
    for share, parents, tables in parts:
        total += log(share)
        for v, parent_set in enumerate(parents):
            prior = whole_table(rows, row_counts, v, parent_set, arity, ess)
            total += sum(weight * prior[key] * log(tables[v][key]) for key in prior)
    return total


def observed_log(row, parts, arity):
    """ln p(observed cells of a row) under parts."""
    return log(sum(exp(mixture_log(full, parts, arity)) for full in completions(row, arity)))


def expected_parts(rows, row_counts, parts, arity, priors, weight):
    """The parts after a round: a row counts for each part and each completion by p(part, completion | its cells).

    `priors` has, for each part, the prior of each table for all states of the parents.
    """
    found = []
    for k, (share, parents, tables) in enumerate(parts):
        full, weights = [], []
        for row, count in zip(rows, row_counts, strict=True):
            below = exp(observed_log(row, parts, arity))
            for one in completions(row, arity):
                full.append(one)
                weights.append(count * share * exp(row_log(one, parents, tables, arity)) / below)
        new = [
            part_table(full, weights, v, parent_set, arity, priors[k][v], weight)
            for v, parent_set in enumerate(parents)
        ]
        found.append(((sum(weights) + 1) / (sum(row_counts) + len(parts)), parents, new))
    return found
