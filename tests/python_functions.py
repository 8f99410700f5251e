"""Writes the functions of the learners, `lsmarkov/from_python.py` and so on, from the options of their commands.

A part of `make docs`. A function has the options as keyword-only arguments with types and defaults, in the order and in
the words of `--help-all`.
"""

import re
import textwrap

import click

from cliquewise.common.cli.from_python import arguments, default, keyword
from cliquewise.common.cli.lists import FiniteFloat, Separator, Sizes
from cliquewise.common.cli.paths import InputPath, OutputPath
from cliquewise.common.networks.edges_in_memory import FORMS, ORDER, PRIORS, STATES, TABLE, TIERS
from cliquewise.common.python_words import in_python_words
from tests.commands import ROOT, command_module

LEARNERS = ("coarsen", "junctor", "lsmarkov", "mnposterior", "mplearn", "twlearn")
WIDTH = 120
TYPES = {kind: "Edges" for kind in FORMS} | {
    PRIORS: "Priors",
    TIERS: "Lists",
    ORDER: "Lists",
    STATES: "States",
    TABLE: "Data",
}
LISTS = ("NAMES", "WORDS")  # metavars of options whose value is a list with commas between
HEAD = '''"""`cliquewise.{name}`; written by `python -m tests.readme_sync` from the options of the command."""

from __future__ import annotations

from typing import TYPE_CHECKING{literal}

from ..common.cli.from_python import learned

if TYPE_CHECKING:
{sequence}    from threading import Event

    from ..common.cli.from_python import Data
    from ..common.networks.network import {types}


def {name}(
    data: Data,
    *,
{arguments}
    stop: Event | None = None,
) -> Network:
    """{summary}

    The result is certified. The arguments are the options of the command.

    Parameters
    ----------
    data
        A DataFrame of pandas, polars or pyarrow, a dict of columns, a list of rows, an array, the name of a file, or
        the result of `read_csv`.
{described}
    stop
        A `threading.Event`: when another thread sets it, the search ends as after Ctrl-C. Python passes Ctrl-C itself
        to the main thread alone.

    Raises
    ------
    UsageError, DataError
        Refused as by the command, with the same message.
    KeyboardInterrupt
        Ctrl-C before there is a network. Later the result is the network so far, with the status `interrupted`.
    """
    return learned("{name}", locals())
'''


def modules():
    """The text of each module, by its path."""
    return {ROOT / name / "from_python.py": module(name) for name in LEARNERS}


def module(name):
    """The text of one module."""
    command = getattr(command_module(name), name)
    params = arguments(command)
    signature = [f"    {keyword(param)}: {_annotation(param)}{_default(param)}," for param in params]
    described = [f"    {keyword(param)}\n{_wrapped(_help(param), 8)}" for param in params]
    summary = re.sub(r"\bDATA\b", "data", command.help).partition("\n")[0]
    several = any("Sequence" in line for line in signature)
    types = {name for name in {*TYPES.values(), "Path"} - {"Data"} if any(f": {name}" in line for line in signature)}
    return HEAD.format(
        name=name,
        types=", ".join(sorted({*types, "Network"})),
        literal=", Literal" if any("Literal" in line for line in signature) else "",
        sequence="    from collections.abc import Sequence\n" if several else "",
        arguments="\n".join(signature),
        summary=summary.strip(),
        described="\n".join(described),
    )


def _annotation(param):
    """The type of an argument."""
    kind = param.type
    if param.is_flag:
        return "bool"
    if isinstance(kind, Sizes):
        found = "float | Sequence[float]"
    elif isinstance(kind, InputPath | OutputPath):
        found = TYPES.get(getattr(kind, "holds", None), "Path")
    elif isinstance(kind, click.Choice) and not isinstance(kind, Separator):
        found = f"Literal[{', '.join(f'{choice!r}' for choice in kind.choices)}]".replace("'", '"')
    elif isinstance(kind, click.IntRange):
        found = "int"
    else:
        found = "float" if isinstance(kind, FiniteFloat) else "str"
        found = "str | Sequence[str]" if param.metavar in LISTS else found
    return found if param.required or default(param) is not None else f"{found} | None"


def _default(param):
    """The default of an argument, as code."""
    return "" if param.required else f" = {default(param)!r}".replace("'", '"')


def _help(param):
    """The text of the help, in the words of Python, with the range."""
    text = re.sub(r"; with several values, a network for each.*|, used like --threshold", "", param.help)
    text = in_python_words(text.replace("--blankets-only", "mplearn \0blankets-only")).replace("\0", "--")
    text = re.sub(r"\bFILE\b", "this file", text).replace(" on stderr", " in the log")
    if param.is_flag and param.secondary_opts:
        text = re.sub(r"\s*\[default: [^]]*\]", "", text)
    text = re.sub(r"\s+\[", " [", text)
    kind = param.type
    bounds = []
    if getattr(kind, "min", None) is not None:
        bounds.append(f"{'above' if getattr(kind, 'min_open', False) else 'at least'} {kind.min:,.10g}")
    if getattr(kind, "max", None) is not None and kind.max < 2**62:
        bounds.append(f"{'below' if getattr(kind, 'max_open', False) else 'at most'} {kind.max:,.10g}")
    limits = " and ".join(bounds)
    text = text if text.endswith((".", "]")) else f"{text}."
    text = f"{text} {limits[0].upper()}{limits[1:]}." if limits else text
    holds = getattr(kind, "holds", None)
    text = text if holds is None else f"{text} In place of a file: {FORMS[holds]}."
    return f"{text} Also as a list." if param.metavar in LISTS else text


def _wrapped(text, indent):
    """A paragraph of a docstring."""
    lines = textwrap.wrap(text, WIDTH - indent, break_long_words=False, break_on_hyphens=False)
    return textwrap.indent("\n".join(lines), " " * indent)
