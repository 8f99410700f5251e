"""Expectation maximisation for a mixture of networks whose structures are given (Dempster, Laird and Rubin 1977).

Component k has a share s_k and a table for every variable v and its parents P. With prior probabilities p0 and weight w

    theta(v | P) = (N_k(v, P) + w p0(v | P)) / (N_k(P) + w),      s_k = (N_k + 1) / (N + K),

where N_k counts every row as often as the row belongs to component k: by its responsibility, s_k p_k(x) divided by the
sum over all components. A network of all rows has BDeu's uniform prior, p0 = 1/r and w = a/q
(`common.models.model_fit`); a component has the network's tables of all rows as its prior, so that tables of few rows
stay near them. With the prior fixed, no round decreases

    sum over rows of ln p(x)  +  sum over components and tables of w p0 ln theta  +  sum over components of ln s_k,

the logarithm of the posterior density under Dirichlet priors with these numbers plus one.

Rows with missing cells contribute expected counts: N_k(v, P) is the sum over rows of the
responsibility times p(v, P | observed cells of the row) under component k, and p(x) that of the observed cells
(`mixture.rows`); so the expectations are those of `common.inference.em`, by the same code.

Cost of a round: for each component, counts and logarithms of its families (`mixture.rows`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..common.models.bayesnet import BayesianNetwork
from ..common.models.empirical import Empirical
from .rows import Parents, TrainValidRows
from .weights import mixture_logs


class TablePrior(NamedTuple):
    """The prior of a network's tables.

    weight : float
        Of each state of the parents, in rows.
    probabilities : float64[q, r] or float
    """

    weight: float
    probabilities: np.ndarray | float


@dataclass(frozen=True)
class NetworkFit:
    """A network with its tables.

    Attributes
    ----------
    parents
        Of each variable.
    tables : tuple of float64[q, r]
        By joint states of the parents, as from `TrainValidRows.shape_of`; none of a network that was read.
    logs : float64[rows]
        Log probability of every training and validation row.
    model : BayesianNetwork, Empirical or None
        The model itself, if it was read from a file, or is of another kind.
    """

    parents: Parents
    tables: tuple[np.ndarray, ...]
    logs: np.ndarray
    model: BayesianNetwork | Empirical | None = None

    def network(self, rows: TrainValidRows) -> BayesianNetwork | Empirical:
        """The network with its tables by the states of the parents."""
        return rows.network(self.parents, self.tables) if self.model is None else self.model


def fit_tables(
    rows: TrainValidRows,
    parents: Parents,
    row_counts: np.ndarray,
    prior: Callable[[int], TablePrior],
    before: NetworkFit | None = None,
) -> NetworkFit:
    """Fit the tables of a network.

    Parameters
    ----------
    parents
        Of each variable; acyclic.
    row_counts : float64[n_train]
        The weight of each row.
    prior
        Of the table of each variable.
    before
        The fit under which the expected counts of missing cells are taken; None: completions are counted.
    """
    tables = []
    for v, counts in enumerate(rows.counts(parents, row_counts, None if before is None else before.tables)):
        weight, probabilities = prior(v)
        tables.append((counts + weight * probabilities) / (counts.sum(axis=1, keepdims=True) + weight))
    return with_tables(rows, parents, tables)


def fit_on_all_rows(rows: TrainValidRows, parents: Parents, ess: float, rounds: int = 0) -> NetworkFit:
    """The network of all rows, under BDeu's prior; `ess` is its equivalent sample size.

    Parameters
    ----------
    rounds
        Rounds of EM after the fit to completions, if cells are missing.
    """

    def prior(v: int) -> TablePrior:
        spread = sum(np.log(rows.arity[u]) for u in parents[v])
        return TablePrior(np.exp(max(np.log(ess) - spread, -690.0)), 1 / rows.arity[v])

    found = fit_tables(rows, parents, rows.row_counts, prior)
    for _ in range(rounds):
        found = fit_tables(rows, parents, rows.row_counts, prior, found)
    return found


def empirical_of(rows: TrainValidRows) -> NetworkFit:
    """The empirical distribution of the rows to learn from."""
    numbers = rows.states_of(tuple(range(len(rows.arity))))[0]
    shares = rows.row_counts / rows.row_counts.sum()
    probabilities = np.bincount(numbers[rows.train], shares, numbers.max() + 1)
    first = np.unique(numbers[rows.train], return_index=True)[1]
    codes = np.ascontiguousarray(rows.codes[first])
    empirical = Empirical(rows.data.names, rows.data.states, codes, probabilities[numbers[first]])
    with np.errstate(divide="ignore"):
        return NetworkFit((), (), np.log(probabilities)[numbers], model=empirical)


def with_tables(rows: TrainValidRows, parents: Parents, tables: Sequence[np.ndarray]) -> NetworkFit:
    """A network with tables of a fit."""
    return NetworkFit(parents, tuple(tables), rows.logs(parents, tables))


@dataclass(frozen=True)
class MixtureFit:
    """A mixture of networks.

    Attributes
    ----------
    networks : tuple of NetworkFit
    shares : float64[K]
        They sum to 1.
    """

    networks: tuple[NetworkFit, ...]
    shares: np.ndarray

    @property
    def joint(self) -> np.ndarray:
        """ln of share times probability: float64[K, rows]."""
        return np.array([network.logs for network in self.networks]) + np.log(self.shares)[:, None]

    @property
    def logs(self) -> np.ndarray:
        """Log probability of every training and validation row: float64[rows]."""
        return mixture_logs(np.array([network.logs for network in self.networks]), self.shares)

    def responsibilities(self, rows: TrainValidRows) -> np.ndarray:
        """Responsibilities of the components for each row to learn from: float64[K, n_train]."""
        joint = self.joint[:, rows.train]
        shares = np.exp(joint - joint.max(axis=0))
        return shares / shares.sum(axis=0)


class MixtureEM:
    """Fits mixtures of given structures.

    Parameters
    ----------
    rows : TrainValidRows
    structures : sequence of Parents
        Of each component.
    weight : float
        Of the prior from all rows, in rows for each state of the parents.
    ess : float
        Of the network of all rows.
    parallel_map : callable
        Like `map`.
    """

    def __init__(
        self,
        rows: TrainValidRows,
        structures: Sequence[Parents],
        weight: float,
        ess: float,
        parallel_map: Callable = map,
    ) -> None:
        self.rows, self.structures, self.weight, self.map = rows, structures, weight, parallel_map
        prior_tables: dict[tuple[int, tuple[int, ...]], np.ndarray] = {}
        for parents in structures:
            if any((v, own_parents) not in prior_tables for v, own_parents in enumerate(parents)):
                tables = fit_on_all_rows(rows, parents, ess).tables
                prior_tables.update({(v, own_parents): tables[v] for v, own_parents in enumerate(parents)})
        self._prior_tables = prior_tables

    def fit(self, responsibilities: np.ndarray, before: MixtureFit | None = None) -> MixtureFit:
        """The mixture for given responsibilities, float64[K, n_train].

        Parameters
        ----------
        before
            The fit under which the expected counts of missing cells are taken; None: completions are counted.
        """
        row_counts = responsibilities * self.rows.row_counts

        def network(k: int) -> NetworkFit:
            parents, last = self.structures[k], None if before is None else before.networks[k]
            priors = [TablePrior(self.weight, self._prior_tables[family]) for family in enumerate(parents)]
            return fit_tables(self.rows, parents, row_counts[k], priors.__getitem__, last)

        networks = tuple(self.map(network, range(len(row_counts))))
        shares = (row_counts.sum(axis=1) + 1.0) / (row_counts.sum() + len(row_counts))
        return MixtureFit(networks, shares)

    def run(
        self, responsibilities: np.ndarray, rounds: int, should_continue: Callable[[], bool] = lambda: True
    ) -> MixtureFit:
        """Rounds of expectation maximisation, at least one fit.

        Parameters
        ----------
        responsibilities : float64[K, n_train]
            Responsibilities to begin with.
        """
        fit = self.fit(responsibilities)
        for _ in range(rounds):
            if not should_continue():
                break
            fit = self.fit(fit.responsibilities(self.rows), fit)
        return fit
