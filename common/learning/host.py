"""Who runs a learner: a command, or a caller in Python.

A learner raises and returns, and changes nothing in its process. The host provides what belongs to the process:
signals, and the options as they were given, by which options without effect are refused and the header gets its command
line.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field


class Signals:
    """How a run is stopped from outside; here it is not."""

    def during(
        self, interrupt: Callable, has_begun: Callable, before_exit: Callable = lambda: None
    ) -> AbstractContextManager:
        """A context in which signals stop a run.

        Parameters
        ----------
        interrupt
            Lets the run end soon, with the best network so far.
        has_begun
            Whether there is a network; before that, a signal raises KeyboardInterrupt, or ends the process.
        before_exit
            Called before the process is ended.
        """
        return contextlib.nullcontext()


class Given:
    """The options as they were given; here it is not known which were."""

    def reject(self, **known: str | None) -> None:
        """Refuse options that have no effect.

        Parameters
        ----------
        **known
            Modes that are known only from the files: `source`, or `score_type`.

        Raises
        ------
        UsageError
        """

    def command_line(self, value: float | None, chosen: Mapping[str, str | None]) -> str:
        """The command line that makes a result.

        Parameters
        ----------
        value
            Of the sweep, for one of several results.
        chosen
            By parameter name, the values of options that the program chose; None for an option that had no effect.
        """
        return ""


@dataclass(frozen=True)
class Host:
    """Who runs a learner.

    Attributes
    ----------
    signals
    given
    echo : callable taking a line
        Prints lines of the run itself, if it has some.
    """

    signals: Signals = field(default_factory=Signals)
    given: Given = field(default_factory=Given)
    echo: Callable[[str], object] = print
