"""Convergence diagnostics of chains: R-hat and effective sample size.

After A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Buerkner: Rank-normalization, folding, and localization: an
improved R-hat for assessing convergence of MCMC, Bayesian Analysis 16(2), 2021. Chains are split in halves; draws are
replaced by normal scores of their ranks among all, (14) in the paper, so that heavy tails have no effect:

* R-hat, (4): the square root of (pooled variance / variance within); the larger value of the normal scores and of those
  of the distances from the median ("folded") is used; near 1 when the halves agree;
* bulk effective sample size, (10) to (13): draws / (1 + 2 sum of autocorrelations), which are pooled over the halves,
  so that disagreement between chains reduces it, and summed in pairs while these are positive and do not increase
  (Geyer 1992).

Both are invariant under affine maps, so a quantity with two values needs no ranks.

Draws are float arrays [..., chains, draws]. Cost O(draws log draws) each.
"""

import numpy as np

MAX_R_HAT = 1.05  # of chains that agree: there is no warning up to this
MIN_DRAWS = 4  # draws per half chain


def halves(draws: np.ndarray) -> np.ndarray:
    """Each chain split into two, without the middle draw if their number is odd: [..., 2 * chains, draws // 2]."""
    draws = np.asarray(draws, float)
    half = draws.shape[-1] // 2
    return np.concatenate([draws[..., :half], draws[..., draws.shape[-1] - half :]], axis=-2)


def normal_scores(draws: np.ndarray) -> np.ndarray:
    """Standard normal quantiles of the ranks among all draws of a quantity; equal draws share a rank.

    Parameters
    ----------
    draws : float[chains, draws]

    Returns
    -------
    float64[chains, draws]
    """
    from scipy.special import ndtri

    # scipy.stats.rankdata does this too, but its import takes a second, which is too long after a signal
    _, place, counts = np.unique(draws, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place].reshape(np.shape(draws))
    return ndtri((ranks - 0.375) / (ranks.size + 0.25))


def r_hat(draws: np.ndarray) -> float:
    """R-hat of one quantity, rank-normalised and folded.

    Parameters
    ----------
    draws : float[chains, draws]

    Returns
    -------
    float
        NaN if all draws are equal or there are fewer than 8 per chain.
    """
    parts = halves(draws)
    if parts.shape[-1] < MIN_DRAWS:
        return float("nan")
    folded = np.abs(parts - np.median(parts))
    both = [float(plain_r_hat(normal_scores(values))) for values in (parts, folded) if np.ptp(values) > 0]
    return max(both, default=float("nan"))


def effective_samples(draws: np.ndarray) -> float:
    """Bulk effective sample size of one quantity, rank-normalised.

    Parameters
    ----------
    draws : float[chains, draws]

    Returns
    -------
    float
        NaN if all draws are equal or there are fewer than 8 per chain.
    """
    parts = halves(draws)
    if parts.shape[-1] < MIN_DRAWS or np.ptp(parts) == 0:
        return float("nan")
    return float(plain_effective_samples(normal_scores(parts)))


def plain_r_hat(parts: np.ndarray) -> np.ndarray:
    """Gelman and Rubin's R-hat of the given halves: that of edges, whose two values need no ranks.

    Parameters
    ----------
    parts : float[..., halves, draws]

    Returns
    -------
    float64[...]
        Infinite if every half is constant and they differ; NaN if all draws are equal.
    """
    count = parts.shape[-1]
    within = parts.var(-1, ddof=1).mean(-1)
    between = parts.mean(-1).var(-1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt((count - 1) / count + between / within)


def plain_effective_samples(parts: np.ndarray) -> np.ndarray:
    """Effective sample size of the given halves.

    Parameters
    ----------
    parts : float[..., halves, draws]

    Returns
    -------
    float64[...]
        NaN if all draws are equal.
    """
    from scipy.fft import irfft, next_fast_len, rfft

    chains, count = parts.shape[-2:]
    size = next_fast_len(2 * count, real=True)
    spectrum = rfft(parts - parts.mean(-1, keepdims=True), size)
    lagged = irfft(spectrum.real**2 + spectrum.imag**2, size)[..., :count].mean(-2) / count  # mean autocovariances
    within = lagged[..., :1] * count / (count - 1)
    pooled = lagged[..., :1] + parts.mean(-1).var(-1, ddof=1)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = 1 - (within - lagged) / pooled
    correlation[..., 0] = 1.0
    even, odd = correlation[..., 0 : count - 1 : 2], correlation[..., 1:count:2]
    pairs = even + odd
    positive = np.logical_and.accumulate(pairs > 0, axis=-1)
    positive[..., 0] = True
    steady = np.minimum.accumulate(np.where(positive, pairs, np.inf), axis=-1)
    used = positive.sum(-1)
    first_out = np.minimum(used, even.shape[-1] - 1)[..., None]
    tail = np.where(used < even.shape[-1], np.maximum(np.take_along_axis(even, first_out, -1)[..., 0], 0.0), 0.0)
    time = -1.0 + 2.0 * np.where(positive, steady, 0.0).sum(-1) + tail
    total = chains * count
    size = total / np.maximum(time, 1.0 / np.log10(total))
    return np.where(pooled[..., 0] > 0, size, np.nan)
