"""Checkpoints: the state of a run on disk, from which another run can continue.

At its *safe points* a learner passes its state to the monitor (`Monitor.keep`); the state is written at regular
intervals, and when the run ends for any reason. A safe point is one that every run of the learner would reach: between
rounds, not inside a round that a signal interrupted. So a resumed run does the same as an uninterrupted one.

The file contains a fingerprint of the inputs; it cannot be resumed with other data or options, nor by another version,
whose search may differ.
"""

import logging
import math
import os
import threading
import time

import numpy as np

from cliquewise.common.errors import CliquewiseError, DataError, UsageError
from cliquewise.common.files.checkpointfile import read_checkpoint, write_checkpoint

LOG = logging.getLogger("cliquewise")
MOST = 2**62  # end of the counters of a run


class Checkpoint:
    """The checkpoint file of a run.

    Parameters
    ----------
    path : str
    made_from : dict
        `program`, `version` and `data`, each a str, and `options`, a dict of str to str.
    every : float
        Seconds between two writes.
    resume : bool
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
        The file exists and `resume` is not set, or it has other inputs, which are named.
    DataError
        The file cannot be read.
    """

    def __init__(self, path, made_from, every=60.0, resume=False):
        self.path, self.made_from, self.every = path, made_from, every
        self.saved, self.seconds, self.iterations = None, 0.0, 0
        self._kept, self._written = None, time.monotonic()
        self._lock = threading.Lock()
        if os.path.isfile(path) and os.path.getsize(path):
            if not resume:
                raise UsageError(f"--checkpoint {path}: the file exists; continue from it with --resume, or delete it")
            self._read()
        elif resume:
            LOG.info("%s: no checkpoint yet; the run begins", path)

    def _read(self):
        head, state = read_checkpoint(self.path)
        _refuse_other(self.path, head, self.made_from)
        try:
            self.seconds, self.iterations = float(head["seconds"]), head["iterations"]
            good = 0 <= self.seconds < math.inf and is_index(self.iterations, MOST)
        except (KeyError, TypeError, ValueError, OverflowError):
            good = False
        if not good:
            raise Saved({}, self.path).wrong("seconds")
        self.saved = Saved(state, self.path)
        LOG.info("%s: continuing after %.0f s and %d iterations", self.path, self.seconds, self.iterations)

    def keep(self, state, seconds, iterations, lasting=False):
        """A safe point.

        Parameters
        ----------
        state : callable
            Returns a dict of arrays of numbers and of JSON values.
        seconds : float
        iterations : int
            Of the whole run.
        lasting : bool
            Whether `state` can also be called later, at any time.
        """
        with self._lock:
            self._kept = (state if lasting else _frozen(state()), iterations)
            if time.monotonic() >= self._written + self.every:
                self._write(seconds)

    def flush(self, seconds):
        """Write the last state kept, if not yet written; if this fails, a warning is logged and the run continues.

        Parameters
        ----------
        seconds : float
            Of the whole run.
        """
        with self._lock:
            if self._kept is not None:
                self._write(seconds)

    def _write(self, seconds):
        state, iterations = self._kept
        state = state() if callable(state) else state
        self._kept, self._written = None, time.monotonic()
        try:
            write_checkpoint(self.path, {**self.made_from, "seconds": seconds, "iterations": iterations}, state)
        except (CliquewiseError, OSError) as error:
            LOG.warning("%s; the run continues without that checkpoint", error)


def _frozen(state):
    """A copy of the state."""
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in state.items()}


def _refuse_other(path, head, wanted):
    """Refuse a checkpoint with other inputs, and name the difference."""
    for key, told in (("program", "by"), ("version", "by version"), ("data", "from other data")):
        if head.get(key) != wanted[key]:
            was = told if key == "data" else f"{told} {head.get(key)} (this is {wanted[key]})"
            raise UsageError(f"--resume: {path} was made {was}; name another checkpoint, or start again")
    options = head.get("options")
    options = options if isinstance(options, dict) else {}
    names = [name for name in {**options, **wanted["options"]} if options.get(name) != wanted["options"].get(name)]
    if names:
        told = (f"{one} {options.get(one, 'none')} (here {wanted['options'].get(one, 'none')})" for one in names)
        raise UsageError(f"--resume: {path} was made with {', '.join(told)}; give the same options, or start again")


def is_index(value, end=MOST):
    """Whether a JSON value is a whole number from 0 to below `end`: not 6.5, nor true."""
    return type(value) is int and 0 <= value < end


def is_edges(value, n):
    """Whether a JSON value is a list of edges [u, v] with u < v of a graph with n vertices, each once."""
    pairs = isinstance(value, list) and all(isinstance(one, list) and len(one) == 2 for one in value)
    if not pairs or not all(is_index(u, n) and is_index(v, n) and u < v for u, v in value):
        return False
    return len({(u, v) for u, v in value}) == len(value)


def is_permutation(value, n):
    """Whether a JSON value is a list of the numbers from 0 to n - 1 in some order."""
    return isinstance(value, list) and all(is_index(one, n) for one in value) and len({*value}) == len(value) == n


def _is_plausible(value):
    """Whether a JSON value has no NaN, and no whole number beyond `MOST`, anywhere inside."""
    if isinstance(value, dict | list):
        return all(map(_is_plausible, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, int | float) or (value == value and (isinstance(value, float) or abs(value) < MOST))


class Saved:
    """The state of an earlier part of a run, validated before use.

    Parameters
    ----------
    state : dict of str to object
        Arrays and JSON values.
    path : str
        For messages.
    """

    def __init__(self, state, path):
        self.state, self.path = state, path

    def __contains__(self, name):
        return name in self.state

    def array(self, name, like, good=lambda array: True):
        """An array.

        Parameters
        ----------
        name : str
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

    def value(self, name, kind, good=lambda value: True):
        """A JSON value.

        Parameters
        ----------
        name : str
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

    def wrong(self, name):
        """The DataError for an invalid part of the state."""
        return DataError(f"a checkpoint whose '{name}' is not valid; delete it to start again", self.path)

    def _good(self, name, found, good):
        try:
            fits = good(found)
        except (TypeError, ValueError, LookupError, ArithmeticError):
            fits = False
        if not fits:
            raise self.wrong(name)
        return found
