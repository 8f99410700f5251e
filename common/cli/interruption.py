"""The message of an interrupted command: the files that it has written, and how to continue."""

from __future__ import annotations

import contextlib
import glob
import os
from collections.abc import Iterator

import click

from ..files.atomic_write import WRITTEN_FILES
from .compatibility import is_accepted
from .paths import FolderPath

_running: list[tuple[click.Context, int]] = []  # the commands that run, and how many files were written before each


@contextlib.contextmanager
def during(context: click.Context) -> Iterator[None]:
    """While this is open, `line` is about this command, or about the one that runs it.

    Raises
    ------
    KeyboardInterrupt
        With the line instead of one without.
    """
    _running.append((context, len(WRITTEN_FILES)))
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(line()) from None
    finally:
        _running.pop()


def line() -> str:
    """`interrupted; ...`: the files written, and how to continue; nothing is known before a command runs."""
    if not _running:
        return "interrupted"
    context, before = _running[0]
    names = [*dict.fromkeys(WRITTEN_FILES[before:])]
    folders = [context.params[param.name] for param in context.command.params if isinstance(param.type, FolderPath)]
    if folders and os.path.isdir(folders[0]) and os.listdir(folders[0]):
        return f"interrupted; finished steps are kept in {folders[0]}; the same command continues from there"
    written = f"written so far: {', '.join(names)}" if names else "nothing is written"
    return f"interrupted; {written}; {_how_to_continue(context, names)}"


def _how_to_continue(context: click.Context, written: list[str]) -> str:
    """The command that continues."""
    options = context.params
    kept, path = options.get("checkpoint"), options.get("path")
    if kept is not None and glob.glob("*".join(map(glob.escape, kept.split("{}")))):
        return f"the same command continues from {kept}{'' if options.get('resume') else ' with --resume'}"
    if "others" in options and path in written:
        return f"the same command with --from {path} and another -o continues"
    again = "the same command begins again"
    if kept is None and is_accepted(context, "checkpoint", "FILE"):
        return f"{again}; with --checkpoint FILE it could continue"
    return again
