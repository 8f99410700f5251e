"""Scores of a set of variables and of a decomposable graph, written down as the formulas stand.

Rows are sequences of state codes, a set is any iterable of column numbers, logarithms are natural.
"""

from collections import Counter
from functools import partial
from itertools import product
from math import lgamma, log, prod


def joint_counts(rows, members):
    """How often each joint state of the columns `members` occurs; states that do not occur are absent."""
    members = sorted(members)
    return Counter(tuple(row[v] for v in members) for row in rows)


def bdeu(rows, arity, members, ess):
    """BDeu of a set in closed form: one Dirichlet prior of weight `ess` over all joint states."""
    states = prod(arity[v] for v in members)
    counts = joint_counts(rows, members).values()
    return (
        lgamma(ess)
        - lgamma(ess + len(rows))
        + sum(lgamma(count + ess / states) - lgamma(ess / states) for count in counts)
    )


def bdeu_by_columns(rows, arity, members, ess):
    """BDeu by equation (1) of the lsmarkov paper: column by column, each given the columns before it.

    The sum runs over every configuration, also those that do not occur, as printed.
    """
    members = list(members)
    total = 0.0
    for i, variable in enumerate(members):
        before = members[:i]
        configurations = prod(arity[v] for v in before)
        cells = configurations * arity[variable]
        for values in product(*(range(arity[v]) for v in before)):
            chosen = [row for row in rows if tuple(row[v] for v in before) == values]
            total += lgamma(ess / configurations) - lgamma(len(chosen) + ess / configurations)
            for state in range(arity[variable]):
                count = sum(row[variable] == state for row in chosen)
                total += lgamma(count + ess / cells) - lgamma(ess / cells)
    return total


def bdeu_by_splitting(rows, arity, members, ess, configurations=1):
    """BDeu by Algorithm 2 of the lsmarkov paper: split the rows by one column after the other."""
    members = list(members)
    if not members:
        return 0.0
    first, rest = members[0], members[1:]
    cells = configurations * arity[first]
    total = lgamma(ess / configurations) - lgamma(len(rows) + ess / configurations)
    for state in range(arity[first]):
        part = [row for row in rows if row[first] == state]
        total += lgamma(len(part) + ess / cells) - lgamma(ess / cells)
        if part:
            total += bdeu_by_splitting(part, arity, rest, ess, cells)
    return total


def log_likelihood(rows, members):
    """Log-likelihood of the columns `members` under their own frequencies."""
    return sum(count * log(count / len(rows)) for count in joint_counts(rows, members).values())


def bic(rows, arity, members):
    """Log-likelihood less half of ln(rows) for each free parameter of the full table."""
    parameters = prod(arity[v] for v in members) - 1
    return log_likelihood(rows, members) - log(len(rows)) / 2 * parameters


def set_score(rows, arity, kind, ess=1.0):
    """The function from sets to scores of a kind: "bdeu", "bic" or "ll"; each set is scored once."""
    compute = {
        "bdeu": partial(bdeu, rows, arity, ess=ess),
        "bic": partial(bic, rows, arity),
        "ll": partial(log_likelihood, rows),
    }[kind]
    known = {}

    def score(members):
        members = frozenset(members)
        if members not in known:
            known[members] = compute(members=members)
        return known[members]

    return score


def decomposable_score(cliques, separators, score):
    """Sum of `score` over the cliques less its sum over the separators (repeated as often as they occur)."""
    return sum(map(score, cliques)) - sum(map(score, separators))
