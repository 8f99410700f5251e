"""`--format`: typed, or chosen by the ending of `-o` (`common.files.endings`) while the command line is parsed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from ..files.endings import format_of_name
from .option import OUTPUT, Option, option


class FormatOption(Option):
    """`--format`; if it is not typed, the ending of the output's name is its value.

    Parameters
    ----------
    instead : dict of str to str, optional
        Flags, by parameter name, whose result has a format of its own.
    """

    def __init__(self, *args: Any, instead: Mapping[str, str] | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.instead = instead or {}

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, Any]:
        """The value and its source: still the default where the ending chooses.

        Raises
        ------
        UsageError
            See `common.files.endings.format_of_name`.
        """
        value, source = super().consume_value(ctx, opts)
        path, choices, given = opts.get("path"), self.type.choices, opts.get(self.name)  # type: ignore[attr-defined]
        if path is None or ctx.resilient_parsing or (given is not None and given not in choices):
            return value, source
        own = next((fmt for flag, fmt in self.instead.items() if opts.get(flag)), None)
        if own is not None:
            format_of_name(path, (own,), own, option="-o")
            return value, source
        return format_of_name(path, choices, self.default, given, "-o"), source  # type: ignore[arg-type]

    def chosen(self, params: Mapping[str, Any]) -> str | None:
        """The value if the ending chose it, None if it is the default, or there is no name with an ending."""
        value = params.get(self.name or "")
        return None if value == self.default or params.get("path") is None else value


def format_option(
    formats: Sequence[str],
    description: str = "Format of the graph",
    instead: Mapping[str, str] | None = None,
) -> Callable:
    """`--format` of a file, one of these; the first is the default.

    Parameters
    ----------
    description
        The help of the option, without its default.
    instead
        As for `FormatOption`.
    """
    return option(
        "--format",
        "fmt",
        first=True,
        group=OUTPUT,
        in_python=False,
        cls=FormatOption,
        type=click.Choice(tuple(formats)),
        default=formats[0],
        show_default=True,
        instead=instead,
        help=f"{description}; the ending of -o chooses it too.",
    )


def answer_format(*formats: str) -> Callable:
    """`--format` of an answer that is printed, one of these; the first is the default."""
    return option(
        "--format",
        "fmt",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="Format of the result.",
    )
