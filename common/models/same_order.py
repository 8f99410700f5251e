"""Data and models brought into the states and the order of another model."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.same_states import codes_of
from ..errors import DataError
from .bayesnet import BayesianNetwork

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..data.dataset import Dataset

LOG = logging.getLogger("cliquewise")


def data_in_order_of(data: Dataset, model: Any, only: bool = False) -> Dataset:
    """The same rows, with the variables and states of a model first, in its order.

    Parameters
    ----------
    data
    model
        With `names` and `states`; variables are matched by name, states by what they mean.
    only
        Whether columns that are not in the model are left out; the log names them.

    Returns
    -------
    Dataset or IncompleteData
        States that the model does not have come after its own; the log names them.
    """
    place = {name: v for v, name in enumerate(data.names)}
    labels_of = dict(zip(model.names, model.states, strict=True))
    order = [place[name] for name in model.names if name in place]
    others = [name for name in data.names if name not in labels_of]
    if only and others:
        LOG.info("%s: columns that are not in the model are left out: %s", data.source, ", ".join(others))
    order += [] if only else [place[name] for name in others]
    codes, states = data.codes[:, order].astype(np.int32, order="F"), []
    for i, v in enumerate(order):
        labels = list(labels_of.get(data.names[v], data.states[v]))
        recode, more = np.array([*codes_of(data.states[v], labels), -1]), []
        for k, label in enumerate(data.states[v]):
            if recode[k] < 0:
                recode[k] = len(labels)
                labels.append(label)
                more.append(label)
        if more:
            added = ", ".join(f"'{label}'" for label in more)
            LOG.warning("%s: column '%s': not a state of the model, added: %s", data.source, data.names[v], added)
        codes[:, i] = recode[codes[:, i]]  # a missing cell, -1, takes the last entry
        states.append(tuple(labels))
    names = tuple(data.names[v] for v in order)
    return replace(data, names=names, states=tuple(states), codes=codes)


def network_in_order_of(
    network: BayesianNetwork, data: Dataset, parents: Sequence[tuple[int, ...]], path: str
) -> BayesianNetwork:
    """The same network with its variables, states and parents in another order.

    Parameters
    ----------
    network
    data
        With the names and states in the order wanted.
    parents
        Of each variable.
    path
        Of the network, for messages.

    Raises
    ------
    DataError
        Other variables, states or parents.
    LimitError
        Full tables that are too large.
    """
    network = network.full()
    place = {name: v for v, name in enumerate(network.names)}
    if set(place) != set(data.names):
        (name, *_) = sorted(set(place) ^ set(data.names))
        raise DataError(f"its variables are not those of the graph: only one of them has '{name}'", path)
    tables = []
    for u, name in enumerate(data.names):
        v = place[name]
        own_parents = [network.names[w] for w in network.parents[v]]
        if set(own_parents) != {data.names[w] for w in parents[u]}:
            raise DataError(f"the parents of '{name}' are not those in the graph", path)
        family = [*own_parents, name]
        axes = [family.index(data.names[w]) for w in (*parents[u], u)]
        table = network.tables[v].reshape([len(network.states[place[one]]) for one in family]).transpose(axes)
        for axis, w in enumerate((*parents[u], u)):
            here = network.states[place[data.names[w]]]
            if set(here) != set(data.states[w]):
                (label, *_) = sorted(set(here) ^ set(data.states[w]))
                raise DataError(
                    f"the states of '{data.names[w]}' are not those of the data: only one has '{label}'", path
                )
            table = table.take([here.index(label) for label in data.states[w]], axis=axis)
        tables.append(table.reshape(-1, len(data.states[u])))
    return BayesianNetwork(tuple(data.names), tuple(data.states), tuple(map(tuple, parents)), tuple(tables))
