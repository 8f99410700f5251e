"""Tests of conditional independence, from their definitions, in dictionaries."""

import math
from collections import Counter, defaultdict


def g2_test(rows, u, v, given, weights=None):
    """The statistic G2 of u and v given a set, its degrees of freedom, by the states that occur in each stratum."""
    strata = defaultdict(Counter)
    for row, weight in zip(rows, weights or [1] * len(rows), strict=True):
        strata[tuple(row[s] for s in given)][row[u], row[v]] += weight
    g2, df = 0.0, 0
    for cells in strata.values():
        total = sum(cells.values())
        of_u, of_v = Counter(), Counter()
        for (a, b), count in cells.items():
            of_u[a] += count
            of_v[b] += count
        g2 += 2 * sum(n * math.log(n * total / (of_u[a] * of_v[b])) for (a, b), n in cells.items())
        df += (len(of_u) - 1) * (len(of_v) - 1)
    return g2, df


def holm(p_values):
    """Adjusted p-values: the largest, over the values up to this one, of each times how many are not smaller before."""
    ranked = sorted(p_values)
    return [min(1.0, max((len(ranked) - k) * ranked[k] for k in range(ranked.index(p) + 1))) for p in p_values]
