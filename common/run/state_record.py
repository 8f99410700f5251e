"""The fields of an object that a checkpoint stores, described once, to save, check and load the state.

    record = StateRecord(ArrayField("networks", are_chordal), ValueField("due", int, natural), prefix="merging-")

A class whose objects can be continued has such a record; `record.save(self)` is its part of the state,
`record.load(saved, self)` restores it. A checkpoint contains arrays and JSON values, never code.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .saved import Saved


def anything(_value: Any, _owner: Any) -> bool:
    """Every value of the right kind is valid."""
    return True


def natural(value: Any, _owner: Any) -> bool:
    """Whether a count, or each of an array, is not negative."""
    return bool(np.all(value >= 0))


def below_infinity(value: Any, _owner: Any) -> bool:
    """Whether a score, or each of an array, may be one: minus infinity is that of a forbidden network."""
    return bool(np.all(value < math.inf))


def are_random(value: np.ndarray, _owner: Any) -> bool:
    """Whether no state of random numbers, uint64[..., 4], is zero throughout: it would never change."""
    return bool(value.any(axis=-1).all())


@dataclass(frozen=True)
class ArrayField:
    """An array of the state; it must have the type and the shape of the owner's array.

    Attributes
    ----------
    name
        An attribute of the owner, and the name in the checkpoint.
    is_valid : callable taking the array found and the owner, where earlier fields are loaded
        It may raise an exception.
    any_length
        Whether the first axis may have any length.
    """

    name: str
    is_valid: Callable[[Any, Any], Any] = anything
    any_length: bool = False

    def save(self, owner: Any) -> np.ndarray:
        """A copy of the array; of a list of owners, a row for each."""
        if isinstance(owner, list):
            return np.stack([getattr(one, self.name) for one in owner])
        return getattr(owner, self.name).copy()

    def load(self, saved: Saved, name: str, owner: Any) -> None:
        """Give the array to the owner, or a row to each of several."""
        like = self.save(owner)
        found = saved.array(name, like[:0] if self.any_length else like, partial(_call, self.is_valid, owner))
        if self.any_length:
            setattr(owner, self.name, found.copy())
            return
        pairs = zip(owner, found, strict=True) if isinstance(owner, list) else [(owner, found)]
        for one, values in pairs:
            getattr(one, self.name)[...] = values


@dataclass(frozen=True)
class ValueField:
    """A JSON value of the state.

    Attributes
    ----------
    name, is_valid
        As in ArrayField.
    kind : type or tuple of types
        Of the JSON value.
    pack : callable taking the attribute, optional
        Converts the attribute to the JSON value. [default: `kind`]
    unpack : callable taking a valid JSON value and the owner, optional
        Converts the value to the attribute. [default: the value itself]
    """

    name: str
    kind: Any
    is_valid: Callable[[Any, Any], Any] = anything
    pack: Callable[[Any], Any] | None = None
    unpack: Callable[[Any, Any], Any] | None = None

    def save(self, owner: Any) -> Any:
        """The JSON value."""
        return (self.pack or self.kind)(getattr(owner, self.name))

    def load(self, saved: Saved, name: str, owner: Any) -> None:
        """Give the attribute to the owner."""
        value = saved.value(name, self.kind, partial(_call, self.is_valid, owner))
        setattr(owner, self.name, self.unpack(value, owner) if self.unpack else value)


def _call(is_valid: Callable, owner: Any, value: Any) -> bool:
    return is_valid(value, owner)


class StateRecord:
    """The state of an object, or of a list of objects.

    Parameters
    ----------
    *fields : ArrayField or ValueField
        In the order in which they are loaded.
    prefix
        The prefix of their names in the checkpoint.
    """

    def __init__(self, *fields: ArrayField | ValueField, prefix: str = "") -> None:
        self.fields, self.prefix = fields, prefix

    def is_in(self, saved: Saved) -> bool:
        """Whether a state has the first field; some objects are not part of every state."""
        return self.prefix + self.fields[0].name in saved

    def save(self, owner: Any) -> dict[str, Any]:
        """The fields of the owner, copied: a dict of arrays and JSON values."""
        return {self.prefix + field.name: field.save(owner) for field in self.fields}

    def load(self, saved: Saved, owner: Any) -> None:
        """Give the owner the fields that `save` returned.

        Raises
        ------
        DataError
            One is missing, or not valid.
        """
        for field in self.fields:
            field.load(saved, self.prefix + field.name, owner)
