"""The contribution of a count to a local score: t(n) = lnG(n + x) - lnG(x), or n ln n for the likelihood.

It is tabulated for small counts: a logarithm takes ten times as long as a look-up.
"""

import math
from typing import NamedTuple

from ..common.compiled.jit import inlined, kernel
from ..common.scores.score_kernels import ln_gamma

BDEU, LIKELIHOOD = 0, 1
SMALL = 64  # terms of counts below this are summed up one by one; above, Stirling's series is exact


class Prior(NamedTuple):
    """The parameters of a term besides its count: x, and lnG(x), accurate however small x is."""

    x: float
    ln_gamma: float


@kernel
def fill_terms(kind, ln_x, terms):
    """Tabulate t(n).

    Parameters
    ----------
    kind : int, BDEU or LIKELIHOOD
    ln_x : float
    terms : float64[m], overwritten with t(0) to t(m - 1); below SMALL as ln x + ln (x + 1) + ... + ln (x + n - 1)

    Returns
    -------
    Prior
        For the other counts.
    """
    x = math.exp(ln_x)
    prior = Prior(x, math.lgamma(x + 1.0) - ln_x)
    total = ln_x
    terms[0] = 0.0
    for count in range(1, terms.shape[0]):
        if kind == LIKELIHOOD:
            terms[count] = count * math.log(count)
        elif count < SMALL:
            terms[count] = total
            total += math.log(x + count)
        else:
            terms[count] = ln_gamma(count + x) - prior.ln_gamma
    return prior


@inlined
def term(kind, count, prior, terms):
    """The contribution of a count.

    Parameters
    ----------
    kind : int, BDEU or LIKELIHOOD
    count : int >= 0
    prior : Prior
    terms : float64[m], filled by `fill_terms`

    Returns
    -------
    float
    """
    if count < terms.shape[0]:
        return terms[count]
    if kind == LIKELIHOOD:
        return count * math.log(count)
    return ln_gamma(count + prior.x) - prior.ln_gamma
