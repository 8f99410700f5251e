"""BDeu, BIC and log-likelihood of a set of variables from its joint counts.

BDeu (DESIGN section 4, equal to equation (1) of the lsmarkov paper), with a the equivalent sample size, q the
product of the arities and N_x the occurring counts:

    s(C) = lnG(a) - lnG(a + N) + sum over N_x > 0 of [ lnG(N_x + a/q) - lnG(a/q) ]

q may exceed every float: ln q is carried, and once a/q is below 1e-17 the bracket is ln(a/q) + lnG(N_x),
exact to rounding. So no clique is too large, where the original declares minus infinity.

Log-likelihood: sum of N_x ln(N_x / N). BIC: that less (q - 1) ln(N) / 2. All three give s({}) = 0, and a
decomposable graph scores the sum over its cliques less the sum over its separators.

Cost: that of counting, plus a logarithm for each distinct small count and each large one.
"""

import math

import numpy as np

from cliquewise.common.jit import kernel
from cliquewise.common.scores.counting_kernels import joint_counts

BDEU, BIC, LOG_LIKELIHOOD = 0, 1, 2

# Cells with fewer rows than this are summed up by count first: they are most cells, and few distinct values.
SMALL = 16
# Tallies side by side (a power of two): neighbours often have one count, and an addition waits for the last.
LANES = 4
_HALF_LN_2PI = 0.9189385332046727


@kernel
def set_score(table, kind, ess, members, size, scratch):
    """Score of the variables `members[:size]` (ascending), in natural logs.

    Parameters
    ----------
    table : CountingTable
    kind : int, one of BDEU, BIC, LOG_LIKELIHOOD
    ess : float > 0, equivalent sample size (BDeu only)
    members : int64[>= size], ascending
    size : int
    scratch : CountingScratch, overwritten

    Returns
    -------
    float
    """
    if size == 0:
        return 0.0
    cells, singles = joint_counts(table, members, size, scratch)
    ln_q = 0.0
    for m in range(size):
        ln_q += math.log(table.arity[members[m]])
    return score_of_counts(kind, ess, ln_q, cells, singles, scratch)


@kernel
def score_of_counts(kind, ess, ln_q, cells, singles, scratch):
    """Score of a non-empty set whose joint states were counted.

    Parameters
    ----------
    kind : int, one of BDEU, BIC, LOG_LIKELIHOOD
    ess : float > 0, equivalent sample size (BDeu only)
    ln_q : float, logarithm of the product of the arities
    cells : int
    singles : int, how many cells of count 1 there are besides
    scratch : CountingScratch; counts[:cells] are the counts (zeros allowed), of_count is overwritten

    Returns
    -------
    float
    """
    if kind == BDEU:
        return _bdeu(scratch.counts, scratch.of_count, cells, singles, ess, ln_q)
    return _penalised_likelihood(scratch.counts, cells, singles, ln_q, kind == BIC)


@kernel
def _bdeu(counts, of_count, cells, singles, ess, ln_q):
    ln_x = math.log(ess) - ln_q
    x = math.exp(ln_x)
    for s in range(LANES * SMALL):
        of_count[s] = 0
    of_count[1] = singles
    n = singles
    total = 0.0
    # lnG(x) = lnG(x + 1) - ln x stays accurate however small x is
    ln_gamma_x = math.lgamma(x + 1.0) - ln_x
    for c in range(cells):
        count = counts[c]
        n += count
        if count < SMALL:
            of_count[np.uint64((c & (LANES - 1)) * SMALL + count)] += 1
        else:
            total += ln_gamma(count + x) - ln_gamma_x
    product = 1.0  # (x + 1)(x + 2) ... (x + count - 1)
    for count in range(1, SMALL):
        cells_of = of_count[count]
        for lane in range(1, LANES):
            cells_of += of_count[lane * SMALL + count]
        if cells_of:
            total += cells_of * (ln_x + math.log(product))
        product *= x + count
    return total + math.lgamma(ess) - math.lgamma(ess + n)


@kernel
def ln_gamma(z):
    """lnG(z) for z >= SMALL = 16, by Stirling's series: the first term left out is below 2e-14."""
    r = 1.0 / z
    r2 = r * r
    series = r * (1.0 / 12.0 - r2 * (1.0 / 360.0 - r2 * (1.0 / 1260.0 - r2 / 1680.0)))
    return (z - 0.5) * math.log(z) - z + _HALF_LN_2PI + series


@kernel
def _penalised_likelihood(counts, cells, singles, ln_q, penalise):
    n = singles
    total = 0.0
    for c in range(cells):
        count = counts[c]
        if count > 1:
            total += count * math.log(count)
        n += count
    total -= n * math.log(n)
    if penalise:
        total -= 0.5 * math.log(n) * (math.exp(ln_q) - 1.0)
    return total
