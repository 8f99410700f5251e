"""BDeu, BIC and log-likelihood of a set of variables from its joint counts.

*BDeu* in closed form. Let the set C have q joint states, the product of the arities, with counts N_x of sum N, and a
Dirichlet prior with parameter a/q per state, where a is the equivalent sample size (Heckerman, Geiger and Chickering
1995). Its marginal likelihood is the Dirichlet integral

    G(a) / G(a + N)  *  product over all x of G(N_x + a/q) / G(a/q),

where G is the gamma function. The factor of a state that does not occur is 1, so only occurring states contribute:

    s(C) = lnG(a) - lnG(a + N) + sum over N_x > 0 of [ lnG(N_x + a/q) - lnG(a/q) ]                       (_bdeu)

The parameters a/q of a set sum to those of its subsets. So the prior is hyper-consistent, a decomposable graph's
marginal likelihood is the product over its cliques divided by that over its separators (Dawid and Lauritzen 1993), and
the graph scores the sum of s over its cliques less the sum over its separators. The lsmarkov paper defines the same
number by recursion, one variable at a time, its equation (1).

q may exceed every float: ln q is carried, and lnG(a/q) is taken as lnG(a/q + 1) - ln(a/q), exact to rounding
however small a/q is. So no clique is too large; the original program returns minus infinity for large ones. For small
counts the bracket is a product: G(n + x) / G(x) = x (x + 1) ... (x + n - 1).

*Log-likelihood*: sum of N_x ln(N_x / N), the maximum over all distributions on C. *BIC* (Schwarz 1978): that less
(q - 1) ln(N) / 2 for q - 1 free parameters. All three give s({}) = 0 and are summed over a graph alike.

Cost: that of counting, plus one logarithm per distinct small count and per large count.
"""

import math

import numpy as np

from ..compiled.jit import kernel
from .counting_kernels import joint_counts

BDEU, BIC, LOG_LIKELIHOOD = 0, 1, 2

# Cells with fewer rows than this are tallied by count first: most cells are small, with few distinct counts.
SMALL = 16
# Number of tallies (a power of two): adjacent cells often have equal counts, and an addition waits for the last.
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
    singles : int, number of further cells of count 1
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
    """BDeu by the formula above, with x = a/q; small counts are tallied in `of_count` and added per count."""
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
    """Sum of N_x ln N_x, less N ln N, less the penalty of BIC if asked for; cells of one row add nothing to the sum."""
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
