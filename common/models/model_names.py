"""Variables and states of a model by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..data.reading import MISSING
from ..data.same_states import codes_of
from ..errors import DataError, abridged, nearest

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from .bayesnet import BayesianNetwork
    from .mixture import Mixture
    from .model_fit import FittedNetwork

    Network = BayesianNetwork | FittedNetwork | Mixture | Dataset  # of a Dataset, its variables and states


def variables_of(known: Sequence[str], names: Sequence[str], path: str, use: str = "queried") -> tuple[int, ...]:
    """The numbers of some variables.

    Parameters
    ----------
    known
        The names of all.
    names
    path
        The model's file, for messages.
    use
        The use of the names, for messages.

    Raises
    ------
    DataError
        A name that is unknown or repeated.
    """
    number = {name: v for v, name in enumerate(known)}
    for i, name in enumerate(names):
        if name not in number:
            message = f"no variable '{name}'; its variables are {abridged(known)}{nearest(name, known)}"
            raise DataError(message, path)
        if name in names[:i]:
            raise DataError(f"variable '{name}' is {use} twice", path)
    return tuple(number[name] for name in names)


def state_of(network: Network, v: int, label: str, path: str) -> int:
    """The code of the state of a variable that a label means (`common.data.same_states`).

    Parameters
    ----------
    path
        The model's file, for messages.

    Raises
    ------
    DataError
        The variable has no such state.
    """
    states = network.states[v]
    (code,) = codes_of([label], states)
    if code < 0 or (label in MISSING and label != states[code]):
        known = f"its states are {abridged(states)}{nearest(label, states)}"
        raise DataError(f"variable '{network.names[v]}' has no state '{label}'; {known}", path)
    return code
