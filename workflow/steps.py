"""Steps that are done once: each is the work of one plain command, and its result is a file.

As in make, a step is not repeated if its file exists and was made from the same inputs. The file `steps.json` beside
them has for each file a digest of the data, options and version that it was made from, and a digest of its content, so
that a file that was damaged or changed by hand is made again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ..common.errors import DataError
from ..common.files.atomic_write import write_whole
from ..common.learning.choice import few_messages

LOG = logging.getLogger("cliquewise")
LEDGER = "steps.json"
T = TypeVar("T")


@dataclass(frozen=True)
class CommandStep:
    """A step of the work.

    Attributes
    ----------
    description
        For the log and the report.
    command
        The equivalent command, as typed in a shell; empty if there is none.
    """

    description: str
    command: str


@dataclass
class Steps:
    """The steps done so far, and the folder of their files.

    Attributes
    ----------
    folder
        Of the files; None: nothing is written.
    done : list of CommandStep
        The steps so far.
    warnings : set of str
        Those of all steps, each of which is logged once.
    """

    folder: Path | None
    done: list[CommandStep] = field(default_factory=list)
    warnings: set[str] = field(default_factory=set)

    def make_folder(self) -> None:
        """Make the folder, unless it exists."""
        if self.folder is None or self.folder == Path():
            return
        step = CommandStep("a folder for the files", shlex.join(["mkdir", "-p", str(self.folder)]))
        self.done.append(step)
        if self.folder.is_dir():
            return
        LOG.info("%s: %s", step.description, step.command)
        try:
            self.folder.mkdir(parents=True)
        except OSError as error:
            raise DataError(f"cannot be made: {error.strerror}", self.folder) from None

    def run(
        self,
        step: CommandStep,
        name: str,
        made_from: dict[str, Any],
        make: Callable[[], T],
        write: Callable[[T, str], None],
        read: Callable[[str], T],
    ) -> T:
        """Do a step, or read its result if that exists; a step without a command is not listed.

        Parameters
        ----------
        name
            Of the file.
        made_from
            Values on which the result depends, as JSON can hold them.
        make, write, read
            The work; writing its result to a path, and reading it.
        """
        if step.command:
            self.done.append(step)
        digest = hashlib.sha256(json.dumps(made_from, sort_keys=True).encode()).hexdigest()
        if self.folder is None:
            LOG.info("%s", step.description)
            return self._quietly(make)
        path = self.folder / name
        if self._ledger().get(name) == {"made-from": digest, "content": _content(path)}:
            LOG.info("%s: %s is up to date", step.description, path)
            return read(str(path))
        LOG.info("%s%s", step.description, f": {step.command}" if step.command else "")
        result = self._quietly(make)
        write(result, str(path))
        ledger = self._ledger() | {name: {"made-from": digest, "content": _content(path)}}
        write_whole(str(self.folder / LEDGER), json.dumps(ledger, indent=1, sort_keys=True) + "\n")
        return result

    def _quietly(self, make: Callable[[], T]) -> T:
        """The result of `make`, which logs new warnings and errors only, unless -v is given."""
        with few_messages(self.warnings):
            return make()

    def _ledger(self) -> dict[str, Any]:
        """The recorded steps; empty if there is no record, or none that can be read."""
        assert self.folder is not None
        try:
            found = json.loads((self.folder / LEDGER).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


def path_in(folder: Path | None, name: str) -> str:
    """The path of a file of a folder; its name without a folder."""
    return name if folder is None else str(folder / name)


def _content(path: Path) -> str | None:
    """A digest of a file; None without one."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
