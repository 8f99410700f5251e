"""Expectation maximisation for a mixture of networks whose structures are given (Dempster, Laird and Rubin 1977).

Part k has a share s_k and a table for every variable v and its parents P. With prior probabilities p0 and a weight w

    theta(v | P) = (N_k(v, P) + w p0(v | P)) / (N_k(P) + w),      s_k = (N_k + 1) / (N + K),

where N_k counts every row as often as the row belongs to part k: by its responsibility, s_k p_k(x) divided by the sum
over all parts. A network of all rows has BDeu's uniform prior, p0 = 1/r and w = a/q (`common.models.model_fit`); a part
has the network's tables of all rows as its prior, so that few rows say no more than they know. With the prior fixed,
every round raises

    sum over rows of ln p(x)  +  sum over parts and tables of w p0 ln theta  +  sum over parts of ln s_k,

the logarithm of the posterior density under Dirichlet priors with these numbers plus one.

A table has a row for each joint state of the parents that occurs; in all others the variable has p0, which is uniform
there. So no clique is too large. Validation rows are coded together with training rows, and weigh nothing.

Cost of a round: for each part and table, two passes over the distinct rows, without a search; the joint states of each
set of parents are numbered once and kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..common.models.bayesnet import BayesianNetwork
from ..common.models.empirical import Empirical
from ..common.models.sparse_cpt import SparseCPT, numbered_states
from .weights import mixture

KEPT = 256_000_000  # bytes of numbered joint states that are kept
SMALL = 64  # numbers of a full table that is written as it is
Parents = tuple[tuple[int, ...], ...]


class TrainValidRows:
    """Training rows and validation rows, with the joint states of sets of variables.

    Parameters
    ----------
    train : int32[n_train, n]
    valid : int32[n_valid, n]
    arity : int64[n]
    row_counts : float64[n_train]
        How many rows each training row stands for.

    Raises
    ------
    ValueError
        A cell is missing: -1 would be taken for another state.
    """

    def __init__(self, train: np.ndarray, valid: np.ndarray, arity: np.ndarray, row_counts: np.ndarray) -> None:
        self.codes = np.asfortranarray(np.concatenate([train, valid]))
        if (self.codes < 0).any():
            raise ValueError("a cell is not known")
        self.arity, self.row_counts = [int(r) for r in arity], np.asarray(row_counts, float)
        self.train, self.valid = slice(0, len(train)), slice(len(train), None)
        self._kept: OrderedDict[tuple[int, ...], tuple[np.ndarray, np.ndarray]] = OrderedDict()

    def states_of(self, members: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """The number of each row's joint state, int32[rows], and a row with each joint state, int64[q]."""
        found = self._kept.get(members)
        if found is None:
            found = numbered_states(self.codes[:, members], [self.arity[v] for v in members])
            self._kept[members] = found
            while len(self._kept) * 4 * len(self.codes) > KEPT and len(self._kept) > 1:
                self._kept.popitem(last=False)
        return found

    def counts(self, v: int, own_parents: tuple[int, ...], row_counts: np.ndarray) -> np.ndarray:
        """How many rows to learn from have each state of the parents and of v: float64[q, r]."""
        numbers, first = self.states_of(own_parents)
        r = self.arity[v]
        places = numbers[self.train].astype(np.int64) * r + self.codes[self.train, v]
        return np.bincount(places, row_counts, len(first) * r).reshape(-1, r)

    def table_of(self, v: int, own_parents: tuple[int, ...], table: np.ndarray) -> np.ndarray | SparseCPT:
        """A table by the states of the parents: in full if it is small or not much larger."""
        first = self.states_of(own_parents)[1]
        kept = first < self.train.stop  # elsewhere states are equally likely
        seen = SparseCPT(
            tuple(self.arity[u] for u in own_parents), self.codes[first[kept]][:, own_parents], table[kept]
        )
        return seen.full() if seen.cells <= max(SMALL, 2 * seen.probabilities.size) else seen

    def look_up(self, v: int, own_parents: tuple[int, ...], table: np.ndarray) -> np.ndarray:
        """The number of a table, float64[q, r], for each row: float64[rows]."""
        return table.ravel()[self.states_of(own_parents)[0].astype(np.int64) * self.arity[v] + self.codes[:, v]]


class TablePrior(NamedTuple):
    """The prior of a network's tables.

    weight : float
        Of each state of the parents, in rows.
    probabilities : float64[q, r] or float
    """

    weight: float
    probabilities: np.ndarray | float


@dataclass(frozen=True)
class Fitted:
    """A network with its tables.

    Attributes
    ----------
    parents
        Of each variable.
    tables : tuple of float64[q, r]
        By the joint states of the parents that `TrainValidRows` numbers; none of a network that was read.
    logs : float64[rows]
        Log probability of every training and validation row.
    read : BayesianNetwork, Empirical or None
        The model itself, if it was read from a file, or is of another kind.
    """

    parents: Parents
    tables: tuple[np.ndarray, ...]
    logs: np.ndarray
    read: BayesianNetwork | Empirical | None = None

    def network(self, rows: TrainValidRows, names: tuple[str, ...], states: tuple) -> BayesianNetwork | Empirical:
        """The network with its tables by the states of the parents."""
        if self.read is not None:
            return self.read
        tables = (rows.table_of(v, self.parents[v], table) for v, table in enumerate(self.tables))
        return BayesianNetwork(names, states, self.parents, tuple(tables))


def fitted(
    rows: TrainValidRows, parents: Parents, row_counts: np.ndarray, prior: Callable[[int], TablePrior]
) -> Fitted:
    """Fit the tables of a network.

    Parameters
    ----------
    parents
        Of each variable; acyclic.
    row_counts : float64[n_train]
        The weight of each row.
    prior
        Of the table of each variable.
    """
    logs, tables = np.zeros(len(rows.codes)), []
    for v, own_parents in enumerate(parents):
        counts, (weight, probabilities) = rows.counts(v, own_parents, row_counts), prior(v)
        table = (counts + weight * probabilities) / (counts.sum(axis=1, keepdims=True) + weight)
        logs += rows.look_up(v, own_parents, np.log(table))
        tables.append(table)
    return Fitted(parents, tuple(tables), logs)


def fit_on_all_rows(rows: TrainValidRows, parents: Parents, ess: float) -> Fitted:
    """The network of all rows, under BDeu's prior; `ess` is its equivalent sample size."""

    def prior(v: int) -> TablePrior:
        spread = sum(np.log(rows.arity[u]) for u in parents[v])
        return TablePrior(np.exp(max(np.log(ess) - spread, -690.0)), 1 / rows.arity[v])

    return fitted(rows, parents, rows.row_counts, prior)


def empirical_of(rows: TrainValidRows, names: tuple[str, ...], states: tuple) -> Fitted:
    """The empirical distribution of the rows to learn from."""
    numbers = rows.states_of(tuple(range(len(rows.arity))))[0]
    shares = rows.row_counts / rows.row_counts.sum()
    probabilities = np.bincount(numbers[rows.train], shares, numbers.max() + 1)
    first = np.unique(numbers[rows.train], return_index=True)[1]
    seen = Empirical(names, states, np.ascontiguousarray(rows.codes[first]), probabilities[numbers[first]])
    with np.errstate(divide="ignore"):
        return Fitted((), (), np.log(probabilities)[numbers], read=seen)


def with_tables(rows: TrainValidRows, parents: Parents, tables: Sequence[np.ndarray]) -> Fitted:
    """A network with tables of an earlier fit."""
    logs = np.zeros(len(rows.codes))
    for v, (own_parents, table) in enumerate(zip(parents, tables, strict=True)):
        logs += rows.look_up(v, own_parents, np.log(table))
    return Fitted(parents, tuple(tables), logs)


@dataclass(frozen=True)
class MixtureFit:
    """A mixture of networks.

    Attributes
    ----------
    networks : tuple of Fitted
    shares : float64[K]
        They sum to 1.
    """

    networks: tuple[Fitted, ...]
    shares: np.ndarray

    @property
    def joint(self) -> np.ndarray:
        """ln of share times probability: float64[K, rows]."""
        return np.array([network.logs for network in self.networks]) + np.log(self.shares)[:, None]

    @property
    def logs(self) -> np.ndarray:
        """Log probability of every training and validation row: float64[rows]."""
        return mixture(np.array([network.logs for network in self.networks]), self.shares)

    def responsibilities(self, rows: TrainValidRows) -> np.ndarray:
        """Responsibilities of the parts for each row to learn from: float64[K, n_train]."""
        joint = self.joint[:, rows.train]
        shares = np.exp(joint - joint.max(axis=0))
        return shares / shares.sum(axis=0)


class PartsFit:
    """Fits mixtures of given structures.

    Parameters
    ----------
    rows : TrainValidRows
    structures : sequence of Parents
        Of each part.
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
        of_all: dict[tuple[int, tuple[int, ...]], np.ndarray] = {}
        for parents in structures:
            if any((v, own_parents) not in of_all for v, own_parents in enumerate(parents)):
                tables = fit_on_all_rows(rows, parents, ess).tables
                of_all.update({(v, own_parents): tables[v] for v, own_parents in enumerate(parents)})
        self._of_all = of_all

    def fit(self, responsibilities: np.ndarray) -> MixtureFit:
        """The mixture for given responsibilities, float64[K, n_train]."""
        row_counts = responsibilities * self.rows.row_counts

        def network(k: int) -> Fitted:
            parents = self.structures[k]
            return fitted(
                self.rows, parents, row_counts[k], lambda v: TablePrior(self.weight, self._of_all[v, parents[v]])
            )

        networks = tuple(self.map(network, range(len(row_counts))))
        shares = (row_counts.sum(axis=1) + 1.0) / (row_counts.sum() + len(row_counts))
        return MixtureFit(networks, shares)

    def run(
        self, responsibilities: np.ndarray, rounds: int, may_go_on: Callable[[], bool] = lambda: True
    ) -> MixtureFit:
        """Rounds of expectation maximisation, at least one fit.

        Parameters
        ----------
        responsibilities : float64[K, n_train]
            Responsibilities to begin with.
        """
        parts = self.fit(responsibilities)
        for _ in range(rounds):
            if not may_go_on():
                break
            parts = self.fit(parts.responsibilities(self.rows))
        return parts
