"""An option of a command, described once: its names and values, where it is listed, and when it has an effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from .paths import OutputPath

GROUPS = INPUT, SCORE, OWN, LIMITS, LONG_RUNS, OUTPUT, MESSAGES = (
    *("Input", "Score", "Options of this command", "Limits", "Long runs", "Output", "Messages"),
)
GIVEN, ABSENT = "given", "absent"
Conditions = Mapping[str, str | tuple[str, ...]]
ALWAYS: Conditions = {}
OF_DATA: Conditions = {"source": ("data",)}  # scores from a file are used unchanged
WITH_EM: Conditions = {"missing": ("em",)}  # of an option that only --missing em has
WITHOUT_EM: Conditions = {"missing": ("refuse", "state", "drop")}  # of one that it does not have


class Option(click.Option):
    """An option with its group, and the conditions under which it has an effect.

    Parameters
    ----------
    group
        One of `GROUPS`, under which `--help-all` lists it, and the Python function.
    first
        Whether `--help` lists it; None: if the command has few others.
    conditions
        All must be met for it to have an effect: of another option GIVEN, ABSENT, or a tuple of the values with which
        it has one. `source` is the kind of the input, `data` or `scores`. A condition on an option that the command
        does not have is met. A command can have others (`common.cli.compatibility`).
    in_header
        Whether a result can depend on it, so that `--provenance` has it in the command line; None: unless it is a file
        to write.
    in_python
        Whether the Python function of the command has it.
    """

    def __init__(
        self,
        *args: Any,
        group: str = OWN,
        first: bool | None = None,
        conditions: Conditions = ALWAYS,
        in_header: bool | None = None,
        in_python: bool = True,
        **described: Any,
    ) -> None:
        super().__init__(*args, **described)
        self.group, self.first, self.conditions = group, first, conditions
        self.in_header = not isinstance(self.type, OutputPath) if in_header is None else in_header
        self.in_python = in_python


class ListOption(Option):
    """An option whose value is a list with commas between; if it is given several times, the lists are joined."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser keep all lists; `GroupedCommand` joins them."""
        parser.add_option(self, [*self.opts], dest=self.name, action="append", nargs=1)


def option(*names: str, cls: type[Option] = Option, **described: Any) -> Callable:
    """A decorator that adds an option, as `click.option`.

    Parameters
    ----------
    *names
        As for click.
    cls
        Its class.
    **described
        As for `Option`, and for click.
    """
    return click.option(*names, cls=cls, **described)
