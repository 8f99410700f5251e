"""The score of a set of variables as the check computes it, with no code of the learners.

Counts come from sorting, or state by state if there are no more states than rows. With N_x the count of joint state x
of a set, q the product of its arities and N the number of rows,

    bdeu   lnG(a) - lnG(a + N) + sum over N_x > 0 of lnG(N_x + a/q) - lnG(a/q)
    ll     sum over N_x > 0 of N_x ln(N_x / N)
    bic    ll - (ln N / 2) (q - 1)
    aic    ll - (q - 1)
    ebic   bic, less 2 g ln n for each pair of variables, of n variables in all
    qnml   ll - ln R(N, q), the regret R by the recursion of Kontkanen and Myllymaki up to `RECURSION` states and by
           the formula of Szpankowski and Weinberger beyond

and 0 for the empty set; to each the sum of ln(p / (1 - p)) over the pairs of the set is added, where p is the prior
probability of the edge. If a/q is too small for a float, lnG(a/q) is ln q - ln a and lnG(N_x + a/q)
is lnG(N_x).

Cost: O(rows log rows) or less.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.dataset import Dataset
from ..data.incomplete import IncompleteData
from ..errors import DataError
from ..scores.scoring import BDEU_1, Scoring

if TYPE_CHECKING:
    from ..files.scorefile import CliqueScores
    from ..graphs.edge_prior import EdgePrior

TINY = 1e-290  # below this, the logarithm of a/q is used
RECURSION = 20_000  # states; with more the formula's error is below 1e-4


def set_score(source: Dataset | CliqueScores, members: Iterable[int], by: Scoring = BDEU_1) -> float:
    """Score of a set of variables.

    Parameters
    ----------
    members
        The variables, all different.
    by
        Of CliqueScores only the prior is used.

    Returns
    -------
    float
        Natural logarithm; 0 for the empty set.

    Raises
    ------
    DataError
        The score file does not have this set.
    """
    members = sorted(members)
    if not members:
        return 0.0
    added = _log_odds(members, by.prior)
    if not isinstance(source, Dataset):
        return added + _listed_score(source, members)
    states = math.prod(len(source.states[v]) for v in members)
    cells = cell_terms(state_counts(source, members), states, by, source.total)
    return added + float(np.sum(cells)) + other_terms(by, states, len(members), source)


def _log_odds(members: list[int], prior: EdgePrior) -> float:
    """The sum of ln(p / (1 - p)) over the pairs of a set."""
    pairs = itertools.combinations(members, 2)
    probabilities = (prior.pairs.get(pair, prior.probability) for pair in pairs)
    return math.fsum(math.log(p / (1.0 - p)) for p in probabilities)


def cell_terms(counts: np.ndarray, states: int, by: Scoring, n_rows: float) -> np.ndarray:
    """The terms of the joint states that occur.

    Parameters
    ----------
    counts : float64[k]
        Their rows, > 0.
    states
        q, an exact integer of any size.
    by
    n_rows
        The sum of their weights.

    Returns
    -------
    float64[k]
    """
    if by.score_type != "bdeu":
        return counts * np.log(counts / n_rows)
    log_cell = math.log(by.ess) - math.log(states)
    different, place = np.unique(counts, return_inverse=True)  # few: a term for each, without loading scipy
    if log_cell > math.log(TINY):
        cell = math.exp(log_cell)
        terms = [math.lgamma(count + cell) - math.lgamma(cell) for count in different.tolist()]
    else:
        terms = [math.lgamma(count) + log_cell for count in different.tolist()]
    return np.array(terms)[place]


def other_terms(by: Scoring, states: int, size: int, source: Dataset) -> float:
    """The terms of a set that do not depend on counts, without the prior.

    Parameters
    ----------
    by
    states
        q, an exact integer of any size.
    size
        Variables.
    source
    """
    if by.score_type == "bdeu":
        return math.lgamma(by.ess) - math.lgamma(by.ess + source.total)
    return -_penalty(by, states, size, source)


def _penalty(by: Scoring, states: int, size: int, source: Dataset) -> float:
    """The penalty on the log-likelihood of a set; `states` is q, an exact integer of any size."""
    if by.score_type == "ll":
        return 0.0
    if by.score_type == "qnml":
        return _log_regret(math.ceil(source.total * (1.0 - 1e-12)), states)
    if by.score_type not in ("bic", "ebic", "aic"):
        raise ValueError(f"unknown score {by.score_type!r}; expected bdeu, bic, ll, aic, ebic or qnml")
    if states >= 1 << 1000:
        return math.inf
    if by.score_type == "aic":
        return float(states - 1)
    pairs = size * (size - 1) // 2 if by.score_type == "ebic" else 0
    return 0.5 * math.log(source.total) * (states - 1) + 2.0 * by.gamma * math.log(source.n) * pairs


@functools.lru_cache(maxsize=4)
def _first_regrets(n_rows: int) -> tuple[float, float]:
    """ln R(N, 1) and ln R(N, 2)."""
    logs = [0.0]
    for k in range(1, n_rows):
        ways = math.lgamma(n_rows + 1) - math.lgamma(k + 1) - math.lgamma(n_rows - k + 1)
        logs.append(ways + k * math.log(k / n_rows) + (n_rows - k) * math.log(1 - k / n_rows))
    top = max(logs)  # the terms of k = 0 and k = N are 1 each: the second is added here
    return 0.0, top + math.log(math.fsum(math.exp(one - top) for one in [*logs, 0.0]))


@functools.lru_cache(maxsize=4096)
def _log_regret(n_rows: int, states: int) -> float:
    """ln R(N, q)."""
    if states > RECURSION:
        ln_a = math.log(states) - math.log(n_rows)
        if ln_a > 30.0:
            return n_rows * ln_a
        a = math.exp(ln_a)
        c = 0.5 + 0.5 * math.sqrt(1.0 + 4.0 / a)
        return n_rows * (ln_a + (a + 2.0) * math.log(c) - 1.0 / c) - 0.5 * math.log(c + 2.0 / a)
    before, now = _first_regrets(n_rows)
    if states == 1:
        return before
    for k in range(1, states - 1):
        before, now = now, now + math.log1p(n_rows / k * math.exp(before - now))
    return now


def state_counts(dataset: Dataset, members: Sequence[int], groups: int | None = None) -> Any:
    """Counts of the joint states; codes are compressed before they could overflow.

    Parameters
    ----------
    members
        At least one variable.
    groups
        How many of the members, from the first, define groups of states.

    Returns
    -------
    float64[k], or this and int64[k]
        Rows in each of the states that occur; with groups, also the number of each state's group, from 0.

    Raises
    ------
    DataError
        Data with missing cells, which only completions make scores of.
    """
    if isinstance(dataset, IncompleteData):
        found = "it has missing cells, so that sets of variables have no score"
        raise DataError(f"{found}; leave the data out", dataset.source)
    codes, span = np.zeros(dataset.n_stored, np.int64), 1
    owner = codes
    for k, v in enumerate(members):
        if k == groups:
            owner = np.unique(codes, return_inverse=True)[1]
        arity = len(dataset.states[v])
        if span * arity >= 1 << 62:
            occurring, codes = np.unique(codes, return_inverse=True)
            span = len(occurring)
        codes, span = codes * arity + dataset.codes[:, v], span * arity
    if groups is None and span <= dataset.n_stored:
        counts = np.bincount(codes, dataset.counts)
        return counts[counts > 0] / dataset.denominator
    if dataset.counts is None:
        _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    else:
        _, first, place = np.unique(codes, return_index=True, return_inverse=True)
        counts = np.bincount(place, dataset.counts)
    rows = counts / dataset.denominator
    return rows if groups is None else (rows, owner[first])


def _listed_score(scores: CliqueScores, members: list[int]) -> float:
    """Look a set up in a CliqueScores record."""
    mask = sum(1 << v for v in members)
    at = int(np.searchsorted(scores.masks, np.uint64(mask))) if members[-1] < scores.n else len(scores.masks)
    if at == len(scores.masks) or int(scores.masks[at]) != mask:
        shown = ",".join(map(str, members))
        holds = f"{scores.n} variables, sets of at most {scores.max_size}"
        raise DataError(f"no score for {shown} in the score file ({holds})")
    return float(scores.scores[at])
