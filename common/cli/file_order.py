"""Files of a command in any order: the kind of a file is detected from its content.

A command of this class has an argument for a table and one for a network, or an option for the table, which may also be
given as a second argument. They are put into the order of the help when the command line is parsed. Two files of the
same kind stay as they were given.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click
from click.core import ParameterSource

from ..files.file_kinds import GRAPHS, MODELS
from ..files.input_stream import kind_of_file
from .grouped import GroupedCommand
from .paths import InputPath

_TABLE = "cliquewise.table"  # of a click context: the table that is given as an argument


def is_network(path: str) -> bool:
    """Whether a file, a pipe, or standard input begins as a graph or model."""
    return kind_of_file(path) in (*GRAPHS, *MODELS)


class AnyOrder(GroupedCommand):
    """A command that takes its files in any order.

    Parameters
    ----------
    network, table
        Its parameters for a graph or model, and for data or scores.
    second
        The one of them that is an option, and may be given as a second argument.
    """

    def __init__(
        self, *args: Any, network: str = "graph", table: str = "data", second: str = "data", **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.network, self.table, self.second = network, table, second

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and put the files right.

        Raises
        ------
        UsageError
            Two files for one parameter.
        """
        rest, params = super().parse_args(ctx, args), ctx.params
        if ctx.resilient_parsing:
            return rest
        second = ctx.meta.pop(_TABLE, None)
        if second is not None:
            if params.get(self.second) is not None:
                what = "data are" if self.second == self.table else "network is"
                raise click.UsageError(f"{second}: the {what} given by --{self.second} too; give one of them", ctx)
            params[self.second] = second
            ctx.set_parameter_source(self.second, ParameterSource.COMMANDLINE)
        first, other = params.get(self.network), params.get(self.table)
        if isinstance(first, str) and isinstance(other, str) and is_network(other) and not is_network(first):
            params[self.network], params[self.table] = other, first
        return rest


class TableAmong(GroupedCommand):
    """A command of many networks whose table, `--data`, may stand among them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and take the one file that is no network as the table."""
        rest, params = super().parse_args(ctx, args), ctx.params
        paths = params.get("networks") or ()
        tables = [path for path in paths if os.path.exists(path) and not is_network(path)]
        if len(tables) == 1 < len(paths) and params.get("data") is None:
            params["networks"] = tuple(path for path in paths if path not in tables)
            params["data"] = tables[0]
            ctx.set_parameter_source("data", ParameterSource.COMMANDLINE)
        return rest


def _keep(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.meta[_TABLE] = value


def _second_argument(metavar: str) -> Callable:
    return click.argument(
        "table", metavar=metavar, type=InputPath(), required=False, expose_value=False, callback=_keep
    )


table_argument, network_argument = _second_argument("[DATA]"), _second_argument("[GRAPH]")


def table_last(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Models and a table in any order, with the table last; or data, graphs and test data, with the graphs between.

    Other numbers of tables stay as they are.
    """
    networks = [path for path in paths if is_network(path)]
    tables = [path for path in paths if path not in networks]
    if len(tables) == 1:
        return (*networks, *tables)
    if len(tables) == 2 and networks:
        return (tables[0], *networks, tables[1])
    return paths
