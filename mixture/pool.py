"""Mixtures that compete: their weights in one mixture, and whether it is better than the best single network.

Weights are those under which the validation rows are most probable (`mixture.weights.em_weights`). So the same
rows cannot measure the gain of the mixture. They are divided into folds, each of which is evaluated with weights of the
others; the gains over a single network are paired row by row, and the mixture is used if their mean is above its
standard error. Otherwise the single network is used, so a mixture never loses more than this noise. It is the network
of the usual search, unless another is better by more than three standard errors: the best of several gains one or two
by chance, and a true gain is also one of the mixture, which is evaluated on rows that did not choose it. If there are
too many networks, the candidate with the smallest loss of log-likelihood per network is removed, repeatedly. If that
removed a candidate with many networks, smaller candidates that were removed before it and now fit are added again,
those with the largest gain first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..common.data.weights import single_rows
from ..common.models.held_out import mean_and_error
from .em import MixtureFit, NetworkFit
from .weights import em_weights, mixture_logs

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.run.position import Paused

SIZES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)  # equivalent sample sizes that are tried
USUAL_ESS = 10.0  # size that is always searched with
FOLDS = 5
EMPIRICAL = "empirical"  # kind of the candidate that consists of the training rows
MIN_WEIGHT = 1e-3  # of a candidate that is kept
CLEAR_ERRORS = 3.0  # standard errors by which a single network is better than the usual one, if it is chosen
GAP = 1e-4  # nats per row: what better weights may gain


@dataclass(eq=False)
class Candidate:
    """A network of all rows, or a mixture.

    Attributes
    ----------
    kind
        Its origin: `search`, `extended` or another; `EMPIRICAL` if it is not a network.
    settings : dict of str to int, float or None
    fit
        One network, or several; none once they are forgotten.
    logs : float64[rows]
        Log probabilities of the validation rows.
    value
        Their mean.
    paused
        Where its search can continue; None if it cannot.
    pool
        The value of the mixture of all candidates so far, when this one was added; None before.
    """

    kind: str
    settings: dict
    fit: MixtureFit
    logs: np.ndarray
    value: float
    paused: Paused | None = None
    pool: float | None = None

    @property
    def is_mixture(self) -> bool:
        """Whether it has several networks."""
        return len(self.fit.networks) > 1

    @property
    def is_network(self) -> bool:
        """Whether it is one network, and not the empirical distribution."""
        return len(self.fit.networks) == 1 and self.kind != EMPIRICAL

    @property
    def bytes(self) -> int:
        """Memory of its networks."""
        return sum(one.logs.nbytes + sum(table.nbytes for table in one.tables) for one in self.fit.networks)

    def forget(self) -> None:
        """Free the memory of its networks: it can no longer be chosen."""
        self.fit, self.logs = MixtureFit((), np.zeros(0)), np.full_like(self.logs, -np.inf)

    def __str__(self) -> str:
        settings = ", ".join(f"{key} {value:g}" for key, value in self.settings.items() if value is not None)
        return f"{self.kind} ({settings})" if settings else self.kind


class MixtureChoice(NamedTuple):
    """The chosen mixture or network.

    networks : tuple of NetworkFit
    weights : float64[networks], which sum to 1
    candidates : list of Candidate to which they belong
    gain : float, of the mixture over a single network, per row
    error : float, the standard error of this
    """

    networks: tuple[NetworkFit, ...]
    weights: np.ndarray
    candidates: list[Candidate]
    gain: float
    error: float


def pool_value(candidates: Sequence[Candidate], row_counts: np.ndarray) -> float:
    """The mean log probability of the validation rows under the best weights."""
    logs = np.array([one.logs for one in candidates])
    return float(np.average(mixture_logs(logs, em_weights(logs, row_counts=row_counts, gap=GAP)), weights=row_counts))


def forget_least(candidates: Sequence[Candidate], row_counts: np.ndarray, capacity: float) -> None:
    """Free the networks of the mixtures with the least weights until all candidates fit in memory.

    Parameters
    ----------
    row_counts : int64 or float64[rows]
    capacity
        Bytes for the networks of all.
    """
    while sum(one.bytes for one in candidates) > capacity:
        weights = em_weights(np.array([one.logs for one in candidates]), row_counts=row_counts, gap=GAP)
        mixtures = [k for k, one in enumerate(candidates) if one.is_mixture]
        if not mixtures:
            return
        candidates[min(mixtures, key=lambda k: weights[k])].forget()


def row_folds(valid: Dataset) -> np.ndarray:
    """For how many rows each stored row counts in each fold: int64 or float64[FOLDS, n_stored].

    Single rows are dealt in the order in which they are stored; rows with weights are whole rows, too.
    """
    single = single_rows(valid)
    order = np.argsort(single.place, kind="stable")
    ends, folds = np.empty_like(single.counts), []
    ends[order] = np.cumsum(single.counts[order])
    for k in range(FOLDS):
        last, first = (ends - k + FOLDS - 1) // FOLDS, (ends - single.counts - k + FOLDS - 1) // FOLDS
        folds.append(single.stored_counts(last - first, valid.n_stored))
    return np.array(folds) if valid.denominator == 1 else np.array(folds) / valid.denominator


def choice(candidates: Sequence[Candidate], folds: np.ndarray, most: int) -> MixtureChoice:
    """The weights of all, or a single network.

    Parameters
    ----------
    folds : int64 or float64[FOLDS, rows]
        For how many rows each validation row counts in each fold.
    most
        The largest number of networks.
    """
    row_counts = folds.sum(axis=0)
    single = single_network(candidates, row_counts)
    if most == 1:
        return MixtureChoice(single.fit.networks, np.ones(1), [single], 0.0, 0.0)
    kept = [one for one in candidates if len(one.fit.networks) <= most]
    left = []
    while True:
        logs = np.array([one.logs for one in kept])
        weights = em_weights(logs, row_counts=row_counts, gap=GAP)
        sizes = np.array([len(one.fit.networks) for one in kept])
        is_large = weights >= MIN_WEIGHT
        if not is_large.all():
            kept = [one for one, large in zip(kept, is_large, strict=True) if large]
            continue
        capacity = most - int(sizes.sum())
        if capacity < 0:
            left.append(kept.pop(int(np.argmin(losses(logs, weights, row_counts) / sizes))))
            continue
        returning = _most_gaining(left, mixture_logs(logs, weights), row_counts, capacity)
        if returning is None:
            break
        left.remove(returning)
        kept.append(returning)
    gain, error = _gain(np.array([one.logs for one in kept]), single.logs, folds)
    if gain <= error or all(one.kind == EMPIRICAL for one in kept):
        return MixtureChoice(single.fit.networks, np.ones(1), [single], gain, error)
    networks = tuple(network for one in kept for network in one.fit.networks)
    return MixtureChoice(
        networks,
        np.concatenate([w * one.fit.shares for w, one in zip(weights, kept, strict=True)]),
        kept,
        gain,
        error,
    )


def _most_gaining(left: list[Candidate], logs: np.ndarray, row_counts: np.ndarray, capacity: int) -> Candidate | None:
    """The candidate of at most `capacity` networks from which a mixture gains most; None if it gains from none.

    Parameters
    ----------
    logs : float64[rows]
        Of the mixture.
    capacity
        Networks.
    """
    slopes = {
        one: float(np.average(np.exp(one.logs - logs), weights=row_counts)) - 1.0
        for one in left
        if len(one.fit.networks) <= capacity
    }  # of the mean log probability, where the weight of the candidate is zero
    best = max(slopes, key=lambda one: slopes[one], default=None)
    return None if best is None or slopes[best] <= GAP else best


def single_network(candidates: Sequence[Candidate], row_counts: np.ndarray) -> Candidate:
    """The network to choose if a single network is chosen: found by a search on all rows with the usual size.

    One with another size, and then one that was grown or learned from a sample of the rows, must be better by more than
    `CLEAR_ERRORS` standard errors: of many that hardly differ, the best on some rows is not the best on others.

    Parameters
    ----------
    row_counts : int64 or float64[rows]
    """
    single = [one for one in candidates if one.is_network]
    of_all = [one for one in single if one.kind == "search" and one.settings.get("sample") is None]
    usual = [one for one in of_all if one.settings.get("ess") == USUAL_ESS]
    first, *others = (max(group, key=lambda one: one.value) for group in (usual, of_all, single) if group)
    for one in others:
        first = one if is_better(one, first, row_counts, CLEAR_ERRORS) else first
    return first


def is_better(one: Candidate, other: Candidate, row_counts: np.ndarray, errors: float) -> bool:
    """Whether a candidate is better than another by more than some standard errors of the difference."""
    return one.value - other.value > errors * mean_and_error(one.logs - other.logs, row_counts)[1]


def losses(logs: np.ndarray, weights: np.ndarray, row_counts: np.ndarray) -> np.ndarray:
    """The loss of rows without one of the models, with scaled weights of the others: float64[models], nats per row.

    With shares r_k = w_k p_k(x) / p(x) of the rows it is the mean of -ln(1 - r_k), less -ln(1 - w_k): infinite where
    no other model gives a row a probability.
    """
    shares = np.exp(logs - mixture_logs(logs, weights)) * weights[:, None]
    possible = ~np.isneginf(logs)
    shares[possible & (possible.sum(axis=0) == 1)] = 1.0
    with np.errstate(divide="ignore"):
        return np.log1p(-weights) - np.average(np.log1p(-np.minimum(shares, 1.0)), axis=1, weights=row_counts)


def _gain(logs: np.ndarray, single: np.ndarray, folds: np.ndarray) -> tuple[float, float]:
    """The mean gain of a mixture over one network, and its standard error: each row by weights of the other folds.

    Parameters
    ----------
    logs : float64[models, rows]
    single : float64[rows]
    folds : int64 or float64[FOLDS, rows]
    """
    row_counts, folds = folds.sum(axis=0), folds[folds.any(axis=1)]
    if len(folds) < 2:
        return 0.0, 0.0
    by_others = (em_weights(logs, row_counts=row_counts - fold, gap=GAP) for fold in folds)
    gains = np.concatenate([mixture_logs(logs, weights) - single for weights in by_others])
    return mean_and_error(gains, np.concatenate(folds))
