"""The regret of a multinomial, the penalty of the quotient normalised maximum likelihood score.

R(N, q) is the sum over all sequences of N values among q of the largest likelihood that a distribution gives them, the
normalising constant of the NML distribution. By Kontkanen and Myllymaki (2007), with R(N, 1) = 1,

    R(N, 2)      =  sum over k of  (N over k) (k / N)^k ((N - k) / N)^(N - k),
    R(N, K + 2)  =  R(N, K + 1)  +  (N / K) R(N, K),

here in logarithms, up to `RECURSION` values. Beyond, by Szpankowski and Weinberger (2012), with a = q / N and
c = 1/2 + sqrt(1 + 4/a) / 2,

    ln R(N, q)  ~  N (ln a + (a + 2) ln c - 1/c)  -  ln(c + 2/a) / 2,

whose error there is below 1e-4 (`common.scores.score_kernels`).

Cost: O(N + RECURSION), once per number of rows.
"""

from __future__ import annotations

import functools
import math

import numpy as np

RECURSION = 20_000  # largest number of values of the recursion; beyond, the approximation is used


def whole_rows(total: float) -> int:
    """The number of rows of a regret: a sum of weights, rounded up unless it is whole within rounding errors."""
    return math.ceil(total * (1.0 - 1e-12))


@functools.lru_cache(maxsize=8)
def log_regrets(n_rows: int) -> np.ndarray:
    """ln R(n_rows, q) for q = 0, 1, ..., RECURSION.

    Parameters
    ----------
    n_rows
        At least 1.

    Returns
    -------
    float64[RECURSION + 1]
        Minus infinity for q = 0.
    """
    from scipy.special import gammaln, logsumexp, xlogy

    k = np.arange(n_rows + 1.0)
    ways = gammaln(n_rows + 1.0) - gammaln(k + 1.0) - gammaln(n_rows - k + 1.0)
    logs = np.full(RECURSION + 1, -np.inf)
    logs[1] = 0.0
    logs[2] = logsumexp(ways + xlogy(k, k / n_rows) + xlogy(n_rows - k, (n_rows - k) / n_rows))
    last, value, log_n = 0.0, float(logs[2]), math.log(n_rows)
    for states in range(1, RECURSION - 1):
        following = value + math.log1p(math.exp(log_n - math.log(states) + last - value))
        last, value = value, following
        logs[states + 2] = following
    return logs
