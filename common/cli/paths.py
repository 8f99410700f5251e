"""The files that a command reads and writes: the types of their parameters, and the checks of all of them together.

No output may be an input, under any name, and no two outputs may be the same file; standard input is read once; outputs
that cannot be written are refused before the work. The checks use the parameters' types, so they apply to every new
option: a file to read is an `InputPath`, a file to write an `OutputPath`.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..errors import UsageError
from ..files.atomic_write import check_writable, is_stdout
from ..files.endings import filled, format_of_name
from ..files.text_in_memory import TextInMemory

_STDIN, _STDOUT = 0, 1  # descriptors


class InputPath(click.ParamType):
    """A file to read; `-` is standard input.

    Parameters
    ----------
    words
        Values that are not the name of a file.
    holds
        The key in `common.networks.edges_in_memory.FORMS` of what Python may give in its place; None: only a file.
    """

    name = "file"

    def __init__(self, words: Sequence[str] = (), holds: str | None = None) -> None:
        self.words = tuple(words)
        self.holds = holds

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name, as `_unlike_option` has it."""
        return _unlike_option(value) if _is_file(value, self) else value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """File names, unless one of the words fits."""
        words = [CompletionItem(word) for word in self.words if incomplete and word.startswith(incomplete)]
        return words or [CompletionItem(incomplete, type="file")]


class OutputPath(click.ParamType):
    """A file to write; `-` is standard output. `{}` stands for each value of an option that `has_several_values`.

    Parameters
    ----------
    by_default
        Whether standard output is the default.
    formats
        In which the file can be written, the usual one first; empty if `--format` decides. A name that ends in another
        is refused.
    """

    name = "file"

    def __init__(self, by_default: bool = True, formats: Sequence[str] = ()) -> None:
        self.by_default = by_default
        self.formats = tuple(formats)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name, as `_unlike_option` has it."""
        return _unlike_option(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """File names."""
        return [CompletionItem(incomplete, type="file")]


class TracePath(OutputPath):
    """A file to write besides the result; not standard output."""

    def __init__(self, formats: Sequence[str]) -> None:
        super().__init__(False, formats)


class FolderPath(click.ParamType):
    """A folder."""

    name = "folder"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names of folders."""
        return [CompletionItem(incomplete, type="dir")]


def has_several_values(param: Any) -> bool:
    """Whether an option has several values, each with a separate result."""
    return getattr(param.type, "has_several_values", False)


def check_files(command: click.Command, params: Mapping[str, Any]) -> None:
    """Refuse files of a command line that are incompatible or cannot be written.

    Devices, pipes and terminals may be named any number of times, also as input and output.

    Parameters
    ----------
    command
    params
        The values of its parameters, by name.

    Raises
    ------
    UsageError
        An empty name; an output that is an input or another output, or whose name means another format; a second `-` to
        be read; a trace for standard output.
    DataError
        An output that cannot be written (see `common.files.atomic_write.check_writable`).
    """
    given = [(param, params.get(param.name or "")) for param in command.params]
    values = [value for param, sweep in given if has_several_values(param) for value in sweep or ()]
    inputs, outputs = [], []
    named = [(param, path) for param, value in given for path in (value if isinstance(value, tuple) else (value,))]
    for param, path in named:
        kind = param.type
        if path == "" and isinstance(kind, InputPath | OutputPath | FolderPath):
            raise UsageError(f"{_shown(param)}: the name is empty; name a file")
        if isinstance(kind, InputPath) and _is_file(path, kind):
            inputs.append((_shown(param), path))
        elif isinstance(kind, OutputPath) and (path is not None or kind.by_default):
            if isinstance(kind, TracePath) and is_stdout(path):
                raise UsageError(f"{_shown(param)} {path}: standard output carries results only; name a file")
            swept = values if path is not None and "{}" in path else ()
            outputs += [(_shown(param), filled(path, value)) for value in swept or (None,)]
    if [path for _, path in inputs].count("-") > 1:
        raise UsageError("standard input can be read only once; name a file for the other")
    _keep_apart(inputs, outputs)
    for param, path in named:
        if isinstance(param.type, OutputPath) and param.type.formats:
            formats = param.type.formats
            format_of_name(path, formats, formats[0], option=min(param.opts, key=len))
    for _, path in outputs:
        check_writable(path)


def _is_file(path: Any, kind: InputPath) -> bool:
    """Whether the value of a parameter is the name of a file: not a word, nor something in memory."""
    return isinstance(path, str) and not isinstance(path, TextInMemory) and path not in kind.words


def _unlike_option(path: str) -> str:
    """The name of a file, with its folder if it begins as an option does: commands that are recommended contain it."""
    return f"./{path}" if path.startswith("-") and path != "-" else path


def _keep_apart(inputs: list[tuple[str, str]], outputs: list[tuple[str, str | None]]) -> None:
    """Refuse an output that is an input or an earlier output; name and path of each."""
    used = {_identity(_STDIN if path == "-" else path): f"{name} is read from that file" for name, path in inputs}
    used.pop(None, None)
    if (what := used.get(_identity(_STDOUT))) is not None:  # even if the command prints nothing
        raise UsageError(f"standard output: {what}; send it to another")
    printed = [name for name, path in outputs if path is None or is_stdout(path)]
    if len(printed) > 1:
        raise UsageError(f"{printed[0]} and {printed[1]}: both are written to standard output; name a file for one")
    for name, path in outputs:
        identity = None if path is None or is_stdout(path) else _identity(path)
        if identity in used:
            raise UsageError(f"{name} {path}: {used[identity]}; name another")
        if identity is not None:
            used[identity] = f"{name} is written to that file"


def _identity(target: int | str) -> str | tuple[int, int] | None:
    """An identity of a file, by path or descriptor, equal for all its names; None if it is not a regular file.

    A name that the system does not find (`FILE/`, `FILE/.`, `FILE/../FILE`) is that of the file that would be written.
    """
    try:
        found = os.stat(target)
    except OSError:
        if not isinstance(target, str):
            return None
        written = os.path.realpath(target)
        if not os.path.exists(written):  # yet
            return written
        found = os.stat(written)
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _shown(param: Any) -> str:
    """A parameter's name on the command line: `--output`, `DATA`."""
    return max(param.opts, key=len) if isinstance(param, click.Option) else param.human_readable_name.strip("[]")
