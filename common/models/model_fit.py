"""A network's parameters from data: posterior mean, relative frequencies, or sequential NML, as fits its score.

A chordal network has a perfect order, in which the earlier neighbours of every variable are complete. Directed along
this order, the network is a Bayesian network with the same independences, in which the parents of v are its earlier
neighbours. So only one kind of model is fitted: a Bayesian network given by parent sets.

BDeu distributes a prior of weight a evenly over the q joint states of any set of variables, and a state x with count
N_x of N rows has the posterior mean (N_x + a/q) / (N + a). The means of two cliques agree on their separator, since
both sums over the other variables give (N_s + a/q_s) / (N + a). So the joint distribution of posterior means is the
product over cliques divided by the product over separators, in closed form, and in a perfect order, with r states of v
and q joint states of its parents P,

    p(v | P) = (N_{v,P} + a/(q r)) / (N_P + a/q),

which is also the posterior mean of a family of any Bayesian network under BDeu. Relative frequencies are a = 0; if no
row has a state of the parents, v is uniform. If the parents are complete this changes no probability: the state of the
parents itself then has frequency zero.

qNML has no prior, and a network scored by it is fitted by factorised sequential NML (Silander, Roos and Myllymaki
2010), which has none either: v has state k with a probability proportional to the largest likelihood of the rows in
this state of the parents and one more with state k,

    p(v = k | P)  ~  (N_{k,P} + 1) ((N_{k,P} + 1) / N_{k,P})^N_{k,P},

uniform if there is no such row. It is no quotient of clique distributions: another perfect order gives slightly other
probabilities. The order here is that of `parents_of_chordal`.

Only joint states that occur are stored, so that no clique is too large: other states have N = 0. Keys of
joint states are built from as many columns at a time as fit into 62 bits, and then replaced by their ranks.

Cost: sorting the rows per family; a binary search per lookup. The full tables in files have one number per joint state,
and their size is limited.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..counted import power_of_ten
from ..errors import DataError, LimitError
from ..junction.model import TreeModel
from ..run.resources import check_fits
from ..sets.joint_states import KEY_LIMIT, joint_state_numbers
from .bayesnet import CELL_BYTES, MAX_CELLS, BayesianNetwork

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..files.graphfile import GraphFile
    from ..graphs.graph import Graph


@dataclass(frozen=True, eq=False)
class FittedNetwork(TreeModel):
    """A Bayesian network with counts instead of tables.

    Attributes
    ----------
    names, states, parents
        As in `BayesianNetwork`.
    counts
        Of each variable's parents, in order, with the variable last.
    ess
        Weight a of the prior; 0 for relative frequencies.
    sequential
        Whether it is fitted by sequential NML, without a weight or prior.
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    parents: tuple[tuple[int, ...], ...]
    counts: tuple[JointCounts, ...]
    ess: float
    sequential: bool = False

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.names)

    def probability(self, v: int, codes: np.ndarray) -> np.ndarray:
        """As for `common.junction.evidence.ParentNetwork`."""
        if self.sequential:
            states = range(len(self.states[v]))
            every = [self.counts[v].find(np.column_stack([codes[:, 1:], np.full(len(codes), k)]))[0] for k in states]
            return _sequential(np.column_stack(every))[np.arange(len(codes)), codes[:, 0]]
        family_counts, parent_counts = self.counts[v].find(np.roll(codes, -1, axis=1))
        return self._mean(v, family_counts, parent_counts)

    def count_table(self, v: int) -> np.ndarray:
        """Counts of all joint states of a variable and its parents.

        Returns
        -------
        float64[parent states, states]
        """
        shape = [len(self.states[u]) for u in (*self.parents[v], v)]
        cell = np.zeros(math.prod(shape))
        codes, counts = self.counts[v].listed()
        cell[joint_state_numbers(codes.T, shape, len(codes))] = counts
        return cell.reshape(-1, shape[-1])

    def tables(self) -> BayesianNetwork:
        """The same network with full tables.

        Raises
        ------
        LimitError
            They would have more than `MAX_CELLS` numbers, or do not fit into memory.
        """
        self.check_tables(", or use mnmodel loglik DATA GRAPH TEST, which needs no tables")
        tables = []
        for v in range(self.n):
            together = self.count_table(v)
            if self.sequential:
                tables.append(_sequential(together))
            else:
                tables.append(self._mean(v, together, together.sum(axis=1, keepdims=True)))
        return BayesianNetwork(self.names, self.states, self.parents, tuple(tables))

    def check_tables(self, instead: str = "") -> None:
        """Refuse full tables that are too large.

        Parameters
        ----------
        instead
            What else the user can do than bound the cliques.

        Raises
        ------
        LimitError
            As `tables`.
        """
        arity = [len(labels) for labels in self.states]
        cells = [arity[v] * math.prod(arity[u] for u in own_parents) for v, own_parents in enumerate(self.parents)]
        if sum(cells) > MAX_CELLS:
            v = max(range(self.n), key=cells.__getitem__)
            largest = f"'{self.names[v]}' with {len(self.parents[v])} parents alone {power_of_ten(cells[v])}"
            raise LimitError(
                f"the tables of the network would have {power_of_ten(sum(cells))} numbers ({largest}), "
                f"at most {MAX_CELLS}; bound the cliques{instead}"
            )
        check_fits(CELL_BYTES * sum(cells), None, f"tables of {sum(cells)} numbers", "bound the cliques")

    def _mean(self, v: int, family_counts: np.ndarray, parent_counts: np.ndarray) -> np.ndarray:
        """The formulas of the module docstring, for arrays of counts."""
        r = len(self.states[v])
        spread = math.prod(len(self.states[parent]) for parent in self.parents[v])
        # q may be too large for a float; only its reciprocal is needed, and that it is not 0
        weight = math.exp(max(math.log(self.ess) - math.log(spread), -690.0)) if self.ess else 0.0
        if weight:
            return (family_counts + weight / r) / (parent_counts + weight)
        return np.where(parent_counts > 0, family_counts / np.where(parent_counts > 0, parent_counts, 1), 1 / r)


def _sequential(counts: np.ndarray) -> np.ndarray:
    """Predictions of sequential NML from the counts of the states, float64[rows, r]; rows sum to 1."""
    likely = (counts + 1.0) * np.exp(counts * np.log1p(1.0 / np.maximum(counts, 1e-300)))
    return likely / likely.sum(axis=1, keepdims=True)


class JointCounts:
    """Number of rows in each occurring joint state of some columns.

    Parameters
    ----------
    codes : int[rows, k]
    arity : sequence of int, length k
    row_counts : int64 or float64[rows], optional
        How many rows each one stands for.
    """

    def __init__(
        self, codes: np.ndarray, arity: Sequence[int] | np.ndarray, row_counts: np.ndarray | None = None
    ) -> None:
        self.rows = len(codes) if row_counts is None else row_counts.sum()
        self.arity = tuple(map(int, arity))
        self._first = np.zeros((0, codes.shape[1]), dtype=codes.dtype)
        self._steps: list[tuple[slice, np.ndarray, np.ndarray]] = []  # columns, keys in ascending order, rows of each
        ids, start = np.zeros(len(codes), dtype=np.int64), 0
        last = len(self.arity) - 1  # a separate step, since the counts without it are also needed
        while start <= last:
            stop = start + 1
            cells = (len(self._steps[-1][1]) if self._steps else 1) * self.arity[start]
            while stop < last and cells * self.arity[stop] < KEY_LIMIT:
                cells *= self.arity[stop]
                stop += 1
            keys = self._keys(ids, codes, start, stop)
            kept, first, ids, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
            if row_counts is not None:
                counts = np.bincount(ids, row_counts).astype(row_counts.dtype)
            self._steps.append((slice(start, stop), kept, counts))
            self._first = codes[first]
            start = stop

    def _keys(self, ids: np.ndarray, codes: np.ndarray, start: int, stop: int) -> np.ndarray:
        """A number for the joint state of columns 0 .. stop - 1, given that of the columns before start."""
        for v in range(start, stop):
            ids = ids * self.arity[v] + codes[:, v]
        return ids

    def find(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Number of rows in given joint states, and in these without their last column.

        Parameters
        ----------
        codes : int[m, k]

        Returns
        -------
        (int64[m], int64[m])
            Or float64, as `row_counts`.
        """
        ids = np.zeros(len(codes), dtype=np.int64)
        found = [np.full(len(codes), self.rows)]
        for columns, kept, counts in self._steps:
            keys = self._keys(ids, codes, columns.start, columns.stop)
            ids = np.searchsorted(kept, keys)
            missing = np.append(kept, -1)[ids] != keys
            found.append(np.where(missing, 0, np.append(counts, 0)[ids]))
            ids[missing] = -1  # also for its extensions, whose keys are negative
        return found[-1], found[-2]

    def listed(self) -> tuple[np.ndarray, np.ndarray]:
        """The joint states that occur, int[m, k], and the rows in each, int64[m]."""
        return self._first, self._steps[-1][2]


def fit(data: Dataset, parents: Sequence[tuple[int, ...]], ess: float, sequential: bool = False) -> FittedNetwork:
    """Fit a Bayesian network: each probability is its posterior mean under the prior of BDeu by default.

    Parameters
    ----------
    parents
        Of each variable; acyclic.
    ess
        Equivalent sample size a, or 0 for relative frequencies.
    sequential
        Sequential NML, regardless of `ess`.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 0], [1, 1], [1, 0]], dtype=np.int32)
    >>> from cliquewise.common.data.dataset import Dataset
    >>> network = fit(Dataset(("a", "b"), (("n", "y"), ("n", "y")), codes), ((), (0,)), 4)
    >>> network.tables().tables[1].tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    families = [(*own_parents, v) for v, own_parents in enumerate(parents)]
    row_counts = None if data.counts is None else data.weights
    counts = tuple(JointCounts(data.codes[:, family], data.arity[list(family)], row_counts) for family in families)
    return FittedNetwork(data.names, data.states, tuple(map(tuple, parents)), counts, ess, sequential)


def parents_of(file: GraphFile) -> tuple[tuple[int, ...], ...]:
    """The parent sets for fitting a graph.

    Returns
    -------
    tuple of tuple of int
        The parents in a directed graph; the earlier neighbours in a perfect order of a chordal graph.

    Raises
    ------
    DataError
        Neither acyclic nor chordal, or edges with probabilities.
    """
    file.check_acyclic()
    if file.dag is not None:
        return tuple(file.dag.parents())
    from ..graphs.chordal import is_chordal

    if not is_chordal(file.graph):
        advice = "make a chordal cover of it with mntools convert --chordal"
        raise DataError(f"not chordal, so it has no closed form; {advice}", file.path)
    return parents_of_chordal(file.graph)


def parents_of_chordal(graph: Graph) -> tuple[tuple[int, ...], ...]:
    """Of each vertex of a chordal graph the earlier neighbours in a perfect order: tuple of tuple of int."""
    from ..graphs.chordal import perfect_elimination_order

    place = {v: i for i, v in enumerate(reversed(perfect_elimination_order(graph)))}
    around = graph.neighbours()
    return tuple(tuple(sorted(u for u in around[v] if place[u] < place[v])) for v in range(graph.n))
