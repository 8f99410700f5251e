"""Messages in the words of their reader: `--missing em` on a command line is `missing='em'` in Python.

Functions below the commands name options as a shell has them. At the functions that a caller in Python uses, the
options in an error or a warning become arguments, and a command that cuts numbers becomes a call; while a
command runs, they stay.
"""

from __future__ import annotations

import logging
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import pairwise
from typing import ParamSpec, TypeVar

from .errors import CliquewiseError

P = ParamSpec("P")
R = TypeVar("R")

# An option; a value is a choice, a number, a text in quotes, or what follows a sign of equality; other text after an
# option is the rest of the sentence.
_CHOICES = (
    "em|state|drop|refuse|yes|no|fold|exact|comma|semicolon|tab|pipe|blank|point|rows|none|organic|layered|cv|evidence|"
    "bdeu|bic|ll|aic|ebic|qnml|ic|fic|greedy|forest|dp|ilp|hc|pbo|chordal|climb|milp|kp|skp|s2|chains"
)
_OPTION = re.compile(
    rf"(?<![\w-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:[ =](?:({_CHOICES}|\d[\w.]*)(?![\w-])|('[^']*'))|=([^\s;)']+))?"
)
_CUT = re.compile(r"mnmodel discretize (.*) -o cut\.csv")  # as `common.data.odd_states` ends a warning
_OF_A_CUT = ("columns", "drop", "na", "states", "counts", "weights")  # arguments of `cliquewise.discretize`
_of_commands: list[None] = []  # one for each command that runs in this process
_of_functions: list[None] = []  # one for each call from Python


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
    >>> in_python_words("a '-'; --na=a=- if they are")
    "a '-'; na='a=-' if they are"
    >>> in_python_words("cut them: mnmodel discretize '<DataFrame>' --header=yes --columns 'a b' -o cut.csv")
    "cut them: cliquewise.discretize(table, columns='a b')"
    """

    def argument(found: re.Match[str]) -> str:
        name, value, quoted, text = found.groups()
        number = value is not None and value[0].isdigit()
        shown = quoted or (value if number else repr(value or text) if value or text else None)
        return name.replace("-", "_") + (f"={shown}" if shown else "")

    return _OPTION.sub(argument, _CUT.sub(_call, message))


def _call(found: re.Match[str]) -> str:
    """The call that cuts the numbers of a table as a command does."""
    source, *words = [word for text in shlex.split(found[1]) for word in _option_and_value(text)]
    table = "table" if source.startswith("<") else repr(source)
    named = {word[2:]: value for word, value in pairwise(words) if word.startswith("--")}
    return f"cliquewise.discretize({', '.join([table, *(f'{k}={v!r}' for k, v in named.items() if k in _OF_A_CUT)])})"


def _option_and_value(word: str) -> list[str]:
    """A word of a command, or the two of `--na=-9`."""
    return word.split("=", 1) if word.startswith("--") else [word]


class _InPythonWords(logging.Filter):
    """Warnings name arguments while a function runs that was called from Python; other lines show commands."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno >= logging.WARNING and _of_functions and not _of_commands:
            record.msg, record.args = in_python_words(record.getMessage()), None
        return True


logging.getLogger("cliquewise").addFilter(_InPythonWords())


def with_python_messages(function: Callable[P, R]) -> Callable[P, R]:
    """A decorator: errors and warnings name arguments instead of options, unless a command runs the function."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        _of_functions.append(None)
        try:
            return function(*args, **kwargs)
        except CliquewiseError as error:
            if not _of_commands and error.args:
                error.args = (in_python_words(str(error.args[0])), *error.args[1:])
            raise
        finally:
            _of_functions.pop()

    return called
