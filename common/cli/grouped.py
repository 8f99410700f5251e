"""A command with a help that fits a screen and one of all options in groups; it keeps the words that were typed."""

import contextlib
import logging
import re
from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from typing import Any

import click

from ..number_text import has_plain_digits
from ..start import INTERRUPTED
from . import interruption
from .option import GROUPS, MESSAGES, ListOption, Option
from .typed import TYPED_TEXTS

LOG = logging.getLogger("cliquewise")
_ALL = "cliquewise.help_all"
_FEW = 14  # options that a short help lists even if not all of them are among the first
_COLUMN = 24  # letters of an option with its metavar; the description of a longer one begins on the next line


@contextlib.contextmanager
def help_of_all(ctx: click.Context) -> Iterator[None]:
    """While this is open, the help of a `GroupedCommand` describes all options."""
    ctx.meta[_ALL] = True
    yield
    del ctx.meta[_ALL]


def _show_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print the help of all options and end."""
    if value and not ctx.resilient_parsing:
        with help_of_all(ctx):
            click.echo(ctx.get_help())
        ctx.exit()


class GroupedCommand(click.Command):
    """A command whose `--help` lists its first options, and whose `--help-all` lists all in `GROUPS`."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters, `--help-all` before `--help`."""
        *params, last = super().get_params(ctx)
        help_text = "Show all options and exit."
        whole = click.Option(
            ["--help-all"], is_flag=True, expose_value=False, is_eager=True, callback=_show_all, help=help_text
        )
        return [*params, whole, last]

    def make_parser(self, ctx: click.Context) -> Any:
        """The parser, which joins lists, and keeps the words that were typed: see `TYPED_TEXTS`."""
        parser: Any = super().make_parser(ctx)
        parse = parser.parse_args

        def parse_args(args: list[str]) -> Any:
            found = parse(args)
            for param in self.params:
                if isinstance(param, ListOption) and found[0].get(param.name):
                    found[0][param.name] = ",".join(found[0][param.name])
                if isinstance(param.type, click.IntRange | click.FloatRange) and not ctx.resilient_parsing:
                    text = str(found[0].get(param.name)).strip("[']")  # a list if it can be given several times
                    if not has_plain_digits(text):
                        raise click.BadParameter(f"'{text}' is not a number", ctx, param)
            ctx.meta[TYPED_TEXTS] = found[0], found[2]
            return found

        parser.parse_args = parse_args
        return parser

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; if it was interrupted, log how to continue, also where a result so far was written."""
        with interruption.during(ctx):
            code = super().invoke(ctx)
            if code == INTERRUPTED:
                LOG.info("%s", interruption.line())
        return code

    def format_options(self, ctx: click.Context, formatter: Any) -> None:
        """Write the first options, or all, group by group.

        Parameters
        ----------
        formatter : click.HelpFormatter
        """
        if _ALL not in ctx.meta:
            self._format_first(ctx, formatter)
            return
        rows: dict = {title: [] for title in GROUPS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                rows[param.group if isinstance(param, Option) else MESSAGES].append(record)
        for title, found in rows.items():
            if found:
                with formatter.section(title):
                    formatter.write_dl(found)

    def _format_first(self, ctx: click.Context, formatter: Any) -> None:
        """Write the first options, group by group, each with its choices and default, and how many there are."""
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        first = [param for param in options if isinstance(param, Option) and param.first is not False]
        if len(first) > _FEW:
            first = [param for param in first if param.first or param.required]
        if first:
            with formatter.section("First options"):
                rows = [_in_short(option, ctx) for option in sorted(first, key=lambda one: GROUPS.index(one.group))]
                formatter.write_dl(rows, col_max=_COLUMN)
        formatter.write_paragraph()
        formatter.write_text(f"{ctx.command_path} --help-all describes all {len(options)} options.")


class CommandGroup(click.Group):
    """A command whose subcommands are `GroupedCommand`s, which can be in modules that are imported when they are used.

    Parameters
    ----------
    package
        Where these modules are.
    subcommands : dict of str to collection of str
        By module, the names of its subcommands; the functions have _ for -.
    """

    command_class = GroupedCommand

    def __init__(
        self, *args: Any, package: str = "", subcommands: Mapping[str, Collection[str]] | None = None, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._module_of = {name: f"{package}.{where}" for where, names in (subcommands or {}).items() for name in names}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all subcommands."""
        return sorted({*super().list_commands(ctx), *self._module_of})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A subcommand, None if there is none of this name."""
        if cmd_name in self._module_of and cmd_name not in self.commands:
            self.add_command(getattr(import_module(self._module_of[cmd_name]), cmd_name.replace("-", "_")))
        return super().get_command(ctx, cmd_name)


def _in_short(option: Option, ctx: click.Context) -> tuple[str, str]:
    """An option with its metavar; the first sentence of its description, or part of it, and its default."""
    names, described = option.get_help_record(ctx) or ("", "")
    sentence = re.split(r"\.(?: |$)|; |  \[", described)[0]
    default = re.search(r"\[default: [^];]*", described)
    return names, f"{sentence}.  {default[0]}]" if default else f"{sentence}."
