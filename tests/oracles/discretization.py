"""Classes of measured columns from the definitions: of one column, by joining (Hartemink), by a class (Fayyad, Irani).

Rows are lists of cells, None where one is missing; logarithms are natural unless a name says bits.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import log2

from tests.oracles.blankets import mutual_information


def total_information(columns):
    """Mutual information of all pairs of columns, each over the rows where both are known."""
    known = [[(x, y) for x, y in zip(a, b, strict=True) if None not in (x, y)] for a, b in combinations(columns, 2)]
    return sum(mutual_information(pairs, 0, 1, ()) for pairs in known if pairs)


def join_classes(columns, wanted):
    """Columns of class numbers, joined in turns until each has `wanted` classes: for each the first of the old ones."""
    classes = [sorted({x for x in column if x is not None}) for column in columns]
    columns = [list(column) for column in columns]
    while any(len(firsts) > wanted for firsts in classes):
        size = max(map(len, classes))
        for v, firsts in enumerate(classes):
            if len(firsts) < size:
                continue
            tried = []
            for kept, gone in zip(firsts, firsts[1:], strict=False):
                joined = [kept if x == gone else x for x in columns[v]]
                tried.append(
                    (round(total_information([*columns[:v], joined, *columns[v + 1 :]]), 9), -kept, gone, joined)
                )
            _, _, gone, columns[v] = max(tried)
            firsts.remove(gone)
    return classes


def entropy_bits(labels):
    """Of the relative frequencies of labels."""
    return sum(c / len(labels) * log2(len(labels) / c) for c in Counter(labels).values())


def mdl_cuts(rows):
    """Cut points of rows (value, class), ascending."""
    n, best = len(rows), best_cut(rows)
    if not best:
        return []
    (cut,) = best
    parts = [c for _, c in rows], [c for x, c in rows if x < cut], [c for x, c in rows if x > cut]
    (h, k), (h1, k1), (h2, k2) = ((entropy_bits(part), len(set(part))) for part in parts)
    mean = round((len(parts[1]) * h1 + len(parts[2]) * h2) / n, 10)
    if h - mean <= (log2(n - 1) + log2(3**k - 2) - (k * h - k1 * h1 - k2 * h2)) / n:
        return []
    return [*mdl_cuts([row for row in rows if row[0] < cut]), cut, *mdl_cuts([row for row in rows if row[0] > cut])]


def best_cut(rows):
    """The cut point with the least mean entropy of rows (value, class), the lowest of several; none of one value."""
    values = sorted({x for x, _ in rows})
    tried = []
    for low, high in zip(values, values[1:], strict=False):
        sides = [c for x, c in rows if x <= low], [c for x, c in rows if x >= high]
        tried.append((round(sum(len(side) / len(rows) * entropy_bits(side) for side in sides), 10), (low + high) / 2))
    return [min(tried)[1]] if tried else []


def quantile_cuts(values, bins):
    """Cut points at the quantiles k / bins; half-way where a share of rows ends between two values."""
    values = sorted(values)
    cuts = set()
    for k in range(1, bins):
        below = Fraction(k * len(values), bins)
        at = values[int(below)] if below.denominator > 1 else (values[int(below) - 1] + values[int(below)]) / 2
        cuts.add(at)
    return sorted(cuts - {values[0]}) or [min(x for x in values if x > values[0])]


def uniform_cuts(values, bins):
    """Cut points of equal distance."""
    low, high = Fraction(min(values)), Fraction(max(values))
    return [float(low + (high - low) * k / bins) for k in range(1, bins)]


def lloyd_cuts(values, bins):
    """Cut points between means of classes of rows that are nearest to their mean, from the middles of equal widths.

    An empty class begins again at the different value farthest from its mean, the least of several.
    """
    values = sorted(map(Fraction, values))
    different = sorted(set(values))
    if len(different) <= bins:
        return [float((low + high) / 2) for low, high in zip(different, different[1:], strict=False)]
    low, width = values[0], (values[-1] - values[0]) / bins
    means, before = [low + width * k + width / 2 for k in range(bins)], None
    while True:
        cuts = [(a + b) / 2 for a, b in zip(means, means[1:], strict=False)]
        classes = [sum(cut <= x for cut in cuts) for x in values]
        if classes == before:
            return [float(cut) for cut in cuts]
        before, empty = classes, []
        for k in range(bins):
            own = [x for x, c in zip(values, classes, strict=True) if c == k]
            if own:
                means[k] = sum(own) / len(own)
            else:
                empty.append(k)
        class_of = dict(zip(values, classes, strict=True))
        far = sorted(different, key=lambda x: (-abs(x - means[class_of[x]]), x))
        for k, x in zip(empty, far, strict=False):
            means[k] = x
        means.sort()
