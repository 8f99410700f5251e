"""Rows with missing cells by definition: every way to fill them, one by one. A missing cell is None."""

from itertools import product
from math import log, prod


def completions(row, arity):
    """All complete rows that agree with a row."""
    return product(*(range(r) if cell is None else (cell,) for cell, r in zip(row, arity, strict=True)))


def probability(row, parents, tables):
    """Of a complete row; `tables[v][states of the parents]` is a list of probabilities."""
    return prod(tables[v][tuple(row[u] for u in parent_set)][row[v]] for v, parent_set in enumerate(parents))


def log_likelihood(rows, arity, parents, tables):
    """Logarithm of the product over the rows of the sum over their completions."""
    return sum(log(sum(probability(full, parents, tables) for full in completions(row, arity))) for row in rows)


def counted(rows, weights, v, parent_set, arity):
    """How much weight rows have with each state of v, for all states of the parents that a row has."""
    counts = {}
    for row, weight in zip(rows, weights, strict=True):
        counts.setdefault(tuple(row[u] for u in parent_set), [0.0] * arity[v])[row[v]] += weight
    return counts


def posterior_table(counts, prior, weight):
    """Posterior means with a prior of this weight for each states of the parents; the prior where nothing counts."""
    table = {}
    for states, shares in prior.items():
        own = counts.get(states, [0.0] * len(shares))
        total = sum(own) + weight
        table[states] = [(n + weight * p) / total if total else p for n, p in zip(own, shares, strict=True)]
    return table


def em_round(rows, arity, parents, tables, ess):
    """The tables after one round: each row counts as its completions, in proportion to their probabilities."""
    full, weights, found = [], [], []
    for row in rows:
        ways = {one: probability(one, parents, tables) for one in completions(row, arity)}
        full += ways
        weights += [weight / sum(ways.values()) for weight in ways.values()]
    for v, parent_set in enumerate(parents):
        prior = {states: [1 / arity[v]] * arity[v] for states in tables[v]}
        found.append(posterior_table(counted(full, weights, v, parent_set, arity), prior, ess / len(prior)))
    return found


def objective(rows, arity, parents, tables, ess):
    """The log-likelihood plus, for each probability of a family with q r of them, ess / (q r) times its logarithm."""
    total = log_likelihood(rows, arity, parents, tables)
    if ess:
        for v, table in enumerate(tables):
            total += sum(log(p) * ess / (len(table) * arity[v]) for cells in table.values() for p in cells)
    return total
