"""Interventions: the network in which some variables are set from outside, by graph surgery (Pearl 2009, section 3.2).

The variables that are set lose their parents and have one possible state; all other tables stay. This is the truncated
factorisation p(x | do(x_S)) = product over v outside S of p(x_v | parents of v), for x that agree with x_S. It needs
arcs that are causes: those of a network that was fitted to an undirected one are only those of a perfect order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..common.models.bayesnet import BayesianNetwork

UNDIRECTED = "fitted to an undirected network, so its directions are those of a perfect order"
NEED_CAUSES = "interventions need arcs that are causes"


def mutilated_network(network: BayesianNetwork, states: Mapping[int, int]) -> BayesianNetwork:
    """The mutilated network: that after an intervention.

    Parameters
    ----------
    states : dict of int to int
        By variable, the state that it is set to.
    """
    parents, tables = list(network.parents), list(network.tables)
    for v, k in states.items():
        parents[v] = ()
        tables[v] = np.eye(len(network.states[v]))[[k]]
    return replace(network, parents=tuple(parents), tables=tuple(tables))
