"""A mixture of Bayesian networks: a model with a hidden class, which no row of data has.

p(x, k) = w_k p_k(x), so that p(x) is the sum over the classes k. All networks have the same variables and states, each
its own parents. The class is the last variable of the model, so it can be asked for and given like any other.

One of the networks can be an empirical distribution, with the rows that were seen (`common.models.empirical`).

A mixture is also one Bayesian network, in which the class is a parent of every variable (`mnmodel.mixture_network`).
In formats that have no mixtures it is written as that; `mixture_of` takes it apart again, without the parents on which
the table of a class does not depend.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.dataset import Dataset
from ..data.states import ordered_dataset
from ..errors import DataError
from ..graphs.graph import Graph
from .bayesnet import BayesianNetwork
from .empirical import Empirical

HIDDEN = "class"  # usual name of the variable, and the key of the header line that has the name


@dataclass(frozen=True)
class Mixture:
    """Bayesian networks with weights.

    Attributes
    ----------
    networks : tuple of BayesianNetwork or Empirical
        Of the same variables and states.
    weights : float64[K]
        They sum to 1.
    hidden : str
        Name of the class, not that of a variable.
    """

    networks: tuple[BayesianNetwork | Empirical, ...]
    weights: np.ndarray
    hidden: str = HIDDEN

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, and the class."""
        return (*self.networks[0].names, self.hidden)

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """Labels of the states; the classes are numbered from 1."""
        return (*self.networks[0].states, tuple(str(k + 1) for k in range(len(self.networks))))

    @property
    def n(self) -> int:
        """Number of variables, with the class."""
        return self.networks[0].n + 1

    def moral_graph(self) -> Graph:
        """The Graph of all edges that the moral graph of some network has, with the class joined to all variables."""
        edges = {edge for network in self.networks for edge in network.moral_graph().edges}
        edges |= {(v, self.n - 1) for v in range(self.n - 1)}
        return Graph(self.n, tuple(sorted(edges)), self.names)

    def sample(self, rows: int, rng: np.random.Generator) -> Dataset:
        """Draw independent rows, without the class."""
        which = rng.choice(len(self.weights), rows, p=self.weights)
        codes = np.empty((rows, self.n - 1), np.int32, order="F")
        for k in range(len(self.weights)):
            codes[which == k] = self.networks[k].draw(int((which == k).sum()), rng)
        return ordered_dataset(self.names[:-1], self.states[:-1], codes, markers=())


def networks_in(model: BayesianNetwork | Mixture) -> tuple[BayesianNetwork | Empirical, ...]:
    """The networks of a mixture, or a network by itself."""
    return model.networks if isinstance(model, Mixture) else (model,)


def mixture_of(network: BayesianNetwork, hidden: str, path: str) -> Mixture:
    """The mixture in a network with its class as a variable.

    Parameters
    ----------
    hidden
        Name of its class.
    path
        For messages.

    Raises
    ------
    DataError
        No such variable, or one that is not the parent of all others.
    """
    if hidden not in network.names:
        raise DataError(f"its header names a hidden class '{hidden}', but there is no such variable", path)
    of_class = network.names.index(hidden)
    others = [v for v in range(network.n) if v != of_class]
    if network.parents[of_class] or any(of_class not in network.parents[v] for v in others):
        raise DataError(f"its hidden class '{hidden}' is not a parent of all other variables", path)
    place = {v: i for i, v in enumerate(others)}
    networks = []
    for k in range(len(network.states[of_class])):
        parents, tables = [], []
        for v in others:
            above = network.parents[v]
            table = network.tables[v].reshape([*(len(network.states[u]) for u in above), -1])
            table, above = table.take(k, axis=above.index(of_class)), [u for u in above if u != of_class]
            for axis in range(len(above) - 1, -1, -1):
                if (table == table.take([0], axis=axis)).all():
                    table, above = table.take(0, axis=axis), above[:axis] + above[axis + 1 :]
            parents.append(tuple(place[u] for u in above))
            tables.append(table.reshape(-1, table.shape[-1]))
        names, states = (tuple(one[v] for v in others) for one in (network.names, network.states))
        networks.append(BayesianNetwork(names, states, tuple(parents), tuple(tables)))
    return Mixture(tuple(networks), network.tables[of_class][0], hidden)
