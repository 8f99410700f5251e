"""Blankets by L1-regularised logistic regression (Ravikumar, Wainwright and Lafferty 2010), a baseline for comparisons.

Each binary variable is regressed on all others, its states as 0 and 1; the summed logistic loss plus lambda times the
sum of the coefficients' absolute values is minimised, and the blanket consists of the variables with nonzero
coefficients. The intercept should not be penalised: liblinear, the solver, penalises it like the coefficient of a
column with the value `INTERCEPT`, so that a large value makes the penalty small.

scikit-learn is needed (the extra `baselines`).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.data.merging import distinct_rows
from ..common.errors import UsageError

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from .run import BlanketRun


INTERCEPT = 100.0


def regress(
    run: BlanketRun, dataset: Dataset, weight: float, variables: Sequence[int]
) -> Generator[tuple[int, tuple[int, ...]], Any, Any]:
    """Blankets of several variables.

    Parameters
    ----------
    weight
        lambda, > 0, for the loss summed over rows.

    Yields
    ------
    (int, tuple of int)
        Variable and members; ends early if the run is stopped.

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

    def one(variable: int) -> tuple[int, ...] | None:
        if not run.monitor.should_continue():
            return None
        others = np.delete(np.arange(dataset.n), [variable, *run.known.forbidden_neighbours[variable]])
        if not len(others) or codes[:, variable].min() == codes[:, variable].max():
            return tuple(sorted(run.known.required_neighbours[variable]))
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
        return tuple(sorted({int(u) for u in others[model.coef_[0] != 0.0]} | run.known.required_neighbours[variable]))

    for variable, members in zip(variables, run.monitor.map(one, variables), strict=True):
        if members is not None:
            yield variable, members
