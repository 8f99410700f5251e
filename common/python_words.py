"""Messages in the words of their reader: `--missing em` on a command line is `missing='em'` in Python.

Functions below the commands name options as a shell has them. At the functions that a caller in Python uses, the
options in an error or a warning become arguments, and a command that cuts numbers becomes a call; while a
command runs, they stay.
"""

from __future__ import annotations

import logging
import re
import shlex
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from itertools import pairwise
from typing import ParamSpec, TypeVar

from .errors import CliquewiseError

P = ParamSpec("P")
R = TypeVar("R")

# An option; a value is a choice, a number, a text in quotes, or what follows a sign of equality; other text after an
# option is the rest of the sentence. The pattern is compiled when it is first used, since that takes two milliseconds.
_CHOICES = (
    "em|state|drop|refuse|yes|no|fold|exact|comma|semicolon|tab|pipe|blank|point|rows|none|organic|layered|cv|evidence|"
    "bdeu|bic|ll|aic|ebic|qnml|mpl|pic|cmi|l1lr|ic|fic|greedy|tree|forest|best|empty|dp|ilp|hc|pbo|chordal|climb|milp|"
    "kp|skp|s2|chains|exact|auto|default|ecai2020|pgm2020|quantile|uniform|kmeans|hartemink|mdl|first|last|pyagrum"
)
_NAME = "--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)"
_OTHERS = rf"((?:, (?:{_CHOICES}))* or (?:{_CHOICES}|FILE)(?![\w-]))?"  # `--start tree, forest or best`
_TEXT = r"=([^\s;)']*[^\s;)':,])"
_OPTION = rf"(?<![\w-]){_NAME}(?:[ =](?:({_CHOICES}|\d[\w.]*)(?![\w-]){_OTHERS}|('[^']*'))|{_TEXT})?"
_QUOTED = re.compile(rf"'{_NAME}=([^']*)'")  # a word of a shell: '--drop=a b'
# before an option of a command without a function
_OF_A_SHELL = re.compile(r"\b(?:mntools|mnmodel|dmscore) [^;:,()]*$")
# as `common.data.state_warnings` ends a warning, or the advice on one column of a description
_OUTPUT = re.compile(r"(?<![\w-])-o (?=\S+: )")  # before the name of a file, which is an argument alone
_CUT = re.compile(r"mnmodel discretize (.*) -o cut\.csv|^mnmodel discretize (--columns .*)$")
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
    >>> in_python_words("--init net: not chordal; mntools convert --chordal makes it so")
    'init net: not chordal; networkx.complete_to_chordal_graph makes it so'
    >>> in_python_words("--missing=impute: expected em; -o net.jpg: the name must end in .png")
    "missing='impute': expected em; net.jpg: the name must end in .png"
    >>> in_python_words("use --start tree, forest or best, or '--drop=a b'")
    "use start='tree', 'forest' or 'best', or drop='a b'"
    >>> in_python_words("cut them: mnmodel discretize '<DataFrame>' --header=yes --columns 'a b' -o cut.csv")
    "cut them: cliquewise.discretize(table, columns='a b')"
    """

    def argument(found: re.Match[str]) -> str:
        if _OF_A_SHELL.search(message[: found.start()]):
            return found[0]
        name, value, others, quoted, text = found.groups()
        number = value is not None and value[0].isdigit()
        shown = quoted or (value if number else repr(value or text) if value or text else None)
        more = re.sub(rf"\b(?:{_CHOICES})\b", lambda word: repr(word[0]), (others or "").replace(" or ", " | "))
        return name.replace("-", "_") + (f"={shown}" if shown else "") + more.replace(" | ", " or ")

    message = _QUOTED.sub(lambda found: f"{found[1].replace('-', '_')}={found[2]!r}", _CUT.sub(_call, message))
    message = message.replace("mntools convert --chordal", "networkx.complete_to_chordal_graph")
    return _OUTPUT.sub("", re.sub(_OPTION, argument, message))


def _call(found: re.Match[str]) -> str:
    """The call that cuts the numbers of a table as a command does."""
    words = shlex.split(found[1] or f"'<table>' {found[2]}")
    return call("discretize", words[0], words[1:], _OF_A_CUT)


def call(function: str, source: str, words: Sequence[str], names: Collection[str] | None = None) -> str:
    """The call of a function for the command that does the same.

    Parameters
    ----------
    source
        The table; in brackets if it is in memory.
    words
        Options with values, `--columns x` or `--columns=x`; of one in memory the value is its name in brackets.
    names
        Of the arguments that the function has; None for all.

    Examples
    --------
    >>> call("read_csv", "zoo.csv", ["--drop", "legs", "--weight-scale=none"])
    "cliquewise.read_csv('zoo.csv', drop='legs', weight_scale='none')"
    """
    parts = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    named = {word[2:].replace("-", "_"): value for word, value in pairwise(parts) if word.startswith("--")}
    table = "table" if source.startswith("<") else repr(source)
    values = {name: name if value == f"<{name}>" else repr(value) for name, value in named.items()}
    shown = [f"{name}={value}" for name, value in values.items() if names is None or name in names]
    return f"cliquewise.{function}({', '.join([table, *shown])})"


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
