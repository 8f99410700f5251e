"""BDeu, qNML, BIC, AIC and log-likelihood of a set of variables from its joint counts.

*BDeu* in closed form. Let the set C have q joint states, the product of the arities, with counts N_x of sum N, and a
Dirichlet prior with parameter a/q per state, where a is the equivalent sample size (Heckerman, Geiger and Chickering
1995). Its marginal likelihood is the Dirichlet integral

    G(a) / G(a + N)  *  product over all x of G(N_x + a/q) / G(a/q),

where G is the gamma function. The factor of a state that does not occur is 1, so only occurring states contribute:

    s(C) = lnG(a) - lnG(a + N) + sum over N_x > 0 of [ lnG(N_x + a/q) - lnG(a/q) ]                       (_bdeu)

The parameters a/q of a set sum to those of its subsets. So the prior is hyper-consistent, a decomposable graph's
marginal likelihood is the product over its cliques divided by that over its separators (Dawid and Lauritzen 1993), and
the score of the graph is the sum of s over its cliques less the sum over its separators. The lsmarkov paper defines the
same number by recursion over the variables, in its equation (1).

q may exceed every float: ln q is used instead, and lnG(a/q) is computed as lnG(a/q + 1) - ln(a/q), exact to rounding
for any a/q. So no clique is too large; the original program returns minus infinity for large ones. For small
counts the bracket is a product: G(n + x) / G(x) = x (x + 1) ... (x + n - 1). For large x, whose lnG would cancel only
up to its rounding, Stirling's series of both are subtracted term by term (`ln_rising`); or the score of a constant,
which is 0, would be larger than the gains of some edges.

*Log-likelihood*: sum of N_x ln(N_x / N), the maximum over all distributions on C. *BIC* (Schwarz 1978): that less
(q - 1) ln(N) / 2 for q - 1 free parameters. *AIC* (Akaike 1973): less q - 1. *qNML* (Silander, Leppa-aho, Jaasaari and
Roos, AISTATS 2018): less the regret ln R(N, q) of a multinomial (`common.scores.regret`), with no parameter to choose.
All have s({}) = 0 and are summed over a graph in the same way. The logarithm of a prior on edges is added to each
(`common.graphs.edge_prior`), which turns BIC into the *extended BIC*.

Cost: that of counting, plus one logarithm per distinct small count and per large count.
"""

import math
from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel
from ..compiled.records import by_address
from .counting_kernels import joint_counts

BDEU, BIC, LOG_LIKELIHOOD, AIC, QNML = 0, 1, 2, 3, 4

# Cells with fewer rows than this are tallied by count first: most cells are small, with few distinct counts.
SMALL_COUNT = 16
# From here on lnG(x + n) - lnG(x) is computed as one; below, lnG(x) rounds to 6e-14.
LARGE_PRIOR = 128.0
# Number of tallies (a power of two): adjacent cells often have equal counts, and an addition waits for the last.
LANES = 4
_HALF_LN_2PI = 0.9189385332046727


@by_address
class Formula(NamedTuple):
    """The kind of score, and its constants.

    kind : int, one of BDEU, BIC, LOG_LIKELIHOOD, AIC, QNML
    ess : float > 0, equivalent sample size (BDeu only)
    log_regrets : float64[>= 1], of q = 0, 1, ... for the number of rows (qNML only)
    each_pair : float, added for every pair of variables of a set
    pairs : float64[n, n], symmetric, added to that for each pair; float64[0, 0] if all are alike
    denominator : float > 0, the counts are numbers of rows times this
    """

    kind: int
    ess: float
    log_regrets: np.ndarray
    each_pair: float
    pairs: np.ndarray
    denominator: float


@kernel
def set_score(table, formula, members, size, scratch):
    """Score of the variables `members[:size]` (ascending), in natural logs.

    Parameters
    ----------
    table : CountingTable
    formula : Formula
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
    return score_of_counts(formula, members, size, ln_q, cells, singles, scratch)


@kernel
def score_of_counts(formula, members, size, ln_q, cells, singles, scratch):
    """Score of a non-empty set whose joint states were counted.

    Parameters
    ----------
    formula : Formula
    members : int64[>= size]
    size : int
    ln_q : float, logarithm of the product of the arities
    cells : int
    singles : int, number of further cells of count 1
    scratch : CountingScratch; counts[:cells] are the counts (zeros allowed), of_count is overwritten

    Returns
    -------
    float
    """
    added = added_by_pairs(formula, members, size)
    if formula.kind == BDEU and formula.denominator != 1.0:
        return added + _weighted_bdeu(scratch.counts, scratch.of_count, cells, singles, formula, ln_q)
    if formula.kind == BDEU:
        return added + _bdeu(scratch.counts, scratch.of_count, cells, singles, formula.ess, ln_q)
    return added + _penalised_likelihood(scratch.counts, cells, singles, ln_q, formula)


@inlined
def added_by_pairs(formula, members, size):
    """w(C), the part of a set's score that is a prior on edges (`common.graphs.edge_prior`).

    Parameters
    ----------
    formula : Formula
    members : int64[>= size]
    size : int

    Returns
    -------
    float
    """
    total = formula.each_pair * (size * (size - 1) // 2)
    if formula.pairs.shape[0] > 0:
        for i in range(1, size):
            for j in range(i):
                total += formula.pairs[members[i], members[j]]
    return total


@kernel
def _bdeu(counts, of_count, cells, singles, ess, ln_q):
    """BDeu by the formula above, with x = a/q; small counts are tallied in `of_count` and added per count."""
    ln_x = math.log(ess) - ln_q
    x = math.exp(ln_x)
    for s in range(LANES * SMALL_COUNT):
        of_count[s] = 0
    of_count[1] = singles
    n = singles
    total = 0.0
    # lnG(x) = lnG(x + 1) - ln x stays accurate however small x is
    ln_gamma_x = math.lgamma(x + 1.0) - ln_x
    for c in range(cells):
        count = counts[c]
        n += count
        if count < SMALL_COUNT:
            of_count[np.uint64((c & (LANES - 1)) * SMALL_COUNT + count)] += 1
        elif x < LARGE_PRIOR:
            total += ln_gamma(count + x) - ln_gamma_x
        else:
            total += ln_rising(x, count)
    product = 1.0  # (x + 1)(x + 2) ... (x + count - 1)
    for count in range(1, SMALL_COUNT):
        cells_of = of_count[count]
        for lane in range(1, LANES):
            cells_of += of_count[lane * SMALL_COUNT + count]
        if cells_of:
            total += cells_of * (ln_x + math.log(product))
        product *= x + count
    return _less_all_rows(total, ess, n)


@kernel
def _weighted_bdeu(counts, of_count, cells, singles, formula, ln_q):
    """BDeu of counts that are parts of rows: N_x / m, with the denominator m, instead of N_x.

    For m = 1, `_bdeu` gives the same in a third to a half of the time for 8 to 300 cells, by products for whole counts.
    """
    ln_x = math.log(formula.ess) - ln_q
    x = math.exp(ln_x)
    for s in range(SMALL_COUNT):
        of_count[s] = 0
    of_count[1] = singles
    n = singles
    total = 0.0
    ln_gamma_x = math.lgamma(x + 1.0) - ln_x
    for c in range(cells):
        count = counts[c]
        n += count
        if count < SMALL_COUNT:
            of_count[np.uint64(count)] += 1
        elif x < LARGE_PRIOR:
            total += ln_gamma_from(count / formula.denominator + x) - ln_gamma_x
        else:
            total += ln_rising(x, count / formula.denominator)
    for count in range(1, SMALL_COUNT):
        if of_count[count] and x < LARGE_PRIOR:
            total += of_count[count] * (math.lgamma(count / formula.denominator + x) - ln_gamma_x)
        elif of_count[count]:
            total += of_count[count] * ln_rising(x, count / formula.denominator)
    return _less_all_rows(total, formula.ess, n / formula.denominator)


@inlined
def _less_all_rows(total, ess, n):
    """The total less lnG(ess + n) - lnG(ess)."""
    if ess < LARGE_PRIOR:
        return total + math.lgamma(ess) - math.lgamma(ess + n)
    return total - ln_rising(ess, n)


@kernel
def ln_gamma_from(z):
    """lnG(z) for z > 0, by lnG(z) = lnG(z + 1) - ln z."""
    product = 1.0
    while z < SMALL_COUNT:
        product *= z
        z += 1.0
    return ln_gamma(z) - math.log(product)


@kernel
def ln_gamma(z):
    """lnG(z) for z >= SMALL_COUNT = 16, by Stirling's series."""
    return (z - 0.5) * math.log(z) - z + _HALF_LN_2PI + _stirling(z)


@kernel
def ln_rising(x, n):
    """lnG(x + n) - lnG(x) for x >= SMALL_COUNT = 16 and n >= 0: the difference of two of Stirling's series."""
    ln_ratio = math.log1p(n / x)
    return n * (math.log(x) + ln_ratio - 1.0) + (x - 0.5) * ln_ratio + (_stirling(x + n) - _stirling(x))


@inlined
def _stirling(z):
    """The sum of Stirling's series in 1 / z; for z >= 16 the first term left out is below 2e-14."""
    r = 1.0 / z
    r2 = r * r
    return r * (1.0 / 12.0 - r2 * (1.0 / 360.0 - r2 * (1.0 / 1260.0 - r2 / 1680.0)))


@kernel
def _penalised_likelihood(counts, cells, singles, ln_q, formula):
    """Sum of N_x ln N_x, less N ln N, less the penalty; cells of count 1 add nothing to the sum.

    With a denominator, the sum over the counts is divided by it: its logarithms cancel.
    """
    n = singles
    total = 0.0
    for c in range(cells):
        count = counts[c]
        if count > 1:
            total += count * math.log(count)
        n += count
    total = (total - n * math.log(n)) / formula.denominator
    rows = n / formula.denominator
    if formula.kind == BIC:
        total -= 0.5 * math.log(rows) * (math.exp(ln_q) - 1.0)
    elif formula.kind == AIC:
        total -= math.exp(ln_q) - 1.0
    elif formula.kind == QNML:
        total -= _log_regret(formula.log_regrets, math.ceil(rows * (1.0 - 1e-12)), ln_q)
    return total


@kernel
def _log_regret(log_regrets, n, ln_q):
    """ln R(n, q): from the list, or by the approximation of `common.scores.regret`."""
    if ln_q < math.log(log_regrets.shape[0] - 0.5):
        return log_regrets[int(math.exp(ln_q) + 0.5)]
    ln_a = ln_q - math.log(n)
    if ln_a > 30.0:  # every row has a state of its own
        return n * ln_a
    a = math.exp(ln_a)
    above = 0.5 * (math.sqrt(1.0 + 4.0 / a) - 1.0)  # c - 1
    main = ln_a + (a + 2.0) * math.log1p(above) - 1.0 / (1.0 + above)
    return n * main - 0.5 * math.log(1.0 + above + 2.0 / a)
