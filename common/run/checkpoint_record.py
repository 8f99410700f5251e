"""The content of a checkpoint file as a record: one `load`, one `save`."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import UsageError
from ..files.checkpointfile import read_checkpoint, write_checkpoint
from .position import Position
from .saved import MAX_COUNTER, Saved, is_index


@dataclass(frozen=True)
class RunInputs:
    """The inputs of a run; a checkpoint continues only a run with the same ones.

    Attributes
    ----------
    program, version : str
    data
        The fingerprint of the data.
    options : dict of str to str
        By name (`common.files.fingerprint`).
    completion : (int, int or None), optional
        Rounds and steps by which incomplete data were completed.
    """

    program: str
    version: str
    data: str
    options: dict[str, str]
    completion: tuple[int, int | None] | None = field(default=None, compare=False)

    def check_same(self, found: RunInputs, path: str) -> None:
        """Refuse to continue a run with other inputs, which are found in a checkpoint.

        Raises
        ------
        UsageError
            With the difference.
        """
        difference = ""
        if found.program != self.program:
            difference = f"by {found.program} (this is {self.program})"
        elif found.version != self.version:
            difference = f"by version {found.version} (this is {self.version})"
        elif found.data != self.data:
            difference = "from other data"
        if difference:
            raise UsageError(f"--resume: {path} was made {difference}; name another checkpoint, or start again")
        before, here = found.options, self.options
        names = [name for name in {**before, **here} if before.get(name) != here.get(name)]
        if names:
            files = {name for name in names if any(part.startswith(f"{name}.") for part in names)}  # one run lacks them
            changes = ", ".join(
                f"{name} {_shown(before, name, name in files)} (here {_shown(here, name, name in files)})"
                for name in names
                if name in files or name.partition(".")[0] not in files
            )
            raise UsageError(f"--resume: {path} was made with {changes}; give the same options, or start again")


def _shown(options: dict[str, str], name: str, is_file: bool) -> str:
    """The value of an option for a message, fingerprints by their beginning; a file has one option for each part."""
    if is_file:
        return "none" if name in options else "given"
    value = options.get(name, "null")
    return "none" if value == "null" else re.sub(r"\b([0-9a-f]{8})[0-9a-f]{56}\b", r"\1...", str(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True)
class CheckpointRecord:
    """A checkpoint file.

    Attributes
    ----------
    inputs : RunInputs
    position : Position
    state : dict of str to object
        Arrays and JSON values; empty before the first safe point.
    """

    inputs: RunInputs
    position: Position
    state: dict[str, Any]

    def save(self, path: str, claim: Callable[[int], None] | None = None) -> None:
        """Write the file, whole or not at all; parameters and errors as for `write_checkpoint`."""
        inputs = self.inputs
        head: dict[str, Any] = {name: getattr(inputs, name) for name in ("program", "version", "data", "options")}
        if inputs.completion is not None:
            head["completion"] = list(inputs.completion)
        at = self.position
        head |= {"seconds": at.seconds, "iterations": at.iterations, "improved": at.improved}
        head["best"] = at.score if math.isfinite(at.score) else None
        write_checkpoint(path, head, self.state, claim)

    @classmethod
    def load(cls, path: str) -> CheckpointRecord | None:
        """The record of a file; None if there is none, or nothing in it.

        Its values are those of the file: `check_same` compares the inputs first, since another version may have others;
        then `check` validates the rest.

        Raises
        ------
        DataError
            The file cannot be read, or is damaged.
        """
        if not (os.path.isfile(path) and os.path.getsize(path) > 0):
            return None
        head, state = read_checkpoint(path)
        found: Any = head.get
        options = found("options") if isinstance(found("options"), dict) else {}
        inputs = RunInputs(found("program"), found("version"), found("data"), options, found("completion"))
        best = -math.inf if found("best") is None else found("best")
        position = Position(found("seconds"), found("iterations"), head.get("improved", 0.0), best)
        return cls(inputs, position, state)

    def check(self, path: str) -> None:
        """Refuse seconds, iterations or a best score that are not valid.

        Raises
        ------
        DataError
        """
        at = self.position
        if not (_is_number(at.seconds) and 0 <= at.seconds < MAX_COUNTER and is_index(at.iterations)):
            raise Saved({}, path).invalid("seconds")
        if not (_is_number(at.improved) and 0 <= at.improved <= at.seconds):
            raise Saved({}, path).invalid("improved")
        if not _is_number(at.score) or not (at.score == -math.inf or abs(at.score) < MAX_COUNTER):
            raise Saved({}, path).invalid("best")

    def completion_of(self, data: str, completions: int, path: str) -> tuple[int, int | None] | None:
        """Rounds and steps by which data were completed; None if the checkpoint is not of these data and options.

        Parameters
        ----------
        data
            The fingerprint of the data with their missing cells.
        completions
            Of each row.

        Raises
        ------
        DataError
            They are not valid.
        """
        inputs = self.inputs
        if inputs.data != data or inputs.options.get("completions") != str(completions):
            return None  # `Checkpoint` refuses it
        found: Any = inputs.completion
        if not isinstance(found, list) or len(found) != 2 or not is_index(found[0]) or found[0] < 1:
            raise Saved({}, path).invalid("completion")
        if found[1] is not None and not is_index(found[1]):
            raise Saved({}, path).invalid("completion")
        return found[0], found[1]
