"""Checkpoints: the state of a run on disk, from which another run can continue.

At its *safe points* a learner passes its state to the monitor (`Monitor.keep`); the state is written at regular
intervals, and when the run ends for any reason. A safe point is one that every run of the learner would reach: between
rounds, not inside a round that a signal interrupted. So a resumed run does the same as an uninterrupted one. Before its
first safe point a run has an empty state: the file is there from the beginning, and a resumed run restarts.

The file contains a fingerprint of the inputs; it cannot be resumed with other data or options, nor by another version,
whose search may differ. One run at a time holds it (`common.files.locked_file`), and a run does not replace the
checkpoint of another.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..counted import counted
from ..errors import CliquewiseError, UsageError
from ..files.locked_file import LockedFile, in_use
from .checkpoint_record import CheckpointRecord, RunInputs
from .position import START, Position
from .saved import FOUND, Saved

LOG = logging.getLogger("cliquewise")


class Checkpoint:
    """The checkpoint file of a run; a context, in which the file exists.

    Parameters
    ----------
    inputs : RunInputs
    every
        Seconds between two writes.
    resume
        Whether to continue from the file, if there is one.

    Attributes
    ----------
    saved : Saved or None
        The state to continue from; None at the beginning.
    position : Position
        How far the run has come.

    Raises
    ------
    UsageError
        The file exists and `resume` is not set, or it has other inputs, which are named, or another run is writing it.
    DataError
        The file cannot be read.
    """

    def __init__(self, path: str, inputs: RunInputs, every: float = 60.0, resume: bool = False) -> None:
        self.path, self.inputs, self.every = path, inputs, every
        self.saved: Saved | None = None
        self.position = START
        self._kept: tuple[Any, Position] | None = None
        self._is_written = True
        self._found: dict[str, Any] = {}
        self._written = time.monotonic()
        self._lock = threading.Lock()
        self._file = LockedFile(path)
        self._is_new = False
        if self._exists():
            if not resume:
                raise UsageError(f"--checkpoint {path}: the file exists; continue from it with --resume, or delete it")
            is_free = self._file.hold()
            found = CheckpointRecord.load(path)
            assert found is not None
            self._read(found, is_free)
        elif resume:
            LOG.info("%s: no checkpoint yet; the run begins", path)

    def _exists(self) -> bool:
        return os.path.isfile(self.path) and os.path.getsize(self.path) > 0

    def __enter__(self) -> Checkpoint:
        if not self._file.hold():
            raise in_use(f"--checkpoint {self.path}")
        if not self._exists() and (os.path.isfile(self.path) or not os.path.exists(self.path)):
            try:
                self._replace({}, START)
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

    def _read(self, found: CheckpointRecord, is_free: bool) -> None:
        self.inputs.check_same(found.inputs, self.path)
        if not is_free:
            raise in_use(f"--checkpoint {self.path}")
        found.check(self.path)
        self.position = found.position
        if not found.state:
            LOG.info("%s: no state yet; the run begins", self.path)
            return
        self.saved = Saved(found.state, self.path)
        self._found = {name: value for name, value in found.state.items() if name.startswith(FOUND)}
        done = f"{self.position.seconds:.0f} s and {counted(self.position.iterations, 'iteration')}"
        LOG.info("%s: continuing after %s", self.path, done)

    def keep(self, state: Callable, position: Position, lasting: bool = False) -> None:
        """Keep the state at a safe point.

        Parameters
        ----------
        state
            Returns a dict of arrays of numbers and of JSON values.
        position
            How far the whole run has come.
        lasting
            Whether `state` can also be called later, at any time.
        """
        with self._lock:
            self._kept, self._is_written = (state if lasting else _frozen(state()), position), False
            if time.monotonic() >= self._written + self.every:
                self._write(position.seconds)

    def keep_found(self, found: dict[str, Any]) -> None:
        """Keep the result of a run that ends after its last safe point, beside the state there.

        Parameters
        ----------
        found : dict of str to array or JSON value
            Names begin with `FOUND`. A run that continues finds them in its state, and keeps them.
        """
        with self._lock:
            self._found, self._is_written = found, False

    def flush(self, seconds: float) -> None:
        """At the end of the run: write the last state kept, if it is not yet written, and release the file.

        If writing fails, a warning is logged.

        Parameters
        ----------
        seconds
            Of the whole run.
        """
        with self._lock:
            if self._kept is not None and not self._is_written:
                self._write(seconds)
            self._file.release()

    def _write(self, seconds: float) -> None:
        assert self._kept is not None
        state, position = self._kept
        self._is_written, self._written = not callable(state), time.monotonic()  # a lasting state can change
        state = {**(state() if callable(state) else state), **self._found}
        try:
            self._replace(state, position._replace(seconds=seconds))
            self._is_new = False
        except (CliquewiseError, OSError) as error:
            _warn(error)

    def _replace(self, state: Any, position: Position) -> None:
        record = CheckpointRecord(self.inputs, position, state)
        self._file.replace(partial(record.save, self.path), self._check_owner)

    def _check_owner(self) -> None:
        """Refuse to replace the checkpoint of another run."""
        found = CheckpointRecord.load(self.path)
        if found is not None and found.inputs != self.inputs:
            raise UsageError(f"{self.path}: it is the checkpoint of another run now, and is kept")


def _warn(error: OSError | CliquewiseError) -> None:
    LOG.error("%s; the run continues without that checkpoint", error)  # also with -q: it could not be resumed


def _frozen(state: dict[str, Any]) -> dict[str, Any]:
    """A copy of the state."""
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in state.items()}
