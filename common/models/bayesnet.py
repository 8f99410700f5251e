"""A discrete Bayesian network: its record, exact samples and its moral graph."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import numpy as np

from ..counted import counted, power_of_ten
from ..errors import DataError, LimitError
from ..graphs.graph import Graph
from ..junction.model import TreeModel
from ..run.resources import check_fits
from ..sets.joint_states import joint_state_numbers
from .appearance import Appearance
from .probabilities import normalised_table, proper_table
from .sparse_cpt import SparseCPT

if TYPE_CHECKING:
    from ..data.dataset import Dataset

MAX_CELLS = 10**7  # limit for all full tables of a network
MAX_STATES = 10**6  # of a variable whose states a file counts without naming them
CELL_BYTES = 32  # bytes of a number, with the working arrays
_MAX_AXES = 63  # of numpy's arrays, less the axis of the rows


@dataclass(frozen=True, eq=False)
class BayesianNetwork(TreeModel):
    """A directed acyclic graph with a conditional distribution at each vertex.

    Attributes
    ----------
    names : tuple of str, length n
        Of the variables, all different.
    states : tuple of tuple of str
        Labels of each variable's states.
    parents : tuple of tuple of int
        Of each variable, in the order used by its table.
    tables : tuple of float64[q, r] or SparseCPT
        Row: the parents' joint state, the last parent changing fastest; column: the variable's state. Rows
        sum to 1.
    log_partition : float
        Natural logarithm of the sum of the product of the factors, in all states, of the Markov network that it is
        made from; 0 of others.
    appearances : tuple of Appearance, or None
        How its file shows the variables.
    """

    names: tuple
    states: tuple
    parents: tuple
    tables: tuple
    log_partition: float = 0.0
    appearances: tuple[Appearance, ...] | None = None

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.names)

    def shown_as(self, by_name: Mapping[str, Appearance]) -> BayesianNetwork:
        """The same network with how its variables are shown; unchanged if nothing is known of any of them."""
        listed = tuple(by_name.get(name, Appearance()) for name in self.names)
        return self if all(one == Appearance() for one in listed) else replace(self, appearances=listed)

    @property
    def positions(self) -> np.ndarray | None:
        """Where its file places the variables, float64[n, 2], y upwards; None if it does not place all of them."""
        places = [one.position for one in self.appearances or ()]
        return np.array(places, float) if places and None not in places else None

    @property
    def titles(self) -> tuple[str, ...] | None:
        """The titles of the variables in its file, names where there is no title; None if there is no title at all."""
        if not any(one.title for one in self.appearances or ()):
            return None
        return tuple(one.title or name for name, one in zip(self.names, self.appearances or (), strict=True))

    def order(self) -> list[int]:
        """A topological order of the variables; graphlib's CycleError if there is none."""
        return list(TopologicalSorter(dict(enumerate(self.parents))).static_order())

    def moral_graph(self) -> Graph:
        """The Graph in which each variable and its parents are a clique: the true edges for a Markov network."""
        families = [(v, *parents) for v, parents in enumerate(self.parents)]
        return Graph.from_cliques(self.n, families, self.names)

    def probability(self, v: int, codes: np.ndarray) -> np.ndarray:
        """As for `common.junction.evidence.ParentNetwork`."""
        table = self.tables[v]
        if isinstance(table, SparseCPT):
            return table.rows(codes[:, 1:])[np.arange(len(codes)), codes[:, 0]]
        return table[self._row(v, codes[:, 1:]), codes[:, 0]]

    def family(self, v: int) -> np.ndarray | None:
        """As `ParentNetwork.family`: a view of the table; None also if only states that were seen are kept."""
        table = self.tables[v]
        arity = [len(self.states[u]) for u in self.parents[v]]
        if isinstance(table, SparseCPT) or len(arity) + 1 > _MAX_AXES:
            return None
        return np.moveaxis(table.reshape(*arity, -1), -1, 0)

    def full(self) -> BayesianNetwork:
        """The same network with full tables only.

        Raises
        ------
        LimitError
            They would have more than `MAX_CELLS` numbers, or do not fit into memory.
        """
        seen = [table for table in self.tables if isinstance(table, SparseCPT)]
        if not seen:
            return self
        cells = sum(table.cells if isinstance(table, SparseCPT) else table.size for table in self.tables)
        if cells > MAX_CELLS:
            raise LimitError(
                f"full tables would have {power_of_ten(cells)} numbers, at most {MAX_CELLS}; in JSON only "
                "the states that were seen are written; or bound the cliques"
            )
        check_fits(CELL_BYTES * cells, None, f"tables of {cells} numbers", "bound the cliques")
        tables = tuple(table.full() if isinstance(table, SparseCPT) else table for table in self.tables)
        return replace(self, tables=tables)

    def _row(self, v: int, codes: np.ndarray) -> np.ndarray:
        """The row of a variable's table for states of its parents (int[rows, parents]): int64[rows]."""
        return joint_state_numbers(codes.T, [len(self.states[u]) for u in self.parents[v]], len(codes))

    def sample(self, rows: int, rng: np.random.Generator) -> Dataset:
        """Draw independent rows, parents before children.

        Parameters
        ----------
        rows
            At least 1.

        Returns
        -------
        Dataset
            As in other data, only states that occur are kept.
        """
        from ..data.states import NO_MARKERS, ordered_dataset

        return ordered_dataset(self.names, self.states, self.draw(rows, rng), declared=NO_MARKERS)

    def draw(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """As `sample`, without the record: int32[rows, n]."""
        codes = np.empty((rows, self.n), dtype=np.int32, order="F")
        for v in self.order():
            table = self.tables[v]
            own_parents = codes[:, list(self.parents[v])]
            if isinstance(table, SparseCPT):
                table, row = table.rows(own_parents), np.arange(rows)
            else:
                row = self._row(v, own_parents)
            codes[:, v] = _draw(table, row, rng.random(rows))
        return codes


def checked_network(
    names: Sequence[str],
    states: Sequence[Sequence[str]],
    parents: Sequence[Sequence[str]],
    tables: Sequence[np.ndarray | SparseCPT],
    path: str,
    normalise: bool = False,
) -> BayesianNetwork:
    """A Bayesian network from the content of a file, or the reason why it is not valid.

    Parameters
    ----------
    parents
        By name.
    tables : sequence of float64[q * r], float64[q, r] or SparseCPT
        As in `BayesianNetwork`; rows whose sum differs from 1 a little are scaled (`common.models.probabilities`).
    path
        For messages.
    normalise
        Whether numbers may be counts or weights.

    Raises
    ------
    DataError
        A repeated name or state, an unknown parent, a cycle, tables of the wrong size, numbers that are not
        probabilities.
    """
    check_names(names, states, path)
    number = {name: v for v, name in enumerate(names)}
    for name, own_parents in zip(names, parents, strict=True):
        unknown = [parent for parent in own_parents if parent not in number]
        if unknown or len({name, *own_parents}) <= len(own_parents):
            what = f"an unknown parent '{unknown[0]}'" if unknown else "itself as a parent, or a parent twice"
            raise DataError(f"variable '{name}' has {what}", path)
    numbered = tuple(tuple(number[parent] for parent in own_parents) for own_parents in parents)
    shaped = []
    for v, given in enumerate(tables):
        table = np.asarray(given.probabilities if isinstance(given, SparseCPT) else given, dtype=np.float64)
        q = len(table) if isinstance(given, SparseCPT) else math.prod(len(states[parent]) for parent in numbered[v])
        shape = (q, len(states[v]))
        if table.size != shape[0] * shape[1]:
            expected = f"expected {shape[0]} times {shape[1]}"
            raise DataError(f"{counted(table.size, 'probability', 'probabilities')} for '{names[v]}', {expected}", path)
        rows = [] if isinstance(given, SparseCPT) else [(names[u], states[u]) for u in numbered[v]]
        table = (normalised_table if normalise else proper_table)(table.reshape(shape), path, names[v], rows)
        shaped.append(replace(given, probabilities=table) if isinstance(given, SparseCPT) else table)
    network = BayesianNetwork(tuple(names), tuple(map(tuple, states)), numbered, tuple(shaped))
    check_acyclic(network, path)
    return network


def check_names(names: Sequence[str], states: Sequence[Sequence[str]], path: str) -> None:
    """DataError if there are no variables, a variable has no states, or two of them have the same name."""
    if not names or len(set(names)) < len(names):
        raise DataError("no variables, or two of the same name", path)
    for name, labels in zip(names, states, strict=True):
        if not labels or len(set(labels)) < len(labels):
            raise DataError(f"variable '{name}' has no states, or two of the same name", path)


def check_acyclic(network: BayesianNetwork, path: str) -> None:
    """DataError with the cycle, if there is one."""
    try:
        network.order()
    except CycleError as error:
        circle = ", ".join(network.names[v] for v in error.args[1][:-1])
        raise DataError(f"the arcs form a cycle: {circle}", path) from None


def _draw(table: np.ndarray, config: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """The first state whose cumulative probability exceeds a number from [0, 1); never a state of probability 0."""
    cumulative = np.cumsum(table, axis=1)
    cumulative /= cumulative[:, -1:]  # so that the last possible state ends at exactly 1
    state = np.zeros(len(config), dtype=np.int32)
    for k in range(table.shape[1] - 1):
        state += uniform >= cumulative[config, k]
    return state
