"""A discrete Bayesian network: its record, exact samples and its moral graph."""

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

import numpy as np

from cliquewise.common.data.states import ordered_dataset
from cliquewise.common.graphs.graph import Graph


@dataclass(frozen=True)
class BayesianNetwork:
    """A directed acyclic graph with a conditional distribution at each vertex.

    Attributes
    ----------
    names : tuple of str, length n
        Of the variables, all different.
    states : tuple of tuple of str
        Labels of each variable's states.
    parents : tuple of tuple of int
        Of each variable, in the order in which its table counts them.
    tables : tuple of float64[q, r]
        Row: the parents' joint state, the last parent changing fastest; column: the variable's state. Rows
        sum to 1.
    """

    names: tuple
    states: tuple
    parents: tuple
    tables: tuple

    @property
    def n(self):
        """Number of variables."""
        return len(self.names)

    def order(self):
        """The variables with parents first; ValueError with a cycle, as a list of int, if there is none."""
        try:
            return list(TopologicalSorter(dict(enumerate(self.parents))).static_order())
        except CycleError as error:
            raise ValueError(error.args[1][:-1]) from None

    def moral_graph(self):
        """The Graph in which each variable and its parents are a clique: the true edges for a Markov network."""
        families = [(v, *parents) for v, parents in enumerate(self.parents)]
        return Graph.from_cliques(self.n, families, self.names)

    def sample(self, rows, rng):
        """Draw independent rows, parents before children.

        Parameters
        ----------
        rows : int
            At least 1.
        rng : np.random.Generator

        Returns
        -------
        Dataset
            As in any data, only states that occur count.
        """
        codes = np.empty((rows, self.n), dtype=np.int32, order="F")
        for v in self.order():
            config = np.zeros(rows, dtype=np.int64)
            for parent in self.parents[v]:
                config = config * len(self.states[parent]) + codes[:, parent]
            codes[:, v] = _draw(self.tables[v], config, rng.random(rows))
        return ordered_dataset(self.names, self.states, codes)


def _draw(table, config, uniform):
    """The first state whose cumulative probability exceeds a number from [0, 1); never one of probability 0."""
    cumulative = np.cumsum(table, axis=1)
    cumulative /= cumulative[:, -1:]  # so that the last state with a chance ends at exactly 1
    state = np.zeros(len(config), dtype=np.int32)
    for k in range(table.shape[1] - 1):
        state += uniform >= cumulative[config, k]
    return state
