"""The mixture in a network with its class as a variable, as it is written in formats that have no mixtures.

Parents on which the table of a class does not depend are left out.
"""

from __future__ import annotations

from ..errors import DataError
from .bayesnet import BayesianNetwork
from .mixture import Mixture


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
            own_parents = network.parents[v]
            table = network.tables[v].reshape([*(len(network.states[u]) for u in own_parents), -1])
            table = table.take(k, axis=own_parents.index(of_class))
            own_parents = [u for u in own_parents if u != of_class]
            for axis in range(len(own_parents) - 1, -1, -1):
                if (table == table.take([0], axis=axis)).all():
                    table = table.take(0, axis=axis)
                    own_parents = own_parents[:axis] + own_parents[axis + 1 :]
            parents.append(tuple(place[u] for u in own_parents))
            tables.append(table.reshape(-1, table.shape[-1]))
        names, states = (tuple(one[v] for v in others) for one in (network.names, network.states))
        networks.append(BayesianNetwork(names, states, tuple(parents), tuple(tables)))
    return Mixture(tuple(networks), network.tables[of_class][0], hidden)
