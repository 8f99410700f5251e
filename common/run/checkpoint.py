"""Checkpoints: the state of a run on disk, from which another run can continue.

At its *safe points* a learner passes its state to the monitor (`Monitor.keep`); the state is written at regular
intervals, and when the run ends for any reason. A safe point is one that every run of the learner would reach: between
rounds, not inside a round that a signal interrupted. So a resumed run does the same as an uninterrupted one. Before its
first safe point a run has an empty state: the file is there from the beginning, and a resumed run begins again.

The file contains a fingerprint of the inputs; it cannot be resumed with other data or options, nor by another version,
whose search may differ. One run at a time holds it (`common.files.held_file`), and a run does not replace the
checkpoint of another.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import re
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..errors import CliquewiseError, DataError, UsageError
from ..files.checkpointfile import read_checkpoint, write_checkpoint
from ..files.held_file import HeldFile, in_use

LOG = logging.getLogger("cliquewise")
MOST = 2**62  # end of the counters of a run
MADE_FROM = ("program", "version", "data", "options")  # keys of the head
PLAN = "completion"  # another: rounds and steps after which incomplete data were completed


class Checkpoint:
    """The checkpoint file of a run; a context, in which the file exists.

    Parameters
    ----------
    made_from
        `program`, `version` and `data`, each a str, and `options`, a dict of str to str.
    every
        Seconds between two writes.
    resume
        Whether to continue from the file, if there is one.

    Attributes
    ----------
    saved : Saved or None
        The state to continue from; None at the beginning.
    seconds, iterations : float, int
        Of the parts of the run so far.

    Raises
    ------
    UsageError
        The file exists and `resume` is not set, or it has other inputs, which are named, or another run is writing it.
    DataError
        The file cannot be read.
    """

    def __init__(self, path: str, made_from: dict[str, Any], every: float = 60.0, resume: bool = False) -> None:
        self.path, self.made_from, self.every = path, made_from, every
        self.saved: Saved | None = None
        self.seconds, self.iterations = 0.0, 0
        self._kept: tuple[Any, int] | None = None
        self._written = time.monotonic()
        self._lock, self._file, self._is_new = threading.Lock(), HeldFile(path), False
        if self._exists():
            if not resume:
                raise UsageError(f"--checkpoint {path}: the file exists; continue from it with --resume, or delete it")
            self._read()
        elif resume:
            LOG.info("%s: no checkpoint yet; the run begins", path)

    def _exists(self) -> bool:
        return os.path.isfile(self.path) and os.path.getsize(self.path) > 0

    def __enter__(self) -> Checkpoint:
        if not self._file.hold():
            raise in_use(f"--checkpoint {self.path}")
        if not self._exists() and (os.path.isfile(self.path) or not os.path.exists(self.path)):
            try:
                self._replace({}, 0.0, 0)
                self._is_new = True
            except UsageError:
                raise
            except (CliquewiseError, OSError) as error:
                _warn(error)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._is_new and kind is not None and issubclass(kind, Exception):  # nothing to continue from
            with contextlib.suppress(OSError):
                os.unlink(self.path)
        self._file.release()

    def _read(self) -> None:
        is_free = self._file.hold()
        head, state = read_checkpoint(self.path)
        _refuse_other(self.path, head, self.made_from)
        if not is_free:
            raise in_use(f"--checkpoint {self.path}")
        try:
            self.seconds, self.iterations = float(head["seconds"]), head["iterations"]
            good = 0 <= self.seconds < math.inf and is_index(self.iterations, MOST)
        except (KeyError, TypeError, ValueError, OverflowError):
            good = False
        if not good:
            raise Saved({}, self.path).wrong("seconds")
        if not state:
            LOG.info("%s: no state yet; the run begins", self.path)
            return
        self.saved = Saved(state, self.path)
        LOG.info("%s: continuing after %.0f s and %d iterations", self.path, self.seconds, self.iterations)

    def keep(self, state: Callable, seconds: float, iterations: int, lasting: bool = False) -> None:
        """A safe point.

        Parameters
        ----------
        state
            Returns a dict of arrays of numbers and of JSON values.
        iterations
            Of the whole run.
        lasting
            Whether `state` can also be called later, at any time.
        """
        with self._lock:
            self._kept = (state if lasting else _frozen(state()), iterations)
            if time.monotonic() >= self._written + self.every:
                self._write(seconds)

    def flush(self, seconds: float) -> None:
        """The end of the run: write the last state kept, if not yet written, and let go of the file.

        If writing fails, a warning is logged.

        Parameters
        ----------
        seconds
            Of the whole run.
        """
        with self._lock:
            if self._kept is not None:
                self._write(seconds)
            self._file.release()

    def _write(self, seconds: float) -> None:
        assert self._kept is not None
        state, iterations = self._kept
        state = state() if callable(state) else state
        self._kept, self._written = None, time.monotonic()
        try:
            self._replace(state, seconds, iterations)
            self._is_new = False
        except (CliquewiseError, OSError) as error:
            _warn(error)

    def _replace(self, state: Any, seconds: float, iterations: int) -> None:
        head = {**self.made_from, "seconds": seconds, "iterations": iterations}
        self._file.replace(partial(write_checkpoint, self.path, head, state), self._look)

    def _look(self) -> None:
        """Refuse to replace the checkpoint of another run."""
        if self._exists() and any(read_checkpoint(self.path)[0].get(key) != self.made_from[key] for key in MADE_FROM):
            raise UsageError(f"{self.path}: it is the checkpoint of another run now, and is kept")


def kept_plan(path: str, data: str, completions: int) -> tuple[int, int | None] | None:
    """Rounds and steps by which the data of a checkpoint were completed; None if it is not of these data and options.

    Parameters
    ----------
    data
        The fingerprint of the data with their missing cells.
    completions
        Of each row.

    Raises
    ------
    DataError
        The file cannot be read, or is damaged.
    """
    if not (os.path.isfile(path) and os.path.getsize(path) > 0):
        return None
    head, _ = read_checkpoint(path)
    options = head.get("options")
    if head.get("data") != data or not isinstance(options, dict) or options.get("completions") != str(completions):
        return None  # `Checkpoint` refuses it
    found = head.get(PLAN)
    if not isinstance(found, list) or len(found) != 2 or not is_index(found[0]) or found[0] < 1:
        raise Saved({}, path).wrong(PLAN)
    if found[1] is not None and not is_index(found[1]):
        raise Saved({}, path).wrong(PLAN)
    return found[0], found[1]


def _warn(error: OSError | CliquewiseError) -> None:
    LOG.warning("%s; the run continues without that checkpoint", error)


def _frozen(state: dict[str, Any]) -> dict[str, Any]:
    """A copy of the state."""
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in state.items()}


def _refuse_other(path: str, head: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Refuse a checkpoint with other inputs, and name the difference."""
    for key, told in (("program", "by"), ("version", "by version"), ("data", "from other data")):
        if head.get(key) != wanted[key]:
            was = told if key == "data" else f"{told} {head.get(key)} (this is {wanted[key]})"
            raise UsageError(f"--resume: {path} was made {was}; name another checkpoint, or start again")
    options = head.get("options")
    options = options if isinstance(options, dict) else {}
    names = [name for name in {**options, **wanted["options"]} if options.get(name) != wanted["options"].get(name)]
    if names:
        files = {name for name in names if any(part.startswith(f"{name}.") for part in names)}  # that one run lacks
        both = [
            (name, *(_shown(side, name, name in files) for side in (options, wanted["options"])))
            for name in names
            if name in files or name.partition(".")[0] not in files
        ]
        changes = (f"{name} {before} (here {here})" for name, before, here in both)
        raise UsageError(f"--resume: {path} was made with {', '.join(changes)}; give the same options, or start again")


def _shown(options: dict[str, Any], name: str, is_file: bool) -> str:
    """The value of an option for a message, fingerprints by their beginning; a file has one option for each part."""
    if is_file:
        return "none" if name in options else "given"
    value = options.get(name, "null")
    return "none" if value == "null" else re.sub(r"\b([0-9a-f]{8})[0-9a-f]{56}\b", r"\1...", str(value))


def is_index(value: int, end: int = MOST) -> bool:
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
    """Whether a JSON value has no NaN, and no whole number beyond `MOST`, anywhere inside."""
    if isinstance(value, dict | list):
        return all(map(_is_plausible, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, int | float) or (value == value and (isinstance(value, float) or abs(value) < MOST))


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


class Field(NamedTuple):
    """A part of a state, declared once: `state_of` saves it, `Saved.restore` checks and restores it.

    Attributes
    ----------
    name : str
        An attribute of its owner; in the checkpoint without leading underscores. An array must have the type and the
        shape of the owner's array.
    kind : type or tuple of types
        Of a JSON value; np.ndarray for an array.
    good : callable taking the value found and its owner, where earlier fields are restored
        Whether it is valid; it may raise an exception.
    any_length : bool
        Whether the first axis of an array may have any length.
    pack : callable taking the attribute, optional
        The JSON value for it; by default it is made of the attribute by `kind`.
    unpack : callable taking a valid JSON value and the owner, optional
        The attribute for it; by default the value itself.
    """

    name: str
    kind: Any = np.ndarray
    good: Callable[[Any, Any], Any] = anything
    any_length: bool = False
    pack: Callable[[Any], Any] | None = None
    unpack: Callable[[Any, Any], Any] | None = None


def state_of(owner: Any, fields: tuple[Field, ...], prefix: str = "") -> dict[str, Any]:
    """The fields of an object, copied; of a list of objects, arrays with a row for each of them."""
    return {prefix + field.name.lstrip("_"): _present(owner, field) for field in fields}


def _present(owner: Any, field: Field) -> Any:
    if isinstance(owner, list):
        return np.stack([getattr(one, field.name) for one in owner])
    value = getattr(owner, field.name)
    if field.kind is np.ndarray:
        return value.copy()
    return (field.pack or field.kind)(value)


def _call_good(good: Callable, owner: Any, value: Any) -> bool:
    return good(value, owner)


class Saved:
    """The state of an earlier part of a run, validated before use.

    Parameters
    ----------
    state : dict of str to object
        Arrays and JSON values.
    path
        For messages.
    """

    def __init__(self, state: Any, path: str) -> None:
        self.state, self.path = state, path

    def __contains__(self, name: str) -> bool:
        return name in self.state

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
            raise self.wrong(name)
        if found.dtype.kind == "f" and np.isnan(found).any():
            raise self.wrong(name)
        if found.dtype.kind == "i" and ((found <= -MOST) | (found >= MOST)).any():
            raise self.wrong(name)
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
            raise self.wrong(name)
        return self._good(name, found, good)

    def restore(self, owner: Any, fields: tuple[Field, ...], prefix: str = "") -> None:
        """Give an object, or a list of objects, the fields that `state_of` saved.

        Parameters
        ----------
        owner : object or list
        fields : tuple of Field
        prefix
            Of their names in the checkpoint.

        Raises
        ------
        DataError
            One is missing, or not valid.
        """
        for field in fields:
            name, good = prefix + field.name.lstrip("_"), partial(_call_good, field.good, owner)
            if field.kind is not np.ndarray:
                value = self.value(name, field.kind, good)
                setattr(owner, field.name, field.unpack(value, owner) if field.unpack else value)
                continue
            like = _present(owner, field)
            found = self.array(name, like[:0] if field.any_length else like, good)
            if field.any_length:
                setattr(owner, field.name, found.copy())
                continue
            pairs = zip(owner, found, strict=True) if isinstance(owner, list) else [(owner, found)]
            for one, values in pairs:
                getattr(one, field.name)[...] = values

    def wrong(self, name: str) -> DataError:
        """The DataError for an invalid part of the state."""
        return DataError(f"a checkpoint whose '{name}' is not valid; delete it to start again", self.path)

    def _good(self, name: str, found: Any, good: Callable) -> Any:
        try:
            fits = good(found)
        except (TypeError, ValueError, LookupError, ArithmeticError):
            fits = False
        if not fits:
            raise self.wrong(name)
        return found
