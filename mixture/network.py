"""A mixture as one Bayesian network, in which its class is a parent of every variable: for other programs.

The networks of a mixture have arcs in different directions, which together form cycles. So all are directed along one
order: that of an elimination of the union of their moral graphs, by min-fill, reversed. Eliminating the moral graph of
each network in this order gives the earlier variables on which each one depends (Verma and Pearl 1990). These are its
parents, with the probabilities of exact inference; the parents of a variable are those in any of the networks, and the
class.

Cost: a query to each network for each joint state of the parents; the tables have that many rows for each class.
"""

from __future__ import annotations

import math

import numpy as np

from ..common.counted import power_of_ten
from ..common.errors import LimitError
from ..common.graphs.graph import Graph
from ..common.graphs.greedy_elimination import min_fill_order
from ..common.graphs.treewidth import later_neighbours
from ..common.models.bayesnet import CELL_BYTES, MAX_CELLS, BayesianNetwork
from ..common.models.empirical import Empirical
from ..common.models.mixture import Mixture
from ..common.run.resources import check_fits
from ..common.sets.joint_states import joint_state_numbers, joint_states


def as_network(mixture: Mixture) -> BayesianNetwork:
    """The same distribution as one network, with the class as the last variable and the first parent of all others.

    Raises
    ------
    LimitError
        Its tables would have more than `MAX_CELLS` numbers.
    """
    hidden = mixture.n - 1
    arity = [len(labels) for labels in mixture.states]
    graphs = [network.moral_graph() for network in mixture.networks]
    union = Graph(hidden, tuple(sorted({edge for graph in graphs for edge in graph.edges})))
    order = min_fill_order(union)
    network_parents = [list(map(sorted, later_neighbours(graph, order))) for graph in graphs]
    joint_parents = [sorted(set().union(*(parents[v] for parents in network_parents))) for v in range(hidden)]
    cells = sum(math.prod(arity[u] for u in (hidden, v, *joined)) for v, joined in enumerate(joint_parents))
    if cells > MAX_CELLS:
        size = f"{power_of_ten(cells)} numbers, at most {MAX_CELLS}"
        has_rows = any(isinstance(network, Empirical) for network in mixture.networks)
        advice = "learn it with --no-empirical" if has_rows else "use JSON"
        raise LimitError(f"as one network with the class as a variable the mixture has tables of {size}; {advice}")
    check_fits(CELL_BYTES * cells, None, f"tables of {cells} numbers", "bound the cliques")
    tables = [
        np.concatenate([
            _table(network, v, parents[v], joined)
            for network, parents in zip(mixture.networks, network_parents, strict=True)
        ])
        for v, joined in enumerate(joint_parents)
    ]  # fmt: skip
    parents = (*((hidden, *joined) for joined in joint_parents), ())
    return BayesianNetwork(mixture.names, mixture.states, parents, (*tables, mixture.weights[None, :]))


def _table(network: BayesianNetwork | Empirical, v: int, own: list[int], joined: list[int]) -> np.ndarray:
    """p(v | own) for every joint state of `joined`, which contains them, the last changing fastest: float64[q, r]."""
    arity = [len(labels) for labels in network.states]
    codes = np.full((math.prod(arity[u] for u in own), network.n), -1, np.int32)
    codes[:, own] = joint_states([arity[u] for u in own])
    table = network.posterior(codes, (v,))[1]
    table[np.isnan(table).any(axis=1)] = 1 / arity[v]
    joint = joint_states([arity[u] for u in joined])[:, [joined.index(u) for u in own]]
    return table[joint_state_numbers(joint.T, [arity[u] for u in own], len(joint))]
