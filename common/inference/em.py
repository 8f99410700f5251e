"""Probabilities of a network from data with missing cells, by expectation maximisation (EM).

The method is that of Dempster, Laird and Rubin (1977), for networks that of Lauritzen (1995). A round has two steps.
Expectation: each family, a variable v with its parents P, gets its expected counts: every distinct row adds
p(v, P | observed cells of the row) under the present network, from the junction trees of the missing cells
(`common.junction.evidence`). Maximisation: the fit of `common.models.model_fit` to these counts. Cells must be missing
at random: whether one is missing may depend on the observed cells of its row, not on its own value.

Each round raises, or leaves, the logarithm of

    p(observed cells) * product over all families and states of p(v | P) ** (a / (q r)),

with r states of v, q of P and the equivalent sample size a: the posterior mean under BDeu's prior, with which counts N
become (N + a / (q r)) / (N_P + a / q), is what maximises the expected logarithm of this product. With relative
frequencies, a = 0, it is the log-likelihood of the observed cells alone; otherwise that need not rise in every round.
The rounds end when the product's logarithm increases by no more than a tolerance, in general at a local maximum.

The first network is fitted, for each family, to the rows that have all its cells, with a = 1 for relative frequencies,
so that nothing is impossible. A *hidden* variable is one that is missing in all rows. No row has all cells of its
families either: their tables would begin uniform, which treats its states alike, and no round changes that. So each of
several starts draws every row of a table from its posterior under these complete rows and a uniform prior, which for a
hidden variable is uniform over all distributions; the start whose end has the largest objective is taken. The states of
a hidden variable can be exchanged, which changes no probability of the others.

The EM of mixtures (`mixture.em`) takes its expectations of missing cells from here; its class is no variable of the
network, since each part has a structure and a prior of its own.

Cost per round: that of the junction trees for all incomplete rows; complete rows are counted at once.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..counted import counted
from ..errors import DataError
from ..junction.evidence import Evidence, Query
from ..models.bayesnet import BayesianNetwork
from ..models.model_fit import FittedNetwork, JointCounts
from ..sets.joint_states import joint_states

if TYPE_CHECKING:
    from ..data.incomplete import IncompleteData
    from .em_limits import EmLimits

LOG = logging.getLogger("cliquewise")
STARTS = 10  # with a hidden variable
_MIN_ESS = 1.0  # of the first network
_STREAM = 4  # of random numbers


@dataclass(frozen=True)
class EmFit:
    """A network fitted to incomplete data.

    Attributes
    ----------
    network
        With expected counts.
    log_likelihood
        Of the observed cells under it, natural logarithm.
    objectives : tuple of float
        Before the first round and after each one.
    starts
        Of which this is the best.
    """

    network: FittedNetwork
    log_likelihood: float
    objectives: tuple[float, ...]
    starts: int = 1

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return len(self.objectives) - 1


def fit_em(
    data: IncompleteData,
    parents: Sequence[tuple[int, ...]],
    ess: float,
    limits: EmLimits,
    start: BayesianNetwork | None = None,
) -> EmFit:
    """Fit a Bayesian network to data with missing cells.

    Parameters
    ----------
    parents
        Of each variable; acyclic.
    ess
        Equivalent sample size a, or 0 for relative frequencies.
    start
        With the same parents, the only start; None: as described above.

    Raises
    ------
    DataError
        A row that the first network excludes.
    LimitError
        Tables or junction trees that are too large.
    """
    parents = tuple(map(tuple, parents))
    FittedNetwork(data.names, data.states, parents, (), ess).check_tables()
    firsts = [start] if start is not None else _starts(data, parents, ess or _MIN_ESS, limits)
    hidden = [name for name, cells in zip(data.names, data.codes.T, strict=True) if (cells < 0).all()]
    rows = data.weights @ (data.codes < 0).any(axis=1)
    found = f"hidden: {', '.join(hidden)}" if hidden else f"rows with missing cells: {rows:.6g} of {data.total:.6g}"
    LOG.info("em: %s; a round fits the tables to expected counts under the tables of the last round", found)
    level = logging.INFO if len(firsts) == 1 else logging.DEBUG
    fits = []
    for number, first in enumerate(firsts, 1):
        fits.append(fit := _rounds(data, parents, ess, limits, first, level))
        if len(firsts) > 1:
            after = counted(fit.rounds, "round")
            LOG.info("em: start %d: log-likelihood %.6f after %s", number, fit.log_likelihood, after)
    best = max(fits, key=lambda fit: fit.objectives[-1])
    if len(fits) > 1:
        near = sum(best.objectives[-1] - fit.objectives[-1] <= max(1.0, limits.tolerance) for fit in fits)
        values = fits.index(best) + 1, len(fits), best.log_likelihood, near
        LOG.info("em: start %d of %d is the best, log-likelihood %.6f; starts that end within 1 of it: %d", *values)
        if near == 1:
            LOG.warning("only one of %d starts ends at the best tables found; --starts allows more", len(fits))
    return replace(best, starts=len(fits))


def _starts(
    data: IncompleteData, parents: tuple[tuple[int, ...], ...], ess: float, limits: EmLimits
) -> list[BayesianNetwork]:
    """The first networks: that of complete rows, unless a variable is hidden, and random ones."""
    is_hidden = bool((data.codes < 0).all(axis=0).any())
    count = limits.starts or (STARTS if is_hidden else 1)
    available, rng = available_fit(data, parents, ess), np.random.default_rng((limits.seed, _STREAM))
    firsts = [] if is_hidden else [available.tables()]
    while len(firsts) < count:
        drawn = [rng.standard_gamma(1.0 + available.count_table(v)) for v in range(data.n)]
        tables = tuple(table / table.sum(axis=1, keepdims=True) for table in drawn)
        firsts.append(BayesianNetwork(data.names, data.states, parents, tables))
    return firsts


def _rounds(
    data: IncompleteData,
    parents: tuple[tuple[int, ...], ...],
    ess: float,
    limits: EmLimits,
    start: BayesianNetwork,
    level: int,
) -> EmFit:
    """The result of the rounds from one start, which are logged at a level."""
    evidence = Evidence(start, data.codes)
    log_likelihood, counts = expected_counts(evidence, data.weights)
    if log_likelihood == -math.inf:
        raise DataError("the first network gives a row of the data probability zero", data.source)
    objectives = [log_likelihood + _log_prior(start, ess)]
    for done in range(1, limits.rounds + 1):
        network = _fitted(data, parents, ess, counts)
        evidence.network = tables = network.tables()
        log_likelihood, counts = expected_counts(evidence, data.weights)
        objectives.append(log_likelihood + _log_prior(tables, ess))
        with_prior = f", with the prior {objectives[-1]:.6f}" if ess else ""
        LOG.log(level, "em: round %d: log-likelihood of the observed cells %.6f%s", done, log_likelihood, with_prior)
        if objectives[-1] - objectives[-2] <= limits.tolerance:
            break
    else:
        rise = objectives[-1] - objectives[-2]
        after = counted(done, "round")
        LOG.warning("ended after %s, the last of which gained %.3g; --rounds allows more", after, rise)
    return EmFit(network, log_likelihood, tuple(objectives))


def expected_counts(evidence: Evidence, row_counts: np.ndarray) -> tuple[float, tuple[np.ndarray, ...]]:
    """The log-likelihood of incomplete rows, and the expected counts of each family.

    Parameters
    ----------
    evidence
        A network with incomplete rows.
    row_counts : int64 or float64[rows]
        How many rows each one stands for.

    Returns
    -------
    (float, tuple of float64[q * r])
        Natural logarithm; by variable, for the joint states of its parents and itself, the latter changing fastest.
    """
    codes = evidence.codes
    families = [(*own_parents, v) for v, own_parents in enumerate(evidence.network.parents)]
    steps = [_steps([evidence.arity[u] for u in family]) for family in families]
    counts = tuple(np.zeros(math.prod(evidence.arity[u] for u in family)) for family in families)
    logs, trees = evidence.ask(Query(apart=True))
    is_open = np.zeros(codes.shape, bool)  # the families that a row leaves to a tree
    for rows, plan, done in trees:
        logs[rows] += done.total
        is_open[np.ix_(rows, plan.families)] = True
        beliefs = done.marginals([plan.scopes[v] for v in plan.families])
        for v, belief in zip(plan.families, beliefs, strict=True):
            step = dict(zip(families[v], steps[v], strict=True))
            scope = plan.scopes[v]
            base = sum((codes[rows, u] * step[u] for u in families[v] if u not in scope), np.zeros(len(rows), np.int64))
            states = np.indices(belief.shape[:-1])
            inner = sum(step[u] * state for u, state in zip(scope, states, strict=True))
            weights = np.broadcast_to(belief * row_counts[rows], (*belief.shape[:-1], len(rows)))
            counts[v][:] += np.bincount((inner[..., None] + base).ravel(), weights.ravel(), len(counts[v]))
    for v, family in enumerate(families):
        known = ~is_open[:, v]
        counts[v][:] += np.bincount(codes[known][:, family] @ steps[v], row_counts[known], len(counts[v]))
    return float(row_counts @ logs), counts


def available_fit(data: IncompleteData, parents: tuple[tuple[int, ...], ...], ess: float) -> FittedNetwork:
    """The network fitted, for each family, to the rows that have all its cells."""
    counts = []
    for v, own_parents in enumerate(parents):
        family = [*own_parents, v]
        known = (data.codes[:, family] >= 0).all(axis=1)
        counts.append(JointCounts(data.codes[known][:, family], data.arity[family], data.weights[known]))
    return FittedNetwork(data.names, data.states, parents, tuple(counts), ess)


def _fitted(
    data: IncompleteData, parents: tuple[tuple[int, ...], ...], ess: float, counts: tuple[np.ndarray, ...]
) -> FittedNetwork:
    """The network with these counts of all joint states of each family."""
    listed = []
    for v, own_parents in enumerate(parents):
        arity = [len(data.states[u]) for u in (*own_parents, v)]
        listed.append(JointCounts(joint_states(arity), arity, counts[v]))
    return FittedNetwork(data.names, data.states, parents, tuple(listed), ess)


def _log_prior(network: BayesianNetwork, ess: float) -> float:
    """The logarithm of the second factor of the objective."""
    with np.errstate(divide="ignore"):
        return sum(ess / table.size * float(np.log(table).sum()) for table in network.tables) if ess else 0.0


def _steps(arity: Sequence[int]) -> np.ndarray:
    """By how much the number of a joint state grows with each variable's: int64[k]; the last changes fastest."""
    return np.cumprod([1, *reversed(arity[1:])], dtype=np.int64)[::-1]
