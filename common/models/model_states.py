"""The states that a file declares, a file of states or a model: `--states FILE` takes both."""

from __future__ import annotations

from typing import Any

from ..data.declared import read_declared, states_digest
from ..data.reading import Declared, Reading
from ..errors import DataError, UsageError
from ..files.header_words import STATES
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


def check_states(states: str | Declared | None, header: dict[str, str], path: str, advice: str) -> None:
    """Refuse to read data without the states that were declared when a graph was learned from them.

    Parameters
    ----------
    states
        With which the data are read: a file, or its content.
    header, path
        Of the graph.
    advice
        How to give them.

    Raises
    ------
    UsageError
        There are none.
    DataError
        Others.
    """
    if STATES not in header:
        return
    if states is None:
        raise UsageError(f"{path} was learned with declared states, which count in its score; {advice}")
    declared = states if isinstance(states, Declared) else declared_states(states)
    if states_digest(declared.states) != header[STATES]:
        raise DataError("other states than those with which the graph was learned", str(states))
