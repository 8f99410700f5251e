"""The odds ratio of two variables given others, from its definition, stratum by stratum."""

import math
from collections import Counter, defaultdict


def odds_ratio(rows, u, v, given, first):
    """Mantel and Haenszel's ratio with the interval of Robins, Breslow and Greenland.

    `first` has the first state of u and that of v.
    """
    strata = defaultdict(Counter)
    for row in rows:
        strata[tuple(row[s] for s in given)][row[u] == first[0], row[v] == first[1]] += 1
    above = below = mixed_r = mixed = mixed_s = 0.0
    for cells in strata.values():
        n = sum(cells.values())
        same, crossed = (cells[True, True], cells[False, False]), (cells[True, False], cells[False, True])
        r, s = math.prod(same) / n, math.prod(crossed) / n
        above, below = above + r, below + s
        mixed_r += sum(same) / n * r
        mixed += sum(same) / n * s + sum(crossed) / n * r
        mixed_s += sum(crossed) / n * s
    deviation = math.sqrt(mixed_r / above**2 / 2 + mixed / (above * below) / 2 + mixed_s / below**2 / 2)
    centre = math.log(above / below)
    return above / below, math.exp(centre - 1.959964 * deviation), math.exp(centre + 1.959964 * deviation)
