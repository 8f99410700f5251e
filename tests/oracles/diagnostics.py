"""R-hat and bulk effective sample size, written down as Vehtari et al. (2021) and Geyer (1992) state them."""

from math import log10
from statistics import NormalDist, fmean, median, variance


def halves(chains):
    """Each chain as two; an odd draw at the middle goes."""
    size = len(chains[0]) // 2
    return [part for chain in chains for part in (chain[:size], chain[len(chain) - size :])]


def normal_scores(chains):
    """Each draw's normal quantile at its mean rank among all."""
    everything = sorted(value for chain in chains for value in chain)
    places = {}
    for place, value in enumerate(everything, 1):
        places.setdefault(value, []).append(place)
    inverse = NormalDist().inv_cdf
    of = {value: inverse((fmean(ranks) - 3 / 8) / (len(everything) + 1 / 4)) for value, ranks in places.items()}
    return [[of[value] for value in chain] for chain in chains]


def plain_r_hat(chains):
    """Equations (1) to (4)."""
    size = len(chains[0])
    within = fmean(variance(chain) for chain in chains)
    between = size * variance([fmean(chain) for chain in chains])
    return (((size - 1) / size * within + between / size) / within) ** 0.5


def r_hat(chains):
    """The larger of that of the ranks and that of the ranks of distances from the median."""
    parts = halves(chains)
    middle = median(value for part in parts for value in part)
    folded = [[abs(value - middle) for value in part] for part in parts]
    return max(plain_r_hat(normal_scores(parts)), plain_r_hat(normal_scores(folded)))


def autocorrelation(chains, lag):
    """Equation (10), with autocovariances divided by the number of draws."""
    size = len(chains[0])

    def covariance(chain):
        mean = fmean(chain)
        return sum((chain[i] - mean) * (chain[i + lag] - mean) for i in range(size - lag)) / size

    within = fmean(variance(chain) for chain in chains)
    pooled = (size - 1) / size * within + variance([fmean(chain) for chain in chains])
    return 1 - (within - fmean(map(covariance, chains))) / pooled


def effective_samples(chains):
    """Bulk effective sample size; pairs of autocorrelations are summed while positive, none above the one before.

    Of draws that alternate there are at most as many as Stan allows for.
    """
    parts = normal_scores(halves(chains))
    size = len(parts[0])
    total, last, lag = 0.0, float("inf"), 0
    while lag + 1 < size:
        even = 1.0 if lag == 0 else autocorrelation(parts, lag)
        pair = even + autocorrelation(parts, lag + 1)
        if lag > 0 and pair <= 0:
            total += max(even, 0.0) / 2
            break
        last = min(last, pair)
        total += last
        lag += 2
    return len(parts) * size / max(2 * total - 1, 1 / log10(len(parts) * size))
