"""The state of an earlier part of a run, read from a checkpoint and validated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_COUNTER = 2**62  # end of the counters of a run
FOUND = "found_"  # begins the names of what a run found after its last safe point


class Saved:
    """The state of an earlier part of a run, validated before use.

    Parameters
    ----------
    state : dict of str to object
        Arrays and JSON values.
    path, prefix
        For messages: the file, and the prefix of the names of this state in it.
    """

    def __init__(self, state: Any, path: str, prefix: str = "") -> None:
        self.state, self.path, self.prefix = state, path, prefix

    def __contains__(self, name: str) -> bool:
        return name in self.state

    def part(self, prefix: str) -> Saved:
        """The state of a part of the run: the values whose names have this prefix, without the prefix."""
        begun = {name.removeprefix(prefix): value for name, value in self.state.items() if name.startswith(prefix)}
        return Saved(begun, self.path, self.prefix + prefix)

    def array(self, name: str, like: np.ndarray, good: Callable = lambda array: True) -> np.ndarray:
        """An array.

        Parameters
        ----------
        like : array
            With the required shape and type; an axis of length 0 may have any length.
        good : callable taking the array
            Whether its numbers are valid.

        Returns
        -------
        array

        Raises
        ------
        DataError
            It is missing, or of another kind.
        """
        found = self.state.get(name)
        same = isinstance(found, np.ndarray) and found.dtype == like.dtype and found.ndim == like.ndim
        if not same or any(want not in (0, has) for want, has in zip(like.shape, found.shape, strict=True)):
            raise self.invalid(name)
        if found.dtype.kind == "f" and np.isnan(found).any():
            raise self.invalid(name)
        if found.dtype.kind == "i" and ((found <= -MAX_COUNTER) | (found >= MAX_COUNTER)).any():
            raise self.invalid(name)
        return self._good(name, found, good)

    def value(self, name: str, kind: tuple[type, type] | type, good: Callable = lambda value: True) -> Any:
        """A JSON value.

        Parameters
        ----------
        kind : type or tuple of types
        good : callable taking the value
            Whether it is valid; it may raise an exception.

        Returns
        -------
        object

        Raises
        ------
        DataError
            It is missing, or of another kind.
        """
        found = self.state.get(name)
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool) or not _is_plausible(found):
            raise self.invalid(name)
        return self._good(name, found, good)

    def invalid(self, name: str) -> DataError:
        """The DataError for an invalid part of the state."""
        return DataError(f"a checkpoint whose '{self.prefix}{name}' is not valid; delete it to start again", self.path)

    def _good(self, name: str, found: Any, good: Callable) -> Any:
        try:
            fits = good(found)
        except (TypeError, ValueError, LookupError, ArithmeticError):
            fits = False
        if not fits:
            raise self.invalid(name)
        return found


def is_index(value: int, end: int = MAX_COUNTER) -> bool:
    """Whether a JSON value is a whole number from 0 to below `end`: not 6.5, nor true."""
    return type(value) is int and 0 <= value < end


def is_edges(value: list[list[int]], n: int) -> bool:
    """Whether a JSON value is a list of edges [u, v] with u < v of a graph with n vertices, each once."""
    pairs = isinstance(value, list) and all(isinstance(one, list) and len(one) == 2 for one in value)
    if not pairs or not all(is_index(u, n) and is_index(v, n) and u < v for u, v in value):
        return False
    return len({(u, v) for u, v in value}) == len(value)


def is_permutation(value: list[int], n: int) -> bool:
    """Whether a JSON value is a list of the numbers from 0 to n - 1 in some order."""
    return isinstance(value, list) and all(is_index(one, n) for one in value) and len({*value}) == len(value) == n


def _is_plausible(value: Any) -> bool:
    """Whether a JSON value has no NaN, and no whole number beyond `MAX_COUNTER`, anywhere inside."""
    if isinstance(value, dict | list):
        return all(map(_is_plausible, value.values() if isinstance(value, dict) else value))
    if isinstance(value, float):
        return value == value
    return not isinstance(value, int) or abs(value) < MAX_COUNTER
