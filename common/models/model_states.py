"""The states that a file declares, a file of states or a model: `--states FILE` takes both."""

from __future__ import annotations

from typing import Any

from ..data.declared import read_declared
from ..data.reading import Declared, Reading
from .model_file import looks_like_model, read_model


def declared_states(path: str) -> Declared:
    """The states of columns in a file, in order.

    Raises
    ------
    DataError
        Neither a file of states nor a model.
    """
    if not looks_like_model(path):
        return Declared(path, read_declared(path))
    model: Any = read_model(path)
    return Declared(path, dict(zip(model.names, model.states, strict=True)))


def with_declared(reading: Reading) -> Reading:
    """How a table is read, with the states that its file declares instead of the file's name."""
    states = reading.states
    return reading.reading(states=declared_states(states)) if isinstance(states, str) else reading
