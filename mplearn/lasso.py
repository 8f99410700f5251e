"""Blankets by L1-regularised logistic regression (Ravikumar, Wainwright and Lafferty 2010), a baseline for comparisons.

Each binary variable is regressed on all others, its states as 0 and 1; the summed logistic loss plus lambda times the
sum of the coefficients' absolute values is minimised, and the blanket consists of the variables with nonzero
coefficients. The intercept should not be penalised: liblinear, the solver, penalises it like the coefficient of a
column with the value `INTERCEPT`, so that a large value makes the penalty small.

scikit-learn is needed (the extra `baselines`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..common.data.merging import distinct_rows
from ..common.errors import UsageError
from .blanket import Blanket

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from .blankets import FindBlanket
    from .run import BlanketRun


INTERCEPT = 100.0


def regression(run: BlanketRun, dataset: Dataset, weight: float) -> FindBlanket:
    """What finds the blanket of a variable, for `find_blankets`.

    Parameters
    ----------
    weight
        lambda, > 0, for the loss summed over rows.

    Raises
    ------
    UsageError
        A variable with more than two states, or no scikit-learn.
    """
    wide = np.flatnonzero(dataset.arity > 2)
    if len(wide):
        name = dataset.names[wide[0]]
        raise UsageError(
            f"--score l1lr is for binary data; column '{name}' has {dataset.arity[wide[0]]} states; choose another"
        )
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise UsageError(
            "--score l1lr needs scikit-learn, which is not installed; pip install 'cliquewise[baselines]'"
        ) from None
    rows, row_counts = distinct_rows(dataset)
    row_counts = row_counts / dataset.denominator
    codes = np.ascontiguousarray(dataset.codes[rows], float)

    def members(variable: int) -> set[int]:
        others = np.delete(np.arange(dataset.n), [variable, *run.known.forbidden_neighbours[variable]])
        if not len(others) or codes[:, variable].min() == codes[:, variable].max():
            return set()
        model = LogisticRegression(
            l1_ratio=1.0,
            C=1.0 / weight,
            solver="liblinear",
            intercept_scaling=INTERCEPT,
            tol=1e-6,
            max_iter=1000,
            random_state=0,
        )
        model.fit(codes[:, others], codes[:, variable], row_counts)
        return {int(u) for u in others[model.coef_[0] != 0.0]}

    def find(variable: int) -> Blanket | None:
        if not run.monitor.should_continue():
            return None
        found = tuple(sorted(members(variable) | run.known.required_neighbours[variable]))
        with run.thread() as thread:
            return Blanket(variable, found, run.local.score(variable, found, thread))

    return find
