"""The contribution of a count to a local score: t(n) = lnG(n + x) - lnG(x), or n ln n for the likelihood.

Counts in parts of a row, with a denominator m, contribute t(n / m); for the likelihood n ln n / m, since the logarithms
of m cancel between a configuration and its states.

It is tabulated for small counts: a logarithm takes ten times as long as a look-up.
"""

import math
from typing import NamedTuple

from ..common.compiled.jit import inlined, kernel
from ..common.scores.score_kernels import LARGE_PRIOR, ln_gamma, ln_gamma_from, ln_rising

BDEU, LIKELIHOOD = 0, 1
SMALL_COUNT = 64  # terms of counts below this are summed up one by one; above, Stirling's series is exact


class Prior(NamedTuple):
    """The parameters of a term besides its count: x, and lnG(x), accurate however small x is; and m."""

    x: float
    ln_gamma: float
    denominator: float


@kernel
def fill_terms(kind, ln_x, denominator, terms):
    """Tabulate t(n).

    Parameters
    ----------
    kind : int, BDEU or LIKELIHOOD
    ln_x : float
    denominator : float > 0
    terms : float64[m], overwritten with t(0) to t(m - 1); below SMALL_COUNT as ln x + ln (x + 1) + ... + ln (x + n - 1)

    Returns
    -------
    Prior
        For the other counts.
    """
    x = math.exp(ln_x)
    prior = Prior(x, math.lgamma(x + 1.0) - ln_x, denominator)
    total = ln_x
    terms[0] = 0.0
    for count in range(1, terms.shape[0]):
        if kind == LIKELIHOOD:
            terms[count] = count * math.log(count) / denominator
        elif denominator != 1.0 or count >= SMALL_COUNT:
            terms[count] = _term_of_bdeu(count, prior)
        else:
            terms[count] = total
            total += math.log(x + count)
    return prior


@kernel
def _term_of_bdeu(count, prior):
    """The contribution of a count that is not small, or in parts of a row, to BDeu."""
    if prior.x >= LARGE_PRIOR:
        return ln_rising(prior.x, count / prior.denominator)
    if prior.denominator != 1.0:
        return ln_gamma_from(count / prior.denominator + prior.x) - prior.ln_gamma
    return ln_gamma(count + prior.x) - prior.ln_gamma


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
        return count * math.log(count) / prior.denominator
    return _term_of_bdeu(count, prior)
