"""Data and models brought into the states and the order of another model."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.data.same_states import extended_states
from ..common.errors import DataError, abridged
from ..common.models.bayesnet import BayesianNetwork

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.data.dataset import Dataset

LOG = logging.getLogger("cliquewise")


def data_in_order_of(data: Dataset, model: Any, only: bool) -> Dataset:
    """The same rows, with the variables and states of a model first, in its order.

    Parameters
    ----------
    data
    model
        With `names` and `states`; variables are matched by name, states by meaning (`common.data.same_states`).
    only
        Whether columns that are not in the model are left out; the log names them.

    Returns
    -------
    Dataset or IncompleteData
        States that the model does not have are added after its own; the log names them.
    """
    place = {name: v for v, name in enumerate(data.names)}
    labels_of = dict(zip(model.names, model.states, strict=True))
    order = [place[name] for name in model.names if name in place]
    others = [name for name in data.names if name not in labels_of]
    if only and others:
        LOG.info("%s: columns that are not in the model are left out: %s", data.source, abridged(others))
    order += [] if only else [place[name] for name in others]
    codes = data.codes[:, order].astype(np.int32, order="F")
    states = []
    for i, v in enumerate(order):
        known = labels_of.get(data.names[v], data.states[v])
        labels, recode = extended_states(data.states[v], known)
        if len(labels) > len(known):
            added = abridged([f"'{label}'" for label in labels[len(known) :]])
            LOG.warning("%s: column '%s': not a state of the model, added: %s", data.source, data.names[v], added)
        codes[:, i] = np.array([*recode, -1], np.int32)[codes[:, i]]  # a missing cell stays one
        states.append(labels)
    names = tuple(data.names[v] for v in order)
    return replace(data, names=names, states=tuple(states), codes=codes)


def network_in_order_of(
    network: BayesianNetwork,
    other: Dataset | BayesianNetwork,
    path: str,
    other_name: str,
    parents: Sequence[tuple[int, ...]] | None = None,
) -> BayesianNetwork:
    """The same network with its variables, states and parents in another order.

    Parameters
    ----------
    network
    other
        With the names and states in the order wanted.
    path, other_name
        Names of the network and the other in messages.
    parents
        Of each variable, in the order wanted; None: as the network has them.

    Raises
    ------
    DataError
        Other variables, states or parents.
    LimitError
        Full tables that are too large.
    """
    network = network.full()
    place = {name: v for v, name in enumerate(network.names)}
    if set(place) != set(other.names):
        (name, *_) = sorted(set(place) ^ set(other.names))
        raise DataError(f"the variables are not those of {other_name}: only one has '{name}'", path)
    if parents is None:
        number = {name: u for u, name in enumerate(other.names)}
        parents = [tuple(number[network.names[w]] for w in network.parents[place[name]]) for name in other.names]
    tables = []
    for u, name in enumerate(other.names):
        v = place[name]
        own_parents = [network.names[w] for w in network.parents[v]]
        if set(own_parents) != {other.names[w] for w in parents[u]}:
            raise DataError(f"the parents of '{name}' are not those in the graph", path)
        family = [*own_parents, name]
        axes = [family.index(other.names[w]) for w in (*parents[u], u)]
        table = network.tables[v].reshape([len(network.states[place[one]]) for one in family]).transpose(axes)
        for axis, w in enumerate((*parents[u], u)):
            states = network.states[place[other.names[w]]]
            if set(states) != set(other.states[w]):
                (label, *_) = sorted(set(states) ^ set(other.states[w]))
                what = f"variable '{other.names[w]}': the states"
                raise DataError(f"{what} are not those of {other_name}: only one has '{label}'", path)
            table = table.take([states.index(label) for label in other.states[w]], axis=axis)
        tables.append(table.reshape(-1, len(other.states[u])))
    return BayesianNetwork(tuple(other.names), tuple(other.states), tuple(map(tuple, parents)), tuple(tables))
