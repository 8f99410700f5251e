"""Mixtures of given models: log probabilities of rows, and weights by expectation maximisation.

p(x) = sum over models k of w_k p_k(x). With the models fixed the log-likelihood of rows is concave in the weights, and
each step w_k <- mean over rows of w_k p_k(x) / p(x) does not decrease it (Dempster, Laird, Rubin 1977), so the steps
converge to the best weights. Stopping rule: by concavity, no weights gain more than the largest factor by which a step
multiplies a weight, minus 1. A step costs one pass over models times rows: all steps for 8 models and 8000 rows take
0.014 s of processor time; one round that also fits their tables (`mixture.em`) takes 0.030 s.
"""

import numpy as np

from ..common.errors import DataError
from ..common.models.mixture import log_sum

GAP = 1e-8  # nats per row: largest possible gain of the best weights
MAX_STEPS = 20_000


def mixture_logs(logs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Log probabilities of rows under a mixture.

    Parameters
    ----------
    logs : float64[models, rows]
        Log probabilities under each model; -inf for impossible.
    weights : float64[models]
        Sum to 1.

    Returns
    -------
    float64[rows]
    """
    with np.errstate(divide="ignore"):
        return log_sum(logs + np.log(weights)[:, None])


def em_weights(
    logs: np.ndarray,
    path: str | None = None,
    row_counts: np.ndarray | None = None,
    gap: float = GAP,
) -> np.ndarray:
    """The weights under which rows are most probable.

    Parameters
    ----------
    logs : float64[models, rows]
        Log probabilities under each model.
    path
        Source of the rows, for messages.
    row_counts : int64[rows], optional
        How many rows each one stands for.
    gap
        When to stop: the most that the best weights could gain, in nats per row.

    Returns
    -------
    float64[models]

    Raises
    ------
    DataError
        A row that is impossible under every model.
    """
    impossible = np.isneginf(logs).all(axis=0)
    if impossible.any():
        row = f"row {impossible.argmax() + 1}" if row_counts is None else "a row"
        raise DataError(f"{row} has probability zero under every model; weights cannot be fitted to it", path)
    weights = np.full(len(logs), 1 / len(logs))
    scaled = np.exp(logs - logs.max(axis=0))
    shares = np.full(logs.shape[1], 1 / logs.shape[1]) if row_counts is None else row_counts / row_counts.sum()
    for _ in range(MAX_STEPS):
        rows = weights @ scaled
        factors = scaled @ (shares / rows)
        if factors.max() - 1 < gap:
            break
        weights = weights * factors
        weights /= weights.sum()
    return weights
