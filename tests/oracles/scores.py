"""Scores of a set of variables and of a decomposable graph, written down as the formulas stand.

Rows are sequences of state codes, a set is any iterable of column numbers, logarithms are natural.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from math import ceil, exp, inf, lgamma, log, prod


def joint_counts(rows, members, weights=None):
    """How often each joint state of the columns `members` occurs, each row as often as its weight says, or once.

    States that do not occur are absent.
    """
    members, counts = sorted(members), Counter()
    for row, weight in zip(rows, weights or [1] * len(rows), strict=True):
        counts[tuple(row[v] for v in members)] += weight
    return counts


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


def with_prior(score, log_odds):
    """A score of sets plus the sum of `log_odds` over the pairs of a set."""

    def both(members):
        return score(members) + sum(log_odds(u, v) for u, v in combinations(sorted(members), 2))

    return both


PENALTIES = {  # what a score takes from the log-likelihood of a table with so many states on so many rows
    "ll": lambda rows, states: 0.0,
    "aic": lambda rows, states: states - 1,
    "bic": lambda rows, states: log(rows) / 2 * (states - 1),
    "qnml": lambda rows, states: log_regret_of_many(ceil(rows), states),
}


def set_score(rows, arity, kind, ess=1.0, weights=None):
    """The function from sets to scores of a kind, "bdeu" or one of `PENALTIES`; each set is scored once.

    A row counts as often as its weight says, any number > 0; once without `weights`.
    """
    n_rows = len(rows) if weights is None else sum(weights)

    @cache
    def of_set(members):
        counts = [float(count) for count in joint_counts(rows, members, weights).values()]
        states = prod(arity[v] for v in members)
        if kind == "bdeu":  # one Dirichlet prior of weight `ess` over all joint states
            cells = sum(lgamma(count + ess / states) - lgamma(ess / states) for count in counts)
            return lgamma(ess) - lgamma(ess + float(n_rows)) + cells
        return sum(count * log(count / float(n_rows)) for count in counts) - PENALTIES[kind](n_rows, states)

    return lambda members: of_set(frozenset(members))


def set_score_of_parts(rows, arity, kind, ess, m):
    """As `set_score`, of `m` rows for each row of the data: all formulas with N_x / m in the place of N_x."""
    return set_score(rows, arity, kind, ess, [Fraction(1, m)] * len(rows))


def bdeu(rows, arity, members, ess):
    """BDeu of a set."""
    return set_score(rows, arity, "bdeu", ess)(members)


def decomposable_score(cliques, separators, score):
    """Sum of `score` over the cliques less its sum over the separators (repeated as often as they occur).

    Minus infinity if one of the cliques has that score.
    """
    total = sum(map(score, cliques))
    return total if total == -inf else total - sum(map(score, separators))
