"""Who runs a learner: a command, or a caller in Python.

A learner raises and returns, and changes nothing in its process. The host provides what belongs to the process:
signals, and the options as they were given, by which options without effect are refused and the header gets its command
line.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass


@dataclass(frozen=True)
class Host:
    """Who runs a learner; by default it is not known which options were given.

    Attributes
    ----------
    handling_signals : callable
        A context in which signals stop a run. Its arguments are callables: one that lets the run end soon, with the
        best network so far; whether there is a network, since before that a signal raises KeyboardInterrupt, or ends
        the process; and, perhaps, one that is called before the process is ended.
    reject : callable with keyword arguments
        Refuses options that have no effect, by a UsageError. Its arguments are modes that are known only from the
        files: `source`, or `score_type`.
    command_line : callable
        The command line that makes a result, a str. Its arguments are the value of the sweep, for one of several
        results, and by parameter name the values of options that the program chose; None for an option that had no
        effect.
    echo : callable taking a line
        Prints lines of the run itself, if it has some.
    """

    handling_signals: Callable[..., AbstractContextManager] = lambda *how: contextlib.nullcontext()
    reject: Callable[..., None] = lambda **known: None
    command_line: Callable[[float | None, Mapping[str, str | None]], str] = lambda value, chosen: ""
    echo: Callable[[str], object] = print
