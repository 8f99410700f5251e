r"""How a result was made (`--provenance`): its command line.

The command line is that which makes this file alone: of several seeds, bootstrap samples or thresholds, those of this
run. It contains the arguments that the result depends on. Outputs and checkpoints are left out, and so are resource
limits: they do not change the result. A method that the program chose by the memory of the machine is named. A shell
reads the line; bytes of a name that a line cannot hold, such as a line break, are written as
`"$(printf -- 'a\012b')"`. The fingerprint of the data is `common.files.fingerprint`.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

import click

from .formats import FormatOption
from .option import OUTPUT, Option, option
from .paths import has_several_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .typed import TypedOptions

ONE_OF = {"seeds": "--seed", "resamples": "--resample"}  # the option for one of several values
provenance_option = option(
    "--provenance",
    group=OUTPUT,
    first=False,
    is_flag=True,
    help="Add the command and a fingerprint of the data to the header.",
)


def command_line(given: TypedOptions, value: float | None, chosen: Mapping[str, str | None]) -> str:
    """The arguments of a command line, quoted for a shell.

    Parameters
    ----------
    given
        The options.
    value
        Replaces the values of the option with several.
    chosen
        By parameter name, the values of options that the program chose; None for an option that had no effect.

    Returns
    -------
    str
        A part of a result that is merged later has `--shard I/N` first.
    """
    command, values, order = given.command, given.texts, given.order
    formats = [param for param in command.params if isinstance(param, FormatOption)]
    by_ending = {param.name or "": param.chosen(given.params) for param in formats}
    chosen = {name: fmt for name, fmt in by_ending.items() if fmt is not None} | {**chosen}
    words, arguments = [str(command.name)], []
    if values.get("shard") is not None and not any(values.get(name) for name in ONE_OF):
        words += ["--shard", str(given.params["shard"])]
    typed = dict.fromkeys(order)
    added = [param for param in command.params if chosen.get(param.name) is not None and param not in typed]
    for param in (*typed, *added):
        text, name = chosen.get(param.name, values.get(param.name)), max(param.opts, key=len)
        if text is None:
            continue
        if isinstance(param, Option) and not param.in_header:
            continue
        if isinstance(param, click.Argument):
            arguments += [text] if isinstance(text, str) else []
        elif has_several_values(param) and value is not None:
            words += [ONE_OF.get(param.name, name), repr(value)]
        else:
            words += option_words(param, text)
    if any(argument.startswith("-") and argument != "-" for argument in arguments):
        words.append("--")
    return " ".join(map(_quoted, [*words, *arguments]))


def option_words(param: click.Parameter, text: str | bool) -> list[str]:
    """An option as words of a command line; one that is False and has no name for that is left out."""
    if text is False:
        return [max(param.secondary_opts, key=len)] if param.secondary_opts else []
    name = max(param.opts, key=len)
    return [name] if text is True else [name, str(text)]


def _quoted(word: Any) -> Any:
    """A word for a shell, in one line of printable characters."""
    if word.isprintable():
        return shlex.quote(word)
    plain = set(range(32, 127)) - {*b"'\\%"}
    text = "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in os.fsencode(word))
    return f"$'{text}'" if word.endswith("\n") else f"\"$(printf -- '{text}')\""  # $(...) drops last line breaks
