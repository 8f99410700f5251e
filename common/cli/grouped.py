"""A command with a help that fits a screen and one of all options in groups; it keeps what was typed."""

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import click

from ..files.result_header import READ_BY
from .typed import TYPED

# The help lists options in these groups, by parameter name; all others are the command's own options.
GROUPS = {
    "Input": (
        *READ_BY,
        *("resample", "data", "init", "start", "template", "given"),
        *("required_arcs", "forbidden_arcs", "tiers", "total_order", "roots", "leaves"),
        *("allowed_edges", "required_edges", "forbidden_edges", "states_of", "weights_from", "stored"),
    ),
    "Score": (
        "score_type",
        "ess",
        "choose",
        "gamma",
        "edge_prior",
        "edge_priors",
        "ml",
        "kind",
        "prior",
        "penalty",
        "thresholds",
        "lambdas",
    ),
    "Search": None,
    "Limits": (
        *("time_limit", "iterations", "target", "threads", "cache_mb", "memory", "dry_run"),
        *("pbo_seconds", "seconds"),
    ),
    "Long runs": ("checkpoint", "checkpoint_every", "resume", "shard", "seeds", "resamples"),
    "Output": (
        *(
            "fmt",
            "use_names",
            "path",
            "provenance",
            "samples",
            "trajectory",
            "trace",
            "cpdag",
            "updates",
            "edges",
            "cuts",
            "per_row",
        ),
        *("blankets_only", "certificate", "solution", "tree", "matrix", "dot", "everything", "layout", "order"),
        *("pair", "precision", "min_probability"),
    ),
    "Messages": ("quiet", "verbose", "version"),
}


# What `--help` shows, of those that a command has; `--help-all` shows the rest.
FIRST = (
    *("missing", "score_type", "kind", "ess", "treewidth", "max_clique", "method", "time_limit", "seed", "threads"),
    *("checkpoint", "resume", "use_names", "fmt", "path", "layout"),
)
_ALL = "cliquewise.help_all"
_SHORT = 16  # letters of what an option takes: longer lists of values are left to --help-all


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
    """A command whose `--help` lists the `FIRST` options, and whose `--help-all` lists all in `GROUPS`."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters, `--help-all` before `--help`."""
        *params, last = super().get_params(ctx)
        told = "Show all options and exit."
        whole = click.Option(
            ["--help-all"], is_flag=True, expose_value=False, is_eager=True, callback=_show_all, help=told
        )
        return [*params, whole, last]

    def make_parser(self, ctx: click.Context) -> Any:
        """The parser, which keeps what was typed: see `TYPED`."""
        parser: Any = super().make_parser(ctx)
        parse = parser.parse_args

        def parse_args(args: list[str]) -> Any:
            found = parse(args)
            ctx.meta[TYPED] = found[0], found[2]
            return found

        parser.parse_args = parse_args
        return parser

    def format_options(self, ctx: click.Context, formatter: Any) -> None:
        """Write the first options, or all, group by group.

        Parameters
        ----------
        formatter : click.HelpFormatter
        """
        if _ALL not in ctx.meta:
            self._format_first(ctx, formatter)
            return
        group_of = {name: title for title, names in GROUPS.items() for name in names or ()}
        rows: dict = {title: [] for title in GROUPS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                title = "Messages" if {"--help", "--help-all"} & {*param.opts} else group_of.get(param.name, "Search")
                rows[title].append(record)
        for title, found in rows.items():
            if found:
                with formatter.section(title):
                    formatter.write_dl(found)

    def _format_first(self, ctx: click.Context, formatter: Any) -> None:
        """Write the options that are used most, in the order of `FIRST`, and how many there are."""
        options = {param.name: param for param in self.get_params(ctx) if isinstance(param, click.Option)}
        rows = []
        for option in (options[name] for name in FIRST if name in options):
            names, _, value = ", ".join(option.opts).partition("/")[0], "", option.make_metavar(ctx)
            shown = f"{names} {value}".rstrip() if len(value) < _SHORT and not option.is_flag else names
            told, *_ = re.split(r"\.( |$)|; ", option.help or "")  # a first sentence or part of it
            rows.append((shown, f"{told}."))
        with formatter.section("First options"):
            formatter.write_dl(rows)
        formatter.write_paragraph()
        formatter.write_text(f"{ctx.command_path} --help-all describes all {len(options)} options.")
