"""The most probable states of a model: by junction trees, or by branch and bound where these are too large."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..common.errors import LimitError
from ..common.junction.model import TreeModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.exact.toulbar2 import Explanation
    from ..common.junction.model import DiscreteModel, Likelihoods


class MostProbable(NamedTuple):
    """The most probable states of rows.

    evidence_logs : float64[rows], log probability of each row without the targets; -inf: impossible, nan: not feasible
    logs : float64[rows], log probability of each row with the states found
    codes : int32[rows, n], the rows with these states
    searches : tuple of Explanation, for each row if they were found by branch and bound, otherwise none
    """

    evidence_logs: np.ndarray
    logs: np.ndarray
    codes: np.ndarray
    searches: tuple[Explanation, ...] = ()


def most_probable(
    network: DiscreteModel, codes: np.ndarray, targets: Sequence[int] | None, likelihoods: Likelihoods
) -> MostProbable:
    """The most probable states, as `DiscreteModel.most_probable`.

    Parameters
    ----------
    network, codes, targets, likelihoods
        As for `DiscreteModel.most_probable`.

    Returns
    -------
    MostProbable

    Raises
    ------
    LimitError
        The tables are too large, and no search is possible: variables must be summed out, or toulbar2 is missing.
    """
    try:
        totals, given, found = network.most_probable(codes, targets, likelihoods)
        return MostProbable(totals, totals + given, found)
    except LimitError as error:
        if targets is not None or not isinstance(network, TreeModel):
            raise
        try:
            logs, found, searches = network.most_probable_by_search(codes, likelihoods)
        except LimitError as other:
            raise LimitError(f"{error}; {other}") from None
    try:
        totals = network.log_likelihood(codes, likelihoods)
    except LimitError:
        totals = np.where(np.isneginf(logs), -np.inf, np.nan)
    return MostProbable(totals, logs, found, tuple(searches))
