"""Mixtures of Bayesian networks by definition: a round of EM with dicts, the objective that it raises, log-likelihoods.

A network is given by the parents of each variable; a table is a dict {states of the parents: probabilities}, of which
the states of the parents that no row has are left out: there every state has probability 1 / arity.
"""

from math import exp, log, prod

from tests.oracles.incomplete import completions, counted, posterior_table


def whole_table(rows, weights, v, parent_set, arity, ess):
    """Posterior means under BDeu's prior, for all states of the parents that a row has."""
    counts = counted(rows, weights, v, parent_set, arity)
    prior = {states: [1 / arity[v]] * arity[v] for states in counts}
    return posterior_table(counts, prior, ess / prod(arity[u] for u in parent_set))


def row_log(row, parents, tables, arity):
    """ln p(row) under one network."""
    result = 0.0
    for v, parent_set in enumerate(parents):
        states = tuple(row[u] for u in parent_set)
        result += log(tables[v][states][row[v]] if states in tables[v] else 1 / arity[v])
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
            tables.append(posterior_table(counted(rows, weights, v, parent_set, arity), prior, weight))
        parts.append(((sum(weights) + 1) / (sum(row_counts) + len(structures)), parents, tables))
    return parts


def objective(rows, row_counts, parts, arity, ess, weight):
    """Log-likelihood, plus the log density of Dirichlet priors without its constants."""
    total = sum(count * mixture_log(row, parts, arity) for row, count in zip(rows, row_counts, strict=True))
    for share, parents, tables in parts:
        total += log(share)
        for v, parent_set in enumerate(parents):
            prior = whole_table(rows, row_counts, v, parent_set, arity, ess)
            pairs = (pair for states in prior for pair in zip(prior[states], tables[v][states], strict=True))
            total += sum(weight * p * log(found) for p, found in pairs)
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
            posterior_table(counted(full, weights, v, parent_set, arity), priors[k][v], weight)
            for v, parent_set in enumerate(parents)
        ]
        found.append(((sum(weights) + 1) / (sum(row_counts) + len(parts)), parents, new))
    return found
