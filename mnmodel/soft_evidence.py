"""Soft evidence that fixes the distribution of variables, as likelihoods of their states (Jeffrey 1965).

Of all distributions in which each variable of a set has a given distribution q, the nearest one to p(x | findings), in
Kullback-Leibler divergence, is p(x | findings) times a likelihood of the states of each of these variables. For one
variable the likelihood is q / p. For several, iterative proportional fitting finds them: each variable in turn has its
likelihood multiplied by q over its present distribution, until none changes (Csiszar 1975).

The likelihoods are scaled so that the expected one is 1, so the log probability of the findings is as without them.

Cost: a query for each variable and round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

SUM_TOLERANCE = 0.01  # of the sum of probabilities
MAX_ROUNDS = 1000
TOLERANCE = 1e-11  # largest difference of a probability from the requested one
MAX_DIFFERENCE = 1e-6  # after the last round; a larger one is refused


def proper_distribution(name: str, values: np.ndarray, path: str | None) -> np.ndarray:
    """The requested probabilities of a variable, whose sum may differ from 1 by rounding.

    Parameters
    ----------
    name
        Of the variable.
    values : float64[r]
        At least 0, not all 0.
    path
        For messages.

    Raises
    ------
    DataError
        Another sum.
    """
    if abs(values.sum() - 1) > SUM_TOLERANCE:
        advice = "probabilities sum to 1, only likelihoods need not"
        raise DataError(f"soft evidence: the numbers of '{name}' sum to {values.sum():g}; {advice}", path)
    return values / values.sum()


def soft_evidence_likelihoods(
    model: Any,
    codes: np.ndarray,
    fixed: Mapping[int, np.ndarray],
    likelihoods: Mapping[int, np.ndarray],
    path: str,
) -> dict[int, np.ndarray]:
    """Likelihoods that give variables the required distributions.

    Parameters
    ----------
    model : DiscreteModel
        With `names` and `states`.
    codes : int32[1, n]
        Findings; -1 is not known, as it is for the variables of `fixed`.
    fixed : dict of int to float64[r]
        By variable, its distribution.
    likelihoods : dict of int to float64[r]
        Of other variables.
    path
        For messages.

    Returns
    -------
    dict of int to float64[r]
        All likelihoods.

    Raises
    ------
    DataError
        A state that the findings exclude, or distributions that are impossible together.
    """
    found = {**likelihoods, **{v: (required > 0).astype(float) for v, required in fixed.items()}}
    before = model.log_likelihood(codes, dict(likelihoods))[0]
    if np.isneginf(before):
        return found  # the query itself reports this
    for number in range(MAX_ROUNDS):
        difference = 0.0
        for v, required in fixed.items():
            (current,) = model.posterior(codes, (v,), found)[1]
            if not (current[required > 0] > 0).all():  # also if they are not numbers
                if number == 0:
                    k = int(((required > 0) & ~(current > 0)).argmax())
                    what = f"soft evidence for '{model.names[v]}': state '{model.states[v][k]}'"
                    raise DataError(f"{what} has probability zero, given the other evidence", path)
                difference = np.inf
                break
            difference = max(difference, float(abs(current - required).max()))
            found[v] = found[v] * np.divide(required, current, out=np.zeros_like(required), where=current > 0)
            found[v] /= found[v].max()
        if difference <= TOLERANCE or difference == np.inf or (len(fixed) == 1 and number):
            break
    if difference > MAX_DIFFERENCE:
        names = ", ".join(f"'{model.names[v]}'" for v in fixed)
        raise DataError(f"soft evidence: no distribution was found that has those of {names} together", path)
    if fixed:
        after, v = model.log_likelihood(codes, found)[0], next(iter(fixed))
        found[v] = found[v] * np.exp(before - after)
    return found
