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


def em_round(rows, arity, parents, tables, ess):
    """The tables after one round: each row counts as its completions, in proportion to their probabilities."""
    counts = [{parent_set: [0.0] * arity[v] for parent_set in table} for v, table in enumerate(tables)]
    for row in rows:
        ways = [(full, probability(full, parents, tables)) for full in completions(row, arity)]
        total = sum(weight for _, weight in ways)
        for full, weight in ways:
            for v, parent_set in enumerate(parents):
                counts[v][tuple(full[u] for u in parent_set)][full[v]] += weight / total
    result = []
    for v, table in enumerate(counts):
        q = len(table)
        result.append({})
        for parent_set, cells in table.items():
            weight = ess / (q * arity[v])
            below = sum(cells) + ess / q
            result[v][parent_set] = [(cell + weight) / below if below else 1 / arity[v] for cell in cells]
    return result


def objective(rows, arity, parents, tables, ess):
    """The log-likelihood plus, for each probability of a family with q r of them, ess / (q r) times its logarithm."""
    total = log_likelihood(rows, arity, parents, tables)
    if ess:
        for v, table in enumerate(tables):
            total += sum(log(p) * ess / (len(table) * arity[v]) for cells in table.values() for p in cells)
    return total
