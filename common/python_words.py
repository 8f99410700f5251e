"""Messages in the words of their reader: `--missing em` on a command line is `missing='em'` in Python.

Functions below the commands name options as a shell has them. At the functions that a caller in Python uses, the
options in a message become arguments; while a command runs, they stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from .errors import CliquewiseError

P = ParamSpec("P")
R = TypeVar("R")

# An option; a value is a choice, a number or a text in quotes; other text after it is the rest of the sentence.
_CHOICES = "em|state|drop|refuse|yes|no|fold|exact|comma|semicolon|tab|pipe|blank|point|rows|none|organic|layered"
_OPTION = re.compile(
    rf"(?<![\w-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:[ =](?:({_CHOICES}|\d[\w.]*)(?![\w-])|('[^']*')))?"
)
_of_commands: list[None] = []  # one for each command that runs in this process


@contextmanager
def as_a_command() -> Iterator[None]:
    """While this lasts, messages name options of a command line."""
    _of_commands.append(None)
    try:
        yield
    finally:
        _of_commands.pop()


def in_python_words(message: str) -> str:
    """A message with arguments of functions instead of options.

    Examples
    --------
    >>> in_python_words("empty cell: --missing em; or leave the column out: --drop 'a b'")
    "empty cell: missing='em'; or leave the column out: drop='a b'"
    >>> in_python_words("--ess 2: leave out --max-clique")
    'ess=2: leave out max_clique'
    """

    def argument(found: re.Match[str]) -> str:
        name, value, quoted = found.groups()
        number = value is not None and value[0].isdigit()
        shown = quoted or (value if number or value is None else repr(value))
        return name.replace("-", "_") + (f"={shown}" if shown else "")

    return _OPTION.sub(argument, message)


def with_python_messages(function: Callable[P, R]) -> Callable[P, R]:
    """A decorator: errors name arguments instead of options, unless a command runs the function."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except CliquewiseError as error:
            if not _of_commands and error.args:
                error.args = (in_python_words(str(error.args[0])), *error.args[1:])
            raise

    return called
