"""The scores of all sets of up to K variables as the check of a bound needs them, with no code of the learners.

The formulas are those of `common.certify.set_scores`. Sets of one size are in colex order, where those that differ in
their smallest variable only follow each other: the joint states of the other variables are found once for all of them,
and their counts are one count of numbers. The joint states are renumbered where there are more numbers than rows.

Cost: O(rows) per set, some nanoseconds for each, and the logarithms of its joint states.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.dataset import Dataset
from .set_scores import cell_terms, other_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..files.scorefile import CliqueScores
    from ..scores.scoring import Scoring

MAX_NUMBERS = 1 << 19  # counted at a time, by about as many as a cache of the processor holds


class _Others(NamedTuple):
    """The variables of sets except the smallest.

    members : tuple of int, ascending
    codes : int64[n_stored], the number of the joint state of each row
    span : int, the numbers are below
    states : int, joint states that there could be
    """

    members: tuple
    codes: np.ndarray
    span: int
    states: int


def all_set_scores(
    source: Dataset | CliqueScores, largest: int, by: Scoring, should_continue: Callable = lambda: True
) -> list[np.ndarray]:
    """Scores of all sets of up to `largest` variables.

    Parameters
    ----------
    source
        With sets of this size.
    by
        Of CliqueScores only the prior is used.
    should_continue
        Called many times per second; once it returns False, the other scores are 0.

    Returns
    -------
    list of float64[m]
        By size from 0, colex order; the score of the empty set is 0.
    """
    if not isinstance(source, Dataset):
        sizes = np.bitwise_count(source.masks)
        scores = [source.scores[sizes == size].astype(float) for size in range(largest + 1)]
    else:
        scores = [np.zeros(math.comb(source.n, size)) for size in range(largest + 1)]
        columns = np.ascontiguousarray(source.codes.T, np.int64)
        for others in _others(source, columns, largest):
            if not should_continue():
                break
            smallest = others.members[0] if others.members else source.n
            if smallest:
                first = sum(math.comb(v, i) for i, v in enumerate(others.members, 2))
                part = scores[len(others.members) + 1][first : first + smallest]
                part += _scores(source, columns[:smallest], others, by)
    scores[0][:] = 0.0
    return [values + added for values, added in zip(scores, _prior_terms(source.n, largest, by), strict=True)]


def _others(source: Dataset, columns: np.ndarray, largest: int) -> Iterator[_Others]:
    """All sets of fewer than `largest` variables."""
    waiting = [_Others((), np.zeros(source.n_stored, np.int64), 1, 1)] if largest else []
    while waiting:
        others = waiting.pop()
        yield others
        if len(others.members) + 1 < largest:
            for v in range(1, others.members[0] if others.members else source.n):
                arity = len(source.states[v])
                codes, span = others.codes * arity + columns[v], others.span * arity
                if span > source.n_stored:
                    occurring, codes = np.unique(codes, return_inverse=True)
                    span = len(occurring)
                waiting.append(_Others((v, *others.members), codes, span, others.states * arity))


def _scores(source: Dataset, columns: np.ndarray, others: _Others, by: Scoring) -> np.ndarray:
    """The scores of the others with each variable that has a column, without the prior: float64[k]."""
    arities = np.array([len(source.states[v]) for v in range(len(columns))])
    scores = np.zeros(len(columns))
    for arity in np.unique(arities).tolist():
        which = np.flatnonzero(arities == arity)
        states = others.states * arity
        span = others.span * arity
        most = max(1, MAX_NUMBERS // max(span, source.n_stored))
        for start in range(0, len(which), most):
            some = which[start : start + most]
            codes = others.codes * arity + columns[some] + np.arange(len(some))[:, None] * span
            weights = None if source.counts is None else np.tile(source.counts, len(some))
            counts = np.bincount(codes.ravel(), weights, minlength=len(some) * span)
            occurring = np.flatnonzero(counts)
            terms = cell_terms(counts[occurring] / source.denominator, states, by, source.total)
            scores[some] = np.bincount(occurring // span, terms, minlength=len(some))
        scores[which] += other_terms(by, states, len(others.members) + 1, source)
    return scores


def _prior_terms(n: int, largest: int, by: Scoring) -> Iterator[Any]:
    """The terms of the prior for the sets of each size: float64[m]."""
    table = np.full((n, n), by.prior.probability)
    for pair, probability in by.prior.pairs.items():
        table[pair] = table[pair[::-1]] = probability
    table = np.log(table / (1.0 - table))
    for size in range(largest + 1):
        sets = colex_sets(n, size)
        yield sum((table[sets[:, i], sets[:, j]] for j in range(size) for i in range(j)), np.zeros(len(sets)))


def colex_sets(n: int, size: int) -> np.ndarray:
    """All sets of `size` of n variables, in colex order: int64[m, size], ascending in each row."""
    sets = np.zeros((1, 0), np.int64)
    for k in range(1, size + 1):  # those of k variables whose largest is v: the first of k - 1, below v, with v
        counts = np.array([math.comb(v, k - 1) for v in range(n)])
        place = np.concatenate([np.arange(count) for count in counts.tolist()])
        sets = np.column_stack([sets[place], np.repeat(np.arange(n), counts)])
    return sets
