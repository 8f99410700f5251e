"""Scores of a set of variables and of a decomposable graph, written down as the formulas stand.

Rows are sequences of state codes, a set is any iterable of column numbers, logarithms are natural.
"""

from collections import Counter
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, pairwise, product
from math import ceil, exp, lgamma, log, prod


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


def aic(rows, arity, members):
    """Log-likelihood less one for each free parameter of the full table."""
    return log_likelihood(rows, members) - (prod(arity[v] for v in members) - 1)


def log_regret(n_rows, states):
    """Logarithm of the sum, over all sequences of `n_rows` values among `states`, of their largest likelihood."""
    total = 0.0
    for cuts in combinations(range(n_rows + states - 1), states - 1):
        ends = (-1, *cuts, n_rows + states - 1)
        counts = [after - before - 1 for before, after in pairwise(ends)]
        ways = lgamma(n_rows + 1) - sum(lgamma(count + 1) for count in counts)
        total += exp(ways + sum(count * log(count / n_rows) for count in counts if count))
    return log(total)


@cache
def log_regret_of_many(n_rows, states):
    """The same for many states: one state after the other, by the number of rows that have it."""
    if states == 1:
        return 0.0
    total = 0.0
    for here in range(n_rows + 1):
        rest = n_rows - here
        ways = lgamma(n_rows + 1) - lgamma(here + 1) - lgamma(rest + 1)
        shares = sum(count * log(count / n_rows) for count in (here, rest) if count)
        total += exp(ways + shares + (log_regret_of_many(rest, states - 1) if rest else 0.0))
    return log(total)


def qnml(rows, arity, members, regret=log_regret_of_many):
    """Log-likelihood less the regret of a multinomial of as many values as the set has joint states."""
    return log_likelihood(rows, members) - regret(len(rows), prod(arity[v] for v in members))


def set_score_of_parts(rows, arity, kind, ess, m):
    """As `set_score`, of `m` rows for each row of the data: all formulas with N_x / m in the place of N_x."""
    return set_score_of_weights(rows, [Fraction(1, m)] * len(rows), arity, kind, ess)


def with_prior(score, log_odds):
    """A score of sets plus the sum of `log_odds` over the pairs of a set."""

    def both(members):
        return score(members) + sum(log_odds(u, v) for u, v in combinations(sorted(members), 2))

    return both


def set_score(rows, arity, kind, ess=1.0):
    """The function from sets to scores of a kind: "bdeu", "bic", "ll", "aic" or "qnml"; each set is scored once."""
    compute = {
        "bdeu": partial(bdeu, rows, arity, ess=ess),
        "bic": partial(bic, rows, arity),
        "ll": partial(log_likelihood, rows),
        "aic": partial(aic, rows, arity),
        "qnml": partial(qnml, rows, arity),
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


def set_score_of_weights(rows, weights, arity, kind, ess):
    """As `set_score`, each row counting as often as its weight, any number > 0, says."""
    total = sum(weights)

    def score(members):
        members, counts = sorted(members), {}
        for row, weight in zip(rows, weights, strict=True):
            cell = tuple(row[v] for v in members)
            counts[cell] = counts.get(cell, 0) + weight
        counts, states = [float(count) for count in counts.values()], prod(arity[v] for v in members)
        size = float(total)
        if kind == "bdeu":
            cells = sum(lgamma(count + ess / states) - lgamma(ess / states) for count in counts)
            return lgamma(ess) - lgamma(ess + size) + cells
        likelihood = sum(count * log(count / size) for count in counts)
        regret = log_regret_of_many(ceil(total), states) if kind == "qnml" else 0.0
        return likelihood - {"ll": 0, "aic": states - 1, "bic": log(size) / 2 * (states - 1), "qnml": regret}[kind]

    return score
