"""Exact inference in Bayesian networks for rows with missing cells: probabilities, distributions, explanations, draws.

Each question is asked to the junction trees of the missing cells (`common.inference.evidence`,
`common.inference.propagation`); of a mixture, to each of its networks (`common.inference.mixture_inference`); of an
empirical distribution, to its rows (`common.inference.empirical_inference`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..models.empirical import Empirical
from ..models.mixture import Mixture
from . import empirical_inference, mixture_inference
from .evidence import Evidence, Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..models.bayesnet import BayesianNetwork
    from ..models.model_fit import FittedNetwork
    from .propagation import Collected


def log_likelihood(
    network: BayesianNetwork | FittedNetwork | Empirical | Mixture,
    codes: np.ndarray,
    likelihoods: dict[int, np.ndarray] | None = None,
) -> np.ndarray:
    """Log probability of rows.

    Parameters
    ----------
    network
    codes : int32[rows, n]
        States; -1 is a missing cell, which is summed out.
    likelihoods : dict of int to float64[r], optional
        As for `Evidence`.

    Returns
    -------
    float64[rows]
        Natural logarithms; -inf for impossible rows.

    Raises
    ------
    LimitError
        A set of missing cells needs too large a table.
    """
    return posterior(network, codes, (), likelihoods)[0]


def posterior(
    network: BayesianNetwork | FittedNetwork | Empirical | Mixture,
    codes: np.ndarray,
    targets: Sequence[int],
    likelihoods: dict[int, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Log probability of rows and the joint distribution of some missing variables in each.

    Parameters
    ----------
    network
    codes : int32[rows, n]
        States; -1 is a missing cell. The values of the targets are ignored.
    targets
        All different.
    likelihoods : dict of int to float64[r], optional
        As for `Evidence`.

    Returns
    -------
    (float64[rows], float64[rows, q])
        Log probability of the row without the targets; and p(targets | row), the last target changing fastest, nan in
        a row of probability zero.

    Raises
    ------
    LimitError
        A set of missing cells needs too large a table; with its size.
    """
    if isinstance(network, Mixture):
        return mixture_inference.posterior(network, codes, targets, likelihoods)
    if isinstance(network, Empirical):
        return empirical_inference.posterior(network, codes, targets, likelihoods)
    evidence = Evidence(network, _without(codes, targets), likelihoods)
    several = tuple(v for v in targets if evidence.arity[v] > 1)
    logs, trees = evidence.ask(Question(several, joint=True))
    table = np.ones((len(logs), math.prod(evidence.arity[v] for v in targets)))
    for rows, _, done in trees:
        logs[rows] += done.total
        table[rows] = done.top(several).reshape(table.shape[1], -1).T
    table[np.isneginf(logs)] = np.nan
    return logs, table


def marginals(
    network: BayesianNetwork | FittedNetwork | Empirical | Mixture,
    codes: np.ndarray,
    likelihoods: dict[int, np.ndarray] | None = None,
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Log probability of rows and the distribution of every variable in each.

    Parameters
    ----------
    network, codes, likelihoods

    Returns
    -------
    (float64[rows], list of float64[rows, r])
        By variable, nan in a row of probability zero; a known variable has probability 1 in its state.

    Raises
    ------
    LimitError
        As `posterior`.
    """
    if isinstance(network, Mixture):
        return mixture_inference.marginals(network, codes, likelihoods)
    if isinstance(network, Empirical):
        return empirical_inference.marginals(network, codes, likelihoods)
    evidence = Evidence(network, codes, likelihoods)
    logs, trees = evidence.ask(Question())
    found = [(evidence.codes[:, v, None] == np.arange(r)).astype(float) for v, r in enumerate(evidence.arity)]
    for rows, plan, done in trees:
        logs[rows] += done.total
        for v, table in zip(plan.hidden, done.marginals([(v,) for v in plan.hidden]), strict=True):
            found[v][rows] = table.T
    for table in found:
        table[np.isneginf(logs)] = np.nan
    return logs, found


def most_probable(
    network: BayesianNetwork | FittedNetwork | Empirical | Mixture,
    codes: np.ndarray,
    targets: Sequence[int] | None = None,
    likelihoods: dict[int, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The most probable states of the missing cells, or of some variables with the sum over all others.

    Parameters
    ----------
    network, codes
    targets
        Their values are ignored; None is all missing cells of each row.
    likelihoods : dict of int to float64[r], optional
        As for `Evidence`.

    Returns
    -------
    (float64[rows], float64[rows], int32[rows, n])
        Log probability of the row without the targets; of the states found, given that; and the row with these, which
        leaves other missing cells, and a row of probability zero, as they are.

    Raises
    ------
    LimitError
        As `posterior`; to maximise over some variables may need larger tables than to sum over all.
    """
    if isinstance(network, Mixture):
        return mixture_inference.most_probable(network, codes, targets, likelihoods)
    if isinstance(network, Empirical):
        return empirical_inference.most_probable(network, codes, targets, likelihoods)
    evidence = Evidence(network, codes if targets is None else _without(codes, targets), likelihoods)
    asked = None if targets is None else tuple(v for v in targets if evidence.arity[v] > 1)
    totals = log_likelihood(network, evidence.codes, likelihoods)
    logs, trees = evidence.ask(Question(asked, maximised=True))
    for rows, _, done in trees:
        logs[rows] += done.total
        _fill(evidence.codes, rows, done, np.arange(len(rows)))
    with np.errstate(invalid="ignore"):
        return totals, logs - totals, evidence.codes


def draw_missing(
    network: BayesianNetwork | FittedNetwork | Empirical | Mixture,
    codes: np.ndarray,
    rng: np.random.Generator,
    draws: int = 1,
    likelihoods: dict[int, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw the missing cells of rows, all of a row together, given its others.

    Parameters
    ----------
    network, codes
    rng
    draws
        For each row.
    likelihoods : dict of int to float64[r], optional
        As for `Evidence`.

    Returns
    -------
    (float64[rows], int32[rows, draws, n])
        Log probability of each row; a row of probability zero is left as it is.

    Raises
    ------
    LimitError
        As `posterior`.
    """
    if isinstance(network, Mixture):
        return mixture_inference.draw_missing(network, codes, rng, draws, likelihoods)
    logs, drawn = draw_rows(network, codes, rng, np.full(len(codes), draws), likelihoods)
    return logs, drawn.reshape(len(codes), draws, -1)


def draw_rows(
    network: BayesianNetwork | FittedNetwork | Empirical,
    codes: np.ndarray,
    rng: np.random.Generator,
    times: np.ndarray,
    likelihoods: dict[int, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """As `draw_missing`, with a number of draws for each row.

    Parameters
    ----------
    network
    codes, rng, likelihoods : as for `draw_missing`
    times : int64[rows]
        Draws of each row, >= 0.

    Returns
    -------
    (float64[rows], int32[sum of times, n])
        Log probability of each row; and the draws, those of the first row first.

    Raises
    ------
    LimitError
        As `posterior`.
    """
    if isinstance(network, Empirical):
        return empirical_inference.draw_rows(network, codes, rng, times, likelihoods)
    evidence = Evidence(network, codes, likelihoods)
    logs, trees = evidence.ask(Question())
    drawn, first = np.repeat(evidence.codes, times, axis=0), np.cumsum(times) - times
    for rows, plan, done in trees:
        logs[rows] += done.total
        wanted = np.repeat(np.arange(len(rows)), times[rows])
        places = np.arange(len(wanted)) + np.repeat(first[rows] - np.cumsum(times[rows]) + times[rows], times[rows])
        for start in range(0, len(wanted), plan.draws_at_once):
            block = slice(start, start + plan.draws_at_once)
            _fill(drawn, places[block], done, wanted[block], rng)
    return logs, drawn


def _fill(
    codes: np.ndarray, places: np.ndarray, done: Collected, rows: np.ndarray, rng: np.random.Generator | None = None
) -> None:
    """Write the states of some rows of a tree, or draws of them, into rows of codes, but where the total is 0."""
    possible = ~np.isneginf(done.total[rows])
    for v, found in done.states(rows[possible], rng).items():
        codes[places[possible], v] = found


def _without(codes: np.ndarray, targets: Sequence[int]) -> np.ndarray:
    """A copy of codes in which some variables are missing."""
    codes = np.array(codes, dtype=np.int32)
    codes[:, list(targets)] = -1
    return codes
