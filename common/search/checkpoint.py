"""What a run keeps on disk so that another can go on from there.

A learner tells the monitor at its *safe points* what it needs to go on from there (`Monitor.keep`); every so many
seconds, and when the run ends, however it ends, that is written. A safe point is where a learner would come by
whenever it is run: between rounds, not in one that a signal has cut short. So a run that is resumed does what it would
have done.

The file says what the run was made from; it is not resumed with other data or options, nor by another version, whose
search may differ.
"""

import logging
import os
import threading
import time

import numpy as np

from cliquewise.common.errors import CliquewiseError, DataError, UsageError
from cliquewise.common.files.checkpointfile import read_checkpoint, write_checkpoint

LOG = logging.getLogger("cliquewise")


class Checkpoint:
    """The file of a run.

    Parameters
    ----------
    path : str
    made_from : dict
        `program`, `version` and `data`, each a str, and `options`, a dict of str to str.
    every : float
        Seconds between two writings.
    resume : bool
        Whether to go on from the file, if there is one.

    Attributes
    ----------
    saved : Saved or None
        What to go on from; None at the beginning.
    seconds, iterations : float, int
        Spent and done by the parts of the run so far.

    Raises
    ------
    UsageError
        The file is there and is not to be resumed, or was made from something else: what, is said by name.
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
                raise UsageError(f"--checkpoint {path}: the file is there; go on from it with --resume, or delete it")
            self._read()
        elif resume:
            LOG.info("%s: no checkpoint yet; the run begins", path)

    def _read(self):
        head, state = read_checkpoint(self.path)
        _refuse_other(self.path, head, self.made_from)
        try:
            self.seconds, self.iterations = float(head["seconds"]), int(head["iterations"])
        except (KeyError, TypeError, ValueError):
            raise Saved({}, self.path).wrong("seconds") from None
        self.saved = Saved(state, self.path)
        LOG.info("%s: going on after %.0f s and %d iterations", self.path, self.seconds, self.iterations)

    def keep(self, state, seconds, iterations, lasting=False):
        """A safe point.

        Parameters
        ----------
        state : callable
            Returns a dict of arrays of numbers and of JSON values.
        seconds : float
        iterations : int
            Spent and done by the whole run.
        lasting : bool
            Whether `state` can be called later too, when the run is in the middle of something.
        """
        with self._lock:
            self._kept = (state if lasting else _frozen(state()), iterations)
            if time.monotonic() >= self._written + self.every:
                self._write(seconds)

    def flush(self, seconds):
        """Write what was kept last, if that is not done; what cannot be written is told, and the run goes on.

        Parameters
        ----------
        seconds : float
            Spent by the whole run.
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
            LOG.warning("%s; the run goes on without that checkpoint", error)


def _frozen(state):
    """The same state, which the run does not change any more."""
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in state.items()}


def _refuse_other(path, head, wanted):
    """Refuse a checkpoint that was made from something else; say from what."""
    for key, told in (("program", "by"), ("version", "by version"), ("data", "from other data")):
        if head.get(key) != wanted[key]:
            was = told if key == "data" else f"{told} {head.get(key)} (this is {wanted[key]})"
            raise UsageError(f"--resume: {path} was made {was}; name another checkpoint, or begin anew")
    options = head.get("options")
    options = options if isinstance(options, dict) else {}
    names = [name for name in {**options, **wanted["options"]} if options.get(name) != wanted["options"].get(name)]
    if names:
        told = (f"{one} {options.get(one, 'none')} (here {wanted['options'].get(one, 'none')})" for one in names)
        raise UsageError(f"--resume: {path} was made with {', '.join(told)}; give the same options, or begin anew")


class Saved:
    """The state of an earlier part of a run, looked at before it is used.

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
            Of the shape and the type that is wanted; an axis of length 0 may have any length.
        good : callable taking the array
            Says whether its numbers make sense.

        Returns
        -------
        array

        Raises
        ------
        DataError
            There is none, or of another kind.
        """
        found = self.state.get(name)
        same = isinstance(found, np.ndarray) and found.dtype == like.dtype and found.ndim == like.ndim
        if not same or any(want not in (0, has) for want, has in zip(like.shape, found.shape, strict=True)):
            raise self.wrong(name)
        return self._good(name, found, good)

    def value(self, name, kind, good=lambda value: True):
        """A JSON value.

        Parameters
        ----------
        name : str
        kind : type or tuple of types
        good : callable taking the value
            Says whether it makes sense; it may fail.

        Returns
        -------
        object

        Raises
        ------
        DataError
            There is none, or of another kind.
        """
        found = self.state.get(name)
        if not isinstance(found, kind):
            raise self.wrong(name)
        return self._good(name, found, good)

    def wrong(self, name):
        """What to raise where a part of the state makes no sense: DataError."""
        return DataError(f"a checkpoint whose '{name}' is not what it should be; delete it to begin anew", self.path)

    def _good(self, name, found, good):
        try:
            fits = good(found)
        except (TypeError, ValueError, LookupError):
            fits = False
        if not fits:
            raise self.wrong(name)
        return found
